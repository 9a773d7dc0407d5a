"""Random constraints of all kinds: such as a given network keeps, and such as perhaps no network keeps."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import bayesloom as bl


def kept_by(rng: random.Random, network: bl.Network) -> bl.Constraints:
    """Constraints of all kinds, each with some probability, that the network keeps."""
    names = list(network.names)
    given: dict = {}
    edges = network.edges
    order = _some_order(rng, network)
    if rng.random() < 0.3:
        given["required"] = rng.sample(edges, min(len(edges), rng.randint(0, 2)))
    if rng.random() < 0.4:
        pairs = list(itertools.permutations(names, 2))
        chosen = rng.sample(pairs, min(len(pairs), rng.randint(0, 3)))
        given["forbidden"] = [pair for pair in chosen if pair not in edges]
    if rng.random() < 0.3:
        given["tiers"] = _tiers(rng, order)
    if rng.random() < 0.15:
        given["roots"] = [name for name in names if not network.parents[name] and rng.random() < 0.5]
    if rng.random() < 0.15:
        given["leaves"] = [name for name in names if not network.children(name) and rng.random() < 0.5]
    if rng.random() < 0.5:
        limits = {
            name: len(network.parents[name]) + (rng.random() < 0.3) for name in names if rng.random() < 0.6
        }
        if rng.random() < 0.3:
            limits["*"] = max((len(network.parents[name]) for name in names if name not in limits), default=0)
        given["max_parents"] = limits
    if rng.random() < 0.6:
        pairs = list(itertools.combinations(order, 2))
        given["before"] = rng.sample(pairs, min(len(pairs), rng.randint(1, 4)))
    return bl.Constraints(**given)


def any_constraints(rng: random.Random, names: Sequence[str]) -> bl.Constraints:
    """Constraints of all kinds that may contradict each other, or a limit on parents."""
    pairs = list(itertools.permutations(names, 2))

    def some(most: int, chance: float) -> list:
        return rng.sample(pairs, min(len(pairs), rng.randint(0, most))) if rng.random() < chance else []

    given: dict = {
        "required": some(2, 0.5),
        "forbidden": some(4, 0.5),
        "before": some(2, 0.4),
        "tiers": _tiers(rng, rng.sample(list(names), len(names))) if rng.random() < 0.35 else [],
        "roots": [name for name in names if rng.random() < 0.1],
        "leaves": [name for name in names if rng.random() < 0.1],
    }
    if rng.random() < 0.5:
        given["max_parents"] = {
            name: rng.randint(0, 3) for name in [*names, "*"] if rng.random() < (0.5 if name == "*" else 0.25)
        }
    return bl.Constraints(**given)


def along_an_order(rng: random.Random, names: list[str]) -> bl.Constraints:
    """Constraints that some network satisfies: all agree with a random order."""
    order = rng.sample(names, len(names))
    pairs = list(itertools.combinations(order, 2))
    required = rng.sample(pairs, rng.randint(0, 2))
    forbidden = [
        edge
        for edge in rng.sample(list(itertools.permutations(names, 2)), rng.randint(0, 5))
        if edge not in required
    ]
    given: dict = {
        "required": required,
        "forbidden": forbidden,
        "before": rng.sample(pairs, rng.randint(0, 3)),
    }
    if rng.random() < 0.4:
        cut = rng.randint(1, len(order) - 1)
        given["tiers"] = [order[:cut], order[cut:]]
    if rng.random() < 0.4:
        root = next((name for name in names if all(b != name for _, b in required)), None)
        given["roots"] = [root] if root else []
    if rng.random() < 0.4:
        leaf = next((name for name in reversed(names) if all(a != name for a, _ in required)), None)
        given["leaves"] = [leaf] if leaf else []
    if rng.random() < 0.5:
        given["max_parents"] = {"*": 3, names[0]: max(1, sum(b == names[0] for _, b in required))}
    return bl.Constraints(**given)


def _tiers(rng: random.Random, order: Sequence[str]) -> list[list[str]]:
    """The order cut into pieces, some variables left out."""
    cuts = sorted(rng.sample(range(len(order) + 1), min(len(order), rng.randint(1, 3))))
    pieces = [order[a:b] for a, b in itertools.pairwise([0, *cuts, len(order)])]
    chosen = [[name for name in piece if rng.random() < 0.7] for piece in pieces]
    return [piece for piece in chosen if piece]


def _some_order(rng: random.Random, network: bl.Network) -> list[str]:
    order: list[str] = []
    left = set(network.names)
    while left:
        ready = [name for name in sorted(left) if not set(network.parents[name]) & left]
        order.append(rng.choice(ready))
        left.discard(order[-1])
    return order
