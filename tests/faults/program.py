"""The program as a process of its own, to which signals are sent when it says that it has come so far.

Nothing here waits for a time: a signal is sent when a line of progress, an import or a full pipe shows where
the program is.  Signals that are ignored where the tests run (a background job, ``nohup``) are heard by
the program all the same.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

STARTED: list[subprocess.Popen[str]] = []
COMMAND = [sys.executable, "-m", "bayesloom"]


def _hearing() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def start(
    *arguments: object,
    cwd: Path,
    python: tuple[str, ...] = (),
    stdin: int | None = subprocess.DEVNULL,
    deaf: bool = False,
) -> subprocess.Popen[str]:
    """Start ``bayesloom ARGUMENTS``; `deaf`, with SIGINT ignored."""
    command = [COMMAND[0], *python, *COMMAND[1:], *map(str, arguments)]
    process = subprocess.Popen(
        command,
        cwd=cwd,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_deaf if deaf else _hearing,
    )
    STARTED.append(process)
    return process


def end_all() -> None:
    """End what a failed test has left running."""
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Read stderr until a line holds the text; return all that was read."""
    seen = ""
    assert process.stderr is not None
    for line in process.stderr:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"the program ended before {text!r}: {seen}")


def interrupted(
    *arguments: object, cwd: Path, at: str, by: int = signal.SIGINT, python: tuple[str, ...] = ()
) -> tuple[int, str, str]:
    """Run, send a signal once stderr shows `at`, and return exit code, stdout and the rest of stderr."""
    process = start(*arguments, cwd=cwd, python=python)
    wait_for(process, at)
    os.kill(process.pid, by)
    return finish(process)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end; return exit code, stdout, and what is yet unread of stderr."""
    with process:
        assert process.stderr is not None
        assert process.stdout is not None
        err, out = process.stderr.read(), process.stdout.read()
    return process.returncode, out, err


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        preexec_fn=_hearing,
    )


def visible(folder: Path) -> list[str]:
    """Return the names in a folder but for temporary ones, which a kill may leave."""
    return sorted(p.name for p in folder.iterdir() if not is_temporary(p))


def is_temporary(path: Path) -> bool:
    return path.name.startswith(".") and path.name.endswith(".tmp")
