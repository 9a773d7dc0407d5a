"""Queries by the definition: the whole joint distribution, then sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from bayesloom.networks.fitted import FittedNetwork


@lru_cache(maxsize=8)
def joint(fitted: FittedNetwork) -> np.ndarray:
    """The probability of every row, an axis for each variable."""
    whole = np.empty(fitted.cardinalities)
    for row in np.ndindex(*whole.shape):
        product = 1.0
        for v, parents in enumerate(fitted.network.parent_indices):
            product *= fitted.tables[v][(*(row[p] for p in parents), row[v])]
        whole[row] = product
    return whole


def probability(fitted: FittedNetwork, known: Mapping[str, str]) -> float:
    """The probability of some values, all else unknown."""
    at = tuple(
        own.index(known[name]) if name in known else slice(None)
        for name, own in zip(fitted.names, fitted.states, strict=True)
    )
    return float(joint(fitted)[at].sum())


def conditional(
    fitted: FittedNetwork, targets: Sequence[str], cell: Sequence[str], evidence: Mapping[str, str]
) -> float:
    """P(targets = cell | evidence)."""
    both = {**evidence, **dict(zip(targets, cell, strict=True))}
    return probability(fitted, both) / probability(fitted, evidence)
