"""How much memory there is: what the machine has free, and what control groups leave of it.

A container or a job of a batch system lives in a control group (cgroup) with a limit of its own, and who
goes beyond it is killed, however much memory the machine has free.  Both versions are looked at, and every
group from our own up to the root, since each may have a limit:

==================  ================================  ========================================
                    version 2                         version 1
==================  ================================  ========================================
limit               ``memory.max``, ``memory.high``   ``memory.limit_in_bytes``
in use              ``memory.current``                ``memory.usage_in_bytes``
given back on need  ``inactive_file``                 ``total_inactive_file`` of ``memory.stat``
==================  ================================  ========================================
"""

from __future__ import annotations

import os
from collections.abc import Iterator

__all__ = ["available", "cgroup_available"]

_UNLIMITED = 1 << 60  # version 1 writes the largest number of pages for "no limit"


def available(root: str | os.PathLike[str] = "/") -> float:
    """Return the bytes that this process can still take; `root` is where the file system begins."""
    free = _machine(os.fspath(root))
    group = cgroup_available(root)
    return free if group is None else min(free, group)


def cgroup_available(root: str | os.PathLike[str] = "/") -> float | None:
    """Return the bytes that control groups leave, None if none of them has a limit."""
    left = [free for folder, names in _groups(os.fspath(root)) if (free := _left(folder, *names)) is not None]
    return min(left, default=None)


def _machine(root: str) -> float:
    for line in _text(os.path.join(root, "proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return 0.6 * pages * os.sysconf("SC_PAGE_SIZE") if pages > 0 else 5e9


def _groups(root: str) -> Iterator[tuple[str, tuple[list[str], str, str]]]:
    """Yield the folder of each group we are in, and the names of limits, usage and cache there."""
    mounts = os.path.join(root, "sys/fs/cgroup")
    new = (["memory.max", "memory.high"], "memory.current", "inactive_file")
    old = (["memory.limit_in_bytes"], "memory.usage_in_bytes", "total_inactive_file")
    for line in _text(os.path.join(root, "proc/self/cgroup")).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            bases, names = [mounts, os.path.join(mounts, "unified")], new
        elif "memory" in controllers.split(","):
            bases, names = [os.path.join(mounts, "memory"), os.path.join(mounts, controllers)], old
        else:
            continue
        # Seen from within a container the path may lead out of what is mounted there: the root is ours then.
        parts = [] if ".." in path.split("/") else [part for part in path.split("/") if part]
        for base in bases:
            for depth in range(len(parts), -1, -1):
                yield os.path.join(base, *parts[:depth]), names


def _left(folder: str, limits: list[str], usage: str, cache: str) -> float | None:
    """Return what the limit of one group leaves, None if it has none."""
    given = [number for name in limits if (number := _number(_text(os.path.join(folder, name)))) is not None]
    limit = min(given, default=_UNLIMITED)
    if limit >= _UNLIMITED:
        return None
    used = _number(_text(os.path.join(folder, usage))) or 0
    for line in _text(os.path.join(folder, "memory.stat")).splitlines():
        name, _, value = line.partition(" ")
        if name == cache:
            used -= min(used, _number(value) or 0)
    return float(max(0, limit - used))


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 25 else None


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
