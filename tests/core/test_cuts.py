"""Zero-half cuts: every network obeys them, and the bound is that of the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError
from made.caches import random_cache, tied_cache
from made.lists import UNIT, cache_of, crowded_cache, cyclic_cache, random_lists
from reference import dual, enumeration


def complete_lists(seed, n):
    """All parent sets, those of two and more much alike: wishes close cycles, the relaxation is divided."""
    rng = random.Random(seed)
    lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        sets = [frozenset(u for k, u in enumerate(others) if bits >> k & 1) for bits in range(2 ** (n - 1))]
        lists.append([(round(40 * min(len(s), 2) ** 0.9) + rng.randint(0, 10), s) for s in sets])
    return lists


def parents_of(cache, candidate):
    first = cache.parent_first.astype(int)
    return frozenset(cache.parents[first[candidate] : first[candidate + 1]].tolist())


def by_definition(cache, rules):
    """For each cut its weights as a function of variable and parents, and its need, from what it is made of.

    The least weight of a variable is taken off, as in the core.
    """
    n = cache.variable_count
    lists = [
        [parents_of(cache, c) for c in range(int(cache.first[v]), int(cache.first[v + 1]))] for v in range(n)
    ]
    made = []
    for inequalities, parts, halved, *_ in rules:
        earlier = [made[k] for k in parts]
        weight = {
            (v, p): dual.cut_weight(inequalities, [one[0] for one in earlier], halved, v, p)
            for v in range(n)
            for p in lists[v]
        }
        need = dual.cut_need(inequalities, [one[1] for one in earlier], halved)
        for v in range(n):
            least = min(weight[v, p] for p in lists[v])
            need -= least
            for p in lists[v]:
                weight[v, p] -= least
        made.append((lambda v, p, weight=weight: weight[v, p], need))
    return made


def test_every_network_obeys_every_cut():
    n = 5
    networks = enumeration.networks(n)
    seen = of_cuts = 0
    for seed in range(150):
        cache = cache_of(complete_lists(seed, n))
        best = _core.subset_dp(cache.core, threads=1)["score"]
        bound, _, rules = _core.cut_bound(cache.core, best, rounds=8, seed=seed)
        assert bound >= best
        for (weight, need), (_, parts, _, core_need, _, weights) in zip(
            by_definition(cache, rules), rules, strict=True
        ):
            assert need == core_need
            table = np.zeros((n, 2**n), dtype=int)
            for v, candidate, value in weights:
                table[v, sum(1 << u for u in parents_of(cache, candidate))] = value
                assert value == weight(v, parents_of(cache, candidate))
            assert int(table.sum()) == sum(
                weight(v, s) for v in range(n) for _, s in complete_lists(seed, n)[v]
            )
            sums = sum(table[v, networks[:, v]] for v in range(n))
            assert sums.min() >= need
            seen += 1
            of_cuts += bool(parts)
    assert seen >= 40
    assert of_cuts >= 5


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_that_of_the_definition_and_no_network_is_above_it(seed):
    rng = random.Random(seed)
    n = rng.randint(4, 7)
    lists = random_lists(rng, n, most=20, worst=30) if seed % 2 else complete_lists(seed, min(n, 5))
    cache = cache_of(lists)
    best = _core.subset_dp(cache.core, threads=1)["score"]
    bound, clusters, rules = _core.cut_bound(cache.core, best - UNIT, rounds=3, seed=seed)
    made = by_definition(cache, rules)
    total = -sum(need * price for _, need, price, _ in clusters)
    total -= sum(need * rule[4] for (_, need), rule in zip(made, rules, strict=True))
    for v in range(cache.variable_count):
        values = []
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            p = parents_of(cache, c)
            value = dual.priced(clusters, v, int(cache.scores[c]), p)
            values.append(
                value + sum(rule[4] * weight(v, p) for (weight, _), rule in zip(made, rules, strict=True))
            )
        total += max(values)
    assert bound == total
    assert bound >= best


def test_cuts_lower_the_bound_where_clusters_leave_it():
    lower = 0
    for seed in range(10):
        cache = crowded_cache(seed)
        best = _core.subset_dp(cache.core, threads=1)["score"]
        without, *_ = _core.cut_bound(cache.core, best, rounds=1)
        with_cuts, _, rules = _core.cut_bound(cache.core, best, rounds=6)
        assert best <= with_cuts
        lower += with_cuts - best < 0.8 * (without - best) and len(rules) > 0
    assert lower >= 8


@pytest.mark.parametrize("block", range(2))
@pytest.mark.parametrize("cuts", [0, 1])
def test_with_cuts_from_the_first_turn_on_or_never_the_optimum_is_the_same(block, cuts):
    cut = 0
    for seed in range(20 * block, 20 * block + 20):
        cache = [
            lambda s: random_cache(s, variables=8, candidates=30),
            lambda s: cyclic_cache(s, 8),
            lambda s: crowded_cache(s, 8, 25),
            tied_cache,
        ][seed % 4](seed)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            continue
        out = _core.bblp(cache.core, seed=seed, cuts=cuts, sets="never", moves=20)
        assert out["score"] == out["bound"] == best
        stopped = _core.bblp(cache.core, seed=seed, cuts=cuts, sets="never", work=5000 + 900 * seed, moves=5)
        assert stopped["score"] <= best <= stopped["bound"]
        bounds = [point[3] for point in stopped["trace"]]
        assert bounds == sorted(bounds, reverse=True)
        cut += out["cuts"]
    assert (cut > 0) == (cuts > 0)


@pytest.mark.parametrize("seed", range(3))
def test_open_nodes_without_memory_are_searched_newest_first(seed):
    cache = crowded_cache(seed, 10, 40)
    best = _core.subset_dp(cache.core, threads=1)["score"]
    out = _core.bblp(cache.core, sets="never", memory_bytes=1.0)
    assert out["score"] == out["bound"] == best


def test_scores_far_apart_do_not_overflow():
    lists = [[(score * 2**20, parents) for score, parents in own] for own in complete_lists(3, 5)]
    cache = cache_of(lists)
    best = _core.subset_dp(cache.core, threads=1)["score"]
    assert _core.bblp(cache.core, cuts=1, sets="never")["bound"] == best
    assert _core.cut_bound(cache.core, best, rounds=4)[0] >= best
