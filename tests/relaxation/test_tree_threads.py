"""Branching on several threads: they share what one would do, so only the time depends on their number."""

from __future__ import annotations

import pytest

from bayesloom import _core
from bayesloom.solvers.api import search
from bayesloom.verification import verify
from made.caches import random_cache

PLAIN = {"sets": "never", "moves": 100, "lp": False}


def told(cache, threads, work, **options):
    out = search(cache, solver="bblp", work_limit=work, threads=threads, options={**PLAIN, **options})
    assert verify(out.network, cache=cache, score=out.score)
    points = [(point.score, point.bound) for point in out.trace]
    return out.status, out.fixed_score, out.fixed_bound, out.work, out.network, points


@pytest.mark.parametrize("lp", [False, True])
@pytest.mark.parametrize(("seed", "variables", "candidates"), [(0, 26, 70), (11, 30, 120)])
def test_where_a_proof_is_cut_does_not_depend_on_threads(seed, variables, candidates, lp):
    """At every limit: within nodes, within rounds, between them, and at the end."""
    cache = random_cache(seed, variables, candidates)
    whole = told(cache, 1, 10**9, lp=lp)
    assert whole[0] == "optimal"
    for part in (0.35, 0.6, 0.8, 0.95, 0.99):
        work = int(part * whole[3])
        one = told(cache, 1, work, lp=lp)
        assert one[3] <= whole[3]
        for threads in (2, 7):
            assert told(cache, threads, work, lp=lp) == one
    assert told(cache, 3, 10**9, lp=lp) == whole
    assert whole[1] == search(cache, solver="bblp").fixed_score


def test_threads_do_share():
    cache = random_cache(11, 30, 120)
    _core.parallel_use(True)
    told(cache, 7, 10**9)
    use = _core.parallel_use(False)
    assert use["tasks"] >= 1.5 * use["regions"]
