"""What holds of every test: it does not know how fast the machine is, nor how it was started.

Hypothesis has no deadline and complains of no slow example; its examples are the same in every run, so that a
failure is one on every machine (`make fuzz` looks for new ones). SIGINT is heard also where the tests were
started with it ignored, as in a background job or under `nohup`; child processes get it from here.
`stepping_clock` replaces seconds by looks at the clock: with it a time limit is a count.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from bayesloom import _core

settings.register_profile(
    "any machine", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def stepping_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Call it with a step in seconds: each look at the clock, by Python or C++, is then one step later."""

    def begin(step: float) -> None:
        _core.step_clock(step)
        monkeypatch.setattr(time, "perf_counter", _core.clock)

    yield begin
    _core.step_clock(None)
