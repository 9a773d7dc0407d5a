"""Numbers that users set: threads, memory, time; checked once, here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bayesloom import _core
from bayesloom.errors import InputError, ResourceError
from bayesloom.memory import available, cgroup_available

__all__ = [
    "check_count",
    "check_fits",
    "check_seconds",
    "default_memory",
    "reading_memory",
    "reading_within",
    "resolve_memory",
    "resolve_threads",
]

LARGEST = 2**63 - 1  # of a count: what the core holds
LONGEST = 1e9  # seconds, thirty years: more is as good as no limit, and no clock counts it
MOST_MEMORY = 1e9  # gigabytes
MOST_THREADS = 1024


def resolve_threads(threads: int | None) -> int:
    """Return the number of threads to use; None means all processors this process may run on."""
    return (
        _core.thread_count(0)
        if threads is None
        else check_count("threads", threads, least=1, most=MOST_THREADS)
    )


def check_count(name: str, value: int, *, least: int, most: int = LARGEST) -> int:
    """Return `value` if it is a whole number from `least` to `most`.

    >>> check_count("k", 10**20, least=1)
    Traceback (most recent call last):
    bayesloom.errors.InputError: k must be a whole number from 1 to 9,223,372,036,854,775,807, got 10^20.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {_shown(value)}.")
    if value > most:
        raise InputError(f"{name} must be a whole number from {least} to {most:,}, got {_shown(value)}.")
    return int(value)


def _shown(value: object) -> str:
    """Return a value as a message shows it; the digits of very large numbers tell nobody anything."""
    if isinstance(value, int) and abs(value) >= 10**19:
        digits = math.floor(math.log10(abs(value)))
        sign = "-" if value < 0 else ""
        return f"{sign}10^{digits}" if abs(value) == 10**digits else f"about {sign}10^{digits}"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def check_seconds(name: str, value: float | None) -> float | None:
    """Return `value` if it is None or a positive number."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise InputError(f"{name} must be a positive number of seconds or None, got {_shown(value)}.")
    return min(value, LONGEST)


def default_memory() -> float:
    """Return 80 % of the memory that this process can still take, in bytes; control groups are seen."""
    return 0.8 * available()


def resolve_memory(gigabytes: float | None) -> float:
    """Return the memory that may be used, in bytes; None means 80 % of what is free now.

    More than the control group of the process leaves (a container, a job of a batch system) is cut down
    to that: who takes more there is killed.
    """
    if gigabytes is None:
        return default_memory()
    if isinstance(gigabytes, bool) or not isinstance(gigabytes, (int, float)) or not 0 < gigabytes < math.inf:
        raise InputError(f"memory must be a positive number of gigabytes or None, got {_shown(gigabytes)}.")
    asked, group = min(gigabytes, MOST_MEMORY) * 1e9, cgroup_available()
    return asked if group is None else min(asked, group)


_READING: ContextVar[float | None] = ContextVar("memory for reading, in gigabytes", default=None)


@contextmanager
def reading_within(gigabytes: float | None) -> Iterator[None]:
    """Let all that is read in this block take so much memory at most; None leaves the limit as it is.

    >>> with reading_within(2.0):
    ...     reading_memory() <= 2e9
    True
    """
    if gigabytes is None:
        yield
        return
    resolve_memory(gigabytes)  # checked, also if nothing is read
    token = _READING.set(gigabytes)
    try:
        yield
    finally:
        _READING.reset(token)


def reading_memory() -> float:
    """Return how many bytes reading may take."""
    return resolve_memory(_READING.get())


def check_fits(size: float, most: float, source: str, what: str = "") -> None:
    """Refuse what takes more than `most` bytes to read."""
    if size > most:
        raise ResourceError(
            f"{source}: reading it takes more than {_gigabytes(size)} GB{what}; {_gigabytes(most)} GB may be"
            " used. Allow more with memory=, or give a smaller file."
        )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.2g}" if size < 1e10 else f"{size / 1e9:,.0f}"
