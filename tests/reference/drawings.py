"""Slow, obvious twins of the layout: crossings by all pairs, layers by trying all, curves by sampling."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Point = tuple[float, float]


def on_curve(points: Sequence[Point], samples: int = 60) -> list[Point]:
    """Many points of Bezier curves one after the other."""
    assert len(points) >= 4
    assert len(points) % 3 == 1
    found = [points[0]]
    for k in range(0, len(points) - 1, 3):
        corners = points[k : k + 4]
        for i in range(1, samples + 1):
            t = i / samples
            weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            found.append(
                (
                    sum(w * p[0] for w, p in zip(weights, corners, strict=True)),
                    sum(w * p[1] for w, p in zip(weights, corners, strict=True)),
                )
            )
    return found


def touches(curve: Sequence[Point], left: float, top: float, right: float, bottom: float) -> bool:
    """Whether a line through points meets a rectangle: each of its pieces is clipped by all four sides."""
    for (x0, y0), (x1, y1) in itertools.pairwise(curve):
        low, high = 0.0, 1.0
        for start, step, least, most in ((x0, x1 - x0, left, right), (y0, y1 - y0, top, bottom)):
            if step == 0:
                if not least <= start <= most:
                    high = -1.0
                continue
            a, b = sorted(((least - start) / step, (most - start) / step))
            low, high = max(low, a), min(high, b)
        if low <= high:
            return True
    return False


def crossings(rows: Sequence[Sequence[int]], segments: Sequence[tuple[int, int]]) -> int:
    """Pairs of segments between neighbouring layers whose ends are in opposite orders."""
    layer = {v: i for i, row in enumerate(rows) for v in row}
    place = {v: k for row in rows for k, v in enumerate(row)}
    return sum(
        layer[a] == layer[c] and (place[a] - place[c]) * (place[b] - place[d]) < 0
        for (a, b), (c, d) in itertools.combinations(segments, 2)
    )


def segments_of(layer: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Edges cut at every layer they pass; bends are numbered after the vertices, edge by edge, downwards."""
    count, found = len(layer), []
    for a, b in edges:
        bends = list(range(count, count + layer[b] - layer[a] - 1))
        count += len(bends)
        found += itertools.pairwise([a, *bends, b])
    return found


def least_length(vertices: int, edges: Sequence[tuple[int, int]]) -> int:
    """The least sum of lengths of edges over all layers in which every edge points down."""
    return min(
        sum(layer[b] - layer[a] for a, b in edges)
        for layer in itertools.product(range(vertices), repeat=vertices)
        if all(layer[b] > layer[a] for a, b in edges)
    )
