"""From any table to a network, in one call.

Reads the table, scores parent sets, and searches for the best network; each stage can also be run by
itself (`read_table`, `score`, `search`).  Unlike there, continuous columns and missing values are no
error here: columns of numbers with many values are cut into three states of about equal size, and a
missing value is a state of its own.  ``table.notes`` tells what was done.

How the network is found is chosen by size:

================================================  ====================================================
at most 200 million local scores (`estimate`) in  every parent set that can matter is scored (method
60 seconds, in proportion to the time given       ``exhaustive``), then `search` with ``auto``: the
                                                  answer is exact if the search ends in time
more, or scoring did not end in half of the time  ``closed_loop``: scoring and search take turns
                                                  for three quarters of the time, then a bound over all
                                                  parent sets scored, by `search` with ``auto``
================================================  ====================================================

Whatever ended it, the network is polished at last (``polish``): no single edge is left whose removal raises
the score, and none that could be added, removed or turned over the parent sets scored.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError, ResourceError, unknown
from bayesloom.learning import options as tuned
from bayesloom.learning.advice import chance_in_words, unseen_in_words
from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions
from bayesloom.learning.polish import Polisher
from bayesloom.limits import check_count, check_seconds, reading_within, resolve_memory, resolve_threads
from bayesloom.networks.network import Network
from bayesloom.progress import ProgressEvent, ProgressFunction
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.chance import NullEdges, chance_edges, null_edges, shuffled
from bayesloom.scoring.parent_sets import METHODS, estimate
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.scoring.registry import resolve_score
from bayesloom.scoring.strength import edge_strengths
from bayesloom.solvers.api import search, solver_named, unsearched
from bayesloom.solvers.auto import Auto
from bayesloom.solvers.result import SearchResult, Status, TracePoint
from bayesloom.table import Table
from bayesloom.table.encode import StatesThatCount
from bayesloom.table.read import read_leniently

__all__ = ["Plan", "learn", "plan", "read_any_table"]

USUAL_SECONDS = tuned.OPTIONS.usual_seconds
LEAST_SECONDS = 0.002  # for a stage, whatever the stages before it took
CUT = "quantile:3"
COUNTED: StatesThatCount = "declared"  # which states count where a table declares them
LOOP = "loop"
NOT_MEASURED = "What chance alone gives was not measured: the time ended before. Give more of it."


@dataclass(frozen=True)
class Plan:
    """What `learn` will do, told before it starts.

    Attributes
    ----------
    method
        How parent sets are found: a method of `bayesloom.score`, or ``"loop"``.
    local_scores
        How many local scores a complete score cache takes at most.
    reason
        Why this method, in words.
    """

    method: str
    local_scores: float
    reason: str


def read_any_table(source: object, *, keep_all: bool = False, **options: Any) -> Table:
    """Return a table from whatever `read_table` takes, cutting and filling in where it would refuse.

    Columns that tell the rows apart and nothing else are left out, unless `keep_all` says otherwise.

    >>> table = read_any_table({"x": [k / 7 for k in range(60)], "y": ["a", "b", None] * 20})
    >>> table.cardinalities
    (3, 3)
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(source, Table):
        return source.with_seen_states() if given.get("states", COUNTED) == "seen" else source
    given.setdefault("states", COUNTED)
    given.setdefault("missing", "state")
    if given.get("discrete") is not True:
        given.setdefault("discretize", CUT)
    if isinstance(given.get("discretize"), Mapping):
        given["discretize"] = {"*": CUT, **given["discretize"]}
    return read_leniently(source, keep_all=keep_all, **given)


def plan(
    table: Table,
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    time_limit: float | None = USUAL_SECONDS,
) -> Plan:
    """Return how `learn` would go about a table.

    >>> import bayesloom as bl
    >>> plan(bl.random_network(10, seed=1).sample(100, seed=1)).method
    'exhaustive'
    """
    work = estimate(table, score=score, options=options, max_parents=max_parents)
    share = 1.0 if time_limit is None else min(1.0, time_limit / USUAL_SECONDS)
    if work.local_scores <= tuned.OPTIONS.most_local_scores * share:
        few = f"at most {work.local_scores:,.0f} local scores, a moment's work"
        what = (
            few if work.local_scores <= tuned.OPTIONS.quick_local_scores else f"{work}, which fits the time"
        )
        return Plan("exhaustive", work.local_scores, f"{what}: all of them are computed")
    much = f"{work}, more than fits the time: scored where the search needs them"
    return Plan(LOOP, work.local_scores, much)


