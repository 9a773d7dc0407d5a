"""From a score cache to the best network.

`search` looks up a solver by name, runs it on the cache, checks the answer with the independent verifier, and
returns a `SearchResult`.  ``protocol`` defines what a solver is; `SOLVERS` lists all of them.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.errors import InputError, InternalError, option, unknown
from bayesloom.files import write_text
from bayesloom.limits import check_count, check_seconds, resolve_memory, resolve_threads
from bayesloom.loops import ends_loops
from bayesloom.networks.network import Network
from bayesloom.progress import Progress, kernel_progress, listening
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import Constrained, constrain
from bayesloom.solvers.auto import Auto
from bayesloom.solvers.order_graph import Astar, Bfbnb, Dp
from bayesloom.solvers.order_search import Asobs, Iinobs, Inobs, Minobs, Obs
from bayesloom.solvers.protocol import Answer, SearchLimits, Solver
from bayesloom.solvers.relaxation import Bblp
from bayesloom.solvers.result import SearchResult, TracePoint
from bayesloom.solvers.warm_start import start_candidates
from bayesloom.verification.network import verify

if TYPE_CHECKING:
    from bayesloom.cluster.executors import Executor

__all__ = ["SOLVERS", "search", "search_from", "solver_named", "unsearched"]

SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver for solver in (Dp, Astar, Bfbnb, Obs, Asobs, Inobs, Iinobs, Minobs, Bblp)
}
"""Every solver by name; ``"auto"`` combines several."""
CERTIFICATE_SHARE = 0.2  # of time and work, for prices of a certificate; its check comes on top


@ends_loops
def search(
    cache: ScoreCache,
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    work_limit: int | None = None,
    seed: int = 0,
    start: Network | Sequence[str] | None = None,
    target: float | None = None,
    options: Mapping[str, Any] | Solver | None = None,
    constraints: object = None,
    threads: int | None = None,
    memory: float | None = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    certificate: bool | str | os.PathLike[str] = False,
    progress: Progress = None,
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
        An initial network, or an order of all names.
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
    executor
        Search on many machines, see `bayesloom.score`: islands of a search over orders, one for each task
        that can run at a time, or as many as the option ``islands`` says.  Proofs then start from the best
        network found: those of ``bblp`` run in subtrees on the executor, others in this process.
    blocks
        With `executor`: a folder that saves finished islands and subtrees for a later call.
    certificate
        True makes a proof that others can check (``docs/certificate.md``): `SearchResult.certificate`.  The
        name of a file has it written there as well.  Where there is none, `SearchResult.notes` says why.
    progress
        True shows how far the work is, live on a terminal, else as a line at times; a function is called with
        a `ProgressEvent` a few times a second.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> result = bl.search(bl.score(table))
    >>> result.status, result.gap
    ('optimal', 0.0)
    """
    return search_from(
        cache,
        (),
        solver=solver,
        time_limit=time_limit,
        work_limit=work_limit,
        seed=seed,
        start=start,
        target=target,
        options=options,
        constraints=constraints,
        threads=threads,
        memory=memory,
        executor=executor,
        blocks=blocks,
        certificate=certificate,
        progress=progress,
    )


def search_from(
    cache: ScoreCache,
    prices: Sequence[Sequence[Any]],
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    work_limit: int | None = None,
    seed: int = 0,
    start: Network | Sequence[str] | None = None,
    target: float | None = None,
    options: Mapping[str, Any] | Solver | None = None,
    constraints: object = None,
    threads: int | None = None,
    memory: float | None = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    certificate: bool | str | os.PathLike[str] = False,
    progress: Progress = None,
) -> SearchResult:
    """Search as `search` does, from lists of dual prices, where the solver uses any.

    They are those that a kernel returned for a cache over the same variables, with the same orders kept.
    """
    cache.check_whole("be searched")
    if executor is None and blocks is not None:
        raise InputError(
            f"{option('blocks', subject=True)} is for work on {option('executor', subject=True)}."
        )
    chosen = solver_named(solver).given(options)
    if target is not None and not chosen.takes_target:
        known = ", ".join(name for name, one in SOLVERS.items() if one.takes_target)
        raise InputError(f"solver {solver!r} takes no target; these do: {known}.")
    limits = SearchLimits(
        seconds=check_seconds("time_limit", time_limit),
        work=None if work_limit is None else check_count("work_limit", work_limit, least=1),
        threads=resolve_threads(threads),
        memory_bytes=resolve_memory(memory),
        seed=check_count("seed", seed, least=0),
        progress=None,
        start=None if start is None else _start_order(cache, start),
        target=_checked_target(target),
        prices=prices,
        certificate=certificate is not False,
    )
    begin = time.perf_counter()
    held = constrain(cache, constraints)
    with listening(progress) as listener:
        limits = replace(limits, progress=kernel_progress(listener, "search"))
        own = limits.share(1 - CERTIFICATE_SHARE) if limits.certificate else limits
        if executor is None:
            answer = chosen.solve(held.shown, own)
        else:
            from bayesloom.cluster.workers import TaskLimits
            from bayesloom.solvers.islands import solve_on

            answer = solve_on(
                executor,
                chosen,
                held.shown,
                own,
                folder=blocks,
                task_limits=TaskLimits(None, 1, memory),
                listener=listener,
            )
        seconds = time.perf_counter() - begin
        result = _checked_result(held, answer.solver or solver, limits.seed, answer, seconds)
        if limits.certificate:
            result = _with_certificate(result, held, cache, answer, limits.left(begin, answer.work))
    if not isinstance(certificate, bool) and result.certificate is not None:
        write_text(certificate, result.certificate)
    return result


