"""``progress=True``: every function that takes a function shows progress itself."""

from __future__ import annotations

import inspect
import io
import sys
import time
import types
from contextlib import contextmanager

import pytest

import bayesloom as bl
from bayesloom import progress as showing
from bayesloom.errors import InputError
from bayesloom.progress import PLAN, ProgressEvent, kernel_progress, listening, progress_display

EVENT = ProgressEvent("search", 7, 9.0, score=-10.0, bound=-8.0)


@pytest.fixture(autouse=True)
def no_notebook(monkeypatch):
    """Tests that ran before in this process may have imported a kernel of notebooks."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)


@pytest.fixture
def table():
    return bl.random_network(8, seed=1).sample(200, seed=1)


@pytest.fixture
def always(monkeypatch):
    """Every event is shown, however soon it comes."""
    monkeypatch.setattr(showing, "PLAIN_INTERVAL", 0.0)


class Terminal(io.StringIO):
    def isatty(self):
        return True


CALLS = {
    "learn": lambda table, how: bl.learn(table, progress=how, threads=1),
    "score": lambda table, how: bl.score(table, progress=how, threads=1),
    "search": lambda table, how: bl.search(bl.score(table), solver="bblp", progress=how, threads=1),
    "credible": lambda table, how: bl.credible(table, 3, progress=how, threads=1),
    "bootstrap": lambda table, how: bl.bootstrap(table, 3, progress=how, threads=1),
    "posterior": lambda table, how: bl.posterior(table, progress=how, threads=1),
    "k_best": lambda table, how: bl.k_best(table, 3, progress=how, threads=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_function_with_progress_takes_true(table, capsys, monkeypatch, name):
    opened = []

    @contextmanager
    def display(mode):
        opened.append(mode)
        yield opened.append
        opened.append("closed")

    monkeypatch.setattr(showing, "progress_display", display)
    CALLS[name](table, True)
    assert (opened[0], opened[-1]) == ("auto", "closed")
    assert len(opened) >= 2
    opened.clear()
    CALLS[name](table, False)
    CALLS[name](table, None)
    assert opened == []
    with pytest.raises(InputError, match="progress must be True, a function or None"):
        CALLS[name](table, "yes")


def test_true_prints_lines_where_there_is_no_terminal(capsys):
    with listening(True) as listen:
        listen(EVENT)
    assert (
        capsys.readouterr().err == "searching: 7 done in 9.0 s, best score -10.000, bound -8.000, gap 2.000\n"
    )


def test_these_are_all_functions_with_progress():
    found = [n for n in bl.__all__ if inspect.isfunction(getattr(bl, n))]
    assert {n for n in found if "progress" in inspect.signature(getattr(bl, n)).parameters} == set(CALLS)


def test_chance_is_measured_under_a_display_too(table, capsys):
    assert bl.learn(table, null=True, progress=True, threads=1).null is not None


def test_a_terminal_gets_a_live_display_that_leaves_nothing(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with listening(True) as listen:
        listen(EVENT)
    assert "starting" in stream.getvalue() or "searching" in stream.getvalue()
    assert stream.getvalue().rstrip().endswith("\x1b[2K")  # the last line was cleared


def test_a_notebook_gets_one_line_that_changes(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    with listening(True) as listen:
        listen(EVENT)
        listen(ProgressEvent("search", 8, 19.0))
    shown = capsys.readouterr().err
    assert shown.count("\r") == 2
    assert shown.count("\n") == 1


def test_silence_is_broken(monkeypatch, capsys):
    monkeypatch.setattr(showing, "SILENCE", 0.01)
    with progress_display("plain") as listen:
        listen(EVENT)
        told = any(
            "searching: 0 s so far" in capsys.readouterr().err for _ in range(1000) if not time.sleep(0.01)
        )
    assert told


def test_the_plan_is_told_once(table):
    plans = [[], []]
    for heard, null in zip(plans, (False, True), strict=True):
        bl.learn(table, null=null, progress=heard.append, threads=1)
        told = [event for event in heard if event.stage == PLAN]
        assert len(told) == 1
        assert "local scores" in told[0].text


def test_what_is_asked_of_a_set_later_is_shown_by_lines(capsys, always):
    tell = kernel_progress(True, "posterior")
    tell(3, 6.0)
    assert capsys.readouterr().err == "edge posteriors: 3 done in 6.0 s\n"


def test_score_and_bound_close_in_on_a_terminal():
    from rich.console import Console

    from bayesloom.progress import panel
    from bayesloom.sparkline import History, closing_in

    history = History()
    for k in range(1, 40):
        history.add(0.1 * k, -100 + k, 500.0 / k - 50)
    lines = closing_in(history.points)
    assert len(lines) == 4
    assert {len(line) for line in lines} == {48}
    kinds = {kind for line in lines for _, kind in line}
    assert {"score", "bound"} <= kinds
    assert lines[0][0][1] == "bound"  # begins above
    assert lines[3][0][1] == "score"  # and below
    console = Console(file=io.StringIO(), width=100)
    console.print(panel(EVENT, history))
    text = console.file.getvalue()
    assert sum("\u2800" <= letter <= "\u28ff" for letter in text) == 4 * 48
    console = Console(file=io.StringIO(), width=100)
    console.print(panel(EVENT))
    assert "gap 2.000" in console.file.getvalue()
    assert not any("\u2800" <= letter <= "\u28ff" for letter in console.file.getvalue())


@pytest.mark.parametrize(
    "points",
    [
        [],
        [(1.0, -5.0, -4.0)],
        [(1.0, -5.0, -5.0), (2.0, -5.0, -5.0)],
        [(1.0, -5.0, None), (1.0, -4.0, None)],
    ],
)
def test_nothing_is_drawn_where_there_is_nothing_to_see(points):
    from bayesloom.sparkline import closing_in

    assert closing_in(points) == []


def test_a_history_takes_what_kernels_say():
    from bayesloom.sparkline import History

    history = History()
    history.add(1.0, None, -4.0)
    history.add(2.0, -5.0, float("inf"))
    history.add(0.5, -4.0, -1.0)  # a stage with a clock of its own
    assert history.points == [(2.0, -5.0, None), (2.0, -4.0, -1.0)]
