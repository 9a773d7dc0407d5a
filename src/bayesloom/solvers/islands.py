"""Search on many machines: each block is one island of a search over orders, with its own random numbers.

Island i of m does not depend on where it runs.  So the best of all islands, the first of equal ones, is what
one process finds with the same number of islands (option ``islands``): byte for byte, if work or patience
ends it.

Solvers that prove start from the best network of the ``minobs`` islands: ``bblp``, and ``auto`` where it uses
``bblp``, run subtrees as tasks (``subtrees``); the others run in this process.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bayesloom import _core
from bayesloom.cluster.blocks import Block, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.executors import Executor, check_executor, opened
from bayesloom.cluster.workers import TaskLimits, Workers
from bayesloom.limits import LEAST_SECONDS
from bayesloom.progress import ProgressFunction
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.auto import Auto
from bayesloom.solvers.order_search import PATIENCE, Minobs, OrderSearchSolver
from bayesloom.solvers.protocol import Answer, SearchLimits, Solver
from bayesloom.solvers.relaxation import Bblp
from bayesloom.solvers.subtrees import prove_on

__all__ = ["solve_on"]

FIRST_SHARE = Auto.first_share
"""Of the time and the work that islands get where a proof follows."""


def solve_on(
    executor: Executor,
    solver: Solver,
    cache: ScoreCache,
    limits: SearchLimits,
    *,
    folder: str | os.PathLike[str] | None,
    task_limits: TaskLimits,
    listener: ProgressFunction | None,
) -> Answer:
    """Return what a solver finds with the help of workers."""
    check_executor(executor)
    if not isinstance(solver, OrderSearchSolver) and cache.variable_count <= Auto.dp_first:
        return solver.solve(cache, limits)  # a moment's work
    begin = time.perf_counter()
    with opened(executor, limits.seconds) as workers:
        run = _Islands(workers, cache, folder, task_limits, listener)
        if isinstance(solver, OrderSearchSolver):
            return run.solve(solver, limits.left(begin))
        found = run.solve(Minobs(patience=PATIENCE), limits.left(begin).share(FIRST_SHARE))
        if found.proved or found.interrupted:
            return replace(found, solver=Minobs.name)
        rest = replace(limits.left(begin, found.work), start=tuple(found.order))
        bblp = _in_subtrees(solver, cache, limits)
        if bblp is not None:
            proved = prove_on(
                workers, bblp, cache, rest, folder=folder, task_limits=task_limits, listener=listener
            )
    if bblp is None:
        proved = solver.solve(cache, rest)
    best = max(proved, found, key=lambda answer: answer.score)
    return replace(
        best,
        bound=min(found.bound, proved.bound),
        work=found.work + proved.work,
        interrupted=proved.interrupted,
        trace=[*found.trace, *(point for point in proved.trace if point[2] >= _core.to_nats(found.score))],
        solver=f"{Minobs.name} on {run.count} islands+{proved.solver or solver.name}",
        notes=proved.notes,
    )


def _in_subtrees(solver: Solver, cache: ScoreCache, limits: SearchLimits) -> Bblp | None:
    """Return the solver whose subtrees can be tasks; none where `dp` is quick, or nothing is branched."""
    if isinstance(solver, Bblp):
        return solver if solver.branch else None
    if not isinstance(solver, Auto):
        return None
    n = cache.variable_count
    soon = n <= solver.dp_later and _core.subset_dp_bytes(n, limits.threads) <= limits.memory_bytes
    return None if soon else Bblp()


class _Islands:
    """Islands of one search."""

    def __init__(
        self,
        workers: Workers,
        cache: ScoreCache,
        folder: str | os.PathLike[str] | None,
        task_limits: TaskLimits,
        listener: ProgressFunction | None,
    ) -> None:
        self.workers, self.cache, self.folder = workers, cache, folder
        self.task_limits, self.listener = task_limits, listener
        self.count = 0

    def solve(self, solver: OrderSearchSolver, limits: SearchLimits) -> Answer:
        """Return the best network of all islands."""
        self.count = solver.islands or self.workers.slots
        content = Content(_core.format_blc(self.cache.core), loaded)
        asked = {
            "solver": solver,
            "count": self.count,
            "seed": limits.seed,
            "work": limits.work,
            "target": limits.target,
            "start": limits.start,
            "timed": limits.seconds is not None,
        }
        from bayesloom import __version__

        text = repr((__version__, content.digest, sorted(asked.items())))
        fingerprint = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        blocks = [
            Block(
                f"island {i} of {self.count}",
                f"search-{fingerprint}-{i}-of-{self.count}.json",
                {**asked, "only": i - 1},
            )
            for i in range(1, self.count + 1)
        ]
        answers: dict[int, Answer] = {}

        def accept(number: int, content: bytes) -> bool | None:
            answer = _read(content, self.cache)
            if answer is None:
                return False
            answers[number] = answer
            return True if limits.seconds is None else None

        def enough() -> bool:
            # As in one process: under a work limit, islands do not look at each other.
            if limits.work is not None or not answers:
                return False
            best = max(answer.score for answer in answers.values())
            aim = limits.target
            return any(answer.proved for answer in answers.values()) or (
                aim is not None and best >= _core.to_fixed(aim)
            )

        finished = run_blocks(
            self.workers,
            search_island,
            content,
            blocks,
            accept,
            stage="search",
            folder=self.folder,
            time_limit=limits.seconds,
            threads=1,
            memory=self.task_limits.memory,
            progress=self._telling(answers),
            enough=enough,
        )
        if not finished.done:  # nothing came before the end: what one looks up in no time
            answers[0] = replace(solver, islands=None).solve(
                self.cache, replace(limits, seconds=LEAST_SECONDS, threads=1, work=None)
            )
        best = answers[max(answers, key=lambda i: (answers[i].score, -i))]
        return replace(
            best,
            work=sum(answer.work for answer in answers.values()),
            interrupted=finished.interrupted,
            trace=_rising(answers),
        )

    def _telling(self, answers: Mapping[int, Answer]) -> ProgressFunction | None:
        """Return what passes events on with the best score so far."""
        listener = self.listener
        if listener is None:
            return None

        def tell(event: Any) -> None:
            best = max((answer.score for answer in answers.values()), default=None)
            listener(event if best is None else replace(event, score=_core.to_nats(best)))

        return tell


def _rising(answers: Mapping[int, Answer]) -> list[tuple[float, int, float, float]]:
    """Return the improvements of all islands in order of time, each above all before."""
    rising: list[tuple[float, int, float, float]] = []
    for _, point in sorted((point[0], point) for i in sorted(answers) for point in answers[i].trace):
        if not rising or point[2] > rising[-1][2]:
            rising.append(point)
    return rising


def _read(content: bytes, cache: ScoreCache) -> Answer | None:
    """Return an answer, if it is one over this cache: a network, in its order, with its score."""
    try:
        given = json.loads(content)
        found = Answer(
            candidates=[int(c) for c in given["candidates"]],
            order=[int(v) for v in given["order"]],
            score=int(given["score"]),
            bound=int(given["bound"]),
            work=int(given["work"]),
            interrupted=False,
            trace=[(float(s), int(w), float(x), float(b)) for s, w, x, b in given["trace"]],
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    first, scores, parent_first, parents = cache.core.plain_views
    n = cache.variable_count
    if len(found.candidates) != n or sorted(found.order) != list(range(n)):
        return None
    if not all(first[v] <= c < first[v + 1] for v, c in enumerate(found.candidates)):
        return None
    before: set[int] = set()
    for v in found.order:
        c = found.candidates[v]
        if not before.issuperset(parents[parent_first[c] : parent_first[c + 1]]):
            return None
        before.add(v)
    bound = sum(scores[best] for best in first[:-1])
    fits = found.score == sum(scores[c] for c in found.candidates) and found.bound == bound
    return found if fits else None


def loaded(content: Any) -> ScoreCache:
    """Return the score cache of a content."""
    return ScoreCache(_core.parse_blc(bytes(content), "score cache of an executor"))


def search_island(cache: ScoreCache, arguments: Mapping[str, Any], limits: TaskLimits) -> bytes:
    """Search one island; runs on a worker."""
    solver: OrderSearchSolver = arguments["solver"]
    progress: Callable[..., None] | None = limits.progress
    answer = solver.island(
        cache,
        SearchLimits(
            seconds=limits.seconds,
            work=arguments["work"],
            threads=1,
            memory_bytes=0.0,
            seed=arguments["seed"],
            progress=progress,
            start=arguments["start"],
            target=arguments["target"],
        ),
        arguments["only"],
        arguments["count"],
    )
    if answer.interrupted:
        raise KeyboardInterrupt
    plain = {
        "candidates": list(answer.candidates),
        "order": list(answer.order),
        "score": answer.score,
        "bound": answer.bound,
        "work": answer.work,
        "trace": [list(point) for point in answer.trace],
    }
    return json.dumps(plain).encode()
