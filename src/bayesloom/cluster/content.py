"""The data that all blocks of a job need: bytes sent to each worker once, and the object made of them there.

A worker looks for the bytes in this order: among those it already holds; in a file (mapped, not copied), if
it shares a file system with the caller; in the task itself.  A file is used only if its bytes have the digest
that the task names.
"""

from __future__ import annotations

import functools
import hashlib
import mmap
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

__all__ = ["Content", "found", "readable"]

KEPT = 2
"""Contents that a worker keeps: those of a job, and of the one before it."""

Load = Callable[[Any], Any]


@dataclass(frozen=True)
class Content:
    """Bytes, and the function that makes of them what tasks are given; it must be one of a module.

    >>> content = Content(b"rain", len)
    >>> found(content.digest, None, content.data, content.load)
    4
    """

    data: bytes
    load: Load

    @functools.cached_property
    def digest(self) -> str:
        """What names the content."""
        return digest_of(self.data)


def digest_of(data: Any) -> str:
    """Return what tells bytes from all others."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def readable(path: str, digest: str) -> bool:
    """Whether this process finds the content in a file."""
    return _mapped(path, digest) is not None


_held: OrderedDict[str, Any] = OrderedDict()
_one_at_a_time = threading.Lock()


def found(digest: str, path: str | None, data: bytes | None, load: Load) -> Any:
    """Return what the content holds, made once in a process; None if it did not get here."""
    key = f"{load.__module__}.{load.__qualname__}-{digest}"
    with _one_at_a_time:  # a second task that needs it waits for the first
        if key in _held:
            _held.move_to_end(key)
            return _held[key]
        given: Any = None if path is None else _mapped(path, digest)
        if given is None:
            given = data
        if given is None or digest_of(given) != digest:
            return None
        made = load(given)
        _held[key] = made
        while len(_held) > KEPT:
            _held.popitem(last=False)
        return made


def _mapped(path: str, digest: str) -> memoryview | None:
    with suppress(OSError, ValueError), open(path, "rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if digest_of(view) == digest:
            return view
    return None
