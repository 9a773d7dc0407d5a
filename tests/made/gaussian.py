"""Random networks with continuous variables."""

from __future__ import annotations

import numpy as np

import bayesloom as bl

__all__ = ["random_gaussian"]


def random_gaussian(n: int, discrete: int, seed: int, max_parents: int = 3) -> bl.GaussianNetwork:
    """A network of n variables of which some are discrete; discrete ones come first, then names shuffled."""
    draw = np.random.default_rng(seed)
    names = [f"d{v}" for v in range(discrete)] + [f"c{v}" for v in range(n - discrete)]
    parents = {}
    for v, name in enumerate(names):
        above = names[: min(v, discrete)] if v < discrete else names[:v]
        count = int(draw.integers(0, min(len(above), max_parents) + 1))
        parents[name] = [str(up) for up in draw.choice(above, count, replace=False)] if count else []
    order = [str(name) for name in draw.permutation(names)]
    network = bl.Network(order, parents)
    states = {name: [f"s{k}" for k in range(int(draw.integers(2, 4)))] for name in names[:discrete]}
    families: dict[str, object] = {}
    for name in order:
        up = network.parents[name]
        shape = [len(states[p]) for p in up if p in states]
        if name in states:
            families[name] = draw.dirichlet(np.ones(len(states[name])), size=shape)
        else:
            families[name] = {
                "intercept": draw.normal(size=shape),
                "coefficients": draw.normal(size=(*shape, len(up) - len(shape))),
                "variance": draw.uniform(0.2, 2, size=shape),
            }
    return bl.GaussianNetwork(network, states, families)
