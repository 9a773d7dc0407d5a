"""Adjustment sets against the definition by paths, and against effects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bayesloom as bl
from reference import adjustment as obvious


@pytest.mark.parametrize("seed", range(60))
def test_minimal_sets_against_all_subsets_and_paths(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, 7))
    fitted = bl.random_network(n, states=(2, 2), max_parents=3, seed=seed)
    network = fitted.network
    x, y = (str(name) for name in draw.choice(network.names, 2, replace=False))
    others = [name for name in network.names if name not in (x, y)]
    valid = [
        chosen
        for size in range(len(others) + 1)
        for chosen in itertools.combinations(others, size)
        if obvious.is_back_door_set(network, x, y, chosen)
    ]
    minimal = [one for one in valid if not any(set(less) < set(one) for less in valid)]
    found = network.adjustment_sets(x, y)
    assert found.complete
    assert sorted(found) == sorted(tuple(sorted(one, key=network.index)) for one in minimal)
    for size in range(len(others) + 1):
        for chosen in itertools.combinations(others, size):
            assert network.is_adjustment_set(x, y, chosen) == (chosen in valid)


def adjusted(fitted, x, y, chosen):
    """Sum over z of P(y | x, z) P(z), for each state of x."""
    states = fitted.states[fitted.names.index(x)]
    if not chosen:
        return {s: fitted.query(y, {x: s}) for s in states}
    weights = fitted.query(list(chosen))
    found = {}
    for s in states:
        total = dict.fromkeys(fitted.states[fitted.names.index(y)], 0.0)
        for cell, weight in weights.items():
            given = fitted.query(y, {x: s, **dict(zip(chosen, cell, strict=True))})
            for state, p in given.items():
                total[state] += weight * p
        found[s] = total
    return found


def test_every_set_gives_the_effect():
    looked = with_sets = 0
    for seed in range(30):
        fitted = bl.random_network(6, states=(2, 3), max_parents=3, seed=seed)
        for x, y in itertools.permutations(fitted.names, 2):
            sets = fitted.network.adjustment_sets(x, y)
            looked += 1
            if not sets or len(sets[0]) == 0:
                continue
            effect = fitted.effect(x, y)
            for chosen in sets[:3]:
                for state, distribution in adjusted(fitted, x, y, chosen).items():
                    assert effect[state] == pytest.approx(distribution)
            with_sets += 1
            break
    assert looked > 30
    assert with_sets > 15


def test_the_limit_is_told():
    middle = [f"m{k}" for k in range(12)]
    # x <- a_k -> b_k -> y: each path is cut at a_k or at b_k.
    names = ["x", "y", *middle]
    parents = {"x": middle[::2], "y": middle[1::2], **{middle[k + 1]: [middle[k]] for k in range(0, 12, 2)}}
    network = bl.Network(names, parents)
    assert len(network.adjustment_sets("x", "y")) == 2**6
    assert network.adjustment_sets("x", "y").complete
    few = network.adjustment_sets("x", "y", limit=5)
    assert (len(few), few.complete) == (5, False)


def test_what_is_asked_wrongly_is_one_sentence():
    network = bl.Network("abc", {"b": ["a"]})
    for ask, match in [
        (lambda: network.adjustment_sets("a", "a"), "two different"),
        (lambda: network.adjustment_sets("a", "d"), "unknown variable 'd'"),
        (lambda: network.adjustment_sets("a", "b", limit=0), "limit"),
        (lambda: network.is_adjustment_set("a", "b", ["b"]), "cannot be adjusted for"),
    ]:
        with pytest.raises(bl.InputError, match=match):
            ask()
    assert network.adjustment_sets("b", "a") == []
