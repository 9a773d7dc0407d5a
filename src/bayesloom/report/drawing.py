"""A network as a picture: SVG that needs nothing else, of any size, light or dark as the reader has it.

Boxes and edges stand where `bayesloom.networks.layout` puts them. Compelled edges are solid arrows,
reversible ones dashed lines without a head, undecided ones dotted arrows; `Line` says how else an edge can be
drawn. The picture is as wide as what it stands in, but no wider than it was laid out, and never so small that
nobody could read it: then it scrolls. As PNG, as PDF and on axes of Matplotlib it is drawn by `figures`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from html import escape
from typing import Any

from bayesloom.errors import InputError
from bayesloom.files import replacing, write_text
from bayesloom.networks.cpdag import Cpdag, Edge
from bayesloom.networks.formats._format import AnyNetwork
from bayesloom.networks.layout import FONT_SIZE, Box, EdgePath, Layout, Point, lay_out, text_width
from bayesloom.networks.network import Network, structure_of
from bayesloom.printable import one_line
from bayesloom.words import counted

__all__ = ["Drawing", "Line", "drawing_by", "drawing_of", "layout_svg", "network_svg", "svg_of"]

TIP, TIP_HALF = 8.0, 3.4  # length and half the width of an arrowhead, in pixels
SMALLEST = 0.62  # of the size it was laid out in; less is not readable
WIDER = 1.12  # times the width of a text, which small letters of some fonts take
LEGEND_LINE = 20  # pixels of a line that says what edges mean
INK, BOX, TEXT, SHEET = "#44566a", "#edf2f8", "#17212b", "#ffffff"
COLOURS = {"ink": INK, "turned": "#8a5a00", "missing": "#b3261e", "added": "#0b62b8"}
# Programs that know no CSS take the colours of the attributes; those in @media rules are for browsers.
STYLE = """@media all{.bayesloom-network{color-scheme:light dark;
--ink:#44566a;--box:#edf2f8;--text:#17212b;--sheet:#ffffff}
.bayesloom-network .sheet{fill:var(--sheet)}.bayesloom-network .edge{stroke:var(--ink)}
.bayesloom-network .tip{fill:var(--ink)}.bayesloom-network .box{fill:var(--box);stroke:var(--ink)}
.bayesloom-network text{fill:var(--text)}}
@media(prefers-color-scheme:dark){.bayesloom-network{--ink:#9db2c8;--box:#22303f;--text:#eef3f8;--sheet:#12181f}}"""
MORE_STYLE = """
@media(prefers-color-scheme:dark){.bayesloom-network{--turned:#ffc861;--missing:#ff9d94;--added:#7cbcff}}"""
DASHES = {"reversible": "6 4", "undecided": "1.5 4"}
# Characters that XML does not allow and that `one_line` leaves as they are.
_NOT_XML = re.compile("[\ufffe\uffff]")


@dataclass(frozen=True)
class Line:
    """How an edge is drawn.

    Attributes
    ----------
    head
        Whether it has an arrowhead.
    dash
        Lengths of dashes and gaps in pixels, as SVG writes them; empty for a solid line.
    width
        In pixels.
    colour
        One of `COLOURS`.
    note
        What is said of it when pointed at, beyond its ends.
    """

    head: bool = True
    dash: str = ""
    width: float = 1.3
    colour: str = "ink"
    note: str = ""


SOLID = Line()
REVERSIBLE, UNDECIDED = Line(head=False, dash=DASHES["reversible"]), Line(dash=DASHES["undecided"])
Lines = Mapping[Edge, Line]
Legend = tuple[tuple[Line, str], ...]


@dataclass(frozen=True)
class Drawing:
    """A picture of a network; a notebook shows it as it is.

    >>> drawing_of(Network("ab", {"b": ["a"]})).svg.startswith("<svg")
    True
    """

    svg: str
    layout: Layout | None = field(default=None, repr=False, compare=False)
    lines: Lines = field(default_factory=dict, repr=False, compare=False)
    legend: Legend = field(default=(), repr=False, compare=False)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an ``.svg``, ``.png`` or ``.pdf`` file, complete or not at all.

        PNG and PDF need Matplotlib: ``pip install bayesloom[plot]``.
        """
        name = os.fspath(path)
        ending = os.path.splitext(name.lower())[1]
        if ending == ".svg":
            write_text(name, self.svg + "\n")
        elif ending in (".png", ".pdf"):
            from bayesloom.report.figures import file_of

            with replacing(name) as file:
                file.write(file_of(self, ending[1:]))
        else:
            raise InputError(f"{name}: a drawing ends in .svg, .png or .pdf.")

    def on_axes(self, ax: Any = None) -> Any:
        """Draw on axes of Matplotlib, new ones if none are given, and return them.

        Needs Matplotlib: ``pip install bayesloom[plot]``.
        """
        from bayesloom.report.figures import draw

        return draw(self, ax)

    def __repr__(self) -> str:
        if self.layout is None:
            return f"<Drawing: {len(self.svg):,} characters of SVG>"
        boxes, edges = counted(len(self.layout.boxes), "variable"), counted(len(self.layout.edges), "edge")
        return f"<Drawing: {boxes}, {edges}, {self.layout.width:.0f} x {self.layout.height:.0f} pixels>"

    def _repr_svg_(self) -> str:
        return self.svg


def drawing_of(network: AnyNetwork, constraints: object = None) -> Drawing:
    """Return the drawing of a network; edges that can turn under the constraints are dashed."""
    structure = structure_of(network)
    return drawing_with(structure, structure.cpdag_under(constraints))


def drawing_with(network: Network, picture: Cpdag | None = None) -> Drawing:
    """Return the drawing of a network, each edge as the picture directs it; without one all are solid."""
    lines = {}
    if picture is not None:
        lines = dict.fromkeys(set(network.edges) - set(picture.compelled), REVERSIBLE)
        lines |= dict.fromkeys(picture.undecided, UNDECIDED)
    return drawing_by(lay_out(network.names, network.edges), lines)


def drawing_by(layout: Layout, lines: Lines, legend: Legend = ()) -> Drawing:
    """Return the drawing of a layout; edges that have no line of their own are solid arrows."""
    return Drawing(svg_of(layout, lines, legend), layout, lines, legend)


def network_svg(
    parents: Mapping[str, Sequence[str]],
    compelled: Set[tuple[str, str]],
    undecided: Set[tuple[str, str]] = frozenset(),
) -> str:
    """Return an SVG picture; compelled edges are solid, undecided ones dotted, all others dashed.

    >>> network_svg({"a": [], "b": ["a"]}, set()).count("stroke-dasharray")
    1
    """
    edges = [(parent, child) for child, chosen in parents.items() for parent in chosen]
    if any(parent not in parents for parent, _ in edges):
        raise InputError("the network has a parent that is no variable, and cannot be drawn.")
    try:
        layout = lay_out(list(parents), edges)
    except InputError:
        raise InputError("the network has a cycle, and cannot be drawn.") from None
    return layout_svg(layout, set(edges) - compelled - undecided, undecided)


def layout_svg(
    layout: Layout,
    reversible: Set[tuple[str, str]] = frozenset(),
    undecided: Set[tuple[str, str]] = frozenset(),
) -> str:
    """Return a layout as SVG; reversible edges are dashed, undecided ones dotted, all others solid.

    >>> from bayesloom.networks.layout import layout_of
    >>> layout_svg(layout_of(Network("ab", {"b": ["a"]}))).count('class="tip"')
    1
    """
    lines = dict.fromkeys(undecided, UNDECIDED) | dict.fromkeys(reversible, REVERSIBLE)
    return svg_of(layout, lines)


def width_of(layout: Layout, legend: Legend = ()) -> int:
    """Return how wide a drawing is, in pixels: its layout, and what its lines mean."""
    return max(
        math.ceil(layout.width),
        max((70 + math.ceil(WIDER * text_width(words)) for _, words in legend), default=0),
    )


def svg_of(layout: Layout, lines: Lines, legend: Legend = ()) -> str:
    """Return a layout as SVG, its edges drawn by `lines`, with what they mean below."""
    wide, tall = width_of(layout, legend), math.ceil(layout.height)
    high = tall + LEGEND_LINE * len(legend) + (8 if legend else 0)
    about = f"{counted(len(layout.boxes), 'variable')}, {counted(len(layout.edges), 'edge')}"
    coloured = any(line.colour != "ink" for line in lines.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bayesloom-network" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" style="width:100%;max-width:{wide}px;'
        f'min-width:{min(wide, max(280, round(SMALLEST * wide)))}px;height:auto" '
        f'role="img" aria-label="Bayesian network: {about}">',
        f"<style>{STYLE}{MORE_STYLE if coloured else ''}</style>",
        f'<rect class="sheet" width="{wide}" height="{high}" fill="{SHEET}"/>',
    ]
    parts += [_edge(edge, lines.get((edge.source, edge.target), SOLID)) for edge in layout.edges]
    parts.append(
        f"<g font-family=\"Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif\" "
        f'font-size="{FONT_SIZE:g}" text-anchor="middle">'
    )
    parts += map(_box, layout.boxes)
    for k, (line, words) in enumerate(legend):
        y = tall + 8 + LEGEND_LINE * k
        sample = EdgePath("", "", ((12.0, y), (24.0, y), (36.0, y), (48.0, y)))
        parts.append(_edge(sample, line, titled=False))
        parts.append(f'<text x="58" y="{y + 4}" text-anchor="start" fill="{TEXT}">{_text(words)}</text>')
    return "\n".join([*parts, "</g>", "</svg>"])


def curve_of(edge: EdgePath, *, head: bool) -> tuple[str, str]:
    """Return an edge as an SVG path and, if it has a head, its arrowhead as another.

    >>> line = EdgePath("a", "b", ((0.0, 0.0), (0.0, 10.0), (0.0, 20.0), (0.0, 30.0)))
    >>> curve_of(line, head=False)
    ('M0.0 0.0C0.0 10.0 0.0 20.0 0.0 30.0', '')
    """
    points, tip = list(edge.points), ""
    if head:
        points, corners = without_tip(points)
        tip = "M" + "L".join(map(_at, corners)) + "z"
    curve = "".join(
        f"C{_at(a)} {_at(b)} {_at(c)}"
        for a, b, c in zip(points[1::3], points[2::3], points[3::3], strict=True)
    )
    return f"M{_at(points[0])}{curve}", tip


def _edge(edge: EdgePath, line: Line, *, titled: bool = True) -> str:
    curve, tip = curve_of(edge, head=line.head)
    ink = COLOURS[line.colour]
    own = "" if line.colour == "ink" else f' style="stroke:var(--{line.colour},{ink})"'
    filled = "" if line.colour == "ink" else f' style="fill:var(--{line.colour},{ink})"'
    head = f'<path class="tip" d="{tip}" fill="{ink}"{filled}/>' if tip else ""
    dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
    title = ""
    if titled:
        note = f": {_text(line.note)}" if line.note else ""
        join = "\u2192" if line.head else "\u2014"
        title = f"<title>{_text(edge.source)} {join} {_text(edge.target)}{note}</title>"
    return (
        f'<g>{title}<path class="edge" d="{curve}" fill="none" stroke="{ink}" '
        f'stroke-width="{line.width:g}"{dash}{own}/>{head}</g>'
    )


def without_tip(points: list[Point]) -> tuple[list[Point], tuple[Point, Point, Point]]:
    """Return the curve up to its arrowhead, and the corners of the arrowhead, its end in the middle."""
    a, b, c, end = points[-4:]

    def cut(t: float) -> tuple[Point, Point, Point]:
        def between(p: Point, q: Point) -> Point:
            return p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])

        ab, bc, cd = between(a, b), between(b, c), between(c, end)
        abc, bcd = between(ab, bc), between(bc, cd)
        return ab, abc, between(abc, bcd)

    # The last curve ends where the head begins: the distance to its end falls, so halving finds it.
    low, high = 0.0, 1.0
    for _ in range(16):
        middle = (low + high) / 2
        x, y = cut(middle)[2]
        far = math.hypot(end[0] - x, end[1] - y) > 0.9 * TIP
        low, high = (middle, high) if far else (low, middle)
    rest = cut(low)
    base = rest[2]
    dx, dy = end[0] - base[0], end[1] - base[1]
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    back = end[0] - TIP * ux, end[1] - TIP * uy
    left = back[0] - TIP_HALF * uy, back[1] + TIP_HALF * ux
    right = back[0] + TIP_HALF * uy, back[1] - TIP_HALF * ux
    return [*points[:-3], *rest], (left, end, right)


def _box(box: Box) -> str:
    x = box.x + box.width / 2
    y = box.y + box.height / 2 + 0.35 * FONT_SIZE
    return (
        f'<g><title>{_text(box.name)}</title><rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" '
        f'width="{box.width:g}" height="{box.height:g}" rx="7" fill="{BOX}" stroke="{INK}"/>'
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{TEXT}">{_text(box.label)}</text></g>'
    )


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _text(name: str) -> str:
    shown = _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", one_line(name))
    return escape(shown)
