"""The initial network of an exact search: from an order, or from a short run of `minobs`.

A good known network lets an exact solver prune more; this affects its time, not its answer.  The run of
`minobs` is limited by counted work, so that its outcome does not depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bayesloom import _core
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.order_search import Minobs
from bayesloom.solvers.protocol import SearchLimits

__all__ = ["START_WORK", "WarmStart", "short_search", "start_candidates", "warm_start"]

START_WORK = 2000
"""Variables that `minobs` looks up for the initial network, for each variable of the cache."""
CANDIDATE_WORK = 20
"""The same for each candidate, if that is less: with few candidates there is little to find."""


def start_candidates(cache: ScoreCache, order: Sequence[int] | None) -> list[int]:
    """Return the best candidate of each variable with parents before it in the order.

    An order that leaves a variable without a candidate is no start: the list is then empty.
    """
    if order is None:
        return []
    chosen = [0] * len(order)
    before: list[int] = []
    for v in order:
        candidate = cache.core.best_within(v, before)
        if candidate is None:
            return []
        chosen[v] = candidate
        before.append(v)
    return chosen


def short_search(cache: ScoreCache, seconds: float | None, per_variable: int) -> Mapping[str, Any]:
    """Return what a short run of `minobs` finds from a greedy network."""
    limits = _core.OrderSearchLimits()
    limits.work = min(per_variable * cache.variable_count, CANDIDATE_WORK * cache.candidate_count)
    limits.start = _core.greedy_order(cache.core)
    return _core.minobs(cache.core, _core.MinobsOptions(), limits, seconds=seconds)


@dataclass(frozen=True)
class WarmStart:
    """An initial network, one candidate per variable (empty if there is none), and the remaining limits."""

    candidates: list[int]
    limits: SearchLimits
    given: tuple[int, ...] | None = None
    """The order that the caller of the search began with."""
    interrupted: bool = False


def warm_start(cache: ScoreCache, limits: SearchLimits, per_variable: int) -> WarmStart:
    """Return a network that `minobs` finds in a short search from what the limits give to begin with.

    Up to some twenty variables an exact search is over sooner than ``per_variable`` looks at each of them, so
    there it is fewer.
    """
    n = cache.variable_count
    work = min(per_variable * n, 2**n // 2048 if n < 40 else per_variable * n)
    if work == 0:
        return WarmStart(start_candidates(cache, limits.start), limits, limits.start)
    begin = time.perf_counter()
    found = Minobs(islands=1).solve(cache, replace(limits, work=work, threads=1, target=None, progress=None))
    left = limits.left(begin)
    if found.interrupted:
        left = replace(left, seconds=0.0)
    left = replace(left, start=tuple(found.order))
    return WarmStart(list(found.candidates), left, limits.start, found.interrupted)
