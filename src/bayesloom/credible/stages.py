"""The time of each stage of a piece of work, and what is left of a limit on all of them."""

from __future__ import annotations

import time

__all__ = ["StageClock"]


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

    def left(self) -> float | None:
        if self._limit is None:
            return None
        return max(0.01, self._limit - (time.perf_counter() - self._begin))
