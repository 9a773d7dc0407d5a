"""Progress on stderr: a live panel on a terminal, plain lines in a pipe, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bayesloom.printable import plain_stream
from bayesloom.progress import ProgressEvent, ProgressFunction

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["STAGES", "progress_display"]

_PLAIN_INTERVAL = 5.0  # seconds between plain lines
_JSON_INTERVAL = 0.5
_LIVE_INTERVAL = 0.1

OVER_SCORED = "over the sets scored so far"
STAGES = {
    "score": "scoring parent sets",
    "climb": "hill climbing",
    "search": "searching",
    "bound": "bounding",
    "prove": "searching and bounding",
    "count": "counting",
    "classes": "listing",
    "null": "learning the shuffled table",
}


@contextmanager
def progress_display(mode: str, *, quiet: bool) -> Iterator[ProgressFunction | None]:
    """Yield a progress function that shows events as `mode` says, or None for silence."""
    if mode == "none" or (quiet and mode == "auto"):
        yield None
    elif mode == "json":
        yield _every(_JSON_INTERVAL, _json_line)
    elif mode == "auto" and sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        with Live(
            console=Console(file=plain_stream(sys.stderr)), transient=True, refresh_per_second=8
        ) as live:
            yield _every(_LIVE_INTERVAL, lambda event: live.update(panel(event)))
    else:
        yield _every(_PLAIN_INTERVAL, lambda event: print(_line(event), file=sys.stderr, flush=True))


def panel(event: ProgressEvent) -> RenderableType:
    """Return the live picture of an event: a bar of the time used, and what is known so far."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Text.assemble(
        (f"{STAGES.get(event.stage, event.stage)}  ", "bold"),
        (f"{event.work:,} done", "dim"),
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_row("time", _time(event))
    if event.score is not None:
        grid.add_row("best score", f"{event.score:,.3f}")
    if event.score is not None and event.bound is not None:
        gap = f"{event.bound:,.3f}   gap {max(0.0, event.bound - event.score):,.3f}"
        grid.add_row("bound", gap + (f"   {OVER_SCORED}" if event.partial else ""))
    if event.left is None:
        return Group(head, grid)
    total = event.seconds + event.left
    return Group(head, ProgressBar(total=total, completed=min(event.seconds, total), width=48), grid)


def _time(event: ProgressEvent) -> str:
    left = "" if event.left is None else f", at most {event.left:.0f} s left"
    return f"{event.seconds:.1f} s{left}"


def _line(event: ProgressEvent) -> str:
    doing = STAGES.get(event.stage, event.stage)
    best = "" if event.score is None else f", best score {event.score:.3f}"
    gap = ""
    if event.score is not None and event.bound is not None:
        gap = f", bound {event.bound:.3f}, gap {max(0.0, event.bound - event.score):.3f}"
        gap += f" {OVER_SCORED}" if event.partial else ""
    left = "" if event.left is None else f", at most {event.left:.0f} s left"
    return f"{doing}: {event.work:,} done in {event.seconds:.1f} s{best}{gap}{left}"


def _json_line(event: ProgressEvent) -> None:
    row: dict[str, object] = {"stage": event.stage, "work": event.work, "seconds": round(event.seconds, 3)}
    for name in ("score", "bound", "left"):
        if (value := getattr(event, name)) is not None:
            row[name] = round(value, 6)
    if event.bound is not None:
        row["partial"] = event.partial
    print(json.dumps(row), file=sys.stderr, flush=True)


def _every(interval: float, show: ProgressFunction) -> ProgressFunction:
    shown: dict[str, float] = {}

    closed = False

    def listen(event: ProgressEvent) -> None:
        nonlocal closed
        if not closed and event.seconds - shown.get(event.stage, 0.0) >= interval:
            shown[event.stage] = event.seconds
            try:
                show(event)
            except OSError:  # who watched is gone; the work goes on
                closed = True

    return listen
