"""How long work tells where it is, and how it is stopped.

A progress function takes a `ProgressEvent`; raising an exception in it stops the work, and the
exception is raised where the work was started.  Ctrl-C stops the work too, but keeps its answer:
the result so far comes back with ``interrupted`` set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ProgressEvent", "ProgressFunction", "kernel_progress"]


@dataclass(frozen=True)
class ProgressEvent:
    """Where the work is: the stage, the deterministic effort so far, and the seconds it took."""

    stage: str
    work: int
    seconds: float


ProgressFunction = Callable[[ProgressEvent], None]


def kernel_progress(progress: ProgressFunction | None, stage: str) -> Callable[[int, float], None] | None:
    """Return the callback that a kernel of the core takes, or None if nobody listens."""
    if progress is None:
        return None
    listener = progress
    return lambda work, seconds: listener(ProgressEvent(stage, work, seconds))
