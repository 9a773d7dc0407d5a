"""Every tuned number of `learn`: what it is, its unit and its range.

Before and after a change, run ``benchmarks/tables/learn/defaults`` and ``benchmarks/tables/learn/large``; the
numbers of the closed loop are in `closed_loop.LoopOptions`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPTIONS", "LearnOptions"]


@dataclass(frozen=True)
class LearnOptions:
    """The numbers, in the order in which a run meets them."""

    usual_seconds: float = 60.0
    """Seconds, above 0: the limit where none is given."""
    most_local_scores: float = 2e8
    """Local scores, 0 or more: up to so many in the usual time, all are computed; half a minute, and far less
    where pruning bites."""
    quick_local_scores: int = 10_000
    """Local scores, 0 or more, that take no time worth a word."""
    null_share: float = 0.5
    """Share of the time, 0 to 1, for the network itself, if chance is measured too."""
    scoring_share: float = 0.5
    """Share of the time, 0 to 1, for scoring all parent sets before the loop takes over."""
    loop_share: float = 0.75
    """Share of the time, 0 to 1, for the closed loop; the rest is for the bound."""
    neighbourhoods_from: int = 512
    """Variables, 0 or more, beyond which an executor runs the closed loop in neighbourhoods."""
    all_share: float = 0.7
    """Share of the time that the loop did not need, 0 to 1, for scoring all sets after it."""
    unscored_share: float = 0.04
    """Share of the time, 0 to 1, for parent sets by size, to bound those that are not scored; and half as
    much for the bound over all networks."""
    pairs_up_to: int = 2000
    """Variables, 0 or more, up to which pairs are counted for that; beyond, columns by themselves."""
    proof_bytes: float = 64.0
    """Bytes, 0 or more, for each pair of variables that `bblp` takes: where all of them exceed half of the
    memory, `minobs` alone follows the loop, and the bound is that of the best parent sets."""
    price_share: float = 0.4
    """Share of the time left after the loop, 0 to 1, for its prices before the search goes on from them."""
    polish_share: float = 0.05
    """Share of the time, 0 to 1: with less left, no search follows a polish that changed something."""


OPTIONS = LearnOptions()
