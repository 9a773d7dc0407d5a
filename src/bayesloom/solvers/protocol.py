"""What a solver is: options that can be run on a score cache within limits.

Every solver is a frozen dataclass derived from `Solver`: its fields are its options, checked when it is made,
and `Solver.solve` runs it.  It is given a `ScoreCache` and `SearchLimits` and returns an `Answer` in
fixed-point numbers; `bayesloom.search` has it verified and makes a `SearchResult` of it.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from bayesloom import _core
from bayesloom.errors import InputError, unknown
from bayesloom.limits import LEAST_SECONDS
from bayesloom.progress import KernelProgress
from bayesloom.scoring.cache import ScoreCache

__all__ = ["Answer", "SearchLimits", "Solver", "check_choice", "check_number"]


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
    """An initial order."""
    target: float | None = None
    """A score at which to stop."""
    exchange: _core.Exchange | None = None
    """With a solver that runs at the same time."""
    prices: Sequence[Sequence[Any]] = ()
    """Lists of dual prices to begin with, for solvers that use any."""
    certificate: bool = False
    """Whether a proof that others can check is asked for, see `Answer.certificate`."""

    def left(self, begin: float, work: int = 0) -> SearchLimits:
        """Return what is left of time and work since `begin` (by `time.perf_counter`), a little at least."""
        used = time.perf_counter() - begin
        return replace(
            self,
            seconds=None if self.seconds is None else max(LEAST_SECONDS, self.seconds - used),
            work=None if self.work is None else max(1, self.work - work),
        )

    def share(self, part: float) -> SearchLimits:
        """Return part of the time and the work."""
        return replace(
            self,
            seconds=None if self.seconds is None else self.seconds * part,
            work=None if self.work is None else max(1, int(self.work * part)),
        )


@dataclass(frozen=True)
class Answer:
    """What a solver returns; scores in units of 2^-30 nat.

    Attributes
    ----------
    candidates
        The network: for each variable the number of its candidate in the cache.
    order
        The same network as an order, parents first; empty if the solver has none at hand.
    score, bound
        Of the network, and of the best network there can be over the cache.
    work
        Effort in units of the solver.
    trace
        ``(seconds, work, score, bound)`` in nats, whenever score or bound got better.
    """

    candidates: Sequence[int]
    score: int
    bound: int
    work: int
    interrupted: bool
    order: Sequence[int] = ()
    trace: Sequence[tuple[float, int, float, float]] = ()
    disk_bytes: int = 0
    """The most that was on disk at a time."""
    solver: str | None = None
    """Which solvers ran, if the name of this one does not say it."""
    certificate: str | None = None
    """A proof of `bound` if it was asked for and the solver has one: the body of a certificate
    (``docs/certificate.md``)."""
    notes: tuple[str, ...] = ()
    """For `SearchResult.notes`."""

    @property
    def proved(self) -> bool:
        """Whether no network over the cache is better."""
        return self.score == self.bound

    @classmethod
    def from_core(cls, out: Mapping[str, Any]) -> Answer:
        """Return what a kernel of the core found."""
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in out.items() if name in known})


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """A solver with its options, and what holds of it."""

    name: ClassVar[str]
    title: ClassVar[str]
    use: ClassVar[str]
    """When to choose it, in a few words."""
    reference: ClassVar[str]
    exact: ClassVar[bool]
    """Ends with a gap of zero unless stopped."""
    takes_target: ClassVar[bool] = False
    """Whether it can end at a given score."""

    @abstractmethod
    def solve(self, cache: ScoreCache, limits: SearchLimits) -> Answer:
        """Search until there is a proof or a limit is reached."""

    @classmethod
    def given(cls, options: object | None) -> Solver:
        """Return the solver with what a caller gave as its options: a dictionary, an instance, or None."""
        if isinstance(options, cls):
            return options
        known = [entry.name for entry in fields(cls)]
        if options and not known:
            raise InputError(f"solver {cls.name!r} has no options.")
        if options is not None and not isinstance(options, Mapping):
            raise InputError(
                f"options must be a dictionary or an instance of {cls.__name__}, "
                f"got {type(options).__name__}."
            )
        for name in options or ():
            if name not in known:
                raise unknown(f"option of solver {cls.name!r}:", name, known)
        return cls(**(options or {}))


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Raise unless an option is one of a few words."""
    if value not in known:
        raise unknown(name, value, known)


def check_number(name: str, value: float, *, least: float, most: float = math.inf) -> None:
    """Raise unless an option is a finite number in a range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        up_to = "" if most == math.inf else f" and at most {most:g}"
        raise InputError(f"{name} must be a number of at least {least:g}{up_to}, got {value!r}.")
    if not math.isfinite(value):
        raise InputError(f"{name} must be finite, got {value!r}.")
