"""Ctrl-C ends every solver soon and keeps its answer."""

from __future__ import annotations

import os
import random
import signal
import threading
import time

import pytest

from bayesloom import _core
from reference.solver_caches import tangled_cache

SIMPLE = {"cluster_rounds": 0, "pattern_size": 1}


@pytest.mark.parametrize("mode", ["dp", "astar", "layers", "dense"])
def test_ctrl_c_is_heard_and_the_answer_so_far_comes_back(tmp_path, mode):
    """Heard within a second on a free machine; others may be busy here, hence three."""
    n = 27 if mode in ("dp", "dense") else 60
    core = tangled_cache(random.Random(8), n, candidates=4).core
    disk = {"scratch": str(tmp_path), **SIMPLE}
    run = {
        "dp": lambda: _core.subset_dp(core),
        "astar": lambda: _core.astar(core, memory_bytes=1e9, **SIMPLE),
        "layers": lambda: _core.bfbnb(core, memory_bytes=1e7, dense=False, **disk),
        "dense": lambda: _core.bfbnb(core, memory_bytes=1e8, dense=True, **disk),
    }[mode]
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, interrupt)
    timer.start()
    answer = run()
    ended = time.perf_counter()
    timer.join()
    assert answer["interrupted"]
    assert ended - sent[0] < 3
    assert len(answer["candidates"]) == n
    assert answer["score"] < answer["bound"]
