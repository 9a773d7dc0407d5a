"""src/core/dual: what holds of any prices, against the definitions in tests/reference/dual.py."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from bayesloom import _core
from made.lists import UNIT, cache_of, random_lists
from reference import dual, enumeration, graphs

BITS = np.array([bin(word).count("1") for word in range(256)])


def random_inequalities(rng, n, *, count=6, highest=10):
    """Clusters with needs and prices, and inequalities of four, all with whole prices in nats."""
    found = []
    for _ in range(count):
        if n >= 4 and rng.random() < 0.3:
            members = sorted(rng.sample(range(n), 4))
            blocks = list(rng.choice(_core.inequalities_of_four()))
            found.append((members, 2, rng.randint(0, highest), blocks))
        else:
            members = sorted(rng.sample(range(n), rng.randint(2, n)))
            found.append((members, rng.randint(1, len(members) - 1), rng.randint(0, highest), []))
    return found


def in_units(inequalities):
    return [(members, need, price * UNIT, blocks) for members, need, price, blocks in inequalities]


def candidates_of(cache, lists):
    """The candidates in the order of the cache: variable, score, parents."""
    ends = cache.parent_first.astype(int)
    for v in range(len(lists)):
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            yield v, int(cache.scores[c]) // UNIT, frozenset(cache.parents[ends[c] : ends[c + 1]].tolist())


def test_every_network_obeys_the_inequalities_of_four():
    found = [list(blocks) for blocks in _core.inequalities_of_four()]
    assert len(found) == 18 == len({tuple(blocks) for blocks in found})
    for blocks in found:
        one = ([0, 1, 2, 3], 2, 0, blocks)
        free = [
            sum(not dual.is_blocked(one, v, parents[v]) for v in range(4))
            for parents in graphs.all_networks(4)
        ]
        assert min(free) == 2  # so it holds, and cannot be made stronger


@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_network_obeys_the_inequalities_of_any_cluster_and_need(n):
    networks = enumeration.networks(n)
    for size in range(2, n + 1):
        for members in combinations(range(n), size):
            mask = sum(1 << v for v in members)
            inside = np.stack([BITS[networks[:, v] & mask] for v in members])
            for need in range(1, size):
                assert (inside < need).sum(axis=0).min() >= need


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_of_given_prices_is_that_of_the_definition(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    lists = random_lists(rng, n)
    cache = cache_of(lists)
    prices = random_inequalities(rng, n)
    low = -(2**50)  # nothing is left out on account of a known network
    bound, kept, costs = _core.dual_bound(cache.core, low, [in_units(prices)])
    # A list that does not lower the bound is not kept; then no prices are.
    free, own = dual.bound(lists, []), dual.bound(lists, prices)
    assert bound == min(free, own) * UNIT
    used = prices if own < free else []
    assert kept.tolist() == list(range(cache.candidate_count))
    wanted = [dual.reduced_cost(lists, used, v, (s, p)) * UNIT for v, s, p in candidates_of(cache, lists)]
    assert costs.tolist() == wanted


@pytest.mark.parametrize("seed", range(40))
def test_reduced_costs_of_a_network_add_up_to_no_more_than_the_gap_and_its_loss(seed):
    """sum of reduced costs <= gap + known - score, for every network over the candidates."""
    rng = random.Random(seed)
    n = rng.randint(2, 4)
    lists = random_lists(rng, n)
    cache = cache_of(lists)
    known = _core.subset_dp(cache.core, threads=1)["score"] - rng.choice([0, 3]) * UNIT
    given = random_inequalities(rng, n) if seed % 2 else []
    out = _core.reduced_costs(cache.core, known, work=rng.choice([1, 50, None]), prices=[in_units(given)])
    cost = {}
    for (v, score, parents), each in zip(
        candidates_of(cache, lists), out["reduced_cost"].tolist(), strict=True
    ):
        assert each >= 0
        cost[v, parents] = score * UNIT, each
    for parents in graphs.all_networks(n):
        chosen = [cost.get((v, parents[v])) for v in range(n)]
        if None not in chosen:
            score = sum(s for s, _ in chosen)
            assert sum(c for _, c in chosen) <= out["gap"] + known - score


@pytest.mark.parametrize("seed", range(40))
def test_a_bound_that_goes_on_from_prices_is_never_worse_than_theirs(seed):
    """Over the same parent sets, and over more of them, where the prices of fewer bound them too."""
    rng = random.Random(seed)
    n = rng.randint(3, 7)
    lists = random_lists(rng, n, worst=rng.choice([30, 1000]))
    more = [
        own + [one for one in other if one[1] not in {s for _, s in own}]
        for own, other in zip(lists, random_lists(rng, n, worst=100), strict=True)
    ]
    few, all_sets = cache_of(lists), cache_of(more)
    known = _core.subset_dp(few.core, threads=1)["score"]
    first = _core.reduced_costs(few.core, known)
    work = rng.choice([1, 20, None])
    again = _core.reduced_costs(few.core, known, work=work, prices=[first["clusters"]])
    assert 0 <= again["gap"] <= first["gap"]
    of_prices, *_ = _core.dual_bound(all_sets.core, known, [first["clusters"]])
    # What was moved last may be worse: the better of both lists counts.
    lists_of_both = [first["clusters"], first["last"]]
    for work in (1, 20, None):
        out = _core.reduced_costs(all_sets.core, known, work=work, prices=lists_of_both)
        assert _core.subset_dp(all_sets.core, threads=1)["score"] <= known + out["gap"]
        assert known + out["gap"] <= max(of_prices, known)
        own, *_ = _core.dual_bound(all_sets.core, known, [out["clusters"]])
        assert known + out["gap"] == max(own, known)


@pytest.mark.parametrize("seed", range(6))
def test_prices_over_few_candidates_bound_all_of_them(seed):
    """More candidates than come in at a time, and the bound is right whenever it is stopped."""
    rng = random.Random(seed)
    n = 10
    lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        subsets = [s for k in range(5) for s in combinations(others, k)]
        base = [rng.randint(0, 40) for _ in range(n)]
        own = [
            (sum(base[u] for u in s) - 25 * len(s) + rng.randint(-30, 0) - 500, frozenset(s)) for s in subsets
        ]
        lists.append(own)
    cache = cache_of(lists)
    assert min(np.diff(cache.first)) > 200
    best = _core.subset_dp(cache.core, threads=1)["score"]
    free = sum(max(score for score, _ in own) for own in lists) * UNIT
    gaps = []
    prices = []
    for work in (1, 100, 1000, 20_000):
        out = _core.reduced_costs(cache.core, best, work=work, prices=prices)
        prices = [out["clusters"], out["last"]]
        assert 0 <= out["gap"] <= free - best
        for v in range(n):
            begin, end = int(cache.first[v]), int(cache.first[v + 1])
            assert min(out["reduced_cost"][begin:end]) == 0
        gaps.append(out["gap"])
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < (free - best) / 2 or free == best
    same = _core.reduced_costs(cache.core, best, work=1000)
    again = _core.reduced_costs(cache.core, best, work=1000)
    assert same["gap"] == again["gap"]
    assert same["clusters"] == again["clusters"]


@pytest.mark.parametrize("seed", range(60))
def test_the_remaining_bound_is_that_of_the_definition_and_holds(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    lists = random_lists(rng, n)
    cache = cache_of(lists)
    prices = random_inequalities(rng, n)
    tops = [max(score for score, _ in own) for own in lists]
    for _ in range(8):
        placed = {v for v in range(n) if rng.random() < 0.4}
        rest = [v for v in range(n) if v not in placed]
        found = _core.remaining_bounds(cache.core, in_units(prices), sum(1 << v for v in placed)).tolist()
        sets = [placed, *(placed | {v} for v in rest)]
        for value, done in zip(found, sets, strict=True):
            top = sum(tops[v] for v in range(n) if v not in done)
            assert value == (dual.remaining_bound(lists, prices, done) - top) * UNIT
            assert value >= (dual.best_rest(lists, done) - top) * UNIT


@pytest.mark.parametrize("seed", range(20))
def test_what_separation_finds_is_violated_as_it_says(seed):
    rng = np.random.default_rng(seed)
    lists = random_lists(random.Random(seed), 7, most=20)
    cache = cache_of(lists)
    separation = _core.Separation(cache.core, np.arange(cache.candidate_count, dtype=np.uint64))
    shares = np.concatenate([rng.dirichlet(np.full(len(own), 0.3)) for own in lists])
    found, interrupted = separation.violated(shares, 0.05)
    assert not interrupted
    for one in found:
        members, need, _, _ = one
        free = sum(
            share
            for share, (v, _, parents) in zip(shares, candidates_of(cache, lists), strict=True)
            if v in members and not dual.is_blocked(one, v, parents)
        )
        # Shares below a hundredth are left out when it looks, and the others made larger.
        assert free <= need - 0.05 + 0.01 * len(shares) / len(lists) * len(members)


def test_separation_finds_two_variables_that_take_each_other():
    cache = cache_of([[(0, frozenset()), (1, frozenset([1]))], [(0, frozenset()), (1, frozenset([0]))]])
    separation = _core.Separation(cache.core, np.arange(4, dtype=np.uint64))
    taken = cache.scores > 0
    found, _ = separation.violated(taken.astype(float), 0.5)
    assert [(members, need) for members, need, _, _ in found] == [([0, 1], 1)]
    separation.add(found)
    assert separation.violated(taken.astype(float), 0.5)[0] == []


def blocked(mask, sets, need):
    """By at least so many of the first set, or, where need is 0, by all of some set."""
    if need > 0:
        return (mask & sets[0]).bit_count() >= need
    return any(one & ~mask == 0 for one in sets)


@pytest.mark.parametrize("need", [0, 1, 2, 3])
@pytest.mark.parametrize("words", [1, 2, 3])
def test_kernels_of_weights_agree_with_the_definition_and_bit_for_bit(need, words):
    rng = random.Random(need * 10 + words)
    kinds, seen = set(), 0
    for count in [0, 1, 3, 4, 5, 8, 31]:
        weights = [rng.random() for _ in range(count)]
        bits = 64 * words
        masks = [rng.getrandbits(bits) for _ in range(count)]
        sets = [sum(1 << b for b in rng.sample(range(bits), need + 1 if need else 2)) for _ in range(3)]
        sets = sets if need == 0 else sets[:1]
        flat = [mask >> 64 * w & 2**64 - 1 for mask in masks for w in range(words)]
        local = [one >> 64 * w & 2**64 - 1 for one in sets for w in range(words)]
        answers = {}
        for name in ("plain", "avx2"):
            test = {"need": need or 1, "sets": len(sets) if need == 0 else 0}
            answer = _core.weight_kernel(
                name, weights, flat, local, words=words, **test, blocked=0.3, free=1.7
            )
            if answer is not None:
                answers[name] = answer
        assert "plain" in answers
        assert all(answer == answers["plain"] for answer in answers.values())
        inside, outside, scaled = answers["plain"]
        which = [blocked(mask, sets, need) for mask in masks]
        kinds.update(which)
        seen += count
        assert inside == pytest.approx(sum(w for w, b in zip(weights, which, strict=True) if b))
        assert outside == pytest.approx(sum(w for w, b in zip(weights, which, strict=True) if not b))
        assert scaled == [w * (0.3 if b else 1.7) for w, b in zip(weights, which, strict=True)]
    assert kinds == {False, True}
    assert seen > 50
