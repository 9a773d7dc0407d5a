"""The layout of a network: where its boxes and edges are, for any kind of drawing.

Variables are in layers from top to bottom, so that every edge points down; crossings are few, and no edge
passes through a box other than its ends (``src/core/layout``). The same network has the same layout
everywhere. Lengths are in pixels of the drawing, from its upper left corner.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bayesloom import _core
from bayesloom.networks.cpdag import Edge
from bayesloom.networks.formats._format import AnyNetwork
from bayesloom.networks.network import structure_of
from bayesloom.printable import one_line

__all__ = ["Box", "EdgePath", "Layout", "Point", "lay_out", "layout_of"]

FONT_SIZE = 13.0  # pixels
BOX_HEIGHT = 28.0  # pixels
PADDING = 11.0  # pixels between a label and the sides of its box
LEAST_WIDTH = 44.0  # pixels of a box
LABEL_WIDTH = 190.0  # pixels; longer labels are shortened in the middle

# Widths of characters in parts of the font size, of the wider ones among common sans-serif fonts; a letter
# or sign that is not here takes OTHER.
_WIDTHS = {
    character: width
    for width, characters in {
        0.32: "ijl|'.,:;!I ",
        0.41: 'ftrJ()[]/\\-`"',
        0.56: "sczkvxy_^*",
        0.70: "ABCDEFGHKLNOPQRSTUVXYZ&+<>=~#",
        0.92: "mwMW%@",
    }.items()
    for character in characters
}
OTHER, WIDE = 0.63, 1.05

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A variable: its name, what is written into its box, and the box, from its upper left corner.

    Attributes
    ----------
    name, label
        The variable, and its name as it is shown: on one line, shortened in the middle if it is very long.
    x, y, width, height
        The box, in pixels.
    """

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class EdgePath:
    """An edge, from the lower side of its parent's box to the upper side of its child's.

    Attributes
    ----------
    source, target
        The variables.
    points
        Cubic Bezier curves one after the other: start, two control points, end, which is the next start, two
        control points, end, and so on.
    """

    source: str
    target: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Layout:
    """A drawing of a network as boxes and curves.

    Attributes
    ----------
    width, height
        The whole drawing, in pixels.
    boxes
        One for each variable, in the order of the variables.
    edges
        One for each edge, by child and then by parent.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[EdgePath, ...]


def layout_of(network: AnyNetwork) -> Layout:
    """Return where a drawing of a network has its boxes and edges.

    >>> from bayesloom import Network
    >>> layout = layout_of(Network("AB", {"B": ["A"]}))
    >>> [(box.name, box.x, box.y) for box in layout.boxes]
    [('A', 12.0, 12.0), ('B', 12.0, 84.0)]
    >>> layout.edges[0].points[0], layout.edges[0].points[-1]
    ((34.0, 40.0), (34.0, 84.0))
    """
    structure = structure_of(network)
    return lay_out(structure.names, structure.edges)


def lay_out(names: Sequence[str], edges: Iterable[Edge]) -> Layout:
    """Return the layout of edges ``(from, to)`` among names, each given once and without a cycle."""
    edges = list(edges)
    index = {name: i for i, name in enumerate(names)}
    labels = [label_of(name) for name in names]
    widths = [max(LEAST_WIDTH, round(text_width(label) + 2 * PADDING)) for label in labels]
    found = _core.layered_layout(widths, BOX_HEIGHT, [(index[a], index[b]) for a, b in edges])
    return Layout(
        found.width,
        found.height,
        tuple(
            Box(name, label, x, y, width, BOX_HEIGHT)
            for name, label, width, (x, y) in zip(names, labels, widths, found.boxes, strict=True)
        ),
        tuple(EdgePath(a, b, tuple(points)) for (a, b), points in zip(edges, found.routes, strict=True)),
    )


def text_width(text: str) -> float:
    """Return about how many pixels a text takes, rather more than less.

    >>> text_width("will") < text_width("WILL") < text_width("\u6771\u6771\u6771\u6771")
    True
    """
    return FONT_SIZE * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if (width := _WIDTHS.get(character)) is not None:
        return width
    if unicodedata.combining(character):
        return 0.0
    return WIDE if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF else OTHER


def label_of(name: str) -> str:
    r"""Return what is written into the box of a variable: one line, of limited width.

    >>> label_of("rain\n")
    'rain\\n'
    >>> label_of("temperature_of_the_northern_sensor_in_degrees").replace("\u2026", "...")
    'temperature_...r_in_degrees'
    """
    label = one_line(name)
    if text_width(label) <= LABEL_WIDTH:
        return label
    room = LABEL_WIDTH - text_width("\u2026")
    start, end = 0, len(label)
    # Grow both ends in turn; the start, which is read first, gets the odd character.
    while True:
        at_start = start <= len(label) - end
        room -= FONT_SIZE * _character_width(label[start if at_start else end - 1])
        if room < 0:
            return f"{label[:start]}\u2026{label[end:]}"
        if at_start:
            start += 1
        else:
            end -= 1
