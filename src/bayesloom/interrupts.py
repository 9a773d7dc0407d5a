"""Ctrl-C and SIGTERM on the command line: one line and code 130 at any moment, or the best answer so far.

Python delivers a signal when its main thread gets to it, by an exception wherever that thread then is: within
an import, between two kernels whose answers are then lost, or seconds later.  Here a separate thread waits
for signals.  What it does depends on the state of the main thread:

nothing to save     (imports, reading, planning) the process ends: one line on stderr, exit code 130
`answer_to_save`    every kernel is asked to stop, now and from here on; the answer so far is written, and
                    the command ends with 130 itself
`writing`           nothing: what helps to write the answer must come to its end, too

A second signal, a second or more after the first, ends the process in either case.  Files being written
then are removed: they have not got their names yet.  (Two signals within a second count as one: ``timeout``
and batch systems send them in pairs.)

Only the program ``bayesloom`` does this.  For who imports the package, Ctrl-C is Python's.  A signal that is
ignored when the program starts (``nohup``, a background job of a script) stays ignored.

This module is imported before all others, and imports almost nothing.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = [
    "CLOSED",
    "EXIT_INTERRUPTED",
    "answer_to_save",
    "done",
    "heard",
    "install",
    "installed",
    "is_command",
    "nothing_to_save",
    "writing",
]

EXIT_INTERRUPTED = 130
PATIENCE = 1.0  # seconds within which two signals count as one
SHOW_CURSOR = b"\x1b[?25h"
CLOSED: set[str] = set()
"""Standard streams that were closed when the program started."""


class _State:
    """What the two threads know of each other; changed under the lock."""

    lock = threading.Lock()
    installed = False
    saving = False
    writing = False
    first: float | None = None


def is_command() -> bool:
    """Whether this process is the program `bayesloom`, or ``python -m bayesloom``."""
    if "--multiprocessing-fork" in sys.orig_argv:  # a process that it started
        return False
    name = sys.argv[0] if sys.argv else ""
    if name == "-m":  # Python is looking for the module, and imports the package for that
        return next((b for a, b in itertools.pairwise(sys.orig_argv) if a == "-m"), "") == "bayesloom"
    if os.path.basename(name) == "__main__.py":
        return os.path.basename(os.path.dirname(name)) == "bayesloom"
    return os.path.basename(name) in ("bayesloom", "bayesloom.exe")


def installed() -> bool:
    """Whether signals are heard here."""
    return _State.installed


def install() -> None:
    """Hear Ctrl-C and SIGTERM from now on, unless they are ignored."""
    if _State.installed or threading.current_thread() is not threading.main_thread():
        return
    _open_standard_streams()
    heard = [
        number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN
    ]
    if not heard:
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    for number in heard:
        signal.signal(number, _nothing)
    _State.installed = True
    threading.Thread(target=_listen, args=(ours, frozenset(heard)), name="signals", daemon=True).start()


def heard() -> bool:
    """Whether a signal came while there was an answer to save."""
    return _State.first is not None


def done() -> None:
    """Hear nothing more: the command has ended, and its exit code is that of what it did."""
    if _State.installed:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def answer_to_save() -> Iterator[None]:
    """Let a signal stop the kernels instead of the process from here on.

    Also what follows the block, for the answer is yet to be written; unless the block failed.
    """
    if not _State.installed:
        yield
        return
    with _State.lock:
        _State.saving = True
    try:
        yield
    except BaseException:
        with _State.lock:
            _State.saving = False
        raise


@contextmanager
def writing() -> Iterator[None]:
    """Let no kernel that runs here be stopped by a first signal, be it over or yet to come."""
    if not (_State.installed and _State.saving):
        yield
        return
    core = sys.modules["bayesloom._core"]
    with _State.lock:
        _State.writing = True
        core.request_interrupt(False)
    try:
        yield
    finally:
        with _State.lock:
            _State.writing = False
            core.request_interrupt(_State.first is not None)


@contextmanager
def nothing_to_save() -> Iterator[None]:
    """Let a signal end the process again while this part of `answer_to_save` runs: it may take long."""
    with _State.lock:
        before, _State.saving = _State.saving, False
    try:
        yield
    finally:
        with _State.lock:
            _State.saving = before


def _open_standard_streams() -> None:
    """Put the null device in the place of standard streams that are closed.

    Otherwise the first file opened gets their number, and what is meant for stderr lands in it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
            CLOSED.add(name)
        if getattr(sys, name) is None:
            stream = os.fdopen(number, "w" if number else "r", closefd=False, encoding="utf-8")
            setattr(sys, name, stream)


def _nothing(number: int, frame: object) -> None:
    """Handle a signal for Python, which tells the thread of it by a byte."""


def _listen(pipe: int, heard: frozenset[int]) -> None:
    while True:
        try:
            numbers = os.read(pipe, 64)
        except OSError:
            return
        if any(number in heard for number in numbers):
            _on_signal()


def _on_signal() -> None:
    now = time.monotonic()
    with _State.lock:
        if _State.first is not None and now - _State.first < PATIENCE:
            return
        again = _State.first is not None
        if again or not _State.saving:
            _end()
        _State.first = now
        if not _State.writing:
            sys.modules["bayesloom._core"].request_interrupt()


def _end() -> None:
    """End the process now: no exception, no traceback, no file half-written."""
    if (core := sys.modules.get("bayesloom._core")) is not None and hasattr(core, "remove_unfinished_files"):
        core.remove_unfinished_files()
    _say("bayesloom: interrupted.")
    os._exit(EXIT_INTERRUPTED)


def _say(text: str) -> None:
    with suppress(OSError):
        shown = SHOW_CURSOR if os.isatty(2) else b""
        os.write(2, shown + text.encode() + b"\n")
