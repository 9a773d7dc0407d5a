"""Numbers that users set: threads, memory, time; checked once, here."""

from __future__ import annotations

import math
import os

from bayesloom import _core
from bayesloom.errors import InputError

__all__ = ["check_count", "check_seconds", "default_memory", "resolve_memory", "resolve_threads"]

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
    """Return 80 % of the memory that is free now, in bytes."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 0.8 * 1024 * int(line.split()[1])
    except OSError:
        pass
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return 0.5 * pages * os.sysconf("SC_PAGE_SIZE") if pages > 0 else 4e9


def resolve_memory(gigabytes: float | None) -> float:
    """Return the memory that may be used, in bytes; None means 80 % of what is free now."""
    if gigabytes is None:
        return default_memory()
    if isinstance(gigabytes, bool) or not isinstance(gigabytes, (int, float)) or not 0 < gigabytes < math.inf:
        raise InputError(f"memory must be a positive number of gigabytes or None, got {_shown(gigabytes)}.")
    return min(gigabytes, MOST_MEMORY) * 1e9
