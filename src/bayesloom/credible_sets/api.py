"""`bayesloom.credible`: from a table or a score cache to the credible set, stage by stage."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.credible_sets import options as tuned
from bayesloom.credible_sets.estimates import estimate_count
from bayesloom.credible_sets.set import CredibleSet
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.credible_sets.strategy import make, max_loss
from bayesloom.errors import InputError, Interrupted, option, shown
from bayesloom.limits import (
    LARGEST_FACTOR,
    check_count,
    check_factor,
    check_seconds,
    is_number,
    reading_within,
)
from bayesloom.loops import ends_loops
from bayesloom.progress import Progress, kernel_progress, listening
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import constrained_for_counting
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.scoring.registry import rules_under, scored_table

if TYPE_CHECKING:
    from bayesloom.cluster.executors import Executor
    from bayesloom.table import Table

__all__ = ["credible"]


@ends_loops
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
    reserve: float = 0.0,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    on_estimate: Callable[[float, float], None] | None = None,
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
        How a table is scored, see `bayesloom.score`; by its columns if not given.
    constraints
        `Constraints`, a dictionary of them, or a file: the set then holds the networks that keep them.
    time_limit
        Seconds for all stages together. If counting does not end in time, `count` is an estimate with a
        standard error, and says so.
    reserve
        Which share of the time that is left when the best score is known counting and estimates do not touch:
        for who asks more of the set within the same time, as ``bayesloom credible`` does.
    seed
        Of the estimate.
    threads, memory
        As in `bayesloom.search`. The result does not depend on the number of threads.
    executor, blocks
        Score a table on many machines, see `bayesloom.score`; counting is done here.
    progress
        True shows how far the work is, live on a terminal, else as a line at times; a function is called with
        a `ProgressEvent` a few times a second.
    on_estimate
        Called once before counting with an unbiased estimate of the number of networks and its standard
        error.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.credible({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, bayes_factor=20)
    >>> found.count, found.complete, found.classes.count
    (2, True, 1)
    >>> found.edge_posterior.adjacent("rain", "wet")
    1.0
    """
    factor = check_factor(bayes_factor)
    if not is_number(tolerance) or not 0 <= tolerance <= math.log(LARGEST_FACTOR / factor):
        raise InputError(
            f"tolerance must be a number of nats from 0 to {math.log(LARGEST_FACTOR / factor):.0f}"
            f" (less for a larger factor), got {shown(tolerance)}."
        )
    if limit is not None:
        check_count("limit", limit, least=0)
    check_seconds("time_limit", time_limit)
    if not is_number(reserve) or not 0 <= reserve < 1:
        raise InputError(f"reserve must be a share of at least 0 and below 1, got {shown(reserve)}.")
    check_count("seed", seed, least=0)
    clock = StageClock(time_limit)
    with listening(progress) as listener:
        run = Run(time_limit, seed, threads, memory, listener)
        scoring = {"score": score, "options": options, "max_parents": max_parents, "constraints": constraints}
        scoring |= {"executor": executor, "blocks": blocks}
        given, table = _given_cache(cache, factor * math.exp(tolerance), scoring, run, clock)
        core, interrupted = make(given, max_loss(factor, tolerance), run, clock)
        clock.hold_back(reserve)
        clock.start("count")
        expected, expected_error = _expected(core, run, clock)
        known = core.whole
        if not known and on_estimate is not None:
            on_estimate(expected, expected_error)
        left = clock.left()
        share = tuned.OPTIONS.doubtful_share if core.gap > core.max_loss else tuned.OPTIONS.count_share
        counted = core.count(
            seconds=None if left is None else share * left, progress=kernel_progress(listener, "count")
        )
        if known:
            expected, expected_error = float(counted["count"]), 0.0
            if on_estimate is not None:
                on_estimate(expected, expected_error)
        low, high = counted["low"], counted["high"]
        result: dict[str, Any] = {
            "count": counted["count"],
            "weight": counted["weight"],
            "error": 0.0 if high is None else float(max(high - counted["count"], counted["count"] - low)),
            "effective": None,
            "by": "count",
            "bounds": (low, high),
            "expected": (expected, expected_error),
            "interrupted": counted["interrupted"] or interrupted,
        }
        if high is None:
            last = StageClock(tuned.OPTIONS.hurried_seconds) if result["interrupted"] else clock
            result |= estimate_count(core, low, given, run, last)
        result["exact"] = result["bounds"][0] == result["bounds"][1]
        clock.stop()
    return CredibleSet(
        given,
        core,
        bayes_factor=factor,
        tolerance=float(tolerance),
        limit=limit,
        counted=result,
        seconds=clock.seconds,
        run=replace(run, progress=progress),  # what is asked later opens a display of its own
        table=table,
    )


def _expected(core: _core.CredibleSet, run: Run, clock: StageClock) -> tuple[float, float]:
    """Return an estimate of the number of networks before they are counted, and its standard error."""
    if core.whole:
        return 0.0, 0.0
    seconds = clock.left()
    if core.backend == "diagram":  # where walks take long
        share = math.inf if seconds is None else tuned.OPTIONS.first_share * seconds
        seconds = min(tuned.OPTIONS.first_seconds, share)
    expected, error, _, _ = core.estimate(tuned.OPTIONS.first_probes, run.seed, seconds=seconds)
    return expected, error


def _given_cache(
    given: object, factor: float, scoring: dict[str, Any], run: Run, clock: StageClock
) -> tuple[ScoreCache, Table | None]:
    if isinstance(given, ScoreCache):
        if any(scoring[name] is not None for name in ("score", "options", "max_parents")):
            raise InputError("score, options and max_parents are for tables; a score cache has its scores.")
        if scoring["executor"] is not None or scoring["blocks"] is not None:
            raise InputError(
                f"{option('executor', subject=True)} scores tables; a score cache has its scores, and is "
                "counted here."
            )
        given.check_whole("tell which networks are credible")
        return constrained_for_counting(given, scoring["constraints"]), None
    clock.start("read")
    with reading_within(run.memory):
        table, found, scoring["options"] = scored_table(given, scoring["score"], scoring["options"])
    scoring["score"] = found.name
    rules = rules_under(Constraints.given(scoring["constraints"]), table, found)
    scoring["constraints"] = rules or scoring["constraints"]
    clock.start("score")
    cache = score_parent_sets(
        table,
        bayes_factor=factor,
        time_limit=clock.left(),
        threads=run.threads,
        memory=run.memory,
        progress=run.progress,
        **scoring,
    )
    if cache.info.get("interrupted"):
        raise Interrupted(
            "interrupted while the table was scored: before that is done no network can be called credible."
        )
    return constrained_for_counting(cache), None if scoring["constraints"] else table
