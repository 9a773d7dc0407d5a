"""Numbers that users set: threads, memory, time; checked once, here."""

from __future__ import annotations

import math
import os

from bayesloom import _core
from bayesloom.errors import InputError

__all__ = ["check_count", "check_seconds", "default_memory", "resolve_memory", "resolve_threads"]


def resolve_threads(threads: int | None) -> int:
    """Return the number of threads to use; None means all processors this process may run on."""
    return _core.thread_count(0) if threads is None else check_count("threads", threads, least=1)


def check_count(name: str, value: int, *, least: int) -> int:
    """Return `value` if it is a whole number of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return int(value)


def check_seconds(name: str, value: float | None) -> float | None:
    """Return `value` if it is None or a positive number."""
    if value is not None and not (isinstance(value, (int, float)) and 0 < value < math.inf):
        raise InputError(f"{name} must be a positive number of seconds or None, got {value!r}.")
    return value


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
    if not (isinstance(gigabytes, (int, float)) and 0 < gigabytes < math.inf):
        raise InputError(f"memory must be a positive number of gigabytes or None, got {gigabytes!r}.")
    return gigabytes * 1e9
