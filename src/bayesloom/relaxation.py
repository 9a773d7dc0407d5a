"""A bound for every score cache, and a proof where bound and network meet: solver ``bblp``.

Every set of variables (a cluster) holds one that takes no parent from it.  Prices on clusters turn
that into a bound on the score of any network; the solver improves the prices, drops candidates that
no better network can use, and closes what gap is left by branch and bound.  Reference:
[jaakkola2010]; what differs from the paper is told in ``docs/papers/jaakkola2010.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.start import start_candidates

if TYPE_CHECKING:
    from bayesloom.cache import ScoreCache
    from bayesloom.progress import KernelProgress
    from bayesloom.search import SearchLimits

__all__ = ["Bblp", "run"]

NO_SCORE, NO_BOUND = -(2**63), 2**63 - 1  # of an exchange that was not told any


@dataclass(frozen=True, kw_only=True)
class Bblp:
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
    """

    moves: int = 10_000
    branch: bool = True
    sets: Literal["in turns", "never", "only"] = "in turns"
    target_gap: float = 0.0

    title: ClassVar[str] = "cluster prices with branch and bound"
    reference: ClassVar[str] = "jaakkola2010"

    def __post_init__(self) -> None:
        check_count("moves", self.moves, least=0)
        if self.sets not in ("in turns", "never", "only"):
            raise InputError(f"sets must be 'in turns', 'never' or 'only', got {self.sets!r}.")
        if not self.target_gap >= 0:
            raise InputError(f"target_gap must be a number of nats of at least 0, got {self.target_gap}.")


def run(cache: ScoreCache, limits: SearchLimits) -> Mapping[str, Any]:
    """Return network, score and bound; they are equal unless a limit was hit."""
    options = limits.options if isinstance(limits.options, Bblp) else Bblp()
    exchange = limits.exchange
    if exchange is None and limits.progress is not None:
        exchange = _core.Exchange(turns=False)  # with nobody: to see score and bound while it runs
    return _core.bblp(
        cache.core,
        seed=limits.seed,
        moves=options.moves,
        branch=options.branch,
        sets=options.sets,
        memory_bytes=limits.memory_bytes,
        exchange=exchange,
        target_gap=options.target_gap,
        start=start_candidates(cache, limits.start),
        seconds=limits.seconds,
        work=limits.work,
        progress=None if exchange is None else _listener(limits.progress, exchange),
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
