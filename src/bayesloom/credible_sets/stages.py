"""Limits and times of work in several stages."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bayesloom.progress import Progress

__all__ = ["Run", "StageClock"]


@dataclass(frozen=True)
class Run:
    """What the user allows: kept with a result that does more work when it is asked."""

    time_limit: float | None
    seed: int
    threads: int | None
    memory: float | None
    progress: Progress
    clock: StageClock | None = None  # one that all further work shares

    def begin(self) -> StageClock:
        """Return the clock of a piece of work: the shared one, or else a new one of the whole limit."""
        return StageClock(self.time_limit) if self.clock is None else self.clock


class StageClock:
    """The time of each stage, and what is left of a limit on all of them."""

    def __init__(self, limit: float | None) -> None:
        self.seconds: dict[str, float] = {}
        self._begin = time.perf_counter()
        self._limit = limit
        self._stage: tuple[str, float] | None = None

    def start(self, stage: str) -> None:
        self.stop()
        self._stage = (stage, time.perf_counter())

    def stop(self) -> None:
        if self._stage is not None:
            name, begin = self._stage
            self.seconds[name] = time.perf_counter() - begin
            self._stage = None

    def left(self, share: float = 1.0) -> float | None:
        """Return a share of the seconds that are left, None without a limit; never less than a moment."""
        if self._limit is None:
            return None
        return max(0.01, share * (self._limit - (time.perf_counter() - self._begin)))

    def hold_back(self, share: float) -> None:
        """Take a share of the seconds that are left off the limit."""
        if self._limit is not None:
            self._limit -= share * max(0.0, self._limit - (time.perf_counter() - self._begin))

    def over(self) -> bool:
        return self._limit is not None and time.perf_counter() - self._begin >= self._limit
