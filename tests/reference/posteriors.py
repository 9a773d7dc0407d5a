"""Posteriors by definition: every network, every partition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from reference.enumeration import descendants, networks


def local_array(cache) -> np.ndarray:
    """Local scores by variable and parents as a mask; minus infinity where there is no candidate."""
    n = len(cache.names)
    scores = np.full((n, 2**n), -np.inf)
    for v, name in enumerate(cache.names):
        for score, parents in cache.candidates(name):
            scores[v, sum(1 << cache.names.index(p) for p in parents)] = score
    return scores


class AllNetworks:
    """Every network over a cache of a few variables, with its weight."""

    def __init__(self, cache) -> None:
        self.n = len(cache.names)
        self.scores = local_array(cache)
        self.rows = networks(self.n)
        totals = sum(self.scores[v, self.rows[:, v]] for v in range(self.n))
        self.most = float(totals.max())
        weights = np.exp(totals - self.most)
        self.log_total = self.most + math.log(float(weights.sum()))
        self.weights = weights / weights.sum()

    def edges(self) -> np.ndarray:
        n = self.n
        return np.array(
            [[float(self.weights @ (self.rows[:, j] >> i & 1)) for j in range(n)] for i in range(n)]
        )

    def paths(self) -> np.ndarray:
        below, n = descendants(self.rows), self.n
        return np.array([[float(self.weights @ (below[:, i] >> j & 1)) for j in range(n)] for i in range(n)])

    def blankets(self) -> np.ndarray:
        n = self.n
        out = np.zeros((n, n))
        for i, j in itertools.permutations(range(n), 2):
            has = (self.rows[:, j] >> i & 1) | (self.rows[:, i] >> j & 1)
            for child in range(n):
                if child not in (i, j):
                    has = has | ((self.rows[:, child] >> i & 1) & (self.rows[:, child] >> j & 1))
            out[i, j] = float(self.weights @ has)
        return out

    def parent_set(self, v: int, mask: int) -> float:
        return float(self.weights @ (self.rows[:, v] == mask))


def partitions(members: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every ordered partition: 1, 3, 13, 75 for 1 to 4 members."""
    if not members:
        yield ()
        return
    for size in range(1, len(members) + 1):
        for first in itertools.combinations(members, size):
            rest = tuple(m for m in members if m not in first)
            for others in partitions(rest):
                yield (first, *others)


def partition_weight(scores: np.ndarray, layers: tuple[tuple[int, ...], ...]) -> float:
    """The weight of the networks of a partition, by the sums over parent sets that it allows."""
    return math.exp(log_partition_weight(scores, layers))


def log_partition_weight(scores: np.ndarray, layers: tuple[tuple[int, ...], ...]) -> float:
    weight, placed, last = 0.0, 0, 0
    for t, layer in enumerate(layers):
        for i in layer:
            allowed = [
                scores[i, mask]
                for mask in range(scores.shape[1])
                if mask & ~placed == 0 and (t == 0 or mask & last) and np.isfinite(scores[i, mask])
            ]
            if not allowed:
                return -math.inf
            weight += max(allowed) + math.log(sum(math.exp(one - max(allowed)) for one in allowed))
        last = sum(1 << i for i in layer)
        placed |= last
    return weight


def layers_of(row: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """The partition that a network belongs to."""
    n = len(row)
    depth = [0] * n
    for _ in range(n):
        for v in range(n):
            depth[v] = max([0] + [depth[p] + 1 for p in range(n) if row[v] >> p & 1])
    return tuple(tuple(v for v in range(n) if depth[v] == t) for t in range(max(depth) + 1))
