"""bfbnb killed, stopped or out of disk: it goes on where it was and finds the same."""

from __future__ import annotations

import random
import signal
import subprocess
import sys

import pytest

from bayesloom import _core
from bayesloom.errors import InputError, ResourceError
from made.lists import tangled_cache

SIMPLE = {"cluster_rounds": 0, "pattern_size": 1}
MODES = {
    "layers": (15, {"dense": False, "memory_bytes": 20_000.0}),
    "dense": (17, {"dense": True, "memory_bytes": 500_000.0}),
}

CHILD = """
import os, resource, signal, sys
from bayesloom import _core
from bayesloom.scoring.cache import ScoreCache
cache, scratch, options, limit = sys.argv[1], sys.argv[2], eval(sys.argv[3]), int(sys.argv[4])
polls = int(sys.argv[5])
core = ScoreCache.read(cache).core
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))



def die(work, seconds):
    global polls
    polls -= 1
    if polls == 0:
        os.kill(os.getpid(), signal.SIGKILL)


if polls:
    options["progress"] = die
    _core.step_clock(0.1)  # every look is a poll
print("begin", flush=True)
try:
    print(_core.bfbnb(core, scratch=scratch, resume=True, threads=1, **options)["score"])
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.fixture(params=sorted(MODES))
def problem(request, tmp_path):
    n, options = MODES[request.param]
    cache = tangled_cache(random.Random(6), n)
    cache.write(tmp_path / "cache.blc")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    wanted = _core.subset_dp(cache.core)["score"]
    return cache, scratch, {**options, **SIMPLE}, wanted


def child(scratch, options, limit=0, polls=0):
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            CHILD,
            str(scratch.parent / "cache.blc"),
            str(scratch),
            repr(options),
            str(limit),
            str(polls),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_killed_at_ten_random_moments_it_finds_the_same(problem, stepping_clock):
    """By itself, at a poll that is counted, and in between by another process, wherever it is then."""
    cache, scratch, options, wanted = problem
    polls = []
    stepping_clock(0.1)
    answer = _core.bfbnb(
        cache.core, scratch=str(scratch), threads=1, progress=lambda *now: polls.append(now), **options
    )
    assert answer["score"] == wanted
    assert list(scratch.iterdir()) == []

    rng = random.Random(1)
    for turn in range(5):
        with child(scratch, options, polls=rng.randint(1, len(polls) // 2**turn)) as process:
            assert process.wait() == -signal.SIGKILL or turn > 0
        with child(scratch, options) as process:
            process.stdout.readline()
            for _ in range(rng.randrange(10_000)):
                pass
            process.kill()
    with child(scratch, options) as process:
        process.stdout.readline()
        assert int(process.stdout.readline()) == wanted
    assert list(scratch.iterdir()) == []


def test_without_room_it_says_so_and_goes_on_later(problem):
    """A limit on file size stands in for a full disk: the same write fails in the same place."""
    _, scratch, options, wanted = problem
    with child(scratch, options, limit=4_000) as process:
        process.stdout.readline()
        message = process.stdout.readline()
    assert message.startswith("ResourceError the disk is full: ")
    assert "call again with resume" in message
    with child(scratch, options) as process:
        process.stdout.readline()
        assert int(process.stdout.readline()) == wanted
    assert list(scratch.iterdir()) == []


def test_stopped_by_a_limit_it_goes_on(problem):
    cache, scratch, options, wanted = problem
    work = 2000 if options["dense"] is False else 20000
    for _ in range(1000):
        answer = _core.bfbnb(cache.core, scratch=str(scratch), resume=True, work=work, threads=1, **options)
        assert answer["score"] <= wanted <= answer["bound"]
        if answer["score"] == answer["bound"]:
            break
        work *= 2  # a layer is done again from its beginning
    assert answer["score"] == wanted
    assert list(scratch.iterdir()) == []


def test_without_resume_it_begins_anew_where_an_unfinished_search_lies(problem):
    cache, scratch, options, wanted = problem
    _core.bfbnb(cache.core, scratch=str(scratch), work=3000, threads=1, **options)
    assert list(scratch.iterdir()) != []
    answer = _core.bfbnb(cache.core, scratch=str(scratch), threads=1, **options)
    assert answer["score"] == answer["bound"] == wanted
    assert list(scratch.iterdir()) == []


def test_a_damaged_layer_is_refused(tmp_path):
    n, options = MODES["layers"]
    cache = tangled_cache(random.Random(6), n)
    _core.bfbnb(cache.core, scratch=str(tmp_path), work=3000, threads=1, **options, **SIMPLE)
    layer = max(tmp_path.glob("*/problem-0/layer-[0-9]*-0"), key=lambda path: path.stat().st_size)
    content = bytearray(layer.read_bytes())
    content[len(content) // 2] ^= 1
    layer.write_bytes(content)
    with pytest.raises(InputError, match=r"is damaged; remove its directory and begin anew"):
        _core.bfbnb(cache.core, scratch=str(tmp_path), resume=True, **options, **SIMPLE)


def test_a_scratch_directory_that_cannot_be_written(tmp_path):
    cache = tangled_cache(random.Random(6), 8)
    with pytest.raises(ResourceError, match="cannot make the directory"):
        _core.bfbnb(cache.core, scratch="/proc/none", memory_bytes=1e6, **SIMPLE)
