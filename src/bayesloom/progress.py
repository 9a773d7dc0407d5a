"""Progress of long work, and how it is stopped.

A progress function takes a `ProgressEvent`.  If it raises an exception, the work stops and the caller gets
that exception.  Ctrl-C stops the work too, but keeps its answer: the result so far is returned with
``interrupted`` set.

``progress=True`` shows a display: live on a terminal and in a notebook, with a chart of score and bound, and
plain lines in a pipe.  The command line uses the same.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bayesloom.errors import InputError, option
from bayesloom.printable import plain_stream
from bayesloom.sparkline import History, closing_in

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = [
    "PLAN",
    "KernelProgress",
    "Progress",
    "ProgressEvent",
    "ProgressFunction",
    "kernel_progress",
    "listener_of",
    "listening",
    "panel",
    "progress_display",
]

PLAN = "plan"
"""The stage of the event by which `learn` tells what it will do."""


@dataclass(frozen=True)
class ProgressEvent:
    """The state of running work.

    Attributes
    ----------
    stage, work, seconds
        The current stage, its deterministic effort so far, and the seconds it has taken.
    score, bound
        The best score and the lowest bound so far, if known.
    partial
        Whether the bound is over parent sets scored so far, and not over all networks: more of them can
        raise it.
    sets
        How many parent sets that bound is over, if that is known: those scored when it was found.
    left
        Seconds until the time limit, if there is one.
    text
        A message in words: in the stage ``"plan"``, with which `learn` begins, what it will do.
    blocks
        Of work that is done in blocks on many machines: how many they are; `work` is how many are done.
    """

    stage: str
    work: int
    seconds: float
    score: float | None = None
    bound: float | None = None
    left: float | None = None
    partial: bool = False
    sets: int | None = None
    text: str | None = None
    blocks: int | None = None


ProgressFunction = Callable[[ProgressEvent], None]

Progress = ProgressFunction | bool | None
"""What a caller may give as ``progress``: a function, True for a display, None or False for none."""


class KernelProgress(Protocol):
    """The callback of a kernel of the core; who runs several kernels at once combines their events."""

    def __call__(
        self, work: int, seconds: float, /, score: float | None = None, bound: float | None = None
    ) -> None: ...


def kernel_progress(progress: Progress, stage: str) -> KernelProgress | None:
    """Return the callback that a kernel of the core takes, or None if nobody listens.

    True, which `listening` takes better care of, is a line every five seconds.
    """
    found = _every(PLAIN_INTERVAL, _print) if progress is True else listener_of(progress)
    if found is None:
        return None
    listener = found

    def tell(work: int, seconds: float, score: float | None = None, bound: float | None = None) -> None:
        listener(ProgressEvent(stage, work, seconds, score, bound))

    return tell


# Showing it

PLAIN_INTERVAL = 5.0  # seconds between plain lines
JSON_INTERVAL = 0.5
LIVE_INTERVAL = 0.1
SILENCE = 30.0  # seconds without a line after which one says that the work goes on

STYLES = {"": "", "score": "cyan", "bound": "yellow", "both": "green"}  # of dots on a terminal
STAGES = {
    "score": "scoring parent sets",
    "climb": "hill climbing",
    "search": "searching",
    "bound": "bounding",
    "prove": "searching and bounding",
    "count": "counting",
    "posterior": "edge posteriors",
    "classes": "listing",
    "null": "learning the shuffled table",
    "bootstrap": "learning replicates",
}


def listener_of(progress: Progress) -> ProgressFunction | None:
    """Return the function to call, or None if nobody listens.

    >>> listener_of(print) is print, listener_of(False)
    (True, None)
    >>> listener_of("yes")
    Traceback (most recent call last):
    bayesloom.errors.InputError: progress must be True, a function or None, got 'yes'.
    """
    if progress is None or progress is False:
        return None
    if not callable(progress):
        raise InputError(
            f"{option('progress', subject=True)} must be True, a function or None, got {progress!r}."
        )
    return progress


@contextmanager
def listening(progress: Progress) -> Iterator[ProgressFunction | None]:
    """Yield the function to call with events: the caller's, or that of a display for True."""
    if progress is not True:
        yield listener_of(progress)
    elif "ipykernel" in sys.modules:
        yield from _notebook()
    else:
        with progress_display("auto") as listener:
            yield listener


