"""What holds of every test: it does not know how fast the machine is, nor how it was started.

Hypothesis has no deadline and complains of no slow example; its examples are the same in every run, so that a
failure is one on every machine (`make fuzz` looks for new ones). SIGINT is heard also where the tests were
started with it ignored, as in a background job or under `nohup`; child processes get it from here.
`stepping_clock` replaces seconds by looks at the clock: with it a time limit is a count. What many tests know
by name is here too: `ok_small`, `sprinkler`, `weather`, `six`, `odd`, `rain_folder`. Generators: see `made`.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import bayesloom as bl
from bayesloom import _core, loops
from made import networks
from made.tables import RAIN

settings.register_profile(
    "any machine", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")
os.environ["BROWSER"] = "true"  # no test opens a browser on the screen

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


@pytest.fixture(autouse=True)
def _every_ctrl_c_is_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was interrupted before, be it within the same test: `test_loops` looks at two in a row."""
    loops.forget()
    monkeypatch.setattr(loops, "PATIENCE", 0.0)


# What every test may ask for by name.


@pytest.fixture
def rain_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with ``rain.csv``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rain.csv").write_text(RAIN)
    return tmp_path


@pytest.fixture(scope="session")
def ok_small() -> bl.Table:
    """Eight variables of two or three states, 200 rows of a network: all methods are quick and agree."""
    return bl.random_network(8, states=(2, 3), max_parents=3, concentration=0.5, seed=9).sample(200, seed=9)


@pytest.fixture
def sprinkler() -> bl.FittedNetwork:
    """Season turns the sprinkler on and brings rain; both make the grass wet."""
    return networks.sprinkler()


@pytest.fixture
def weather() -> bl.Table:
    """Six rows over three of the variables of `sprinkler` and one more."""
    return bl.Table.from_codes(
        ["rain", "wet", "season", "noise"],
        [["no", "yes"], ["no", "yes"], ["dry", "mild", "rainy"], ["x", "y"]],
        [[0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 2, 2, 0], [0, 1, 0, 1, 0, 1]],
    )


@pytest.fixture
def six() -> bl.FittedNetwork:
    """Six variables, probabilities of many digits."""
    return bl.random_network(6, max_parents=2, seed=5)


@pytest.fixture
def odd() -> bl.FittedNetwork:
    """Names and states that upset readers of files."""
    return networks.odd()
