"""Two searches in one scratch directory: one at a time, each claim true, a killed one locks nobody out."""

from __future__ import annotations

import fcntl
import json
import os
import random
import subprocess
import sys
import time

import pytest

from bayesloom import _core
from bayesloom.errors import ResourceError
from made.disk_search import DENSE, LAYERS
from made.lists import tangled_cache

PAIRS = int(os.environ.get("BAYESLOOM_SCRATCH_PAIRS", "10"))


def inside(scratch):
    (own,) = scratch.iterdir()
    return own


WORKER = """
import json, sys
from bayesloom import _core
from bayesloom.scoring.cache import ScoreCache
cores = {}
for line in sys.stdin:
    path, scratch, options = json.loads(line)
    core = cores.get(path) or cores.setdefault(path, ScoreCache.read(path).core)
    try:
        out = _core.bfbnb(core, scratch=scratch, **options)
        print(json.dumps([out["score"], out["bound"]]), flush=True)
    except Exception as error:
        print(json.dumps([type(error).__name__, str(error)]), flush=True)
"""


def worker():
    return subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def ask(process, *what):
    process.stdin.write(json.dumps(what) + "\n")
    process.stdin.flush()


def options_of_a_run(rng):
    return {
        **rng.choice([LAYERS, LAYERS, DENSE]),
        "resume": rng.random() < 0.5,
        "work": rng.choice([None, None, 500, 5000]),
        "cluster_rounds": rng.choice([0, 0, 5]),
    }


def test_pairs_of_processes_in_one_directory(tmp_path):
    """Each claim is true, or it is one of two sentences; now and then one of the two is killed.

    Set BAYESLOOM_SCRATCH_PAIRS for more than ten pairs.
    """
    rng = random.Random(3)
    problems = []
    for number in range(3):
        cache = tangled_cache(rng, 12 + number)
        path = tmp_path / f"{number}.blc"
        cache.write(path)
        problems.append((str(path), _core.subset_dp(cache.core)["score"]))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    told = {"answer": 0, "another search of this": 0, "the unfinished search in": 0, "killed": 0}
    workers = [worker(), worker()]
    try:
        for _ in range(PAIRS):
            path, truth = rng.choice(problems)
            for process in workers:
                ask(process, path, str(scratch), options_of_a_run(rng))
            if killed := rng.random() < 0.2:
                time.sleep(rng.uniform(0, 0.02))
                workers[1].kill()
            for process in workers:
                line = process.stdout.readline()
                if not line:
                    assert killed
                    told["killed"] += 1
                    continue
                first, second = json.loads(line)
                if isinstance(first, int):
                    told["answer"] += 1
                    assert first <= truth <= second
                else:
                    kind = next(words for words in told if second.startswith(words))
                    told[kind] += 1
            if killed:
                workers[1].communicate()
                workers[1] = worker()
    finally:
        for process in workers:
            process.kill()
            process.communicate()
    print(told)
    assert told["answer"] > 0
    assert sum(told.values()) == 2 * PAIRS


def test_a_second_search_gets_one_sentence_and_a_killed_one_locks_nobody_out(cache, unfinished):
    holder = """
import fcntl, sys, time
lock = open(sys.argv[1], "r+")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(1000)
"""
    lock = inside(unfinished) / "lock"
    with subprocess.Popen([sys.executable, "-c", holder, lock], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        for resume in (False, True):
            with pytest.raises(
                ResourceError, match=r"another search of this score cache is at work in .*Wait"
            ):
                _core.bfbnb(cache.core, scratch=str(unfinished), resume=resume, **LAYERS)
        process.kill()
    answer = _core.bfbnb(cache.core, scratch=str(unfinished), resume=True, **LAYERS)
    assert answer["score"] == answer["bound"] == _core.subset_dp(cache.core)["score"]
    assert list(unfinished.iterdir()) == []


def test_other_caches_share_a_directory(cache, unfinished):
    lock = open(inside(unfinished) / "lock", "r+")  # noqa: SIM115
    fcntl.flock(lock, fcntl.LOCK_EX)
    other = tangled_cache(random.Random(7), 10)
    answer = _core.bfbnb(other.core, scratch=str(unfinished), **LAYERS)
    assert answer["score"] == answer["bound"] == _core.subset_dp(other.core)["score"]
    lock.close()
