"""The proof on several threads: what it says does not depend on how many."""

from __future__ import annotations

import os

import pytest

import bayesloom as bl
from bayesloom import _core
from made.caches import random_cache

THREADS = (1, 2, 5, 16)


@pytest.mark.parametrize("sets", ["only", "in turns"])
@pytest.mark.parametrize("seed", range(15))
def test_score_network_and_bound_are_the_same_for_any_number_of_threads(seed, sets):
    """`least_shared=1`: batches are shared however small they are."""
    cache = random_cache(seed, variables=5 + seed % 9, candidates=8 + 2 * seed)
    best = _core.subset_dp(cache.core, threads=1)["score"]
    found = [
        _core.bblp(cache.core, seed=seed, moves=0, sets=sets, threads=threads, least_shared=1)
        for threads in THREADS
    ]
    for one in found:
        assert one["score"] == one["bound"] == best
        assert one["candidates"] == found[0]["candidates"]


@pytest.mark.parametrize("seed", range(6))
def test_work_ends_it_at_the_same_place_for_any_number_of_threads(seed):
    cache = random_cache(seed, variables=14, candidates=40)
    for work in (300, 3000, 30_000):
        limits = {"seed": seed, "moves": 0, "work": work}
        found = [
            _core.bblp(cache.core, **limits, sets="only", threads=threads, least_shared=1)
            for threads in THREADS
        ]
        assert len({(one["score"], one["bound"], one["work"]) for one in found}) == 1


def test_threads_beside_are_counted():
    with pytest.raises(bl.InputError, match="threads_beside must be a whole number of at least 1, got 0"):
        bl.search(random_cache(0, variables=5, candidates=8), solver="bblp", options={"threads_beside": 0})


def test_what_shared_work_took_is_collected_when_asked():
    cache = random_cache(1, variables=14, candidates=40)
    _core.parallel_use(True)
    _core.subset_dp(cache.core, threads=2)
    use = _core.parallel_use(False)
    assert use["regions"] > 0
    assert 0 < use["busiest"] <= use["cpu"]
    _core.subset_dp(cache.core, threads=2)
    assert _core.parallel_use(False)["regions"] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_a_fork_has_threads_of_its_own():
    cache = random_cache(2, variables=12, candidates=30)
    expected = _core.subset_dp(cache.core, threads=3)["score"]
    child = os.fork()
    if child == 0:
        same = _core.subset_dp(cache.core, threads=3)["score"] == expected
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
