"""Averaged networks by definition: the mean distance of every network from every other."""

from __future__ import annotations

import itertools

import numpy as np

from reference.enumeration import networks


def edge_matrix(row: np.ndarray) -> np.ndarray:
    """Edges of one network of `enumeration.networks`: [i, j] is 1 if i is a parent of j."""
    n = len(row)
    return np.array([[row[j] >> i & 1 for j in range(n)] for i in range(n)], dtype=float)


def distance(a: np.ndarray, b: np.ndarray, kind: str) -> int:
    """How many pairs are joined differently, or how many directed edges one has and the other has not."""
    if kind == "edges":
        return int((a != b).sum())
    pairs = itertools.combinations(range(len(a)), 2)
    return sum((a[i, j], a[j, i]) != (b[i, j], b[j, i]) for i, j in pairs)


def least_mean_distance(weights: np.ndarray, n: int, kind: str) -> float:
    """The least mean distance of a network from all networks over n variables with these weights."""
    all_of_them = [edge_matrix(row) for row in networks(n)]
    return min(
        sum(w * distance(one, other, kind) for w, other in zip(weights, all_of_them, strict=True) if w > 0)
        for one in all_of_them
    )


def largest_gain(gain: np.ndarray) -> float:
    """The largest total gain of the edges of an acyclic network."""
    n = len(gain)
    return max(float((edge_matrix(row) * gain).sum()) for row in networks(n))


def threshold_by_search(strengths: np.ndarray, steps: int = 20_000) -> float:
    """The t that is nearest to the distribution function in L1, by trying many, and its quantile."""
    ordered = np.sort(strengths)
    knots = np.unique(np.concatenate([[0.0], ordered, [1.0]]))
    values = np.searchsorted(ordered, knots[:-1], side="right") / len(ordered)
    tried = np.unique(np.concatenate([np.linspace(0, 1, steps + 1), values]))
    norms = np.abs(values[None, :] - tried[:, None]) @ np.diff(knots)
    return float(norms.min())
