"""Several solvers for one cache: what ``solver="auto"`` does.

Up to 20 variables ``dp`` is always fast.  Beyond, ``bblp`` computes bounds and proves while ``minobs``
searches for better networks: in parallel on two threads, or in turns of 50 milliseconds on one.  They
exchange their best network and their lowest bound, and stop when the two meet.  ``bblp`` itself alternates
between branching and a search over sets of placed variables, so it handles caches with few and with many
candidates.  Up to 64 variables ``minobs`` ends when it runs out of patience, and its threads go to the proof.
Up to 29 variables ``dp`` takes over if there is no proof in about the time that ``dp`` takes.

The exchange depends on timing.  So the network may differ from run to run if several have the best score, and
score and bound may differ if time ends the search.  A score that is proved to be the best is always the same,
and up to 64 variables so is the work of the proof, mostly: ``bblp`` hears of networks once it has its prices.
Under a work limit, or in less time than ten turns take, the two run one after the other; under a work limit
the same seed gives the same result.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import ClassVar

from bayesloom import _core
from bayesloom.limits import check_count
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.order_graph import Dp
from bayesloom.solvers.order_search import PATIENCE, Minobs
from bayesloom.solvers.protocol import Answer, SearchLimits, Solver, check_number
from bayesloom.solvers.relaxation import Bblp

__all__ = ["Auto"]

MOST_FINDERS = 4
"""Threads of ``minobs`` beside a proof: more of them find the same networks hardly sooner."""
MOST_FOR_SETS = 64
"""Variables up to which ``bblp`` searches over sets, on all threads that it gets."""


@dataclass(frozen=True, kw_only=True)
class Auto(Solver):
    """Options of ``auto``: when which solver runs.

    Parameters
    ----------
    dp_first
        Up to how many variables ``dp`` runs alone: at 20 it takes a tenth of a second.
    dp_later
        Up to how many variables ``dp`` takes over where the others found no proof: at 29 it takes ten seconds
        and a gigabyte and a half.
    dp_seconds
        Seconds for each of the n 2^n steps of ``dp`` on one thread, to predict its time.
    turns_from
        Seconds from which ``minobs`` and ``bblp`` take turns on one thread; with less they run one after
        the other.
    first_share
        The share of time and work that ``minobs`` gets where they run one after the other.
    """

    dp_first: int = 20
    dp_later: int = 29
    dp_seconds: float = 6e-10
    turns_from: float = 0.5
    first_share: float = 0.2

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "one of the others or several at once, chosen by size"
    use: ClassVar[str] = "any number of variables"
    reference: ClassVar[str] = "jaakkola2010"
    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("dp_first", self.dp_first, least=0)
        check_count("dp_later", self.dp_later, least=0)
        check_number("dp_seconds", self.dp_seconds, least=0)
        check_number("turns_from", self.turns_from, least=0)
        check_number("first_share", self.first_share, least=0, most=1)

    def solve(self, cache: ScoreCache, limits: SearchLimits) -> Answer:
        """Run the solvers that suit the cache; the answer names them."""
        n = cache.variable_count
        fits = (
            n <= max(self.dp_first, self.dp_later)
            and _core.subset_dp_bytes(n, limits.threads) <= limits.memory_bytes
        )
        if n <= self.dp_first and fits:
            return replace(Dp().solve(cache, limits), solver="dp")
        too_short = limits.threads == 1 and limits.seconds is not None and limits.seconds < self.turns_from
        if limits.work is not None or too_short:
            return self._one_after_the_other(cache, limits)
        if not fits:
            return _together(cache, limits)
        dense = n * 2**n * self.dp_seconds / limits.threads
        if limits.seconds is not None and limits.seconds < 4 * dense:  # no use if it does not get to its end
            return _together(cache, limits)
        begin = time.perf_counter()
        found = _together(cache, replace(limits, seconds=max(dense, 0.1)))
        if found.proved or found.interrupted:
            return found
        proved = Dp().solve(cache, limits.left(begin))
        best = max(found, proved, key=lambda answer: answer.score)
        bound, work = min(found.bound, proved.bound), found.work + proved.work
        last = (time.perf_counter() - begin, work, _core.to_nats(best.score), _core.to_nats(bound))
        return replace(
            best,
            bound=bound,
            work=work,
            interrupted=proved.interrupted,
            trace=[*found.trace, last],
            solver="minobs+bblp+dp",
            notes=found.notes,
            certificate=next((one.certificate for one in (found, proved) if one.bound == bound), None),
        )

    def _one_after_the_other(self, cache: ScoreCache, limits: SearchLimits) -> Answer:
        """Give `minobs` a share of the work and the time, and `bblp` its network and the rest."""
        begin = time.perf_counter()
        found = Minobs(patience=PATIENCE).solve(cache, limits.share(self.first_share))
        if found.proved or found.interrupted:
            return replace(found, solver="minobs")
        rest = replace(limits.left(begin, found.work), start=tuple(found.order))
        proved = Bblp().solve(cache, rest)
        return replace(proved, work=found.work + proved.work, solver="minobs+bblp")


def _finders(threads: int) -> int:
    """Return how many threads `minobs` gets: one stays for `bblp`, and those of processors that are not there
    would only slow that one down."""
    return max(1, min(threads - 1, _core.thread_count() - 1, MOST_FINDERS))


def _together(cache: ScoreCache, limits: SearchLimits) -> Answer:
    """Run `bblp` here and `minobs` on another thread, until one of them is done."""
    exchange = _core.Exchange(turns=limits.threads == 1)
    errors: list[BaseException] = []
    finders = _finders(limits.threads)
    # Where the proof can use its threads, and in turns, `minobs` ends when it is out of patience.
    alone = limits.threads > 1 and limits.seconds is not None and cache.variable_count > MOST_FOR_SETS
    minobs = Minobs(patience=None if alone else PATIENCE)
    beside = replace(limits, work=None, threads=finders, progress=None, exchange=exchange)

    def find() -> None:
        try:
            minobs.solve(cache, beside)
        except BaseException as error:
            errors.append(error)
        finally:
            exchange.leave(1)

    thread = threading.Thread(target=find, name="minobs", daemon=True)
    thread.start()
    try:
        own = max(1, limits.threads - finders)
        out = Bblp(threads_beside=own).solve(cache, replace(limits, exchange=exchange))
    finally:
        exchange.close()
        exchange.leave(0)
        thread.join()
    if errors:
        raise errors[0]
    return replace(out, solver="minobs+bblp")
