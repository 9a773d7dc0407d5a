"""`bayesloom.credible`: from a table or a score cache to the credible set, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.constrained import constrain, constrained_for_counting, orders_of
from bayesloom.credible.averages import UNIT
from bayesloom.credible.credible_set import CredibleSet
from bayesloom.credible.stages import Run, StageClock
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import check_count, check_seconds, resolve_memory, resolve_threads
from bayesloom.parent_sets import score as score_parent_sets
from bayesloom.progress import ProgressFunction, kernel_progress
from bayesloom.scores import resolve_score
from bayesloom.start import START_WORK, short_search
from bayesloom.table import Table, read_table

__all__ = ["credible"]

FIRST_PROBES = 1_000  # random walks of the estimate before counting
FIRST_SECONDS = 0.01  # for them, in diagrams
GATHERED = 150_000  # networks near the best, to list where counting does not end
COUNTING = 0.7  # of the time; the rest is for what stands in for the count if it does not end
PROBES = 1_000_000  # of an estimate that stands for the count
LAST_SECONDS = 30.0  # for it, if memory and not time ended the count
MOST_FOR_SETS = 31  # variables up to which sets of them are tried before diagrams
PRICED_FROM = 22  # beyond so many variables a good network and cluster prices fix candidates first
SETS = 0.4  # of the time, where a try by diagrams can be gone on with
TIGHT = 10  # times the gap that prices leave is within the slack
FEW = 1_000_000  # networks that are listed where all of them are wanted
GOOD_WORK = 300  # for a good network, for each variable
FIRST_WORK = 50_000  # for diagrams around it: a tenth of a second
SECOND_WORK = 1_000_000  # around what the root of a proof finds
TRY_WORK = 4_000_000  # for diagrams, and if they do not end for the proof of the best: a few seconds each


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
        How a table is scored, see `bayesloom.score`; ``"bic"`` if not given.
    constraints
        `Constraints`, a dictionary of them, or a file: the set then holds the networks that keep them.
    time_limit
        Seconds for all stages together. If counting does not end in time, `count` is an unbiased
        estimate with a standard error, and says so.
    seed
        Of the estimate.
    threads, memory, progress
        As in `bayesloom.search`. The result does not depend on the number of threads.
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
    factor = _checked_factor(bayes_factor)
    if not (isinstance(tolerance, (int, float)) and 0 <= tolerance < math.inf):
        raise InputError(f"tolerance must be a number of nats of at least 0, got {tolerance!r}.")
    if limit is not None:
        check_count("limit", limit, least=0)
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    clock = StageClock(time_limit)
    run = Run(time_limit, seed, threads, memory, progress)
    scoring = {"score": score, "options": options, "max_parents": max_parents, "constraints": constraints}
    given, table = _given_cache(cache, factor * math.exp(tolerance), scoring, run, clock)
    core, interrupted = make(given, slack(factor, tolerance), run, clock)
    clock.start("count")
    left = clock.left()
    wide = isinstance(core, _core.WideSet)
    expected, expected_error = 0.0, 0.0
    known = isinstance(core, _core.WideSet) and core.whole
    if not known:
        first = min(FIRST_SECONDS, math.inf if left is None else 0.05 * left) if wide else left
        expected, expected_error, _, _ = core.estimate(FIRST_PROBES, seed, seconds=first)
        if on_estimate is not None:
            on_estimate(expected, expected_error)
    left = clock.left()
    counted = core.count(
        seconds=None if left is None else COUNTING * left, progress=kernel_progress(progress, "count")
    )
    if known:
        expected = float(counted["count"])
        if on_estimate is not None:
            on_estimate(expected, 0.0)
    result: dict[str, Any] = {
        "count": counted["count"],
        "mass": counted["mass"],
        "error": 0.0,
        "effective": None,
        "bounds": (counted["count"], counted["count"]),
        "expected": (expected, expected_error),
        "interrupted": counted["interrupted"] or interrupted,
    }
    if wide:
        result["bounds"] = (counted["low"], counted["high"])
        if counted["high"] is None:
            result["count"] = None
        else:
            result["error"] = float(
                max(counted["high"] - counted["count"], counted["count"] - counted["low"])
            )
    if result["count"] is None:
        least = result["bounds"][0] or 0
        if isinstance(core, _core.WideSet):
            left = clock.left()
            least = core.gather(GATHERED, seconds=LAST_SECONDS if left is None else 0.5 * left)
        estimated, error, _, effective = core.estimate(PROBES, seed, seconds=clock.left() or LAST_SECONDS)
        result |= {
            "count": max(least, round(estimated)),
            "error": error,
            "effective": effective,
            "bounds": (least, None),
        }
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
        run=run,
        table=table,
    )


def slack(factor: float, tolerance: float) -> int:
    return math.ceil(math.log(factor) * UNIT) + math.ceil(tolerance * UNIT)


def _checked_factor(value: float) -> float:
    if not (isinstance(value, (int, float)) and 1 <= value < math.inf):
        raise InputError(f"bayes_factor must be a number of at least 1, got {value!r}.")
    return float(value)


def _given_cache(
    given: object, factor: float, scoring: dict[str, Any], run: Run, clock: StageClock
) -> tuple[ScoreCache, Table | None]:
    if isinstance(given, ScoreCache):
        if any(scoring[name] is not None for name in ("score", "options", "max_parents")):
            raise InputError("score, options and max_parents are for tables; a score cache has its scores.")
        return constrained_for_counting(given, scoring["constraints"]), None
    scoring["score"] = scoring["score"] or "bic"
    resolve_score(scoring["score"], scoring["options"])
    clock.start("read")
    table = given if isinstance(given, Table) else read_table(given)
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
    return constrained_for_counting(cache), None if scoring["constraints"] else table


def make(
    cache: ScoreCache, slack: int, run: Run, clock: StageClock
) -> tuple[_core.CredibleSet | _core.WideSet, bool]:
    """Find the best score and what credible networks may use; also whether Ctrl-C was heard.

    A set is made by sets of variables or by diagrams. Beyond `PRICED_FROM` variables diagrams around a good
    network are tried first, shortly, and if there are at most `MOST_FOR_SETS` only where prices leave almost
    no gap. If that ends, the best is among what was counted. Then up to `MOST_FOR_SETS` variables
    sets serve. With more a better network is looked for and diagrams are tried around that. If they
    still do not end the best is proved; they are trusted to end later if the bound by prices is close. Sets
    come before where it is not, or where the proof takes long.
    How long a try is, is counted, not timed, so that the outcome does not depend on the machine.
    """
    clock.start("search")
    maker = _Maker(cache, slack, run, clock)
    many = cache.variable_count > MOST_FOR_SETS
    tried = None
    if cache.variable_count > PRICED_FROM:
        tried = maker.by_diagrams(maker.good_order(GOOD_WORK if many else START_WORK), quick=True)
        if many or TIGHT * tried.gap <= slack:
            counted = maker.count(tried, FIRST_WORK)
            # Sets have exact posteriors where diagrams would have to list too many networks.
            if tried.whole and (many or counted <= FEW):
                return tried, False
    if many and tried is not None:
        tried = maker.by_diagrams(maker.best(tried, proof=False)["order"])
        maker.count(tried, SECOND_WORK)
        if not tried.whole:
            tried = maker.around_best(tried, TRY_WORK)
        if tried is not None:
            maker.count(tried, TRY_WORK, proved=True)
            if tried.whole or tried.gap <= slack or maker.interrupted:
                return tried, maker.interrupted
    found = maker.by_sets(SETS if many and tried is not None else 1.0, tried) or (tried if many else None)
    if found is None and not clock.over():
        found = maker.around_best(maker.by_diagrams(maker.good))
    if found is None:
        raise ResourceError(
            "the time limit ended before the best score was known, without which no network can be called "
            "credible. Allow more time, or a smaller Bayes factor."
        )
    return found, maker.interrupted


class _Maker:
    """The ways to make a credible set, each None if time, memory or work ended it."""

    def __init__(self, cache: ScoreCache, slack: int, run: Run, clock: StageClock) -> None:
        self.cache, self.slack, self.run, self.clock = cache, slack, run, clock
        self.memory = resolve_memory(run.memory) / 2
        self.orders = orders_of(cache)
        self.progress = kernel_progress(run.progress, "search")
        self.interrupted = False
        self.good: list[int] = []  # an order of the best network known

    def by_sets(self, share: float, tried: _core.WideSet | None) -> _core.CredibleSet | None:
        """By sets of variables, within a share of the time that is left; by the prices of what was tried."""
        left = self.clock.left()
        out = _core.credible_set(
            self.cache.core,
            self.slack,
            threads=resolve_threads(self.run.threads),
            memory_bytes=self.memory,
            orders=self.orders,
            good=self.good,
            tried=tried,
            seconds=None if left is None else share * left,
            progress=self.progress,
        )
        self._heard(out)
        found: _core.CredibleSet | None = out["set"]
        return found

    def good_order(self, per_variable: int) -> list[int]:
        """The order of a good network, after a short search."""
        return list(short_search(constrain(self.cache).shown, self.clock.left(), per_variable)["order"])

    def by_diagrams(self, good: list[int], *, quick: bool = False) -> _core.WideSet:
        """By diagrams around the network of an order, not counted yet."""
        self.good = good
        out = _core.wide_set(
            self.cache.core,
            self.slack,
            self.orders,
            good,
            quick=quick,
            memory_bytes=self.memory,
            seconds=self.clock.left(),
            progress=self.progress,
        )
        self._heard(out)
        made: _core.WideSet = out["set"]
        return made

    def count(self, tried: _core.WideSet, work: int, *, proved: bool = False) -> int:
        """How many networks there are, at least; without a proof of the best Ctrl-C leaves nothing."""
        counted = tried.count(seconds=self.clock.left(), work=work, progress=self.progress)
        self._heard({**counted, "set": tried if proved else None})
        least: int = counted["low"]
        return least

    def best(self, tried: _core.WideSet, work: int | None = None, *, proof: bool) -> Mapping[str, Any]:
        """What a proof, or the root of one, finds from the network of diagrams that were tried."""
        out = _core.best_network(
            self.cache.core,
            self.orders,
            tried.best_network,
            branch=proof,
            memory_bytes=self.memory,
            seconds=self.clock.left(),
            work=work,
            progress=self.progress,
        )
        self._heard({**out, "set": None})
        self.good = out["order"]
        return out

    def around_best(self, tried: _core.WideSet, work: int | None = None) -> _core.WideSet | None:
        """The diagrams that were tried if theirs is the best network, or else those around the best."""
        out = self.best(tried, work, proof=True)
        if not out["proved"]:
            return None
        return tried if out["score"] == tried.best else self.by_diagrams(out["order"])

    def _heard(self, out: Mapping[str, Any]) -> None:
        self.interrupted = bool(out["interrupted"])
        if self.interrupted and out["set"] is None:
            raise KeyboardInterrupt
