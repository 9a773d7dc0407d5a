"""The option `penalty`: how many times the charge of BIC a parameter pays, under the scores that have it."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.learning.all_networks import bound_all_networks
from bayesloom.scoring.unscored import unscored_sets
from made.continuous import conditional_gaussian
from reference.local_scores import log_likelihood


@pytest.mark.parametrize("penalty", [0.2, 1.0, 3.7, 500.0])
def test_local_scores_of_states_are_those_of_the_textbook(penalty):
    table = bl.random_network(4, states=(2, 3), seed=3).sample(300, seed=3)
    rows = [tuple(map(int, row)) for row in np.column_stack(table.codes)]
    for child in range(4):
        for up in ([], [(child + 1) % 4], [v for v in range(4) if v != child]):
            q = float(np.prod([table.cardinalities[p] for p in up]))
            charge = penalty * log(300) / 2 * (table.cardinalities[child] - 1) * q
            names = [(table.names[child], [table.names[p] for p in up])]
            [found] = bl.local_scores(table, names, options={"penalty": penalty}, score="bic")
            assert found == pytest.approx(log_likelihood(rows, child, up) - charge)


@pytest.mark.parametrize("penalty", [0.2, 3.7])
@pytest.mark.parametrize("seed", range(4))
def test_networks_bounds_and_the_verifier(penalty, seed):
    discrete = bl.random_network(5, states=(2, 3), seed=seed).sample(200, seed=seed)
    mixed = conditional_gaussian(seed, variables=5, rows=200)[0]
    edges = []
    for table, score in ((discrete, "bic"), (mixed, "bic-cg")):
        options = {"penalty": penalty}
        best = bl.learn(table, score=score, options=options, threads=1)
        assert best.proof == "all networks"
        assert best.verify(exhaustive=True).ok
        edges.append(len(best.network.edges) - len(bl.learn(table, score=score, threads=1).network.edges))
    assert all(one >= 0 for one in edges) if penalty < 1 else all(one <= 0 for one in edges)


def test_the_bound_over_all_networks_holds():
    looked = 0
    for seed in range(6):
        table = bl.random_network(6, states=(2, 3), seed=seed).sample(400, seed=seed)
        options = {"penalty": 0.3}
        best = bl.learn(table, score="bic", options=options, threads=1).score
        some = unscored_sets(table, "bic", options, most_parents=1)
        one = bl.learn(table, score="bic", options=options, max_parents=1, threads=1)
        found = bound_all_networks(some, "bic", options, one.local_scores)
        bound = found.bound / 2**30
        assert bound >= best - 1e-6
        looked += bound > one.score
    assert looked
