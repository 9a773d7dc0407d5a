"""Every tuned number of credible sets: what it is, its unit, its range, and a benchmark.

The benchmark in brackets is the one to run before and after a change: `table1` is
``benchmarks/tables/liao2018/table1``, `edges` and `listing` are beside it, `stages` is
``benchmarks/micro/credible_stages.py``.  Work is counted, not timed, so that the way taken does not depend on
the machine.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPTIONS", "Options"]


@dataclass(frozen=True)
class Options:
    """The numbers, in the order in which a set meets them."""

    # Which backend: up to 22 variables subset DP; 23 to 31 one diagram attempt first; 32 and more diagrams,
    # and subset DP if the dual gap exceeds ln F.
    dense_up_to: int = 22
    """Variables, 0 to 31: up to so many, subset DP over all sets is faster than dual prices [table1]."""
    subset_dp_up_to: int = 31
    """Variables, 0 or more: up to so many, subset DP comes before long tries by diagrams [table1: wdbc]."""
    tight_gap: float = 10
    """A ratio, 1 or more: a first diagram is tried if ln F is so many times the dual gap [table1]."""
    few_networks: int = 1_000_000
    """Networks, 0 or more: a first diagram with more gives way to subset DP, whose posteriors are exact
    without listing [table1: horse, flag]."""
    search_work: int = 300
    """Look-ups per variable, 1 or more, of the order search for the first known network [stages]."""
    better_search_work: int = 10_000
    """The same for a better one: less than a second [table1]."""
    sparse_candidates: int = 6
    """Candidates per variable, 0 or more: with fewer, rough dual prices are tried first [stages]."""
    rough_work: int = 10_000
    """Diagram steps, 1 or more, by rough prices: some milliseconds [stages]."""
    first_work: int = 50_000
    """Diagram steps, 1 or more, around the first known network: a tenth of a second [table1]."""
    second_work: int = 1_000_000
    """Diagram steps, 1 or more, around what the root of a proof finds [table1]."""
    proof_work: int = 4_000_000
    """Steps, 1 or more, for the proof of the best, and for diagrams around it: some seconds each [table1]."""
    subset_dp_share: float = 0.4
    """Share of the time left, 0 to 1, for subset DP if a diagram can go on after it [table1: soybean]."""

    # Counting
    first_probes: int = 1_000
    """Random walks, 1 or more, of the estimate before the count [table1]."""
    first_seconds: float = 0.01
    """Seconds, above 0, for that estimate by diagrams, where a walk takes longer [table1]."""
    first_share: float = 0.05
    """Share of the time left, 0 to 1, for the same, if that is less."""
    count_share: float = 0.6
    """Share of the time left, 0 to 1, for the count; the rest is for what stands in for it [table1]."""
    doubtful_share: float = 0.2
    """The same where the dual gap exceeds ln F, and diagrams seldom end [table1: bands, soybean]."""

    # What stands in for a count that did not end
    near_best: int = 150_000
    """Networks near the best, 1 or more, to list: a second; the paper stops at as many [table1]."""
    probes: int = 1_000_000
    """Random walks, 1 or more, of the estimate, as far as time allows [table1]."""
    least_effective: float = 100
    """Effective sample size, 0 or more, below which an estimate is not relied on: its error is over 10 %."""
    walk_share: float = 0.1
    """Share of the time left, 0 to 1, for networks near the best, and for walks in diagrams [table1]."""
    last_seconds: float = 30.0
    """Seconds, above 0, for the estimate if memory and not time ended the count."""
    hurried_seconds: float = 0.5
    """Seconds, above 0, for the estimate if Ctrl-C ended the count."""
    near_losses: tuple[float, ...] = (1 / 8, 1 / 4, 1 / 2, 3 / 4)
    """Shares of ln F, ascending, of the smaller sets that annealed sampling begins with [table1]."""
    near_share: float = 0.4
    """Share of the time left, 0 to 1, for each of the smaller sets [table1]."""
    near_most: int = 2_000_000
    """Networks, 1 or more, of a smaller set by subset DP, which must be listed [table1: soybean]."""
    particles: tuple[int, ...] = (60, 250, 1000, 4000)
    """Networks in each run of annealed sampling, ascending, as long as there is time [table1]."""

    # Averages
    listed: int = 100_000_000
    """Networks, 0 or more, that the core lists for one average; of more, some are drawn [listing]."""
    listed_in_python: int = 1_000_000
    """Networks, 0 or more, listed for an average of a Python function [listing]."""
    drawn: int = 10_000
    """Networks, 2 or more, drawn for an average: standard errors of at most 0.005."""
    share_probes: int = 100_000
    """Random walks, 1 or more, of posteriors where the set could not be counted [edges]."""
    drawn_for_classes: int = 2_000
    """Networks, 2 or more, drawn to estimate the number of classes [table1: hepatitis, parkinsons]."""


OPTIONS = Options()
"""Those in use."""
