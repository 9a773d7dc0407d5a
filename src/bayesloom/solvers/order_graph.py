"""Exact search over sets of placed variables: in memory, best first, or layer by layer on disk.

``dp``     dynamic programming over all subsets: always exact, time and memory depend on n alone
``astar``  best-first search with bounds: fast where bounds bite, stops at the memory limit
``bfbnb``  the same graph layer by layer on disk [malone2011]: can be killed and resumed

All three give the same score to the last bit.  Their options are the classes here; limits on time,
work, threads and memory are those of `bayesloom.search`.  Work is counted in subsets (``dp``) or nodes.

Each splits the variables into components first: groups that no cycle of candidates leaves.  ``dp``
is limited by the largest component (about 31 variables in 6 GB), the others to components of 64.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.protocol import Answer, SearchLimits, Solver
from bayesloom.solvers.warm_start import START_WORK, WarmStart, warm_start

__all__ = ["Astar", "Bfbnb", "Dp", "OrderGraphSolver"]

MAX_PATTERN = 20


@dataclass(frozen=True, kw_only=True)
class OrderGraphSolver(Solver):
    """What the solvers of this module share: a short search finds their initial network."""

    start_work: int = START_WORK

    exact: ClassVar[bool] = True

    def solve(self, cache: ScoreCache, limits: SearchLimits) -> Answer:
        """Return a best network; score and bound are equal unless a limit was reached."""
        start = warm_start(cache, limits, self.start_work)
        out = self.solve_from(cache, start)
        return replace(out, interrupted=out.interrupted or start.interrupted)

    @abstractmethod
    def solve_from(self, cache: ScoreCache, start: WarmStart) -> Answer:
        """Run the kernel from a known network, if there is one, within the limits left."""


@dataclass(frozen=True, kw_only=True)
class Dp(OrderGraphSolver):
    """Options of ``dp``: dense dynamic programming over all subsets.

    Parameters
    ----------
    start_work
        Effort of the search for an initial network: how many variables `minobs` looks up for each variable of
        the cache; 0 means no search.
    """

    start_work: int = START_WORK

    name: ClassVar[str] = "dp"
    title: ClassVar[str] = "dynamic programming over all subsets"
    use: ClassVar[str] = "up to about 30 variables"
    reference: ClassVar[str] = "silander2006"

    def __post_init__(self) -> None:
        check_count("start_work", self.start_work, least=0)

    def solve_from(self, cache: ScoreCache, start: WarmStart) -> Answer:
        out = _core.subset_dp(
            cache.core,
            threads=start.limits.threads,
            memory_bytes=start.limits.memory_bytes,
            start=start.candidates,
            seconds=start.limits.seconds,
            work=start.limits.work,
            progress=start.limits.progress,
        )
        return Answer.from_core(out)


@dataclass(frozen=True, kw_only=True)
class Astar(OrderGraphSolver):
    """Options of ``astar``: best-first search.

    Parameters
    ----------
    pattern_size
        Variables per group of the pattern databases, 1 to 20.  Larger groups bound more tightly and
        take longer to prepare: ``2 ** pattern_size`` losses for each group.
    start_work
        As for `Dp`.
    cluster_rounds
        How many steps on dual prices to make before the search, at most; 0 means none.
    """

    pattern_size: int = 16
    cluster_rounds: int = 100_000

    name: ClassVar[str] = "astar"
    title: ClassVar[str] = "best-first search on the order graph"
    use: ClassVar[str] = "up to 64 variables with few parent sets each"
    reference: ClassVar[str] = "yuan2013"

    def __post_init__(self) -> None:
        _check_preparation(self)

    def solve_from(self, cache: ScoreCache, start: WarmStart) -> Answer:
        out = _core.astar(
            cache.core,
            start=start.candidates,
            memory_bytes=start.limits.memory_bytes,
            pattern_size=self.pattern_size,
            cluster_rounds=self.cluster_rounds,
            threads=start.limits.threads,
            seconds=start.limits.seconds,
            work=start.limits.work,
            progress=start.limits.progress,
        )
        return Answer.from_core(out)


@dataclass(frozen=True, kw_only=True)
class Bfbnb(OrderGraphSolver):
    """Options of ``bfbnb``: breadth-first branch and bound with layers on disk.

    Parameters
    ----------
    scratch
        A directory with room for its files, which it keeps in a directory of their own: for this user only,
        and for one search at a time.  What a search leaves that was stopped, killed or ran out of disk stays
        there.  None means a directory among the system's temporary files, which on many systems is
        memory and not disk; it is private to the call and gone at its end.
    resume
        Continue an unfinished search of this cache in `scratch`.  It must have been started with the same
        options, and keeps the initial network of the first call.  If there is none, a new search starts.
        Without `resume` an unfinished search is removed and a new one starts.
    dense
        Whether to work on all subsets instead of nodes: ``"auto"`` where bounds bite too little,
        ``"never"`` or ``"always"``.
    pattern_size, start_work, cluster_rounds
        As for `Astar`.
    """

    scratch: str | os.PathLike[str] | None = None
    resume: bool = False
    dense: Literal["auto", "never", "always"] = "auto"
    pattern_size: int = 16
    cluster_rounds: int = 100_000

    name: ClassVar[str] = "bfbnb"
    title: ClassVar[str] = "breadth-first branch and bound on disk"
    use: ClassVar[str] = "the same where memory is too small; can be resumed"
    reference: ClassVar[str] = "malone2011"

    def __post_init__(self) -> None:
        _check_preparation(self)
        if self.dense not in ("auto", "never", "always"):
            raise InputError(f"dense must be 'auto', 'never' or 'always', got {self.dense!r}.")
        if self.scratch is not None and not os.path.isdir(self.scratch):
            raise InputError(f"the scratch directory {os.fspath(self.scratch)!r} does not exist.")
        if self.resume and self.scratch is None:
            raise InputError(
                "resume needs the scratch directory of the search that did not end (scratch; on the command "
                "line --scratch DIR): a temporary one is gone with its search."
            )

    def solve_from(self, cache: ScoreCache, start: WarmStart) -> Answer:
        if self.scratch is not None:
            return self._solve_in(os.path.abspath(self.scratch), cache, start)
        import tempfile

        # A temporary directory is private to this run and removed whatever happens.
        with tempfile.TemporaryDirectory(prefix="bayesloom-", ignore_cleanup_errors=True) as private:
            return self._solve_in(private, cache, start)

    def _solve_in(self, scratch: str | bytes, cache: ScoreCache, start: WarmStart) -> Answer:
        from bayesloom import __version__

        # What must be the same where a search is resumed, beside what the core compares itself.
        begun = "none" if start.given is None else f"{_core.xxh64(repr(start.given).encode()):016x}"
        asked = [("version", __version__), ("start_work", str(self.start_work)), ("start", begun)]
        out = _core.bfbnb(
            cache.core,
            scratch=os.fsdecode(scratch),
            memory_bytes=start.limits.memory_bytes,
            threads=start.limits.threads,
            start=start.candidates,
            resume=self.resume,
            pattern_size=self.pattern_size,
            cluster_rounds=self.cluster_rounds,
            dense=None if self.dense == "auto" else self.dense == "always",
            asked=asked,
            seconds=start.limits.seconds,
            work=start.limits.work,
            progress=start.limits.progress,
        )
        return Answer.from_core(out)


def _check_preparation(options: Astar | Bfbnb) -> None:
    check_count("start_work", options.start_work, least=0)
    check_count("cluster_rounds", options.cluster_rounds, least=0)
    if check_count("pattern_size", options.pattern_size, least=1) > MAX_PATTERN:
        raise InputError(f"pattern_size must be from 1 to {MAX_PATTERN}, got {options.pattern_size}.")
