"""All networks over a few variables as arrays, and best scores by definition or by a plain dynamic programme.

A network is a row of bit masks: the parents of each variable. Local scores are an array ``[variable, mask]``,
minus infinity where a parent set is not allowed; then the score of every network is one look-up per variable.
Nothing here knows Bayesloom.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

Networks = npt.NDArray[np.uint8]


@cache
def networks(n: int) -> Networks:
    """Every network over n variables: 1, 3, 25, 543, 29281, 3781503 rows for n = 1 .. 6.

    Network by network over one variable less, the new one gets parents P and children C wherever no path
    leads from C to P.
    """
    if n == 1:
        return np.zeros((1, 1), dtype=np.uint8)
    before = networks(n - 1)
    below = descendants(before)
    made = []
    for children in range(2 ** (n - 1)):
        chosen = [v for v in range(n - 1) if children >> v & 1]
        reached = np.full(len(before), children, dtype=np.uint8)
        for v in chosen:
            reached |= below[:, v]
        with_child = before.copy()
        for v in chosen:
            with_child[:, v] |= 1 << (n - 1)
        for parents in range(2 ** (n - 1)):
            rows = with_child[(reached & parents) == 0]
            made.append(np.hstack([rows, np.full((len(rows), 1), parents, dtype=np.uint8)]))
    return np.vstack(made)


def descendants(rows: Networks) -> Networks:
    """The variables that paths from each variable lead to; a variable on a cycle is its own descendant."""
    n = rows.shape[1]
    below = np.zeros_like(rows)
    for child in range(n):
        for v in range(n):
            below[:, v] |= (rows[:, child] >> v & 1) << child
    for k in range(n):  # Warshall
        for v in range(n):
            below[:, v] |= np.where(below[:, v] >> k & 1, below[:, k], 0).astype(rows.dtype)
    return below


def acyclic(rows: Networks) -> npt.NDArray[np.bool_]:
    """Which rows of parent masks have no cycle."""
    below = descendants(rows)
    return ~np.any([below[:, v] >> v & 1 for v in range(rows.shape[1])], axis=0)


@cache
def class_ids(n: int) -> npt.NDArray[np.int64]:
    """A number for the skeleton and the v-structures of every network (n <= 5)."""
    rows = networks(n).astype(np.int64)
    key = np.zeros(len(rows), dtype=np.int64)
    joined = {}
    for a, b in combinations(range(n), 2):
        joined[a, b] = (rows[:, b] >> a | rows[:, a] >> b) & 1
        key = key << 1 | joined[a, b]
    for child in range(n):
        for a, b in combinations([v for v in range(n) if v != child], 2):
            both = (rows[:, child] >> a) & (rows[:, child] >> b) & 1
            key = key << 1 | (both & ~joined[a, b] & 1)
    return key


def network_scores(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The score of every network, in the order of `networks`."""
    n = len(scores)
    rows = networks(n)
    total = scores[0][rows[:, 0]].copy()
    for v in range(1, n):
        total += scores[v][rows[:, v]]
    return total


def best_by_subsets(scores: npt.NDArray[np.float64]) -> float:
    """The best score over all networks; best[S] = max over v in S of best[S - v] + s(v, some of S - v)."""
    n = len(scores)
    within = scores.copy()  # the best over all subsets of a mask
    masks = np.arange(2**n)
    for v in range(n):
        has = masks[(masks >> v & 1) == 1]
        within[:, has] = np.maximum(within[:, has], within[:, has ^ (1 << v)])
    best = np.full(2**n, -np.inf)
    best[0] = 0.0
    for mask in range(1, 2**n):
        last = [v for v in range(n) if mask >> v & 1]
        best[mask] = max(best[mask ^ (1 << v)] + within[v, mask ^ (1 << v)] for v in last)
    return float(best[-1])
