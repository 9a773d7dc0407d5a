"""Edges that rest on values missing together.

Where a missing value is a state of its own, two columns that lack their values in the same rows are strongly
related, whatever they hold.  An edge between two such columns rests on that if it gains under BIC over all
rows, and hardly anything of it, a twentieth at most, over the rows in which both are present.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bayesloom.table import Table

__all__ = ["MISSING", "edges_by_missing", "pair_gain"]

LITTLE = 0.05
"""Share of what an edge gains that may be left where both ends are present."""
MISSING = "missing"
"""The state that reading makes of missing values; it is the last one."""


def edges_by_missing(table: Table, edges: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of some edges that rest on values missing together.

    >>> import bayesloom as bl
    >>> gone = [None] * 40
    >>> columns = {"a": [0, 0, 1, 1] * 20 + gone, "b": [0, 1, 0, 1] * 20 + gone}
    >>> edges_by_missing(bl.read_table(columns, missing="state"), [("a", "b")])
    {('a', 'b')}
    """
    found = set()
    for a, b in edges:
        i, j = table.index(a), table.index(b)
        if MISSING not in (table.states[i] or ("",))[-1:] or MISSING not in (table.states[j] or ("",))[-1:]:
            continue
        counts = _counts(table, i, j)
        everywhere = pair_gain(counts)
        if everywhere > 0 and pair_gain(counts[:-1, :-1]) <= LITTLE * everywhere:
            found.add((a, b))
    return found


def _counts(table: Table, i: int, j: int) -> NDArray[np.float64]:
    """Return how many rows have each pair of states; rows that lack one of the two do not count."""
    rows, columns = len(table.states[i]), len(table.states[j])
    here = (table.codes[i] < rows) & (table.codes[j] < columns)
    pairs = table.codes[i][here].astype(np.int64) * columns + table.codes[j][here]
    weights = None if table.weights is None else table.weights[here]
    counts: NDArray[np.float64] = np.bincount(pairs, weights, minlength=rows * columns).astype(np.float64)
    return counts.reshape(rows, columns)


def pair_gain(counts: NDArray[np.float64]) -> float:
    """Return what BIC gains from an edge between two variables, of how often each pair of states occurs.

    >>> round(pair_gain(np.array([[10.0, 0.0], [0.0, 10.0]])), 3)
    12.365
    """
    total = float(counts.sum())
    if not total:
        return 0.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / total
    seen = counts > 0
    shared = float((counts[seen] * np.log(counts[seen] / expected[seen])).sum())
    free: int = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return shared - free * math.log(total) / 2
