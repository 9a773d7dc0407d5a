"""The weight of all networks (src/core/credible/total_weight.hpp) against sums over listed networks."""

from __future__ import annotations

import random

import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError, ResourceError
from made.lists import UNIT, cache_of, random_lists
from reference.credible import log_total_mass, log_total_mass_by_sinks, scored_networks

# ln of the number of networks over n variables [robinson1973]
NETWORKS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281, 6: 3781503, 7: 1138779265}


def found(cache, reference=0, **arguments):
    return _core.log_total_weight(cache.core, reference, threads=1, **arguments)


@pytest.mark.parametrize("seed", range(40))
def test_equal_to_the_sum_over_all_networks(seed):
    rng = random.Random(seed)
    lists = random_lists(
        rng, rng.randint(1, 5), empty=rng.choice([1.0, 0.7]), most=6, worst=rng.choice([1, 4, 30, 5000])
    )
    if not scored_networks(lists):
        with pytest.raises(InfeasibleError, match="no acyclic network"):
            found(cache_of(lists))
        return
    expected = log_total_mass(lists)
    assert found(cache_of(lists)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert found(cache_of(lists), 7 * UNIT) == pytest.approx(expected - 7, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_inclusion_and_exclusion_in_fractions(seed):
    """Seven variables, scores so far apart that sums with signs in floating point would lose all digits."""
    rng = random.Random(seed)
    lists = random_lists(rng, 7, most=12, worst=rng.choice([3, 60, 900]))
    expected = log_total_mass_by_sinks(lists)
    assert found(cache_of(lists)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert _core.log_total_weight(cache_of(lists).core, 0, threads=3) == found(cache_of(lists))


@pytest.mark.parametrize("n", NETWORKS)
def test_with_equal_scores_it_counts_networks(n):
    subsets = [frozenset(u for u in range(n) if code >> u & 1) for code in range(1 << n)]
    lists = [[(0, up) for up in subsets if v not in up] for v in range(n)]
    import math

    assert found(cache_of(lists)) == pytest.approx(math.log(NETWORKS[n]), rel=1e-13, abs=1e-13)


def test_components_multiply():
    """Ten pairs of three networks each: more variables than one component may have."""
    import math

    lists = []
    for k in range(10):
        lists.append([(0, frozenset()), (0, frozenset({2 * k + 1}))])
        lists.append([(0, frozenset()), (0, frozenset({2 * k}))])
    assert found(cache_of(lists)) == pytest.approx(10 * math.log(3))


def test_limits_are_named():
    n = 19
    ring = cache_of([[(-1, frozenset()), (0, frozenset({(v + 1) % n}))] for v in range(n)])
    with pytest.raises(ResourceError, match="components of up to 18 variables; the largest here has 19"):
        found(ring)
    small = cache_of([[(-1, frozenset()), (0, frozenset({(v + 1) % 12}))] for v in range(12)])
    with pytest.raises(ResourceError, match="needs 5 MB of memory"):
        found(small, memory_bytes=1000.0)
    assert found(small, seconds=0.0) is None
