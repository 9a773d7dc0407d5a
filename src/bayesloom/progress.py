"""How long work tells where it is, and how it is stopped.

A progress function takes a `ProgressEvent`; raising an exception in it stops the work, and the
exception is raised where the work was started.  Ctrl-C stops the work too, but keeps its answer:
the result so far comes back with ``interrupted`` set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["KernelProgress", "ProgressEvent", "ProgressFunction", "kernel_progress"]


@dataclass(frozen=True)
class ProgressEvent:
    """Where the work is.

    Attributes
    ----------
    stage, work, seconds
        What is being done, the deterministic effort of it so far, and how long it took.
    score, bound
        The best score so far, and the bound on it, as far as they are known.
    partial
        Whether the bound is over the parent sets scored so far, and not over all networks: more of them can
        raise it.
    left
        Seconds until the time limit, if there is one.
    """

    stage: str
    work: int
    seconds: float
    score: float | None = None
    bound: float | None = None
    left: float | None = None
    partial: bool = False


ProgressFunction = Callable[[ProgressEvent], None]


class KernelProgress(Protocol):
    """What a kernel of the core calls; who runs several at once adds what they know together."""

    def __call__(
        self, work: int, seconds: float, /, score: float | None = None, bound: float | None = None
    ) -> None: ...


def kernel_progress(progress: ProgressFunction | None, stage: str) -> KernelProgress | None:
    """Return the callback that a kernel of the core takes, or None if nobody listens."""
    if progress is None:
        return None
    listener = progress

    def tell(work: int, seconds: float, score: float | None = None, bound: float | None = None) -> None:
        listener(ProgressEvent(stage, work, seconds, score, bound))

    return tell
