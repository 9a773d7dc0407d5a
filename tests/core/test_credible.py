"""src/core/credible against the definitions in tests/reference/credible.py."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError, ResourceError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.warm_start import start_candidates
from made.lists import UNIT, cache_of, random_lists
from reference import graphs
from reference.credible import credible_networks, directed_posterior, scored_networks

FACTORS = [1, 3, 20, 150]


def made(cache, max_loss, **arguments):
    return _core.subset_dp_set(cache.core, max_loss, threads=1, **arguments)["set"]


def parents_of(cache, row):
    first, flat = cache.parent_first, cache.parents
    return tuple(frozenset(map(int, flat[int(first[c]) : int(first[c + 1])])) for c in row)


def listed(cache, core, chunk=7):
    """All networks of a set with their scores in whole nats; each must come once."""
    stream, found = core.stream(), {}
    while True:
        candidates, scores = stream.take(chunk)
        for row, score in zip(
            candidates.reshape(-1, cache.variable_count).tolist(), scores.tolist(), strict=True
        ):
            parents = parents_of(cache, row)
            assert parents not in found
            found[parents] = score
        if len(scores) < chunk:
            return found


def in_units(scores):
    return {parents: score * UNIT for parents, score in scores.items()}


@pytest.mark.parametrize("seed", range(60))
def test_networks_counts_and_masses_are_those_of_brute_force(seed):
    """Random caches with many ties; a variable may lack the empty candidate."""
    rng = random.Random(seed)
    n = rng.randint(1, 5)
    lists = random_lists(rng, n, empty=rng.choice([1.0, 0.7]), most=rng.choice([3, 6]))
    cache = cache_of(lists)
    everything = scored_networks(lists)
    if not everything:
        with pytest.raises(InfeasibleError, match="no acyclic network"):
            made(cache, 0)
        return
    for max_loss in (0, 1, 2, 5, 100):
        expected = in_units(credible_networks(everything, max_loss))
        core = made(cache, max_loss * UNIT)
        assert core.best == max(expected.values())
        assert listed(cache, core) == expected  # before anything was counted
        counted = core.count()
        assert counted["count"] == len(expected)
        weights = [math.exp((score - core.best) / UNIT) for score in expected.values()]
        assert counted["weight"] == pytest.approx(math.fsum(weights), rel=1e-12)
        assert listed(cache, core) == expected  # and after, with the states known
        masses = core.candidate_weights()
        for c in range(cache.candidate_count):
            v = int(np.searchsorted(cache.first, c, side="right")) - 1
            mine = parents_of(cache, [c])[0]
            users = [w for g, w in zip(expected, weights, strict=True) if g[v] == mine]
            assert masses[c] == pytest.approx(math.fsum(users), rel=1e-12, abs=0)
        assert parents_of(cache, core.best_network) in expected
        assert expected[parents_of(cache, core.best_network)] == core.best


@pytest.mark.parametrize("seed", range(30))
def test_classes_are_those_of_brute_force(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 5)
    lists = random_lists(rng, n, most=6)
    cache = cache_of(lists)
    everything = scored_networks(lists)
    for max_loss in (0, 2, 100):
        expected = credible_networks(everything, max_loss)
        groups = {}
        for parents in expected:
            groups.setdefault((graphs.skeleton(parents), graphs.v_structures(parents)), set()).add(parents)
        found = made(cache, max_loss * UNIT).classes()
        assert found.count == len(groups)
        candidates, _, members = found.stream().take(10**6)
        seen = {}
        for row, number in zip(candidates.reshape(-1, n).tolist(), members, strict=True):
            parents = parents_of(cache, row)
            seen[graphs.skeleton(parents), graphs.v_structures(parents)] = number
        assert seen == {key: len(group) for key, group in groups.items()}


def test_independent_components_multiply():
    """Eight copies of one pair: the number is a power, and nothing is listed to find it."""
    lists = []
    for k in range(8):
        a, b = 2 * k, 2 * k + 1
        lists.append([(-1, frozenset()), (0, frozenset({b}))])
        lists.append([(-1, frozenset()), (0, frozenset({a}))])
    cache = cache_of(lists)
    assert made(cache, 0).component_sizes == [2] * 8
    for max_loss in range(10):
        # Each pair: two ways without loss, one that loses 1.
        ways = sum(math.comb(8, k) * 2 ** (8 - k) for k in range(min(max_loss, 8) + 1))
        core = made(cache, max_loss * UNIT)
        assert core.count()["count"] == ways
        assert core.classes().count == sum(math.comb(8, k) for k in range(min(max_loss, 8) + 1))
        masses = core.candidate_weights()
        assert math.fsum(masses[:2]) == pytest.approx(core.count()["weight"])
    assert len(listed(cache, made(cache, 3 * UNIT))) == sum(math.comb(8, k) * 2 ** (8 - k) for k in range(4))


def test_states_that_are_not_remembered_give_the_same_set():
    """With hardly any memory few states are remembered."""
    for seed in range(20):
        rng = random.Random(seed)
        lists = random_lists(rng, 6, most=8)
        cache = cache_of(lists)
        plenty = made(cache, 3 * UNIT)
        scarce = made(cache, 3 * UNIT, memory_bytes=600.0)  # completion values, and hardly a state
        assert plenty.best == scarce.best
        assert listed(cache, plenty) == listed(cache, scarce)
        assert plenty.count()["count"] == scarce.count()["count"]
        np.testing.assert_allclose(plenty.candidate_weights(), scarce.candidate_weights(), rtol=1e-12)


def test_a_known_network_changes_nothing():
    cache = cache_of(random_lists(random.Random(5), 6, most=8))
    free = made(cache, 2 * UNIT)
    expected = listed(cache, free)
    for order in itertools.islice(itertools.permutations(range(6)), 0, 720, 97):
        assert listed(cache, made(cache, 2 * UNIT, known=start_candidates(cache, order))) == expected
    best = free.best_network
    cycle = next(
        [*chosen]
        for chosen in itertools.product(*[range(int(a), int(b)) for a, b in itertools.pairwise(cache.first)])
        if not graphs.is_acyclic(parents_of(cache, chosen))
    )
    for wrong in (best[:3], [*best[:5], best[0]], [*best[:5], cache.candidate_count], cycle):
        with pytest.raises(InputError, match="one candidate per variable and no cycle"):
            made(cache, 2 * UNIT, known=wrong)


@pytest.mark.parametrize("seed", range(60))
def test_pruned_layers_find_what_all_sets_find(seed):
    rng = random.Random(seed)
    n = rng.choice([3, 5, 8, 11])
    cache = cache_of(random_lists(rng, n, most=rng.choice([3, 8, 20]), worst=rng.choice([2, 4, 8])))
    loss, order = rng.choice([0, UNIT, 3 * UNIT]), rng.sample(range(n), n)
    orders = rng.choice([[], [(order[0], order[1]), (order[1], order[2])]])
    shown = ScoreCache(cache.core.with_orders(orders))
    dense = made(cache, loss, orders=orders)
    pruned = _core.subset_dp_set(
        cache.core,
        loss,
        orders=orders,
        dense_up_to=0,
        known=rng.choice([[], start_candidates(shown, order)]),
        threads=rng.choice([1, 3]),
    )["set"]
    assert pruned.best == dense.best
    assert pruned.component_sizes == dense.component_sizes
    assert pruned.count() | {"work": 0} == dense.count() | {"work": 0}
    assert listed(cache, pruned) == listed(cache, dense)


def test_pruned_layers_that_do_not_fit_the_memory_is_an_outcome():
    cache = cache_of(random_lists(random.Random(8), 11, most=20, worst=8))
    out = _core.subset_dp_set(cache.core, UNIT, memory_bytes=1000.0, dense_up_to=0, threads=1)
    assert out["set"] is None


def test_steps_between_live_sets_that_do_not_fit_the_memory_are_an_outcome():
    cache = cache_of(
        random_lists(random.Random(8), 12, most=40, worst=2)
    )  # 2^12 sets fit, their steps do not
    assert _core.subset_dp_set(cache.core, 6 * UNIT, memory_bytes=1e6, threads=1)["set"] is None
    assert _core.subset_dp_set(cache.core, 6 * UNIT, memory_bytes=1e9, threads=1)["set"] is not None


@pytest.mark.parametrize("seed", range(8))
def test_the_estimates_are_near_and_have_honest_errors(seed):
    rng = random.Random(seed)
    lists = random_lists(rng, rng.choice([3, 5, 7]), most=rng.choice([2, 10]), worst=4)
    core = made(cache_of(lists), 3 * UNIT)
    estimate, error, probes, worth = core.estimate(4000, 1)
    count = core.count()["count"]
    assert probes == 4000
    assert 200 < worth <= 4000.001
    assert error < 0.1 * count
    assert abs(estimate - count) < 5 * error + 1e-9 * count
    shares, effective = core.estimated_shares(4000, 2)
    assert 200 < effective <= 4000.001
    exact = core.candidate_weights() / core.count()["weight"]
    np.testing.assert_allclose(shares, exact, atol=5 * 0.5 / math.sqrt(effective))


def test_stopping_is_an_outcome():
    lists = random_lists(random.Random(3), 7, most=10, worst=4)
    cache = cache_of(lists)
    assert _core.subset_dp_set(cache.core, UNIT, work=1)["set"] is None
    core = made(cache, 3 * UNIT)
    assert core.count(work=1)["count"] is None
    assert core.count()["count"] is not None  # goes on where it stopped
    assert len(listed(cache, core)) == core.count()["count"]


def test_a_component_of_more_than_64_variables_is_refused():
    n = 65
    lists = [[(-1, frozenset()), (0, frozenset({(v + 1) % n}))] for v in range(n)]
    with pytest.raises(ResourceError, match="join 65 variables in one strong component"):
        made(cache_of(lists), 100 * UNIT)


def test_a_chain_of_64_variables_works():
    """A tree has one network per root: n of them, all in one class."""
    n = 64
    lists = [
        [(-100, frozenset()), *((0, frozenset({u})) for u in (v - 1, v + 1) if 0 <= u < n)] for v in range(n)
    ]
    core = made(cache_of(lists), 0)
    assert core.count()["count"] == n
    assert core.classes().count == 1


def test_edge_posteriors_by_exact_sums():
    lists = random_lists(random.Random(9), 4, most=6)
    cache = cache_of(lists)
    scores = in_units(credible_networks(scored_networks(lists), 4))
    expected = directed_posterior(scores, 4, UNIT)
    core = made(cache, 4 * UNIT)
    core.count()
    masses = core.candidate_weights() / core.count()["weight"]
    found = np.zeros((4, 4))
    for v in range(4):
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            for p in parents_of(cache, [c])[0]:
                found[p, v] += masses[c]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def listed_json(core, most):
    stream, lines = core.stream(), []
    while True:
        texts, count = stream.take_json(most)
        lines += b"".join(texts).splitlines()
        if count < most:
            return lines


@pytest.mark.parametrize("seed", range(10))
def test_the_number_of_threads_changes_nothing(seed):
    lists = random_lists(random.Random(seed), 7, most=10, worst=4)
    cache = cache_of(lists)
    results = []
    for threads in (1, 2, 5):
        core = _core.subset_dp_set(cache.core, 2 * UNIT, threads=threads)["set"]
        counted = core.count()
        classes = core.classes()
        results.append(
            (
                counted["count"],
                counted["weight"],
                listed_json(core, 7),
                core.candidate_weights().tolist(),
                core.pair_weights(False).tolist(),
                core.pair_weights(True).tolist(),
                [part.tolist() if hasattr(part, "tolist") else part for part in classes.stream().take(10**6)],
            )
        )
    assert results[0] == results[1] == results[2]
    assert len(results[0][2]) == results[0][0] > 10


@pytest.mark.parametrize("seed", range(10))
def test_pairs_are_those_of_the_networks(seed):
    """Markov blankets and ancestors, by their definitions; several components; counted or not."""
    rng = random.Random(seed)
    lists = random_lists(rng, 5, most=rng.choice([2, 5]))
    cache = cache_of(lists)
    scores = in_units(credible_networks(scored_networks(lists), 3))
    best = max(scores.values())
    blanket, ancestor = np.zeros((5, 5)), np.zeros((5, 5))
    for parents, score in scores.items():
        weight = math.exp((score - best) / UNIT)
        for a, b in graphs.moral_pairs(parents):
            blanket[a, b] += weight
            blanket[b, a] += weight
        reach = {v: set(parents[v]) for v in range(5)}
        for _ in range(5):
            for v in range(5):
                reach[v] |= set().union(*(reach[u] for u in reach[v]))
        for v in range(5):
            for u in reach[v]:
                ancestor[u, v] += weight
    core = made(cache, 3 * UNIT)
    for _ in range(2):
        np.testing.assert_allclose(core.pair_weights(False).reshape(5, 5), blanket, rtol=1e-12)
        np.testing.assert_allclose(core.pair_weights(True).reshape(5, 5), ancestor, rtol=1e-12)
        core.count()
    every = core.stream().take(10**6)[0]
    assert core.pair_counts(every, True).sum() == sum(
        1 for parents in scores for u in range(5) for v in range(5) if ancestor_of(parents, u, v)
    )


def ancestor_of(parents, u, v):
    return any(p == u or ancestor_of(parents, u, p) for p in parents[v])


def test_counts_within_a_smaller_loss():
    lists = random_lists(random.Random(8), 6, most=8, worst=6)
    core = made(cache_of(lists), 5 * UNIT)
    everything = scored_networks(lists)
    for loss in (5, 0, 3, 1):
        expected = credible_networks(everything, loss)
        assert core.count_within(loss * UNIT) == len(expected)
        assert len(core.stream(loss * UNIT).take(10**6)[1]) == len(expected)
        members = core.classes(within=loss * UNIT).stream().take(10**6)[2]
        assert sum(members) == len(expected)


def test_networks_are_drawn_by_mass():
    lists = random_lists(random.Random(12), 4, most=5, worst=3)
    cache = cache_of(lists)
    core = made(cache, 2 * UNIT)
    with pytest.raises(ResourceError, match="that was counted"):
        core.draw(1, 0)
    mass = core.count()["weight"]
    expected = in_units(credible_networks(scored_networks(lists), 2))
    rows, scores = core.draw(20000, 5)
    seen = {}
    for row, score in zip(rows.reshape(-1, 4).tolist(), scores.tolist(), strict=True):
        parents = parents_of(cache, row)
        assert expected[parents] == score
        seen[parents] = seen.get(parents, 0) + 1
    for parents, score in expected.items():
        share = math.exp((score - core.best) / UNIT) / mass
        sigma = math.sqrt(share * (1 - share) / 20000)
        assert abs(seen.get(parents, 0) / 20000 - share) < 5 * sigma + 1e-9


def test_classes_that_are_stopped_say_so_and_keep_a_best_one():
    lists = random_lists(random.Random(3), 8, most=10, worst=4)
    cache = cache_of(lists)
    core = made(cache, 3 * UNIT)
    everything = core.classes()
    assert everything.whole
    stream = everything.stream()
    assert len(stream.take(10**6)[1]) == everything.count
    assert len(stream.take(10**6)[1]) == 0  # the end stays the end
    part = core.classes(work=1)
    assert not part.whole
    assert 1 <= part.count < everything.count
    assert part.stream().take(1)[1][0] == core.best
    scarce = made(cache, 3 * UNIT, memory_bytes=2100.0).classes()
    assert not scarce.whole
    assert 1 <= scarce.count < everything.count
