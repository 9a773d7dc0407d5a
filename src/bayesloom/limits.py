"""Numbers that users set: threads, memory, time; checked once, here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bayesloom import _core
from bayesloom.errors import InputError, ResourceError, option, shown
from bayesloom.memory import available, cgroup_available

__all__ = [
    "LEAST_SECONDS",
    "check_count",
    "check_factor",
    "check_fits",
    "check_positive",
    "check_seconds",
    "default_memory",
    "is_number",
    "reading_memory",
    "reading_within",
    "resolve_memory",
    "resolve_threads",
]

LARGEST = 2**63 - 1  # of a count: what the core holds
LEAST_SECONDS = 0.002  # for a stage, whatever the stages before it took
LONGEST = 1e9  # seconds, thirty years: more is as good as no limit, and no clock counts it
MOST_MEMORY = 1e9  # gigabytes
MOST_THREADS = 1024
LARGEST_FACTOR = 1e300
LARGEST_WEIGHT = 1e15  # of a prior: beyond, it is all there is


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
        raise InputError(f"{_subject(name)} must be a whole number of at least {least}, got {shown(value)}.")
    if value > most:
        raise InputError(
            f"{_subject(name)} must be a whole number from {least} to {most:,}, got {shown(value)}."
        )
    return int(value)


def check_seconds(name: str, value: float | None) -> float | None:
    """Return `value` if it is None or a positive number that a clock can count."""
    if value is None:
        return None
    if not is_number(value) or not 0 < value <= LONGEST:
        raise InputError(
            f"{_subject(name)} must be a positive number of seconds up to {LONGEST:g}, or None,"
            f" got {shown(value)}."
        )
    return value


def check_factor(value: float) -> float:
    """Return a Bayes factor if it is a number of at least 1 and no larger than can be worked with."""
    if not is_number(value) or not 1 <= value <= LARGEST_FACTOR:
        raise InputError(
            f"{_subject('bayes_factor')} must be a number of at least 1 and at most {LARGEST_FACTOR:g},"
            f" got {shown(value)}."
        )
    return float(value)


def check_positive(name: str, value: float) -> float:
    """Return `value` if it is a positive number whose sums and products are numbers too."""
    if not is_number(value) or not 0 < value <= LARGEST_WEIGHT:
        raise InputError(
            f"{_subject(name)} must be a positive number up to {LARGEST_WEIGHT:g}, got {shown(value)}."
        )
    return float(value)


def is_number(value: object) -> bool:
    """Return whether a value is a finite number that a float can hold, and no truth value.

    >>> [is_number(value) for value in (1, 2.5, True, float("nan"), 10**400)]
    [True, True, False, False, False]
    """
    numpy = sys.modules.get("numpy")  # nobody has a number of NumPy who has not imported it
    numpys = numpy is not None and isinstance(value, (numpy.integer, numpy.floating))
    plain = value.item() if numpys else value  # type: ignore[attr-defined]
    if isinstance(plain, bool) or not isinstance(plain, (int, float)):
        return False
    return abs(plain) <= sys.float_info.max


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
    if not is_number(gigabytes) or not 0 < gigabytes <= MOST_MEMORY:
        raise InputError(
            f"{_subject('memory')} must be a positive number of gigabytes up to {MOST_MEMORY:g}, or None,"
            f" got {shown(gigabytes)}."
        )
    asked, group = gigabytes * 1e9, cgroup_available()
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
            f" used. Allow more with {option('memory')}, or give a smaller file."
        )


def _subject(name: str) -> str:
    """Return the subject of a sentence: an option, unless it is given in words."""
    return option(name, subject=True) if name.isidentifier() else name


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.2g}" if size < 1e10 else f"{size / 1e9:,.0f}"
