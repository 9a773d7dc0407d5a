"""Credible sets under orders: the networks that stay acyclic with the orders as edges, by definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.credible_sets.api import max_loss
from made.lists import UNIT, cache_of, stepped_lists
from reference.credible import credible_networks, scored_networks
from reference.graphs import Parents, is_acyclic, skeleton, v_structures

from .test_diagram import tune

Lists = list[list[tuple[int, frozenset[int]]]]


def random_case(seed: int) -> tuple[Lists, list[tuple[int, int]]]:
    """Candidates of up to six variables, and pairs that agree with some order of all."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    lists = stepped_lists(rng, n, sets=6)
    along = rng.permutation(n).tolist()
    pairs = [(along[i], along[j]) for i in range(n) for j in range(i + 1, n)]
    chosen = rng.choice(len(pairs), size=min(len(pairs), int(rng.integers(1, 5))), replace=False)
    return lists, [pairs[i] for i in chosen]


def keeps(parents: Parents, orders: list[tuple[int, int]]) -> bool:
    """Whether a network is acyclic with an edge more for each order."""
    more = [set(up) for up in parents]
    for a, b in orders:
        more[b].add(a)
    return is_acyclic(tuple(frozenset(up) for up in more))


def expected_networks(lists: Lists, orders: list[tuple[int, int]], factor: float) -> dict[Parents, int]:
    kept = {g: s for g, s in scored_networks(lists).items() if keeps(g, orders)}
    return credible_networks(kept, max_loss(factor, 0.0))


def as_parents(network: bl.Network) -> Parents:
    index = {name: v for v, name in enumerate(network.names)}
    return tuple(frozenset(index[p] for p in network.parents[name]) for name in network.names)


@pytest.mark.parametrize("way", ["sets", "diagrams", "sets by the prices of diagrams"])
@pytest.mark.parametrize("seed", range(60))
def test_networks_classes_and_posteriors_are_those_of_the_definition(
    seed: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "sets":
        tune(monkeypatch, dense_up_to=0, subset_dp_up_to=0 if way == "diagrams" else 31, few_networks=0)
    lists, orders = random_case(seed)
    n = len(lists)
    factor = [1, 3, 20, 150][seed % 4]
    expected = expected_networks(lists, orders, factor)
    cache = cache_of(lists, unit=UNIT)
    before = [(cache.names[a], cache.names[b]) for a, b in orders]
    found = bl.credible(cache, factor, constraints={"before": before}, threads=1 + seed % 2)
    assert (found._core.backend == "diagram") == (way == "diagrams")
    assert found.count == len(expected)
    assert found.count_is_exact
    listed = {as_parents(entry.network): entry.score for entry in found.networks.with_scores()}
    assert len(list(found.networks)) == len(listed)
    assert {g: round(s * UNIT) for g, s in listed.items()} == expected
    best = max(expected.values())
    assert found.best * UNIT == pytest.approx(best)

    classes: dict[object, int] = {}
    for g in expected:
        key = (skeleton(g), v_structures(g))
        classes[key] = classes.get(key, 0) + 1
    assert found.classes.count == len(classes)
    members = {
        (skeleton(as_parents(entry.network)), v_structures(as_parents(entry.network))): entry.members
        for entry in found.classes
    }
    assert members == classes

    weights = {g: math.exp((s - best) / UNIT) for g, s in expected.items()}
    total = math.fsum(weights.values())
    for i in range(n):
        for j in range(n):
            share = math.fsum(w for g, w in weights.items() if i in g[j]) / total
            assert found.edge_posterior.matrix[i, j] == pytest.approx(share, abs=1e-9)
    a, b = orders[0]
    assert found.path_posterior(cache.names[b], cache.names[a]) == 0
    assert {as_parents(e.network) for e in found.draw(20, seed=seed)} <= set(expected)

    everything = {g: s for g, s in scored_networks(lists).items() if keeps(g, orders)}
    mass = math.fsum(math.exp((s - best) / UNIT) for s in everything.values())
    covered = found.coverage()
    assert covered.share == pytest.approx(total / mass, rel=1e-9)
    assert "keep the orders" in covered.among


@pytest.mark.parametrize("seed", range(40))
def test_networks_keep_orders_where_counting_does_not_end(seed: int) -> None:
    lists, orders = random_case(seed)
    expected = expected_networks(lists, orders, 150)
    cache = cache_of(lists, unit=UNIT)
    best = _core.bblp(cache.core.with_orders(orders))
    made = _core.diagram_set(cache.core, max_loss(150, 0.0), orders, best["candidates"])["set"]
    assert made.best == best["score"]
    made.count(work=1)
    made.find_near_best(10**6)
    candidates, scores = made.stream().take(10**6)
    parents = [
        frozenset(map(int, cache.parents[int(a) : int(b)]))
        for a, b in zip(cache.parent_first[:-1], cache.parent_first[1:], strict=True)
    ]
    rows = candidates.reshape(-1, len(lists)).tolist()
    listed = {tuple(parents[c] for c in row): s for row, s in zip(rows, scores.tolist(), strict=True)}
    assert len(rows) == len(listed) >= 1
    assert listed.items() <= expected.items()


@pytest.mark.parametrize("by", ["network", "class"])
def test_the_best_that_keep_orders(by: str) -> None:
    for seed in range(12):
        lists, orders = random_case(seed)
        everything = sorted((s for g, s in scored_networks(lists).items() if keeps(g, orders)), reverse=True)
        cache = cache_of(lists, unit=UNIT)
        before = [(cache.names[a], cache.names[b]) for a, b in orders]
        best = bl.k_best(cache, 5, by=by, constraints={"before": before})  # type: ignore[arg-type]
        assert all(keeps(as_parents(network), orders) for network in best.networks)
        if by == "network":
            assert [round(entry.score * UNIT) for entry in best.entries] == everything[:5]
        else:
            assert round(best.entries[0].score * UNIT) == everything[0]


@pytest.mark.parametrize("n", [24, 30])
def test_many_variables(n: int) -> None:
    """Both ways beyond the sizes that are tried one by one: every network listed keeps the orders."""
    table = bl.random_network(n, max_parents=2, seed=3).sample(300, seed=3)
    free = bl.credible(table, 3, max_parents=2)
    first = free.best_network.edges[0]
    held = bl.credible(table, 3, max_parents=2, constraints={"before": [first]})
    assert held.count_is_exact
    assert held.best == free.best
    kept = [g for g in free.networks if not bl.Constraints(before=[first]).broken_by(g)]
    assert held.count == len(kept)
    assert {as_parents(g) for g in held.networks} == {as_parents(g) for g in kept}


def test_a_table_is_scored_for_all_networks_that_keep_orders() -> None:
    table = bl.random_network(5, seed=1).sample(80, seed=1)
    rules = bl.Constraints(before=[(table.names[0], table.names[-1])])
    held = bl.credible(table, 20, constraints=rules)
    assert held.complete
    wide = bl.credible(table, 1e9)
    kept = [e for e in wide.networks.with_scores() if not rules.broken_by(e.network)]
    best = max(e.score for e in kept)
    near = {as_parents(e.network) for e in kept if e.score >= best - math.log(20)}
    assert {as_parents(g) for g in held.networks} == near


def test_orders_of_no_variables_are_refused_by_the_core() -> None:
    lists, _ = random_case(1)
    cache = cache_of(lists, unit=UNIT)
    for order in ((0, 0), (0, 99)):
        with pytest.raises(bl.InputError, match="two different variables"):
            _core.subset_dp_set(cache.core, 0, orders=[order])
