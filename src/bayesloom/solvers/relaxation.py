"""A bound for every score cache, and a proof where bound and network meet: solver ``bblp``.

In an acyclic network every set of variables (a cluster) has a member without a parent in it.  Dual prices on
these cluster inequalities give a bound on the score of any network.  The solver improves the prices, drops
candidates that no better network can use, and closes the remaining gap by branch and bound.  Reference:
[jaakkola2010]; ``docs/papers/jaakkola2010.md`` says what differs from the paper.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeVar

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.progress import KernelProgress
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.highs import HighsProgram, with_highs
from bayesloom.solvers.protocol import Answer, SearchLimits, Solver
from bayesloom.solvers.warm_start import start_candidates

__all__ = ["Bblp"]

T = TypeVar("T")
NO_SCORE, NO_BOUND = -(2**63), 2**63 - 1  # of an exchange that has none yet


@dataclass(frozen=True, kw_only=True)
class Bblp(Solver):
    """Options of the solver ``bblp``.

    Parameters
    ----------
    moves
        Tries to move a variable to a better place when the first network is improved by local
        search.  Networks decoded later get a tenth of it, or 20 per variable if that is more.
    branch
        Whether to close the gap by search; without it the result is the bound at the root.
    sets
        Whether that search also goes over sets of placed variables, which is better where candidates
        are many: ``"in turns"`` with branching, ``"never"``, or ``"only"``.  Components of more than
        64 variables are left to branching, and so is what does not fit in memory.
    target_gap
        Stop once bound and score are this close, in nats.
    lp
        Whether branching goes by a linear program where a first turn of prices alone has not closed the gap:
        branch and cut with HiGHS.  Where that does not load prices have to do, and a note says so.
    threads_beside
        How many of the threads it uses while another solver runs in parallel.
    """

    moves: int = 10_000
    branch: bool = True
    sets: Literal["in turns", "never", "only"] = "in turns"
    target_gap: float = 0.0
    lp: bool = True
    threads_beside: int = 1

    name: ClassVar[str] = "bblp"
    title: ClassVar[str] = "bounds by linear relaxation, then branch and bound"
    use: ClassVar[str] = "any number of variables, with a bound where it does not get to its end"
    reference: ClassVar[str] = "jaakkola2010"
    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("moves", self.moves, least=0)
        check_count("threads_beside", self.threads_beside, least=1)
        if self.sets not in ("in turns", "never", "only"):
            raise InputError(f"sets must be 'in turns', 'never' or 'only', got {self.sets!r}.")
        if not self.target_gap >= 0:
            raise InputError(f"target_gap must be a number of nats of at least 0, got {self.target_gap}.")

    def solve(self, cache: ScoreCache, limits: SearchLimits) -> Answer:
        """Return network, score and bound; they are equal unless a limit was reached."""
        if limits.exchange is None and limits.progress is not None:
            # With nobody: to see score and bound while it runs.
            exchange = _core.Exchange(turns=False)
            exchange.leave(1)
            limits = replace(limits, exchange=exchange)
        start = start_candidates(cache, limits.start)
        begin = time.perf_counter()
        out, notes = self.with_program(lambda program: _bblp(cache, limits.left(begin), self, start, program))
        return replace(Answer.from_core(out), notes=notes)

    def with_program(self, run: Callable[[HighsProgram | None], T]) -> tuple[T, tuple[str, ...]]:
        """Run something with what branch and cut solves its programs by, None where prices have to do."""
        return with_highs(run) if self.lp and self.branch else (run(None), ())


def _bblp(
    cache: ScoreCache,
    limits: SearchLimits,
    options: Bblp,
    start: Sequence[int],
    program: HighsProgram | None,
) -> dict[str, Any]:
    exchange = limits.exchange
    return _core.bblp(
        cache.core,
        seed=limits.seed,
        moves=options.moves,
        branch=options.branch,
        sets=options.sets,
        memory_bytes=limits.memory_bytes,
        exchange=exchange,
        threads=limits.threads,
        threads_beside=options.threads_beside,
        target_gap=options.target_gap,
        start=start,
        prices=limits.prices,
        seconds=limits.seconds,
        work=limits.work,
        progress=None if exchange is None else _listener(limits.progress, exchange),
        program=program,
    )


def _listener(progress: KernelProgress | None, exchange: _core.Exchange) -> KernelProgress | None:
    """Return a callback that adds the best score and the lowest bound told so far, if there are any."""
    if progress is None:
        return None
    told = progress

    def tell(work: int, seconds: float, score: float | None = None, bound: float | None = None) -> None:
        known, proved = exchange.score, exchange.bound
        told(
            work,
            seconds,
            score=_core.to_nats(known) if known > NO_SCORE else score,
            bound=_core.to_nats(proved) if proved < NO_BOUND else bound,
        )

    return tell
