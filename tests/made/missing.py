"""Tables with missing values: values of other tables taken out at random."""

from __future__ import annotations

import numpy as np

import bayesloom as bl
from made.continuous import conditional_gaussian, linear_gaussian


def with_gaps(table: bl.Table, share: float, seed: int = 0) -> bl.Table:
    """The table with this share of its values missing, completely at random."""
    rng = np.random.default_rng([seed, 17])
    codes = []
    for states, column in zip(table.states, table.codes, strict=True):
        gone = rng.random(column.size) < share * rng.uniform(0, 2)
        codes.append(
            np.where(gone, len(states) if states else np.nan, column.astype(float if not states else int))
        )
    return bl.Table.from_codes(table.names, table.states, codes, gaps=True, weights=table.weights)


def gappy(kind: str, seed: int, *, variables: int = 5, rows: int = 150, share: float = 0.15) -> bl.Table:
    """A random table of one kind: discrete, continuous or mixed."""
    if kind == "discrete":
        whole = bl.random_network(variables, states=(2, 3), seed=seed).sample(rows, seed=seed)
    elif kind == "continuous":
        whole = linear_gaussian(seed, variables=variables, rows=rows)[0]
    else:
        whole = conditional_gaussian(seed, variables=variables, rows=rows)[0]
    return with_gaps(whole, share, seed)


KINDS = ("discrete", "continuous", "mixed")