def learn(
    table: object,
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    method: str = "auto",
    max_parents: int | None = None,
    solver: str = "auto",
    constraints: object = None,
    start: Network | None = None,
    null: bool = False,
    states: StatesThatCount | None = None,
    time_limit: float | None = USUAL_SECONDS,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> SearchResult:
    """Learn the best network of a table.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes: a path, a data frame, an array.
    score, options, max_parents
        How parent sets are scored, see `bayesloom.score`.
    method
        A method of `bayesloom.score`, ``"loop"``, or ``"auto"`` to choose by size.
    solver, seed, memory
        How the network is searched, see `bayesloom.search`.
    constraints
        `Constraints`, a dictionary of them, or a file: what the network must look like.
    start
        A network to begin with.
    null
        Whether to learn the table once more with every column shuffled by itself, with the same options:
        ``result.null`` then says how many edges chance alone gives, and how strong they are.  The network
        itself is found in half of the time limit.
    states
        Which states count where the table declares some that no row shows: ``"declared"``, which is the
        default, or only those ``"seen"``.
    time_limit
        Seconds for scoring and search together; None means as long as it takes.
    threads, progress
        As in `bayesloom.score`.

    Examples
    --------
    >>> import bayesloom as bl
    >>> result = bl.learn({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> result.network.cpdag.reversible
    (('rain', 'wet'),)
    """
    begin = time.perf_counter()
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    if method not in (*METHODS, LOOP, "auto"):
        raise unknown("method", method, [*METHODS, LOOP, "auto"])
    solver_named(solver)
    found, values = resolve_score(score, options)
    rules = Constraints.given(constraints)  # type: ignore[arg-type]
    if states not in (None, "declared", "seen"):
        raise unknown("value of states", states, ["declared", "seen"])
    with reading_within(memory):
        given = read_any_table(table, states=states)
    if max_parents is not None:
        check_count("max_parents", max_parents, least=0)
    rules.check(given.names, max_parents)
    if start is not None:
        _check_start(start, given, rules.together_with(Constraints(max_parents=max_parents)))
    limit = time_limit if time_limit is None or not null else time_limit * tuned.OPTIONS.null_share
    work = _Work(
        table=given,
        score=found.name,
        options=values,
        max_parents=max_parents,
        rules=rules,
        solver=solver,
        start=start,
        time_limit=limit,
        seed=seed,
        threads=resolve_threads(threads),
        memory=memory,
        begin=begin,
        listener=progress,
    )
    read = time.perf_counter() - begin
    result = work.run(method)
    notes = []
    if null and not result.interrupted:
        result = replace(result, null=work.null(method, result, time_limit))
        if result.null is None:
            notes.append(NOT_MEASURED)
    chance = chance_edges(given, score=found.name, options=values)
    many = chance_in_words(chance, len(result.network.edges))
    return replace(
        result,
        status="optimal" if result.proof == "all networks" else "stopped",
        chance=chance,
        notes=tuple(note for note in (many, *notes, unseen_in_words(given)) if note),
        seconds={"read": read, **result.seconds},
    )


def _check_start(start: Network, table: Table, rules: Constraints) -> None:
    if set(start.names) != set(table.names):
        odd = min(set(start.names) ^ set(table.names))
        where = "start" if odd in start.names else "table"
        raise InputError(f"start and table have different variables: {odd!r} is only in the {where}.")
    if broken := rules.broken_by(start):
        raise InputError(f"start breaks the constraints or the limit on parents: {broken[0]}.")


@dataclass
class _Work:
    """One run of `learn`, its options checked."""

    table: Table
    score: str
    options: dict[str, float]
    max_parents: int | None
    rules: Constraints
    solver: str
    start: Network | None
    time_limit: float | None
    seed: int
    threads: int
    memory: float | None
    begin: float
    listener: ProgressFunction | None
    best: float | None = None
    reserve: float = 0.0
    """Seconds to keep for the last polish."""
    grace: float = 1.0
    """Seconds that the strengths of edges may take beyond the limit."""
    cut: bool = False
    """Whether the time ended before there was a network worth the name."""

    def left(self) -> float | None:
        """Return the seconds that are left, a little at least."""
        if self.time_limit is None:
            return None
        return max(LEAST_SECONDS, self.time_limit - self.reserve - (time.perf_counter() - self.begin))

    def progress(self, event: ProgressEvent) -> None:
        """Tell the listener, with the best score so far and the time left."""
        if self.listener is not None:
            known = [score for score in (event.score, self.best) if score is not None]
            best = max(known, default=None)
            seconds = time.perf_counter() - self.begin
            self.listener(replace(event, seconds=seconds, score=best, left=self.left()))

    def run(self, method: str) -> SearchResult:
        """Learn the network, by a method or by the one that suits, and say what its edges are worth."""
        if method == "auto":
            method = plan(
                self.table,
                score=self.score,
                options=self.options,
                max_parents=self.max_parents,
                time_limit=self.time_limit,
            ).method
            result = self.by_loop(None, then_all=True) if method == LOOP else self.by_scoring_or_loop(method)
        else:
            result = self.by_loop(None) if method == LOOP else self.by_scoring(method)
        return self.with_strengths(result)

    def null(self, method: str, found: SearchResult, time_limit: float | None) -> NullEdges | None:
        """Learn the table with every column shuffled by itself, in what is left of the whole time.

        None if that leaves nothing to compare: edges that there was no time to find are no sign of anything.
        """
        listener = self.listener
        null = replace(
            self,
            start=None,
            time_limit=time_limit,
            best=None,
            reserve=0.0,
            grace=0.0,
            cut=False,
            # Scores of another table are not to be seen as progress of this one.
            listener=None
            if listener is None
            else lambda event: listener(replace(event, stage="null", score=None, bound=None)),
        )
        if self.cut or _lacks_strengths(found) or null.late():
            return None
        null.table = shuffled(self.table, self.seed)
        if null.late():
            return None
        chance = null.run(method)
        if chance.interrupted or null.cut or _lacks_strengths(chance):
            return None
        return null_edges(found.edges, chance.edges, self.rules.required)

    def late(self) -> bool:
        """Whether the time is over."""
        left = self.left()
        return left is not None and left <= LEAST_SECONDS

    def with_strengths(self, result: SearchResult) -> SearchResult:
        """Return the result with the strengths of its edges, if they come in a tenth of the time or a second.

        Ctrl-C leaves them out too: the network is worth more.
        """
        more = max(self.grace, 0.1 * self.time_limit if self.time_limit and self.grace else 0.0)
        limit = None if self.time_limit is None else max(self.left() or 0.0, more)
        try:
            edges = edge_strengths(
                self.table,
                result.network,
                score=self.score,
                options=self.options,
                constraints=self.rules,
                threads=self.threads,
                time_limit=limit,
            )
        except ResourceError:
            return result
        except KeyboardInterrupt:
            return replace(result, interrupted=True)
        return replace(result, edges=edges)

    def by_scoring_or_loop(self, method: str) -> SearchResult:
        """Score first, then search; take turns where the memory does not hold all parent sets."""
        try:
            return self.by_scoring(method)
        except ResourceError:
            return self.by_loop(None)

    def by_scoring(self, method: str) -> SearchResult:
        """Score first, then search; go over to the loop if scoring does not end in time."""
        begin = time.perf_counter()
        limit = self.left()
        cache = score_parent_sets(
            self.table,
            score=self.score,
            options=self.options,
            method=method,
            max_parents=self.max_parents,
            constraints=self.rules,
            time_limit=None if limit is None else limit * tuned.OPTIONS.scoring_share,
            threads=self.threads,
            memory=self.memory,
            progress=self.progress,
        )
        seconds = time.perf_counter() - begin
        if method == "exhaustive" and not cache.complete and not cache.info.get("interrupted"):
            result = self.by_loop(cache)
            return replace(
                result, seconds={**result.seconds, "score": seconds + result.seconds.get("score", 0.0)}
            )
        self.cut = bool(cache.info.get("stopped"))
        result = self.polished(cache, self.searched(cache, self.solver, None))
        interrupted = result.interrupted or bool(cache.info.get("interrupted"))
        return replace(result, interrupted=interrupted, seconds={"score": seconds, **result.seconds})

    def by_loop(self, scored: ScoreCache | None, *, then_all: bool = False) -> SearchResult:
        """Take turns of scoring and search, then bound what was found.

        With `then_all`, what time the turns leave goes into scoring all parent sets, and if that ends the
        answer is over all networks.
        """
        begin = time.perf_counter()
        loop = ClosedLoop(
            self.table,
            self.score,
            self.options,
            loop=LoopOptions(),
            constraints=self.rules,
            max_parents=self.max_parents,
            threads=self.threads,
            seed=self.seed,
            memory_bytes=resolve_memory(self.memory),
            progress=self.progress,
        )
        if scored is not None:
            loop.add(scored)
        left = self.left()
        loop.run(None if left is None else left * tuned.OPTIONS.loop_share, self.start)
        self.cut = not loop.climbed
        cache = self.all_sets(loop) if then_all and loop.idle else None
        if cache is None:
            cache = loop.cache()
        # The bound is to hold for the network that is returned, so its sets go into the cache first.
        polishing = time.perf_counter()
        found = self.polisher.network(cache, loop.network)
        cache = found.extended(cache) if found.added else cache
        self.reserve = 3 * (time.perf_counter() - polishing)  # polish, and strengths of edges
        loop.interrupted = loop.interrupted or found.interrupted
        self.best = _core.to_nats(found.score)
        seconds = time.perf_counter() - begin
        if loop.interrupted:
            result = self.kept(cache, found.network, None)
        else:
            result = self.searched(cache, self.bounding_solver(cache), found.network)
            if result.fixed_score < found.score:
                result = self.kept(cache, found.network, result)
        result = self.polished(cache, result)
        trace = [TracePoint(turn.seconds, turn.scored, turn.score, result.bound) for turn in loop.turns]
        return replace(
            result,
            solver=f"loop+{result.solver}" if result.solver else "loop",
            interrupted=result.interrupted or loop.interrupted,
            work=result.work + loop.scored,
            trace=(*trace, *(point for point in result.trace if point.score > self.best)),
            seconds={"loop": seconds, **result.seconds},
        )

    def all_sets(self, loop: ClosedLoop) -> ScoreCache | None:
        """Score all parent sets in part of the time left; if that does not end, the loop takes them up."""
        left = self.left()
        if left is None:
            return None
        self.best = loop.turns[-1].score
        try:
            cache = score_parent_sets(
                self.table,
                score=self.score,
                options=self.options,
                max_parents=self.max_parents,
                constraints=self.rules,
                time_limit=left * tuned.OPTIONS.all_share,
                threads=self.threads,
                memory=self.memory,
                progress=self.progress,
            )
        except ResourceError:  # more sets than the memory holds: those of the loop are what there is
            return None
        loop.interrupted = loop.interrupted or bool(cache.info.get("interrupted"))
        if cache.complete:
            return cache
        loop.add(cache)
        left = self.left()
        if left is not None and not loop.interrupted:
            loop.run(left * tuned.OPTIONS.loop_share, loop.network)
        return None

    @functools.cached_property
    def polisher(self) -> Polisher:
        """What polishes networks of this run."""
        return Polisher(self.table, self.score, self.options, self.rules, self.max_parents, self.threads)

    def polished(self, cache: ScoreCache, result: SearchResult) -> SearchResult:
        """Return the result with a network that no single edge improves.

        If it uses sets that the cache has not, the search goes on over the cache with them, in the time left.
        """
        self.reserve = 0.0
        while not (result.status == "optimal" and result.complete):
            begin = time.perf_counter()
            result, larger = self.polisher.result(cache, result)
            seconds = result.seconds.get("polish", 0.0) + time.perf_counter() - begin
            result = replace(result, seconds={**result.seconds, "polish": seconds})
            left = self.left()
            late = (
                left is not None
                and self.time_limit is not None
                and left < self.time_limit * tuned.OPTIONS.polish_share
            )
            if larger is cache or result.interrupted or late:
                break
            cache = larger
            again = self.searched(cache, self.bounding_solver(cache), result.network)
            if again.fixed_score < result.fixed_score:
                again = self.kept(cache, result.network, again)
            result = replace(
                again if again.fixed_bound <= result.fixed_bound else _bounded(again, result),
                trace=(*result.trace, *again.trace),
                work=result.work + again.work,
                seconds=_added_up(result.seconds, again.seconds),
            )
        return result

    def bounding_solver(self, cache: ScoreCache) -> str:
        """Return what bounds the cache of a loop: on one thread `minobs`, at work before, may rest."""
        alone = self.threads == 1 and not cache.complete and cache.variable_count > Auto.dp_later
        return "bblp" if self.solver == "auto" and alone else self.solver

    def kept(self, cache: ScoreCache, network: Network, bounded: SearchResult | None) -> SearchResult:
        """Return a network of the cache as it is, under the bound of a search that found none better."""
        result = unsearched(cache, network, seed=self.seed)
        if bounded is None:
            return result
        known = _bounded(result, bounded) if bounded.fixed_bound < result.fixed_bound else result
        return replace(known, solver=bounded.solver, seconds=bounded.seconds)

    def searched(self, cache: ScoreCache, solver: str, start: Network | None) -> SearchResult:
        """Search over a cache in the time left, from a start if there is one."""
        return search(
            cache,
            solver=solver,
            start=self.start if start is None else start,
            time_limit=self.left(),
            seed=self.seed,
            threads=self.threads,
            memory=self.memory,
            progress=lambda event: self.progress(replace(event, stage="prove", partial=not cache.complete)),
        )


def _lacks_strengths(result: SearchResult) -> bool:
    return len(result.edges) < len(result.network.edges)


def _bounded(result: SearchResult, other: SearchResult) -> SearchResult:
    """Return a result under the bound of another over the same score cache."""
    status: Status = "optimal" if other.fixed_bound == result.fixed_score else "stopped"
    return replace(result, bound=other.bound, fixed_bound=other.fixed_bound, status=status)


def _added_up(one: Mapping[str, float], two: Mapping[str, float]) -> dict[str, float]:
    return {stage: one.get(stage, 0.0) + two.get(stage, 0.0) for stage in (*one, *two)}
