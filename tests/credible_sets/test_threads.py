"""A set that is large enough for several threads is counted alike on any number of them."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl


@pytest.fixture(scope="module")
def cache() -> bl.ScoreCache:
    table = bl.random_network(12, states=(2, 2), max_parents=3, seed=7).sample(60, seed=7)
    return bl.score(table, bayes_factor=200)


@pytest.fixture(scope="module")
def alone(cache) -> bl.CredibleSet:
    return bl.credible(cache, 200, threads=1)


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_number_and_posteriors_do_not_depend_on_threads(cache, alone, threads):
    found = bl.credible(cache, 200, threads=threads)
    assert found.count == alone.count > 1_000_000
    assert found._weight == alone._weight
    assert np.array_equal(found.edge_posterior.matrix, alone.edge_posterior.matrix)
    assert found[:50] == alone[:50]
    assert found.expected == alone.expected
    assert found.component_sizes == alone.component_sizes
