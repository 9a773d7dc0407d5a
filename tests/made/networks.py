"""Networks: parents drawn at random in several ways, and two fitted networks known by heart."""

from __future__ import annotations

import random

import numpy as np

import bayesloom as bl
from reference.graphs import Parents


def random_parents(n: int, max_parents: int, rng: random.Random) -> Parents:
    """Parents drawn from the variables before in a random order."""
    order = rng.sample(range(n), n)
    parents: list[frozenset[int]] = [frozenset()] * n
    for position, i in enumerate(order):
        k = rng.randint(0, min(max_parents, position))
        parents[i] = frozenset(rng.sample(order[:position], k))
    return tuple(parents)


def clique_parents(rng: random.Random, n: int) -> Parents:
    """Mostly large classes: parents are a variable and some of its parents, so that many are cliques."""
    order = rng.sample(range(n), n)
    parents: list[frozenset[int]] = [frozenset()] * n
    dense = rng.choice([0.3, 0.7, 1.0])
    for k, v in enumerate(order[1:], 1):
        if rng.random() < 0.85:
            near = rng.choice(order[:k])
            parents[v] = frozenset({near} | {p for p in parents[near] if rng.random() < dense})
        else:
            parents[v] = frozenset(p for p in order[:k] if rng.random() < 0.3)
    return tuple(parents)


def named(parents: Parents, names: list[str]) -> dict[str, list[str]]:
    """The same by names."""
    return {names[v]: [names[p] for p in sorted(up)] for v, up in enumerate(parents)}


def sprinkler() -> bl.FittedNetwork:
    network = bl.Network(
        ["season", "sprinkler", "rain", "wet"],
        {"sprinkler": ["season"], "rain": ["season"], "wet": ["sprinkler", "rain"]},
    )
    return bl.FittedNetwork(
        network,
        states={
            "season": ["dry", "mild", "rainy"],
            "sprinkler": ["off", "on"],
            "rain": ["no", "yes"],
            "wet": ["no", "yes"],
        },
        tables={
            "season": [0.5, 0.25, 0.25],
            "sprinkler": [[0.3, 0.7], [0.5, 0.5], [1.0, 0.0]],
            "rain": [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]],
            "wet": [[[1.0, 0.0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]],
        },
    )


def odd() -> bl.FittedNetwork:
    network = bl.Network(
        ["café au lait", "1st", "table", 'a"b;{}\\', "X%20", " node", "x", "net"],
        {"X%20": ["1st", "café au lait"], "table": ["X%20"], "x": ["net"]},
    )
    states = [
        *(["<5", "5-10", "≥10"], ["0", "1"], ["yes", "no way"], ["", " "], ["a,b", "c)d"]),
        *(['"', "\\"], ["// no", "/* comment */ %"], ["tab\t", "line\n", "\r"]),
    ]
    rng = np.random.default_rng(1)
    tables = []
    for i, up in enumerate(network.parent_indices):
        numbers = rng.random([len(states[j]) for j in (*up, i)])
        tables.append(numbers / numbers.sum(axis=-1, keepdims=True))
    return bl.FittedNetwork(network, states, tables)
