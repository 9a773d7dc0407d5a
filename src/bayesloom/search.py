"""From a score cache to the best network.

`search` looks up a solver by name, runs it on the cache, has the answer re-checked by the
independent verifier, and returns a `SearchResult`.  A solver is one function registered in
`SOLVERS`; see CONTRIBUTING for how to add one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.errors import InternalError, unknown
from bayesloom.limits import check_count, check_seconds, resolve_memory, resolve_threads
from bayesloom.network import Network
from bayesloom.progress import ProgressFunction, kernel_progress
from bayesloom.relaxation import Bblp
from bayesloom.result import SearchResult, TracePoint
from bayesloom.verify import verify

__all__ = ["SOLVERS", "SearchLimits", "Solver", "search"]


@dataclass(frozen=True)
class SearchLimits:
    """What a solver may use, already checked."""

    seconds: float | None
    work: int | None
    threads: int
    memory_bytes: float
    seed: int
    progress: Callable[[int, float], None] | None


class SolverFunction(Protocol):
    """Runs a solver: returns candidates, score, bound, work (fixed point), interrupted, trace."""

    def __call__(self, cache: ScoreCache, limits: SearchLimits, /) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Solver:
    """A solver and what holds of it."""

    name: str
    title: str
    run: SolverFunction
    exact: bool
    """Ends with a gap of zero unless stopped."""
    reference: str


def _dp(cache: ScoreCache, limits: SearchLimits) -> Mapping[str, Any]:
    return _core.subset_dp(
        cache.core,
        threads=limits.threads,
        memory_bytes=limits.memory_bytes,
        seconds=limits.seconds,
        work=limits.work,
        progress=limits.progress,
    )


SOLVERS: dict[str, Solver] = {
    "dp": Solver("dp", "dynamic programming over all subsets", _dp, exact=True, reference="silander2006"),
    "bblp": Solver(
        "bblp", "cluster prices with branch and bound", Bblp(), exact=True, reference="jaakkola2010"
    ),
}
"""Every solver by name."""


def search(
    cache: ScoreCache,
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    work_limit: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> SearchResult:
    """Find the best network over a score cache.

    Parameters
    ----------
    cache
        Candidates with their local scores, from `score` or a file.
    solver
        A name from `SOLVERS`, or ``"auto"`` to choose by size.
    time_limit, work_limit
        Stop after this many seconds, or after this much deterministic effort; the result then has
        a valid bound and says ``"stopped"``.
    seed
        Same seed, same result, whatever the number of threads.
    threads
        How many threads to use; None means all processors this process may run on.
    memory
        How many gigabytes may be used; None means 80 % of what is free.
    progress
        Called with a `ProgressEvent` a few times a second.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> result = bl.search(bl.score(table))
    >>> result.status, result.gap
    ('optimal', 0.0)
    """
    name = "dp" if solver == "auto" else solver
    if name not in SOLVERS:
        raise unknown("solver", solver, [*SOLVERS, "auto"])
    limits = SearchLimits(
        seconds=check_seconds("time_limit", time_limit),
        work=None if work_limit is None else check_count("work_limit", work_limit, least=1),
        threads=resolve_threads(threads),
        memory_bytes=resolve_memory(memory),
        seed=check_count("seed", seed, least=0),
        progress=kernel_progress(progress, "search"),
    )
    start = time.perf_counter()
    out = SOLVERS[name].run(cache, limits)
    seconds = time.perf_counter() - start
    return _checked_result(cache, name, limits.seed, out, seconds)


def _checked_result(
    cache: ScoreCache, solver: str, seed: int, out: Mapping[str, Any], seconds: float
) -> SearchResult:
    chosen = list(out["candidates"])
    first, flat, scores = cache.parent_first, cache.parents, cache.scores
    parents = [[int(p) for p in flat[int(first[c]) : int(first[c + 1])]] for c in chosen]
    network = Network(cache.names, parents)
    score, bound = _core.to_nats(out["score"]), _core.to_nats(out["bound"])
    check = verify(network, cache=cache, claimed_score=score, bound=bound)
    if not check.ok:
        raise InternalError(
            f"the result of {solver!r} failed verification: {' '.join(check.problems)} "
            f"Please report this with seed {seed} and the score cache."
        )
    return SearchResult(
        network=network,
        score=score,
        bound=bound,
        status="optimal" if out["score"] == out["bound"] else "stopped",
        complete=cache.complete,
        solver=solver,
        seed=seed,
        work=int(out["work"]),
        candidates=cache.candidate_count,
        seconds={"search": seconds},
        trace=tuple(TracePoint(*point) for point in out.get("trace", ())),
        local_scores={cache.names[v]: _core.to_nats(int(scores[c])) for v, c in enumerate(chosen)},
        max_parents=cache.info.get("max_parents"),
        interrupted=bool(out["interrupted"]),
        fixed_score=int(out["score"]),
        fixed_bound=int(out["bound"]),
    )
