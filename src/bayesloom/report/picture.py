"""The network on a page: a drawing whose boxes are links to what is said of each variable.

It has no style of its own: colours come from the page (``page.css``), so that the page's policy can forbid
styles of others. Edges are as wide as they are strong, where that is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

from bayesloom.networks.cpdag import Direction, Edge
from bayesloom.networks.layout import FONT_SIZE, Layout
from bayesloom.report.drawing import DASHES, curve_of
from bayesloom.report.texts import clipped, shown
from bayesloom.words import counted

__all__ = ["legend", "picture_of", "widths_of"]

THIN, THICK = 1.1, 4.0  # pixels of an edge
ALIKE = 2.0  # difference of logarithms that the whole range of widths stands for at least
WIDE = 1000  # pixels of a drawing that scrolls rather than shrinks where scripts are off
KIND = {
    "compelled": "compelled",
    "constrained": "compelled",
    "reversible": "reversible",
    "undecided": "undecided",
}


def widths_of(strength: Mapping[Edge, float]) -> dict[Edge, float]:
    """Return how wide each edge is drawn, in pixels: by the logarithm, from the weakest to the strongest.

    >>> widths_of({("a", "b"): 1.0, ("b", "c"): 100.0, ("c", "d"): 9.0})
    {('a', 'b'): 1.1, ('b', 'c'): 4.0, ('c', 'd'): 2.29}
    """
    logs = {edge: math.log1p(max(0.0, nats)) for edge, nats in strength.items()}
    low, high = min(logs.values(), default=0.0), max(logs.values(), default=0.0)
    share = (THICK - THIN) / max(high - low, ALIKE)
    return {edge: round(THIN + share * (value - low), 2) for edge, value in logs.items()}


def picture_of(
    layout: Layout,
    direction: Mapping[Edge, Direction],
    strength: Mapping[Edge, float],
    places: Sequence[int] | None = None,
    *,
    by_missing: Set[Edge] = frozenset(),
) -> str:
    """Return a layout as SVG for a page, each box a link to ``#v`` and its place among the variables.

    `places` are the places of the boxes, if these are not all variables in their order; edges in `by_missing`
    rest on values missing together.
    """
    widths = widths_of(strength)
    wide, tall = math.ceil(layout.width), math.ceil(layout.height)
    about = f"{counted(len(layout.boxes), 'variable')}, {counted(len(layout.edges), 'edge')}"
    kind = "network wide" if wide > WIDE else "network"
    parts = [
        f'<svg class="{kind}" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="group" '
        f'aria-label="Drawing of the network: {about}"><g class="edges">'
    ]
    for edge in layout.edges:
        ends = edge.source, edge.target
        way = KIND[direction[ends]]
        doubtful = " doubtful" if ends in by_missing else ""
        curve, tip = curve_of(edge, head=way != "reversible")
        dash = f' stroke-dasharray="{DASHES[way]}"' if way in DASHES else ""
        join = "\u2014" if way == "reversible" else "\u2192"
        head = f'<path class="tip" d="{tip}"/>' if tip else ""
        parts.append(
            f'<g class="e {way}{doubtful}"><title>{shown(edge.source, 60)} {join} {shown(edge.target, 60)}'
            "</title>"
            f'<path class="edge" d="{curve}" stroke-width="{widths.get(ends, 1.3)}"{dash}/>{head}</g>'
        )
    parts.append('</g><g class="boxes">')
    for i, box in zip(range(len(layout.boxes)) if places is None else places, layout.boxes, strict=True):
        x, y = box.x + box.width / 2, box.y + box.height / 2 + 0.35 * FONT_SIZE
        full = "" if box.label == clipped(box.name) else f"<title>{shown(box.name)}</title>"
        parts.append(
            f'<a href="#v{i}" class="v">{full}<rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" '
            f'width="{box.width:g}" height="{box.height:g}" rx="7"/>'
            f'<text x="{x:.1f}" y="{y:.1f}">{shown(box.label)}</text></a>'
        )
    return "\n".join([*parts, "</g></svg>"])


def legend(kinds: set[str], *, by_missing: bool = False) -> str:
    """Return what the lines mean, of the kinds that are there."""
    words = {
        "compelled": "compelled: every equivalent network has it this way",
        "reversible": "reversible: some equivalent network turns it, the table cannot tell",
        "undecided": "not found out",
    }
    lines = []
    for way, meaning in words.items():
        if way in kinds:
            dash = f' stroke-dasharray="{DASHES[way]}"' if way in DASHES else ""
            head = '<path class="tip" d="M30 2.6L38 6L30 9.4z"/>' if way != "reversible" else ""
            end = 30 if head else 38
            lines.append(
                f'<li><svg class="key" width="40" height="12" aria-hidden="true">'
                f'<path class="edge" d="M1 6L{end} 6" stroke-width="1.6"{dash}/>{head}</svg> {meaning}</li>'
            )
    if by_missing:
        lines.append(
            '<li><svg class="key" width="40" height="12" aria-hidden="true"><g class="doubtful">'
            '<path class="edge" d="M1 6L38 6" stroke-width="2"/></g></svg> rests on values missing together:'
            " where both are present, hardly anything is left of it</li>"
        )
    return f'<ul class="legend">{"".join(lines)}</ul>' if lines else ""
