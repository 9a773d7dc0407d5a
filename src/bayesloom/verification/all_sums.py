"""The posterior of every edge by a sum over all networks of few variables, with positive terms only.

Every network has one partition into layers: the first holds the variables without parents, each later one
those with all parents in earlier layers and at least one in the layer just before.  With

    meet_v(U, L) = sum of the weights of v's parent sets inside of U that meet L

the weight of all networks is a sum over sequences of layers, where a layer T after (U, L) contributes the
product of meet_v(U, L) over its members v.  An order that the networks must keep counts as an edge here.  The
sum is computed at once for all networks and, for every edge, for those that have it: a vector of logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayesloom.verification.checks import UNIT
from bayesloom.verification.every_network import Lists

__all__ = ["sum_of_all"]

Logs = npt.NDArray[np.float64]


def sum_of_all(
    lists: Lists, orders: Sequence[tuple[int, int]] = ()
) -> tuple[float, dict[tuple[int, int], float]]:
    """Return the logarithm of the sum of exp(score) over all networks, and the share with each edge.

    >>> lists = [[(0, ())], [(0, ()), (0, (0,))]]
    >>> total, edges = sum_of_all(lists)
    >>> round(total, 6), edges
    (0.693147, {(0, 1): 0.5})
    """
    edges = sorted({(p, v) for v, part in enumerate(lists) for _, parents in part for p in parents})
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = _Sums(lists, orders, edges)
        found = sums.first()
        shares = np.exp(found[1:] - found[0])
    best = sum(max(score for score, _ in part) for part in lists)
    total = float(found[0]) + best * UNIT
    return total, {edge: float(share) for edge, share in zip(edges, shares, strict=True)}


class _Sums:
    """The sums, by sets of variables as bits."""

    def __init__(self, lists: Lists, orders: Sequence[tuple[int, int]], edges: list[tuple[int, int]]) -> None:
        self.n = len(lists)
        self.worlds = 1 + len(edges)
        before = [sum(1 << a for a, b in orders if b == v) for v in range(self.n)]
        self.exactly = [self._weights(lists, v, before[v], edges) for v in range(self.n)]
        self.holding = [[self._inside(v, held) for held in range(self.n)] for v in range(self.n)]
        self.met: dict[tuple[int, int, int], Logs] = {}
        self.rest: dict[tuple[int, int], Logs] = {}

    def _weights(self, lists: Lists, v: int, before: int, edges: list[tuple[int, int]]) -> Logs:
        """Return the weight of each parent set of a variable: of all networks, and of those with an edge."""
        found = np.full((1 << self.n, self.worlds), -np.inf)
        best = max(score for score, _ in lists[v])
        for score, parents in lists[v]:
            mask = sum(1 << p for p in parents) | before
            has = np.array([True, *(child != v or parent in parents for parent, child in edges)])
            value = np.where(has, (score - best) * UNIT, -np.inf)
            found[mask] = np.logaddexp(found[mask], value)
        return found

    def _inside(self, v: int, held: int) -> Logs:
        """Return for each set the weight of the parent sets inside of it that hold a variable."""
        found = self.exactly[v].copy()
        found[[mask for mask in range(1 << self.n) if not mask >> held & 1]] = -np.inf
        for u in range(self.n):
            for mask in range(1 << self.n):
                if mask >> u & 1:
                    found[mask] = np.logaddexp(found[mask], found[mask & ~(1 << u)])
        return found

    def meet(self, v: int, placed: int, last: int) -> Logs:
        """Return the weight of v's parent sets among those placed that meet the last layer."""
        key = v, placed, last
        if key not in self.met:
            held = (last & -last).bit_length() - 1
            found = self.holding[v][held][placed]
            if last & (last - 1):
                others = self.meet(v, placed & ~(1 << held), last & (last - 1))
                found = np.logaddexp(found, others)
            self.met[key] = found
        return self.met[key]

    def after(self, placed: int, last: int) -> Logs:
        """Return the weight of all that can come after the last layer."""
        free = (1 << self.n) - 1 & ~placed
        if not free:
            return np.zeros(self.worlds)
        if (placed, last) not in self.rest:
            members = {v: self.meet(v, placed, last) for v in range(self.n) if free >> v & 1}
            self.rest[placed, last] = self._layers(placed, free, members)
        return self.rest[placed, last]

    def first(self) -> Logs:
        """Return the weight of all networks."""
        return self._layers(0, (1 << self.n) - 1, {v: self.exactly[v][0] for v in range(self.n)})

    def _layers(self, placed: int, free: int, members: dict[int, Logs]) -> Logs:
        """Sum over the next layer."""
        product: dict[int, Any] = {0: np.zeros(self.worlds)}
        terms = []
        layer = 0
        while layer != free:
            layer = (layer - free) & free  # the next set of free variables
            low = layer & -layer
            product[layer] = product[layer & ~low] + members[low.bit_length() - 1]
            terms.append(product[layer] + self.after(placed | layer, layer))
        return np.asarray(np.logaddexp.reduce(np.array(terms), axis=0))
