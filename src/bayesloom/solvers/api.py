"""From a score cache to the best network.

`search` looks up a solver by name, runs it on the cache, has the answer re-checked by the
independent verifier, and returns a `SearchResult`.  A solver is one function registered in
`SOLVERS`; see CONTRIBUTING for how to add one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from bayesloom import _core
from bayesloom.errors import InputError, InternalError, unknown
from bayesloom.limits import check_count, check_seconds, resolve_memory, resolve_threads
from bayesloom.networks.network import Network
from bayesloom.progress import KernelProgress, ProgressFunction, kernel_progress
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import Constrained, constrain
from bayesloom.solvers import auto, order_graph, order_search, relaxation
from bayesloom.solvers.result import SearchResult, TracePoint
from bayesloom.verification import verify

__all__ = ["SOLVERS", "SearchLimits", "Solver", "search"]


SolverOptions = order_search.OrderSearchOptions | order_graph.OrderGraphOptions | relaxation.Bblp


@dataclass(frozen=True)
class SearchLimits:
    """What a solver may use, already checked."""

    seconds: float | None
    work: int | None
    threads: int
    memory_bytes: float
    seed: int
    progress: KernelProgress | None
    start: tuple[int, ...] | None = None
    """An order to begin with."""
    target: float | None = None
    options: Any = None
    """An instance of the solver's options."""
    exchange: _core.Exchange | None = None
    """With a solver that runs at the same time."""


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
    options: type[Any] | None = None
    """A dataclass of its options, if it has any."""
    takes_target: bool = False
    """Whether it can end at a given score."""


SOLVERS: dict[str, Solver] = (
    {
        name: Solver(
            name,
            graph.title,
            graph.run,
            exact=True,
            reference=graph.reference,
            options=graph,
        )
        for name, graph in order_graph.SOLVERS.items()
    }
    | {
        name: Solver(
            name,
            order.title,
            order_search.run,
            exact=False,
            reference=order.reference,
            options=order,
            takes_target=True,
        )
        for name, order in order_search.SOLVERS.items()
    }
    | {
        "bblp": Solver(
            "bblp",
            relaxation.Bblp.title,
            relaxation.run,
            exact=True,
            reference=relaxation.Bblp.reference,
            options=relaxation.Bblp,
        ),
    }
)
"""Every solver by name."""


def search(
    cache: ScoreCache,
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    work_limit: int | None = None,
    seed: int = 0,
    start: Network | Sequence[str] | None = None,
    target: float | None = None,
    options: Mapping[str, Any] | SolverOptions | None = None,
    constraints: object = None,
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
        A name from `SOLVERS`, or ``"auto"``: ``dp`` for up to 20 variables, beyond that ``minobs`` and
        ``bblp`` at the same time, see `bayesloom.solvers.auto`.
    time_limit, work_limit
        Stop after this many seconds, or after this much deterministic effort; the result then has
        a valid bound and says ``"stopped"``.
    seed
        Same seed, same result, whatever the number of threads (unless time ends the search).  With
        ``"auto"`` and no work limit the score is the same if it is proved, the network may be another.
    start
        A network, or an order of all names, to begin with.
    target
        Stop at a score of at least this.
    options
        Options of the solver: a dictionary, or an instance of its class in `bayesloom.solvers.order_search`,
        `bayesloom.solvers.order_graph` or `bayesloom.solvers.relaxation`.
    constraints
        `Constraints`, a dictionary of them, or a file; those the cache was scored with hold anyway.
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
    cache.check_whole("be searched")
    name = solver
    if name not in SOLVERS and name != "auto":
        raise unknown("solver", solver, [*SOLVERS, "auto"])
    chosen = AUTO if name == "auto" else SOLVERS[name]
    if target is not None and not chosen.takes_target:
        raise InputError(f"solver {name!r} takes no target.")
    limits = SearchLimits(
        seconds=check_seconds("time_limit", time_limit),
        work=None if work_limit is None else check_count("work_limit", work_limit, least=1),
        threads=resolve_threads(threads),
        memory_bytes=resolve_memory(memory),
        seed=check_count("seed", seed, least=0),
        progress=kernel_progress(progress, "search"),
        start=None if start is None else _start_order(cache, start),
        target=_checked_target(target),
        options=_solver_options(chosen, options),
    )
    begin = time.perf_counter()
    held = constrain(cache, constraints)
    out = held.restored(chosen.run(held.shown, limits))
    seconds = time.perf_counter() - begin
    return _checked_result(held, out.get("solver", name), limits.seed, out, seconds)


AUTO = Solver(
    "auto",
    "chosen by size",
    auto.run,
    exact=True,
    reference="jaakkola2010",
    options=None,
)


def _start_order(cache: ScoreCache, start: Network | Sequence[str]) -> tuple[int, ...]:
    """Return the order to begin with as positions in the cache, parents of a network first."""
    names = list(start.order if isinstance(start, Network) else start)
    index = {name: v for v, name in enumerate(cache.names)}
    for name in names:
        if name not in index:
            raise InputError(f"variable {name!r} of start is not in the score cache.")
    given = set(names)
    if len(given) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"variable {twice!r} occurs twice in start.")
    if missing := [name for name in cache.names if name not in given]:
        raise InputError(f"variable {missing[0]!r} of the score cache is missing from start.")
    return tuple(index[name] for name in names)


def _checked_target(target: float | None) -> float | None:
    if target is not None and not (isinstance(target, (int, float)) and math.isfinite(target)):
        raise InputError(f"target must be a score or None, got {target!r}.")
    return target


def _solver_options(solver: Solver, options: object | None) -> Any:
    """Return the options of a solver from what the caller gave."""
    if solver.options is None or not fields(solver.options):
        if options and not (solver.options and isinstance(options, solver.options)):
            raise InputError(f"solver {solver.name!r} has no options.")
        return None
    if isinstance(options, solver.options):
        return options
    if options is not None and not isinstance(options, Mapping):
        raise InputError(
            f"options must be a dictionary or an instance of {solver.options.__name__}, "
            f"got {type(options).__name__}."
        )
    known = [entry.name for entry in fields(solver.options)]
    for name in options or ():
        if name not in known:
            raise unknown(f"option of solver {solver.name!r}:", name, known)
    return solver.options(**(options or {}))


def _checked_result(
    held: Constrained, solver: str, seed: int, out: Mapping[str, Any], seconds: float
) -> SearchResult:
    cache = held.plain
    chosen = list(out["candidates"])
    first, flat, scores = cache.parent_first, cache.parents, cache.scores
    network = Network(cache.names, (flat[int(first[c]) : int(first[c + 1])] for c in chosen))
    score, bound = _core.to_nats(out["score"]), _core.to_nats(out["bound"])
    check = verify(
        network, cache=cache, claimed_score=score, bound=bound, constraints=held.constraints or None
    )
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
        constraints=held.constraints.to_json(),
        method=str(cache.info.get("method", "")),
        score_name=cache.info.get("score"),
        cut_by_memory=int(cache.info.get("cut_by_memory") or 0),
        score_options=cache.info.get("options", {}),
    )
