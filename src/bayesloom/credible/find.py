"""`bayesloom.credible`: from a table or a score cache to the credible set, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.constrained import constrained_for_counting
from bayesloom.credible.averages import UNIT
from bayesloom.credible.credible_set import CredibleSet
from bayesloom.credible.stages import StageClock
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import check_count, check_seconds, resolve_memory, resolve_threads
from bayesloom.parent_sets import score as score_parent_sets
from bayesloom.progress import ProgressFunction, kernel_progress
from bayesloom.scores import resolve_score
from bayesloom.search import search
from bayesloom.table import Table, read_table

__all__ = ["credible"]

PROBES = 20_000  # random walks of an estimated count
MOST_FOR_DENSE = 28


def credible(
    cache: object,
    bayes_factor: float = 20.0,
    *,
    limit: int | None = None,
    tolerance: float = 0.0,
    score: str | None = None,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    constraints: object = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> CredibleSet:
    """Find all networks within a Bayes factor of the best.

    Parameters
    ----------
    cache
        A score cache, best made with ``score(table, bayes_factor=F)``; or a table, or anything that
        `read_table` takes, which is then scored so.
    bayes_factor
        F: networks with a score of at least ``best - ln F``; 3, 20 and 150 are usual steps.
    limit
        List at most this many networks. Never changes the count.
    tolerance
        Lower the limit by this many nats; for caches whose scores were rounded elsewhere.
    score, options, max_parents
        How a table is scored, see `bayesloom.score`; ``"bic"`` if not given.
    constraints
        `Constraints`, a dictionary of them, or a file: the set then holds the networks that keep them.
        Orders (``before``) are refused, since they are no property of single parent sets.
    time_limit
        Seconds for all stages together. If counting does not end in time, `count` is an unbiased
        estimate with a standard error, and says so.
    seed
        Of the estimate.
    threads, memory, progress
        As in `bayesloom.search`.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.credible({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, bayes_factor=20)
    >>> found.count, found.complete, found.classes.count
    (2, True, 1)
    >>> found.edge_posterior.adjacent("rain", "wet")
    1.0
    """
    factor = _checked_factor(bayes_factor)
    if not (isinstance(tolerance, (int, float)) and 0 <= tolerance < math.inf):
        raise InputError(f"tolerance must be a number of nats of at least 0, got {tolerance!r}.")
    if limit is not None:
        check_count("limit", limit, least=0)
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    clock = StageClock(time_limit)
    if constraints is not None and not isinstance(cache, ScoreCache):
        cache = score_parent_sets(
            cache,
            score=score or "bic",
            options=options,
            max_parents=max_parents,
            bayes_factor=factor * math.exp(tolerance),
            constraints=constraints,
            threads=threads,
            memory=memory,
            progress=progress,
        )
        score, options, max_parents = None, None, None
    given = _given_cache(
        cache, factor * math.exp(tolerance), score, options, max_parents, threads, memory, progress, clock
    )
    given = constrained_for_counting(given, constraints)
    core, out = _make(given, _slack(factor, tolerance), threads, memory, progress, clock, seed)
    clock.start("count")
    counted = core.count(seconds=clock.left(), progress=kernel_progress(progress, "count"))
    result: dict[str, Any] = {
        "count": counted["count"],
        "mass": counted["mass"],
        "exact": counted["count"] is not None,
        "error": 0.0,
        "interrupted": counted["interrupted"] or out["interrupted"],
    }
    if counted["count"] is None:
        estimated, error, _ = core.estimate(PROBES, seed)
        result |= {"count": round(estimated), "error": error}
    clock.stop()
    return CredibleSet(
        given,
        core,
        bayes_factor=factor,
        tolerance=float(tolerance),
        limit=limit,
        counted=result,
        seconds=clock.seconds,
        progress=progress,
    )


def _slack(factor: float, tolerance: float) -> int:
    return math.ceil(math.log(factor) * UNIT) + math.ceil(tolerance * UNIT)


def _checked_factor(value: float) -> float:
    if not (isinstance(value, (int, float)) and 1 <= value < math.inf):
        raise InputError(f"bayes_factor must be a number of at least 1, got {value!r}.")
    return float(value)


def _given_cache(
    given: object,
    factor: float,
    score: str | None,
    options: Mapping[str, float] | None,
    max_parents: int | None,
    threads: int | None,
    memory: float | None,
    progress: ProgressFunction | None,
    clock: StageClock,
) -> ScoreCache:
    if isinstance(given, ScoreCache):
        if score is not None or options is not None or max_parents is not None:
            raise InputError("score, options and max_parents are for tables; a score cache has its scores.")
        return given
    resolve_score(score or "bic", options)
    clock.start("read")
    table = given if isinstance(given, Table) else read_table(given)
    clock.start("score")
    return score_parent_sets(
        table,
        score=score or "bic",
        options=options,
        max_parents=max_parents,
        bayes_factor=factor,
        time_limit=clock.left(),
        threads=threads,
        memory=memory,
        progress=progress,
    )


def _make(
    cache: ScoreCache,
    slack: int,
    threads: int | None,
    memory: float | None,
    progress: ProgressFunction | None,
    clock: StageClock,
    seed: int,
) -> tuple[_core.CredibleSet, Mapping[str, Any]]:
    clock.start("search")
    known: int | None = None
    if cache.variable_count > MOST_FOR_DENSE:
        # Beyond exact completion values for all sets a good network cuts most of the work.
        found = search(
            cache,
            solver="minobs",
            time_limit=min(10.0, clock.left() or 10.0),
            seed=seed,
            threads=threads,
            memory=memory,
            progress=progress,
        )
        known = found.fixed_score
    out = _core.credible_set(
        cache.core,
        slack,
        threads=resolve_threads(threads),
        memory_bytes=resolve_memory(memory) / 2,
        known=known,
        seconds=clock.left(),
        progress=kernel_progress(progress, "search"),
    )
    if out["set"] is None:
        if out["interrupted"]:
            raise KeyboardInterrupt
        raise ResourceError(
            "the time limit ended before the best score was known, without which no network can be called "
            "credible. Allow more time, or a smaller Bayes factor."
        )
    return out["set"], out
