"""Ctrl-C in a Python program: once for the call that runs, twice for the loop around it.

A call that Ctrl-C ends returns its best answer so far, which after minutes of search is worth more than an
exception.  A loop over such calls would go on with the next one, and no Ctrl-C would ever end it.  So the
first says on stderr what it did, and where Ctrl-C ends another call within `PATIENCE` seconds, that call
raises ``KeyboardInterrupt`` in place of its answer.

Only in Python: what the command line does is in `interrupts`.  Calls within a call do not count, nor do those
of other threads, to which Python delivers no Ctrl-C.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from bayesloom.interrupts import installed

__all__ = ["as_one_call", "ends_loops", "forget"]

PATIENCE = 10.0
"""Seconds from the end of a call that Ctrl-C ended to that of the next one; as long as it takes to notice
that a loop goes on."""
NOTE = (
    "bayesloom: Ctrl-C ended this call, and it returns what it has so far."
    f" Again within {PATIENCE:.0f} seconds, it raises KeyboardInterrupt."
)

P = ParamSpec("P")
R = TypeVar("R")


class _Thread(threading.local):
    """Of each thread: whether it is within a call, and when Ctrl-C ended one."""

    within = False
    last: float | None = None


_here = _Thread()


def ends_loops(call: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose answer says if Ctrl-C ended it, so that a second Ctrl-C is raised."""

    @functools.wraps(call)
    def heard(*given: P.args, **options: P.kwargs) -> R:
        if _here.within or installed():
            return call(*given, **options)
        with as_one_call():
            answer = call(*given, **options)
        if _interrupted(answer):
            _note_or_raise()
        return answer

    return heard


@contextmanager
def as_one_call() -> Iterator[None]:
    """Take all calls within for parts of one that looks after Ctrl-C itself."""
    before, _here.within = _here.within, True
    try:
        yield
    finally:
        _here.within = before


def forget() -> None:
    """Take the next Ctrl-C for the first."""
    _here.last = None


def _interrupted(answer: Any) -> bool:
    told = getattr(answer, "learned", answer)  # of structural EM
    info = getattr(told, "info", None)  # of a score cache
    return bool(getattr(told, "interrupted", False) or (info and info.get("interrupted")))


def _note_or_raise() -> None:
    now, last = time.monotonic(), _here.last
    if last is not None and now - last < PATIENCE:
        forget()
        raise KeyboardInterrupt
    _here.last = now
    print(NOTE, file=sys.stderr)