@contextmanager
def progress_display(mode: str, doing: str = "at work") -> Iterator[ProgressFunction | None]:
    """Yield a function that shows events on stderr; None for mode ``"none"``.

    ``"auto"`` is live on a terminal and else ``"plain"``, a line every five seconds; ``"json"`` is one object
    a line.  Where nothing is heard for half a minute, a plain line says that the work goes on,
    and what it is: `doing`, until an event tells.
    """
    if mode == "none":
        yield None
    elif mode == "json":
        yield _every(JSON_INTERVAL, _json_line)
    elif mode == "auto" and sys.stderr.isatty():
        yield from _live()
    else:
        yield from _lines("", PLAIN_INTERVAL, doing)


def _live() -> Iterator[ProgressFunction]:
    """Show the last event in place, and for how long nothing was heard since."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    last: tuple[ProgressEvent | None, float] = None, time.monotonic()
    history = History()

    def picture() -> RenderableType:
        event, since = last
        silent = time.monotonic() - since
        shown = Text("starting") if event is None else panel(event, history if drawn else None)
        return (
            shown if silent < 3 else Group(shown, Text(f"at work, {silent:.0f} s since the last news", "dim"))
        )

    def show(event: ProgressEvent) -> None:
        nonlocal last
        last = event, time.monotonic()
        history.add(event.seconds, event.score, event.bound)

    console = Console(file=plain_stream(sys.stderr))
    drawn = console.encoding.lower().startswith("utf")
    with Live(console=console, transient=True, refresh_per_second=8, get_renderable=picture):
        yield _every(LIVE_INTERVAL, show)


class _Chart:
    """What a notebook shows of running work: words, and score and bound over time as a chart."""

    def __init__(self, words: str, chart: str = "") -> None:
        self.words, self.chart = words, chart

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.words)}</p>{self.chart}"


def _notebook() -> Iterator[ProgressFunction]:
    """Show events in one output of a notebook that changes in place; lines, where it knows none."""
    try:
        python: Any = importlib.import_module("IPython")
        found = python.get_ipython()
    except ImportError:
        found = None
    if found is None:
        yield from _lines("\r", PLAIN_INTERVAL / 5)
        return
    handle = python.display.display(_Chart("starting"), display_id=True)
    history = History()
    said = "done"

    def show(event: ProgressEvent) -> None:
        nonlocal said
        history.add(event.seconds, event.score, event.bound)
        said = _line(event)
        handle.update(_Chart(said, chart()))

    def chart() -> str:
        from bayesloom.report.charts import trace_chart

        return trace_chart([(t, 0, score, math.inf if b is None else b) for t, score, b in history.points])

    try:
        yield _every(PLAIN_INTERVAL / 5, show)
    finally:
        handle.update(_Chart(f"ended; the last news: {said}" if said != "done" else said, chart()))


def _lines(begin: str, interval: float, stage: str = "at work") -> Iterator[ProgressFunction]:
    """Print a line at times; with ``begin`` as a carriage return each takes the place of the one before."""
    start = time.monotonic()
    heard, over = threading.Event(), threading.Event()

    def say(text: str) -> None:
        print(
            f"{begin}{text:<100}" if begin else text, end="" if begin else "\n", file=sys.stderr, flush=True
        )

    def show(event: ProgressEvent) -> None:
        nonlocal stage
        stage = STAGES.get(event.stage, event.stage)
        heard.set()
        say(_line(event))

    def watch() -> None:
        while not over.wait(SILENCE):
            if not heard.is_set():
                with suppress(OSError, ValueError):
                    say(f"{stage}: {time.monotonic() - start:.0f} s so far")
            heard.clear()

    thread = threading.Thread(target=watch, name="progress", daemon=True)
    thread.start()
    try:
        yield _every(interval, show)
    finally:
        over.set()
        thread.join()
        if begin:
            print(file=sys.stderr)


def _print(event: ProgressEvent) -> None:
    print(_line(event), file=sys.stderr, flush=True)


def _every(interval: float, show: ProgressFunction) -> ProgressFunction:
    """Return what passes on one event of each stage in so many seconds."""
    shown: dict[str, float] = {}
    closed = False

    def listen(event: ProgressEvent) -> None:
        nonlocal closed
        if event.stage == PLAN or closed:
            return
        if event.seconds - shown.get(event.stage, 0.0) >= interval:
            shown[event.stage] = event.seconds
            try:
                show(event)
            except OSError:  # the display is closed; the work continues
                closed = True

    return listen


def panel(event: ProgressEvent, history: History | None = None) -> RenderableType:
    """Return the live picture of an event: a bar of the time used, what is known so far, and how it came."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Text.assemble(
        (f"{STAGES.get(event.stage, event.stage)}  ", "bold"),
        (_done(event), "dim"),
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_row("time", _time(event))
    if event.score is not None:
        grid.add_row(Text("best score", STYLES["score"]), f"{event.score:,.3f}")
    if event.score is not None and event.bound is not None:
        gap = f"{event.bound:,.3f}   gap {max(0.0, event.bound - event.score):,.3f}"
        grid.add_row(Text("bound", STYLES["bound"]), gap + (f"   {_over(event)}" if event.partial else ""))
    parts: list[RenderableType] = [head]
    if event.blocks is not None:
        parts.append(ProgressBar(total=event.blocks, completed=event.work, width=48))
    elif event.left is not None:
        total = event.seconds + event.left
        parts.append(ProgressBar(total=total, completed=min(event.seconds, total), width=48))
    parts.append(grid)
    if history is not None:
        parts += [
            Text.assemble(*((character, STYLES[kind]) for character, kind in line))
            for line in closing_in(history.points)
        ]
    return Group(*parts)


