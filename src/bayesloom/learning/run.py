"""One run of `learn`, once its table is read and its options are checked.

`planning` says whether all parent sets are scored first or the closed loop takes turns of scoring and search.
Whatever ended it, the network is polished at last (``polish``): no single edge is left whose removal raises
the score, and none that could be added, removed or turned over the parent sets scored.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InternalError, ResourceError
from bayesloom.learning import options as tuned
from bayesloom.learning.planning import LOOP, plan
from bayesloom.learning.polish import Polisher
from bayesloom.learning.prices import fits
from bayesloom.limits import LEAST_SECONDS, resolve_memory
from bayesloom.networks.network import Network
from bayesloom.progress import PLAN, Progress, ProgressEvent, ProgressFunction, kernel_progress, listening
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.chance import NullEdges, null_edges, shuffled
from bayesloom.scoring.constrained_cache import constrain
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.scoring.strength import edge_strengths
from bayesloom.scoring.unscored import SCORES
from bayesloom.solvers.api import search_from, unsearched
from bayesloom.solvers.auto import Auto
from bayesloom.solvers.result import SearchResult, Status, TracePoint
from bayesloom.table import Table

if TYPE_CHECKING:
    from bayesloom.cluster.executors import Executor
    from bayesloom.learning.closed_loop import ClosedLoop
    from bayesloom.learning.neighbourhoods import NeighbourhoodLoop

__all__ = ["LearningRun"]


@dataclass
class LearningRun:
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
    listener: Progress
    executor: Executor = None
    blocks: str | os.PathLike[str] | None = None
    task_threads: int | None = None
    """Threads of one task of the executor."""
    best: float | None = None
    reserve: float = 0.0
    """Seconds to keep for the last polish."""
    kept_back: float = 0.0
    """Seconds to keep for the bound over all networks."""
    grace: float = 1.0
    """Seconds that the strengths of edges may take beyond the limit."""
    cut: bool = False
    """Whether the time ended before there was a network worth the name."""
    in_part: bool = False
    """Whether scoring all parent sets was begun, and the loop took over."""
    prices: Sequence[Any] = ()
    """Lists of dual prices that bounds begin with."""
    local_loop: bool = False
    """Whether the closed loop ran here although there is an executor."""

    def left(self) -> float | None:
        """Return the seconds that are left, a little at least."""
        if self.time_limit is None:
            return None
        kept = self.reserve + self.kept_back
        return max(LEAST_SECONDS, self.time_limit - kept - (time.perf_counter() - self.begin))

    def progress(self, event: ProgressEvent) -> None:
        """Tell the listener, with the best score so far and the time left."""
        if callable(self.listener):
            known = [score for score in (event.score, self.best) if score is not None]
            best = max(known, default=None)
            seconds = time.perf_counter() - self.begin
            self.listener(replace(event, seconds=seconds, score=best, left=self.left()))

    def on_workers(self) -> dict[str, Any]:
        """Return where parent sets are scored, and with how many threads."""
        threads = self.threads if self.executor is None else self.task_threads
        return {"threads": threads, "executor": self.executor, "blocks": self.blocks}

    def run(self, method: str) -> SearchResult:
        """Learn the network, by a method or by the one that suits, and say what its edges are worth."""
        given = self.listener
        with listening(given) as self.listener:
            try:
                return self._run(method)
            finally:
                self.listener = given

    def _run(self, method: str) -> SearchResult:
        if method == "auto":
            found = plan(
                self.table,
                score=self.score,
                options=self.options,
                max_parents=self.max_parents,
                time_limit=self.time_limit,
            )
            method = found.method
            self.progress(ProgressEvent(PLAN, 0, 0.0, text=found.reason))
            result = self.by_loop(None, then_all=True) if method == LOOP else self.by_scoring_or_loop(method)
        else:
            result = self.by_loop(None) if method == LOOP else self.by_scoring(method)
        return self.with_strengths(self.over_all_networks(result))

    def over_all_networks(self, result: SearchResult) -> SearchResult:
        """Return the result with a bound over all networks, where not all parent sets were scored.

        Without it: for scores whose bounds are not known, after Ctrl-C, and of a shuffled table.
        """
        self.kept_back = 0.0
        if result.complete or result.interrupted or not self.bounds_all:
            return result
        from bayesloom.learning.all_networks import bound_all_networks
        from bayesloom.scoring.unscored import unscored_sets

        begin = time.perf_counter()
        seconds = None if self.time_limit is None else self.time_limit * tuned.OPTIONS.unscored_share
        few = len(self.table.names) <= tuned.OPTIONS.pairs_up_to
        try:
            unscored = unscored_sets(
                self.table,
                self.score,
                self.options,
                limit=self.max_parents,
                most_parents=0 if not few else 1 if seconds is None else None,
                seconds=seconds,
                threads=self.threads,
                memory_bytes=resolve_memory(self.memory) / 4,
                progress=kernel_progress(self.progress, "bound"),
            )
            found = bound_all_networks(
                unscored,
                self.score,
                self.options,
                result.local_scores,
                constraints=self.rules,
                seconds=None if seconds is None else seconds / 2,
                seed=self.seed,
            )
        except ResourceError:
            return result
        except KeyboardInterrupt:
            return replace(result, interrupted=True)
        if found.bound < result.fixed_score:
            raise InternalError(
                f"a bound over all networks, {found.bound}, is below the score {result.fixed_score} of one. "
                "Please report this with the table and the options."
            )
        known = replace(result, fixed_bound_all=found.bound, unscored_gains=found.gains)
        if found.bound < result.fixed_bound:
            bound, status = _core.to_nats(found.bound), result.status
            status = "optimal" if found.bound == result.fixed_score else status
            known = replace(known, bound=bound, fixed_bound=found.bound, status=status)
        spent = time.perf_counter() - begin
        return replace(
            known, interrupted=unscored.interrupted, seconds={**known.seconds, "all networks": spent}
        )

    @property
    def bounds_all(self) -> bool:
        """Whether a bound over all networks is looked for."""
        return self.score in SCORES and self.grace > 0 and not self.table.continuous

    def null(self, method: str, found: SearchResult, time_limit: float | None) -> NullEdges | None:
        """Learn the table with every column shuffled by itself, in what is left of the whole time.

        None if that leaves nothing to compare: edges that there was no time to find are no sign of anything.
        """
        with listening(self.listener) as listener:
            return self._null(method, found, time_limit, listener)

    def _null(
        self,
        method: str,
        found: SearchResult,
        time_limit: float | None,
        listener: ProgressFunction | None,
    ) -> NullEdges | None:
        null = replace(
            self,
            start=None,
            time_limit=time_limit,
            best=None,
            reserve=0.0,
            grace=0.0,
            cut=False,
            in_part=False,
            prices=(),
            # Scores of another table are not to be seen as progress of this one.
            listener=None
            if listener is None
            else lambda event: listener(replace(event, stage="null", score=None, bound=None, text=None)),
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
        if method != "exhaustive":
            self.keep_back()
        limit = self.left()
        cache = score_parent_sets(
            self.table,
            score=self.score,
            options=self.options,
            method=method,
            max_parents=self.max_parents,
            constraints=self.rules,
            time_limit=None if limit is None else limit * tuned.OPTIONS.scoring_share,
            memory=self.memory,
            **self.on_workers(),
            progress=self.progress,
        )
        seconds = time.perf_counter() - begin
        if method == "exhaustive" and not cache.complete and not cache.info.get("interrupted"):
            self.in_part = True
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
        self.keep_back()
        if self.cuts_loop(scored):
            return self.in_neighbourhoods()
        self.local_loop = self.executor is not None
        begin = time.perf_counter()
        from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions

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
        return self.after_loop(loop, cache, begin, LOOP)

    def cuts_loop(self, scored: ScoreCache | None) -> bool:
        """Whether the loop goes to the workers: not with constraints, which tie variables together."""
        many = len(self.table.names) > tuned.OPTIONS.neighbourhoods_from
        return self.executor is not None and many and not self.rules and scored is None

    def in_neighbourhoods(self) -> SearchResult:
        """Take turns on the workers of the executor, then bound what was found."""
        from bayesloom.cluster.executors import opened
        from bayesloom.learning.neighbourhoods import NeighbourhoodLoop

        begin = time.perf_counter()
        with opened(self.executor, self.left()) as workers:
            loop = NeighbourhoodLoop(
                self.table,
                self.score,
                self.options,
                workers,
                max_parents=self.max_parents,
                start=self.start,
                seed=self.seed,
                task_threads=self.task_threads,
                memory=self.memory,
                folder=self.blocks,
                progress=self.progress,
            )
            left = self.left()
            loop.run(None if left is None else left * tuned.OPTIONS.loop_share)
        self.cut = not loop.climbed
        many = "" if loop.count == 1 else "s"
        return self.after_loop(loop, loop.cache, begin, f"{LOOP} in {loop.count} neighbourhood{many}")

    def after_loop(
        self, loop: ClosedLoop | NeighbourhoodLoop, cache: ScoreCache, begin: float, name: str
    ) -> SearchResult:
        """Return the network of a loop, polished and bounded."""
        # The bound is to hold for the network that is returned, so its sets go into the cache first.
        polishing = time.perf_counter()
        found = self.polisher.network(cache, loop.network)
        cache = found.extended(cache) if found.added else cache
        self.reserve = 3 * (time.perf_counter() - polishing)  # polish, and strengths of edges
        loop.interrupted = loop.interrupted or found.interrupted
        self.best = _core.to_nats(found.score)
        self.prices = loop.prices
        if not loop.interrupted:
            loop.interrupted = self.go_on_with_prices(cache, found.score)
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
            solver=f"{name}+{result.solver}" if result.solver else name,
            interrupted=result.interrupted or loop.interrupted,
            work=result.work + loop.scored,
            trace=(*trace, *(point for point in result.trace if point.score > self.best)),
            seconds={"loop": seconds, **result.seconds},
        )

    def go_on_with_prices(self, cache: ScoreCache, known: int) -> bool:
        """Move the prices of a loop for part of the time left, over a cache; whether Ctrl-C came."""
        left = self.left()
        if not self.prices or left is None or self.bounding_solver(cache) not in ("auto", "bblp"):
            return False
        found = _core.reduced_costs(
            constrain(cache).shown.core,
            known,
            seconds=left * tuned.OPTIONS.price_share,
            prices=self.prices,
            progress=kernel_progress(self.progress, "bound"),
        )
        self.prices = [prices for prices in (found["clusters"],) if fits(prices)]
        return bool(found["interrupted"])

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
                memory=self.memory,
                **self.on_workers(),
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

    def keep_back(self) -> None:
        """Keep time for the bound over all networks: not all parent sets will be scored."""
        if self.time_limit is not None and self.bounds_all:
            self.kept_back = 1.5 * tuned.OPTIONS.unscored_share * self.time_limit

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
        needed = tuned.OPTIONS.proof_bytes * cache.variable_count**2
        if self.solver == "auto" and needed > resolve_memory(self.memory) / 2:
            return "minobs"
        alone = self.threads == 1 and not cache.complete and cache.variable_count > Auto.dp_later
        return "bblp" if self.solver == "auto" and alone else self.solver

    def kept(self, cache: ScoreCache, network: Network, bounded: SearchResult | None) -> SearchResult:
        """Return a network of the cache as it is, under the bound of a search that found none better."""
        result = unsearched(cache, network, seed=self.seed)
        if self.prices:
            bound, _, _ = _core.dual_bound(constrain(cache).shown.core, result.fixed_score, self.prices)
            proved = replace(result, fixed_bound=bound, bound=_core.to_nats(bound))
            result = _bounded(result, proved) if bound < result.fixed_bound else result
        if bounded is None:
            return result
        known = _bounded(result, bounded) if bounded.fixed_bound < result.fixed_bound else result
        return replace(known, solver=bounded.solver, seconds=bounded.seconds, notes=bounded.notes)

    def searched(self, cache: ScoreCache, solver: str, start: Network | None) -> SearchResult:
        """Search over a cache in the time left, from a start if there is one."""
        sets = None if cache.complete else cache.candidate_count
        return search_from(
            cache,
            self.prices,
            solver=solver,
            start=self.start if start is None else start,
            time_limit=self.left(),
            seed=self.seed,
            threads=self.threads,
            memory=self.memory,
            executor=self.executor,
            blocks=self.blocks,
            progress=lambda event: self.progress(
                replace(event, stage="prove", partial=not cache.complete, sets=sets)
            ),
        )


def _lacks_strengths(result: SearchResult) -> bool:
    return len(result.edges) < len(result.network.edges)


def _bounded(result: SearchResult, other: SearchResult) -> SearchResult:
    """Return a result under the bound of another over the same score cache."""
    status: Status = "optimal" if other.fixed_bound == result.fixed_score else "stopped"
    return replace(result, bound=other.bound, fixed_bound=other.fixed_bound, status=status)


def _added_up(one: Mapping[str, float], two: Mapping[str, float]) -> dict[str, float]:
    return {stage: one.get(stage, 0.0) + two.get(stage, 0.0) for stage in (*one, *two)}
