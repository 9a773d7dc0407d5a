"""Check lists of edges with their posteriors: both directions of a pair, its adjacency, the sorting."""

from __future__ import annotations

from collections.abc import Sequence

from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification.every_network import Allowed

__all__ = ["edges_of", "pair_problems"]

ROUNDED = 1e-9  # of a probability, by adding up

Row = tuple[str, str, float, float]
"""From, to, posterior, posterior that the two are adjacent."""


def pair_problems(
    names: Sequence[str], rows: Sequence[Row], allowed: Allowed, known: set[tuple[str, str]] | None
) -> list[str]:
    """Return what is wrong with a list of edges; `known` are all that the score cache has, if given."""
    position = {name: k for k, name in enumerate(names)}
    one = {(a, b): posterior for a, b, posterior, _ in rows}
    for a, b, posterior, adjacent in rows:
        if a not in position or b not in position or a == b:
            return [f"there is no edge from {a!r} to {b!r}."]
        both = posterior + one.get((b, a), 0.0)
        if adjacent != min(1.0, both):
            return [f"adjacent of {a!r} and {b!r} is {adjacent!r}, their posteriors add up to {both!r}."]
        if both > 1 + ROUNDED:
            return [f"the posteriors of {a!r} and {b!r} add up to more than 1."]
        if posterior <= 0:
            return [f"the edge from {a!r} to {b!r} is listed with posterior 0."]
        if not allowed.edge(a, b):
            return [f"the edge from {a!r} to {b!r} is listed, but the constraints forbid it."]
        if known is not None and (a, b) not in known:
            return [f"the edge from {a!r} to {b!r} is in no parent set of the score cache."]
    if len(one) < len(rows):
        return ["an edge is listed twice."]
    places = [(-d, *sorted((position[a], position[b])), -c, position[a]) for a, b, c, d in rows]
    return [] if places == sorted(places) else ["the edges are not listed from the surest pair on."]


def edges_of(cache: ScoreCache) -> set[tuple[str, str]]:
    """Return all edges of the parent sets of a cache."""
    import numpy as np

    begins = cache.parent_first.tolist()
    edges = set()
    for v, child in enumerate(cache.names):
        own = cache.parents[begins[int(cache.first[v])] : begins[int(cache.first[v + 1])]]
        edges |= {(cache.names[p], child) for p in np.unique(own).tolist()}
    return edges