def _with_certificate(
    result: SearchResult, held: Constrained, cache: ScoreCache, answer: Answer, limits: SearchLimits
) -> SearchResult:
    """Return a result with its certificate, or with a note that says why there is none."""
    from bayesloom.solvers.certificates import Certified, certified

    begin = time.perf_counter()
    try:
        found = certified(held, cache, answer, limits)
    except KeyboardInterrupt:
        found = Certified(None, answer.bound, "the search was interrupted")
        result = replace(result, interrupted=True)
    notes = result.notes
    if found.text is None:
        notes += (f"There is no certificate: {found.why}.",)
    elif found.bound > answer.bound:
        proved = _core.to_nats(found.bound)
        notes += (f"The certificate proves a bound of {proved:.6f}, above that of the search.",)
    seconds = {**result.seconds, "certificate": time.perf_counter() - begin}
    return replace(result, certificate=found.text, notes=notes, seconds=seconds)


def unsearched(cache: ScoreCache, network: Network, *, seed: int = 0) -> SearchResult:
    """Return a network over the cache as a result, bounded by the best candidate of each variable.

    If its order allows a better network, it is that one.
    """
    held = constrain(cache)
    chosen = start_candidates(held.shown, _start_order(cache, network))
    first, scores, _, _ = held.shown.core.plain_views
    answer = Answer(
        candidates=chosen,
        score=sum(scores[c] for c in chosen),
        bound=sum(scores[best] for best in first[:-1]),
        work=0,
        interrupted=False,
    )
    return _checked_result(held, "", seed, answer, 0.0)


def solver_named(name: str) -> type[Solver]:
    """Return a solver by its name."""
    if name not in SOLVERS and name != Auto.name:
        raise unknown("solver", name, [*SOLVERS, Auto.name])
    return Auto if name == Auto.name else SOLVERS[name]


def _start_order(cache: ScoreCache, start: Network | Sequence[str]) -> tuple[int, ...]:
    """Return the initial order as positions in the cache; for a network, an order with parents first."""
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


def _checked_result(
    held: Constrained, solver: str, seed: int, answer: Answer, seconds: float
) -> SearchResult:
    cache = held.plain
    chosen = list(answer.candidates)
    _, scores, first, flat = cache.core.plain_views
    network = Network(cache.names, (flat[first[c] : first[c + 1]] for c in chosen))
    score, bound = _core.to_nats(answer.score), _core.to_nats(answer.bound)
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
        status="optimal" if answer.proved else "stopped",
        complete=cache.complete,
        solver=solver,
        seed=seed,
        work=answer.work,
        candidates=cache.candidate_count,
        seconds={"search": seconds},
        trace=tuple(TracePoint(*point) for point in answer.trace),
        local_scores={cache.names[v]: _core.to_nats(scores[c]) for v, c in enumerate(chosen)},
        max_parents=cache.info.get("max_parents"),
        interrupted=answer.interrupted,
        fixed_score=answer.score,
        fixed_bound=answer.bound,
        constraints=held.constraints.to_json(),
        method=str(cache.info.get("method", "")),
        score_name=cache.info.get("score"),
        cut_by_memory=int(cache.info.get("cut_by_memory") or 0),
        score_options=cache.info.get("options", {}),
        interventions=tuple(map(tuple, cache.info.get("interventions") or ())),
        notes=answer.notes,
        reading=cache.info.get("reading") or {},
    )
