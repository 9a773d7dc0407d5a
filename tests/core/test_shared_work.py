"""Which threads work: small jobs have one, and what is counted of shared work adds up."""

from __future__ import annotations

import pytest

import bayesloom as bl
from bayesloom import _core
from made.caches import random_cache


def use_of(call):
    """What shared work took while a function ran."""
    _core.parallel_use(True)
    try:
        call()
    finally:
        use = _core.parallel_use(False)
    return use


def test_small_jobs_stay_on_one_thread():
    """However many threads are given, and however busy the machine: CPU time decides, far below the limit."""
    table = bl.random_network(5, states=(2, 3), max_parents=2, seed=1).sample(60, seed=1)
    cache = bl.score(table)
    for job in (
        lambda: bl.learn(table, threads=16),
        lambda: bl.score(table, threads=16),
        lambda: bl.search(cache, threads=16),
        lambda: bl.credible(cache, 3, threads=16),
    ):
        uses = [use_of(job) for _ in range(9)]  # the first may take long, as does any on a busy machine
        assert min(use["regions"] for use in uses) > 0
        assert min(use["started"] for use in uses) == 0


def test_large_jobs_do_not():
    """A thousandfold of the limit."""
    cache = random_cache(1, variables=20, candidates=60)
    use = use_of(lambda: _core.subset_dp(cache.core, threads=3))
    assert use["started"] > 0
    assert use["tasks"] >= use["regions"] > 0


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_busiest_of_equal_cores_has_a_share_at_least(threads):
    cache = random_cache(1, variables=16, candidates=60)
    use = use_of(lambda: _core.subset_dp(cache.core, threads=threads))
    assert 0 < use["busiest"] <= use["cpu"] * (1 + 1e-9)
    # Tasks take no longer together than threads do that ran them.
    assert use["longest"] <= use["cpu"]
    if threads == 1:
        assert use["started"] == 0


def test_shared_work_within_shared_work_is_part_of_it():
    """`bblp` searches over sets on all threads beside its branching."""
    cache = random_cache(3, variables=24, candidates=60)
    use = use_of(lambda: _core.bblp(cache.core, threads=4, work=200_000))
    assert use["cpu"] >= 0
    assert use["longest"] <= use["cpu"] + 1e-9
