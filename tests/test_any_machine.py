"""No test knows the time, and Ctrl-C is heard in all of them: what `conftest.py` promises."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

from hypothesis import settings

import bayesloom as bl
from bayesloom import _core
from made.caches import random_cache

HERE = Path(__file__).parent
# The last two choose moments by it, and assert nothing of it.
KNOW = [HERE / name for name in ("conftest.py", "test_any_machine.py", "fuzz/run.py", "faults/kills.py")]


def test_no_test_measures_seconds_or_sets_a_deadline():
    knows = re.compile(r"perf_counter|monotonic|time\.time\(|deadline *=")
    found = [
        str(path.relative_to(HERE))
        for path in HERE.rglob("*.py")
        if path not in KNOW and knows.search(path.read_text())
    ]
    assert found == []


def test_examples_have_no_deadline_and_are_the_same_in_every_run():
    assert settings.default.deadline is None
    assert settings.default.derandomize


def test_sigint_is_heard_however_the_tests_were_started():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_with_the_stepping_clock_a_time_limit_is_a_count(stepping_clock):
    stepping_clock(0.25)
    assert [_core.clock(), time.perf_counter(), _core.clock()] == [0.0, 0.25, 0.5]
    cache, work = random_cache(1, variables=30, candidates=40), []
    for limit in (1, 2, 2):
        stepping_clock(0.001)
        work.append(bl.search(cache, solver="inobs", threads=1, time_limit=limit).work)
    assert 0 < work[0] < work[1] == work[2]
