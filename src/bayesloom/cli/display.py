"""Progress on stderr: a live line on a terminal, plain lines in a pipe, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bayesloom.progress import ProgressEvent, ProgressFunction

_PLAIN_INTERVAL = 5.0  # seconds between plain lines
_JSON_INTERVAL = 0.5

_VERBS = {"score": "scoring parent sets", "search": "searching", "count": "counting", "classes": "listing"}


@contextmanager
def progress_display(mode: str, *, quiet: bool) -> Iterator[ProgressFunction | None]:
    """Yield a progress function that shows events as `mode` says, or None for silence."""
    if mode == "none" or (quiet and mode == "auto"):
        yield None
    elif mode == "json":
        yield _every(_JSON_INTERVAL, _json_line)
    elif mode == "auto" and sys.stderr.isatty():
        from rich.console import Console

        console = Console(stderr=True)
        with console.status("starting") as status:
            yield lambda event: status.update(_line(event))
    else:
        yield _every(_PLAIN_INTERVAL, lambda event: print(_line(event), file=sys.stderr, flush=True))


def _line(event: ProgressEvent) -> str:
    doing = _VERBS.get(event.stage, event.stage)
    return f"{doing}: {event.work:,} done in {event.seconds:.1f} s"


def _json_line(event: ProgressEvent) -> None:
    row = {"stage": event.stage, "work": event.work, "seconds": round(event.seconds, 3)}
    print(json.dumps(row), file=sys.stderr, flush=True)


def _every(interval: float, show: ProgressFunction) -> ProgressFunction:
    shown: dict[str, float] = {}

    def listen(event: ProgressEvent) -> None:
        if event.seconds - shown.get(event.stage, 0.0) >= interval:
            shown[event.stage] = event.seconds
            show(event)

    return listen
