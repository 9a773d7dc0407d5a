"""Shaking a network: which of its edges are taken away.

A climber stands on a local best.  Without some of its edges the network is climbed again, often to a better
one; see `bayesloom.learning.closed_loop`.
"""

from __future__ import annotations

import random

__all__ = ["edges_to_take"]

Edge = tuple[int, int]


def edges_to_take(edges: list[Edge], most: int, draw: random.Random, *, close: bool) -> set[Edge]:
    """Return a random subset of the edges, at most a third, usually few; if `close`, a connected one.

    >>> sorted(edges_to_take([(0, 1), (1, 2), (2, 3), (8, 9)], 2, random.Random(1), close=True))
    [(0, 1)]
    """
    count = int(min(most, len(edges) // 3) ** draw.random())
    return _hanging_together(edges, count, draw) if close else set(draw.sample(edges, count))


def _hanging_together(edges: list[Edge], count: int, draw: random.Random) -> set[Edge]:
    at: dict[int, list[Edge]] = {}
    for edge in edges:
        for end in edge:
            at.setdefault(end, []).append(edge)
    found: dict[Edge, None] = {}
    reached = [draw.choice(edges)[0]]
    seen = set(reached)
    for variable in reached:  # which grows
        for edge in at[variable]:
            if len(found) == count:
                return set(found)
            found[edge] = None
            for end in edge:
                if end not in seen:
                    seen.add(end)
                    reached.append(end)
    return set(found)
