"""Drawings of more than one network: how two differ, and what all of a credible set agree on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from bayesloom.errors import InputError
from bayesloom.networks.comparison import Comparison
from bayesloom.networks.cpdag import Edge
from bayesloom.networks.layout import EdgePath, Layout, lay_out
from bayesloom.networks.network import Network
from bayesloom.report.drawing import Drawing, Line, drawing_by

if TYPE_CHECKING:
    from bayesloom.credible_sets.edge_posterior import EdgePosterior

__all__ = ["drawing_of_comparison", "drawing_of_posterior"]

KEPT = Line()
TURNED = Line(dash="9 3 2 3", width=1.8, colour="turned")
MISSING = Line(dash="2 4", width=1.8, colour="missing")
ADDED = Line(width=2.6, colour="added")
SURE = 0.95  # of the posterior of a pair, from which on one direction has an arrowhead


def drawing_of_comparison(found: Comparison) -> Drawing:
    """Return a network and its reference as one drawing.

    >>> from bayesloom.networks.comparison import compare
    >>> found = compare(Network("abc", {"b": ["a"]}), Network("abc", {"a": ["b"], "c": ["b"]}))
    >>> len(drawing_of_comparison(found).legend)
    2
    """
    own = [*found.kept, *found.reversed, *found.added]
    names = found.names or tuple(dict.fromkeys(name for edge in [*own, *found.missing] for name in edge))
    lines: dict[Edge, Line] = dict.fromkeys(found.kept, KEPT)
    lines |= dict.fromkeys(found.reversed, Line(**{**TURNED.__dict__, "note": "turned in the reference"}))
    lines |= dict.fromkeys(found.missing, Line(**{**MISSING.__dict__, "note": "only in the reference"}))
    lines |= dict.fromkeys(found.added, Line(**{**ADDED.__dict__, "note": "not in the reference"}))
    layout = laid_out(names, [*own, *found.missing], Network.from_edges(names, own))
    words = {
        "kept": (KEPT, "in both networks"),
        "reversed": (TURNED, "turned in the reference"),
        "missing": (MISSING, "only in the reference"),
        "added": (ADDED, "not in the reference"),
    }
    legend = tuple(shown for kind, shown in words.items() if getattr(found, kind))
    return drawing_by(layout, lines, legend)


def drawing_of_posterior(posterior: EdgePosterior, best: Network, least: float) -> Drawing:
    """Return pairs of variables as edges, the wider, the more of the posterior joins them.

    A pair has an arrowhead where nearly all of that posterior points one way, and stands in the order of the
    best network.
    """
    if not (isinstance(least, (int, float)) and math.isfinite(least) and 0 <= least <= 1):
        raise InputError(f"least must lie between 0 and 1, got {least!r}.")
    place = {name: i for i, name in enumerate(best.order)}
    lines: dict[Edge, Line] = {}
    for a, b, one, both in posterior.rows():
        if both < least or both <= 0 or (b, a) in lines:
            continue
        head = one >= SURE * both  # rows have the likelier direction first
        edge = (a, b) if head or place[a] < place[b] else (b, a)
        note = f"posterior {both:.3f}" if head else f"posterior {both:.3f}, of {a} to {b} {one:.3f}"
        lines[edge] = Line(head=head, dash="" if head else "6 4", width=round(0.8 + 3 * both, 2), note=note)
    layout = laid_out(posterior.names, lines, best)
    legend = [(Line(width=3.8), "posterior near 1")]
    if any(line.width < 3.7 for line in lines.values()):
        legend.append((Line(width=1.4), "a lower posterior"))
    if any(not line.head for line in lines.values()):
        legend.append((Line(head=False, dash="6 4", width=2.5), "in either direction"))
    return drawing_by(layout, lines, tuple(legend))


def laid_out(names: Iterable[str], edges: Iterable[Edge] | Mapping[Edge, Line], order: Network) -> Layout:
    """Return the layout of edges that may hold cycles: those against the order of a network point up."""
    place = {name: i for i, name in enumerate(order.order)}
    edges = list(edges)
    up = {(a, b) for a, b in edges if place[a] > place[b]}
    found = lay_out(list(names), [edge[::-1] if edge in up else edge for edge in edges])
    paths = tuple(
        EdgePath(*edge, path.points[::-1]) if edge in up else path
        for edge, path in zip(edges, found.edges, strict=True)
    )
    return Layout(found.width, found.height, found.boxes, paths)
