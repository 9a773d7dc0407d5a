"""Sizes of equivalence classes (src/core/credible/classes/class_size.hpp) against listing and formulas."""

from __future__ import annotations

import math
import random

import pytest

from bayesloom import _core
from bayesloom.errors import ResourceError
from reference import graphs
from reference.credible import equivalence_class


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_class_sizes_of_all_networks(n):
    for members in graphs.classes(n):
        sizes = {_core.class_size(_core.Network([sorted(up) for up in g])) for g in members[:3]}
        assert sizes == {len(members)}


def test_class_sizes_of_all_classes_of_five_variables():
    for members in graphs.classes(5):
        assert _core.class_size(_core.Network([sorted(up) for up in members[0]])) == len(members)


@pytest.mark.parametrize("seed", range(40))
def test_class_sizes_by_turning_covered_edges(seed):
    """Random networks of 6 to 8 variables, dense enough for large chordal components."""
    rng = random.Random(seed)
    n = rng.randint(6, 8)
    parents = [frozenset()] * n
    for v in range(1, n):
        # A parent and some of its parents keep v-structures away.
        u = rng.randrange(v)
        keep = rng.choice([0.3, 0.8, 1.0])
        parents[v] = frozenset({u, *(p for p in parents[u] if rng.random() < keep)})
    network = tuple(parents)
    assert _core.class_size(_core.Network([sorted(up) for up in network])) == len(equivalence_class(network))


def test_class_sizes_known_by_formula():
    complete = _core.Network([list(range(v)) for v in range(20)])
    assert _core.class_size(complete) == math.factorial(20)
    path = _core.Network([[v - 1] if v else [] for v in range(60)])
    assert _core.class_size(path) == 60
    with pytest.raises(ResourceError, match="more than 2\\^128"):
        _core.class_size(_core.Network([list(range(v)) for v in range(40)]))
