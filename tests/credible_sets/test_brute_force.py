"""Credible sets of random tables against all networks there are: networks, classes, coverage, ties."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest

import bayesloom as bl
from made.lists import UNIT
from made.tables import tied_table
from reference.credible import every_network

FACTORS = [1, 3, 20, 150]


def local_scores_of_all_sets(table, score):
    """``[variable, parent set as bits]`` in fixed point."""
    n = len(table.names)
    families = [
        (v, up) for v in range(n) for k in range(n) for up in combinations([u for u in range(n) if u != v], k)
    ]
    named = [(table.names[v], [table.names[u] for u in up]) for v, up in families]
    local = np.zeros((n, 1 << n), dtype=np.int64)
    for (v, up), value in zip(families, bl.local_scores(table, named, score=score).tolist(), strict=True):
        local[v, sum(1 << u for u in up)] = round(value * UNIT)
    return local


def listed(found):
    """All networks as rows of parent sets, one bit per variable, sorted."""
    masks = np.array([sum(1 << p for p in up) for up in found._parents], dtype=np.int64)
    rows = [masks[candidates.astype(np.int64)] for candidates, _ in found._chunks(None)]
    return sorted(map(tuple, np.concatenate(rows).tolist()))


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("batch", range(15))
def test_equal_to_all_networks_over_up_to_five_variables(batch, score):
    """15 batches of ten tables, two scores: 300 tables."""
    for number in range(10):
        rng = random.Random(f"{batch} {number} {score}")
        n = rng.choice([2, 3, 4, 5])
        table = tied_table(rng, n)
        every = every_network(n)
        # A variable with one state has no edges: they would change no score, and are never candidates.
        constant = sum(1 << v for v, r in enumerate(table.cardinalities) if r == 1)
        used = np.bitwise_or.reduce(every.parents, axis=1) & constant == 0
        used &= (every.parents[:, [v for v in range(n) if constant >> v & 1]] == 0).all(axis=1)
        scores = np.where(used, every.scores(local_scores_of_all_sets(table, score)), np.iinfo(np.int64).min)
        best = scores.max()
        weights = np.where(used, np.exp((scores - best) / UNIT), 0.0)
        cache = bl.score(table, score=score, bayes_factor=FACTORS[-1])
        for factor in FACTORS:
            inside = scores >= best - math.ceil(math.log(factor) * UNIT)
            found = bl.credible(cache, factor)
            assert found.complete
            assert found.count == inside.sum()
            assert found._core.best == best
            assert listed(found) == sorted(map(tuple, every.parents[inside].tolist()))
            members = np.bincount(every.classes[inside], minlength=len(every.sizes))
            if constant == 0:
                assert set(members[members > 0] - every.sizes[members > 0]) == {0}
            assert found.classes.count == (members > 0).sum()
            assert all(entry.members == entry.size for entry in found.classes)
            for i, j in combinations(range(n), 2):
                expected = weights[inside & (every.parents[:, j] >> i & 1 == 1)].sum() / weights[inside].sum()
                assert found.edge_posterior.matrix[i, j] == pytest.approx(expected, abs=1e-12)
        if number == 0:
            covered = found.coverage(table)
            assert covered.all_networks
            assert covered.share == pytest.approx(weights[inside].sum() / weights.sum(), rel=1e-9)
