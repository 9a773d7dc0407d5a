"""Averaged networks: the least mean distance, against all networks."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.averaging import network as averaging
from bayesloom.averaging.options import AveragingOptions
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.errors import InputError
from reference.averaging import edge_matrix, largest_gain, least_mean_distance
from reference.enumeration import networks


@pytest.mark.parametrize("kind", ["pairs", "edges"])
@pytest.mark.parametrize("seed", range(6))
def test_no_network_is_nearer_on_average(kind, seed):
    n = 4 if kind == "pairs" else 3
    draw = np.random.default_rng(seed)
    rows = networks(n)
    weights = np.zeros(len(rows))
    chosen = draw.choice(len(rows), size=9, replace=False)
    weights[chosen] = draw.dirichlet(np.ones(9))
    matrix = sum(weights[k] * edge_matrix(rows[k]) for k in chosen)
    found = bl.averaged_network(EdgePosterior(tuple("abcd"[:n]), matrix), distance=kind)
    assert found.exact
    assert found.expected_distance == pytest.approx(least_mean_distance(weights, n, kind), abs=1e-9)


def test_cycles_are_broken_where_it_costs_least():
    met = 0
    for seed in range(20):
        draw = np.random.default_rng(seed)
        p = draw.uniform(0.5, 1, (5, 5)) * (draw.uniform(size=(5, 5)) < 0.5)  # not of any networks: cyclic
        np.fill_diagonal(p, 0)
        p /= np.maximum(1, p + p.T)
        found = bl.averaged_network(EdgePosterior(tuple("abcde"), p), distance="edges")
        edges = np.zeros((5, 5))
        for j, up in enumerate(found.network.parent_indices):
            edges[list(up), j] = 1
        gain = 2 * p - 1
        assert float((edges * gain).sum()) == pytest.approx(largest_gain(gain), abs=1e-6)
        met += int(((gain > 0).sum()) > len(found.network.edges))
    assert met > 3  # cycles there were


def test_with_a_threshold_all_pairs_above_it_are_joined():
    draw = np.random.default_rng(3)
    p = draw.uniform(0, 0.5, (6, 6))
    np.fill_diagonal(p, 0)
    found = bl.averaged_network(EdgePosterior(tuple("abcdef"), p), threshold=0.4)
    joined = {frozenset(edge) for edge in found.network.edges}
    names = "abcdef"
    wanted = {frozenset((names[i], names[j])) for i in range(6) for j in range(i) if p[i, j] + p[j, i] > 0.4}
    assert joined == wanted
    assert found.exact


def test_many_parents_on_cycles_are_said_not_to_be_exact(monkeypatch):
    monkeypatch.setattr(averaging.tuned, "OPTIONS", AveragingOptions(most_parents=1))
    p = np.full((4, 4), 0.45)
    np.fill_diagonal(p, 0)
    found = bl.averaged_network(EdgePosterior(tuple("abcd"), p))
    assert not found.exact
    assert len(found.network.edges) == 6


def test_what_it_takes():
    with pytest.raises(InputError, match="credible, posterior or bootstrap"):
        bl.averaged_network([[0, 1], [0, 0]])
    with pytest.raises(InputError, match="distance must be"):
        bl.averaged_network(EdgePosterior(("a",), np.zeros((1, 1))), distance="far")
    with pytest.raises(InputError, match="threshold must lie"):
        bl.averaged_network(EdgePosterior(("a",), np.zeros((1, 1))), threshold=2)


def test_a_credible_set_is_averaged():
    table = bl.random_network(5, seed=3).sample(200, seed=3)
    found = bl.credible(table)
    averaged = bl.averaged_network(found)
    assert averaged.exact
    assert averaged.expected_distance <= found.posterior(averaged.network.distance) + 1e-9