def _done(event: ProgressEvent) -> str:
    return (
        f"{event.work:,} done" if event.blocks is None else f"{event.work:,} of {event.blocks:,} blocks done"
    )


def _over(event: ProgressEvent) -> str:
    return "over the sets scored so far" if event.sets is None else f"over {event.sets:,} parent sets scored"


def _time(event: ProgressEvent) -> str:
    left = "" if event.left is None else f", at most {event.left:.0f} s left"
    return f"{event.seconds:.1f} s{left}"


def _line(event: ProgressEvent) -> str:
    doing = STAGES.get(event.stage, event.stage)
    best = "" if event.score is None else f", best score {event.score:.3f}"
    gap = ""
    if event.score is not None and event.bound is not None:
        gap = f", bound {event.bound:.3f}, gap {max(0.0, event.bound - event.score):.3f}"
        gap += f" {_over(event)}" if event.partial else ""
    left = "" if event.left is None else f", at most {event.left:.0f} s left"
    return f"{doing}: {_done(event)} in {event.seconds:.1f} s{best}{gap}{left}"


def _json_line(event: ProgressEvent) -> None:
    row: dict[str, object] = {"stage": event.stage, "work": event.work, "seconds": round(event.seconds, 3)}
    for name in ("score", "bound", "left", "sets"):
        if (value := getattr(event, name)) is not None:
            row[name] = round(value, 6)
    if event.bound is not None:
        row["partial"] = event.partial
    if event.blocks is not None:
        row["blocks"] = event.blocks
    print(json.dumps(row), file=sys.stderr, flush=True)
