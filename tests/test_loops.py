"""Ctrl-C in a Python loop: the first ends one call with its answer, a second one soon after ends the loop."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

import bayesloom as bl
from bayesloom import loops

TABLE = bl.random_network(6, states=(2, 2), seed=1).sample(300, seed=1)


def stop(event):
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(loops, "PATIENCE", float("inf"))


@pytest.fixture(scope="module")
def wide():
    return bl.random_network(60, states=(2, 2), max_parents=3, seed=1).sample(2000, seed=1)


def interrupted_learn(wide):
    return bl.learn(wide, method="loop", time_limit=30, threads=1, progress=stop)


def test_a_second_ctrl_c_ends_the_loop(wide, stepping_clock, capsys):
    stepping_clock(0.001)
    first = interrupted_learn(wide)
    assert first.interrupted
    assert first.network.names == wide.names
    with pytest.raises(KeyboardInterrupt):
        interrupted_learn(wide)
    assert capsys.readouterr().err == loops.NOTE + "\n"
    assert interrupted_learn(wide).interrupted  # it is the first again


def test_one_long_after_the_other_is_a_first_one(wide, stepping_clock, monkeypatch):
    monkeypatch.setattr(loops, "PATIENCE", 0.0)
    stepping_clock(0.001)
    assert [interrupted_learn(wide).interrupted for _ in range(3)] == [True] * 3


def test_a_call_that_ends_by_itself_says_nothing(capsys):
    for _ in range(3):
        assert not bl.learn(TABLE).interrupted
    assert capsys.readouterr().err == ""


def test_calls_within_a_call_and_other_threads_do_not_count(capsys):
    class Answer:
        interrupted = True

    inner = loops.ends_loops(Answer)

    @loops.ends_loops
    def outer():
        return max((inner() for _ in range(4)), key=id)

    assert outer().interrupted
    with pytest.raises(KeyboardInterrupt):
        inner()
    raised = []

    def elsewhere():
        try:
            inner()
        except KeyboardInterrupt:
            raised.append(True)

    inner()
    other = threading.Thread(target=elsewhere)
    other.start()
    other.join()
    assert not raised
    with loops.as_one_call():
        assert [inner().interrupted for _ in range(3)] == [True] * 3


def test_every_kind_of_answer_says_whether_it_was_interrupted(wide, stepping_clock, monkeypatch):
    heard = []
    monkeypatch.setattr(loops, "_note_or_raise", lambda: heard.append(True))
    cache = bl.score(TABLE, bayes_factor=20)
    whole = [bl.search(cache), bl.credible(cache), bl.posterior(cache), bl.bootstrap(TABLE, 2)]
    whole += [cache, bl.k_best(cache, 2), bl.structural_em(TABLE)]
    assert not heard
    assert not any(map(loops._interrupted, whole))
    stepping_clock(0.001)
    narrow = bl.score(wide, max_parents=1)
    part = [bl.score(wide, max_parents=2, progress=stop), bl.search(narrow, progress=stop)]
    assert len(heard) == len(part)
    assert all(map(loops._interrupted, part))


LOOP = """
import bayesloom as bl
from bayesloom import loops
loops.PATIENCE = float("inf")
table = bl.random_network(150, states=(2, 3), max_parents=4, seed=1).sample(3000, seed=1)
kept = []
try:
    for turn in range(100):
        print("turn", flush=True)
        kept.append(bl.learn(table, time_limit=600, threads=1))
finally:
    print(len(kept), all(result.interrupted for result in kept), flush=True)
"""


def test_two_signals_end_a_real_loop():
    """Once at each turn; the handler of the child is Python's own."""
    with subprocess.Popen(
        [sys.executable, "-c", LOOP], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line != "turn\n":
                break
            child.send_signal(signal.SIGINT)
        told = child.stderr.read() if child.stderr is not None else ""
    assert "KeyboardInterrupt" in told
    assert line in ("1 True\n", "0 True\n")  # 0 if Python heard the first before the core did
