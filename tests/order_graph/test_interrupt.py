"""Ctrl-C ends every solver soon and keeps its answer."""

from __future__ import annotations

import os
import random
import signal

import pytest

from bayesloom import _core
from made.lists import tangled_cache

SIMPLE = {"cluster_rounds": 0, "pattern_size": 1}
SOON = 1000  # expanded sets
ENOUGH = 10**8  # work that none of them does before it hears: the end of a test that would wait for ever


@pytest.mark.parametrize("mode", ["dp", "astar", "layers", "dense"])
def test_ctrl_c_is_heard_and_the_answer_so_far_comes_back(tmp_path, mode, stepping_clock):
    n = 27 if mode in ("dp", "dense") else 60
    core = tangled_cache(random.Random(8), n, candidates=4).core
    sent = []

    def interrupt(work, _seconds):
        if work > 0:
            sent.append(work)
            os.kill(os.getpid(), signal.SIGINT)

    limits = {"work": ENOUGH, "progress": interrupt}
    disk = {"scratch": str(tmp_path), "threads": 1, **SIMPLE, **limits}
    run = {
        "dp": lambda: _core.subset_dp(core, threads=1, **limits),
        "astar": lambda: _core.astar(core, memory_bytes=1e9, **SIMPLE, **limits),
        "layers": lambda: _core.bfbnb(core, memory_bytes=1e7, dense=False, **disk),
        "dense": lambda: _core.bfbnb(core, memory_bytes=1e8, dense=True, **disk),
    }[mode]
    stepping_clock(0.001)
    answer = run()
    assert answer["interrupted"]
    assert len(sent) == 1  # there was no poll after it
    assert answer["work"] - sent[0] < SOON
    assert len(answer["candidates"]) == n
    assert answer["score"] < answer["bound"]
