"""Drawings by Matplotlib: on axes, and as PNG and PDF.

The same boxes and curves as in SVG. Names are text, never formulas: a dollar sign is a dollar sign. The same
drawing gives the same file on one installation of Matplotlib.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from bayesloom.errors import InputError, ResourceError
from bayesloom.networks.layout import FONT_SIZE, Layout
from bayesloom.report.drawing import (
    BOX,
    COLOURS,
    INK,
    LEGEND_LINE,
    SHEET,
    SOLID,
    TEXT,
    Line,
    without_tip,
)

if TYPE_CHECKING:
    from bayesloom.report.drawing import Drawing

__all__ = ["check_matplotlib", "draw", "file_of"]

SHARP = 192  # dots per inch of a PNG: two for a pixel of the drawing
MOST_PIXELS = 24_000  # of a PNG either way: a larger drawing is less sharp


def check_matplotlib() -> None:
    """Say how to install Matplotlib, if it is not there."""
    import importlib.util

    if importlib.util.find_spec("matplotlib") is None:
        raise ResourceError(
            "PNG, PDF and axes need Matplotlib, which is not installed: pip install bayesloom[plot]. SVG"
            " needs nothing."
        )


def file_of(drawing: Drawing, form: str) -> bytes:
    """Return a drawing as the content of a ``"png"`` or ``"pdf"`` file."""
    check_matplotlib()
    from matplotlib.figure import Figure

    wide, tall = _size(drawing)
    figure = Figure(figsize=(wide / 96, tall / 96), facecolor=SHEET)
    draw(drawing, figure.add_axes((0, 0, 1, 1)))
    content = io.BytesIO()
    sharp = min(SHARP, MOST_PIXELS * 96 / max(wide, tall, 1))
    metadata: dict[str, Any] = {"CreationDate": None} if form == "pdf" else {"Software": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that the font does not have
        figure.savefig(content, format=form, dpi=sharp, metadata=metadata)
    return content.getvalue()


def _size(drawing: Drawing) -> tuple[float, float]:
    from bayesloom.networks.layout import text_width

    layout = _layout(drawing)
    wide, tall = max(layout.width, 1.0), max(layout.height, 1.0)
    if drawing.legend:
        wide = max(wide, 70 + max(text_width(words) for _, words in drawing.legend))
        tall += 8 + LEGEND_LINE * len(drawing.legend)
    return wide, tall


def _layout(drawing: Drawing) -> Layout:
    if drawing.layout is None:
        raise InputError("this drawing is SVG alone, without its layout: make it by plot().")
    return drawing.layout


def draw(drawing: Drawing, ax: Any = None) -> Any:
    """Draw on axes, new ones if none are given, and return them; their unit is a pixel of the drawing."""
    check_matplotlib()
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path

    layout = _layout(drawing)
    wide, tall = _size(drawing)
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=(max(2.0, wide / 96), max(2.0, tall / 96)))
    # Lengths in points fit the axes, however large they are.
    place = ax.get_window_extent()
    scale = min(place.width / wide, place.height / tall) * 72 / ax.figure.dpi

    def edge(points: list[tuple[float, float]], line: Line) -> None:
        colour = COLOURS[line.colour]
        if line.head:
            points, corners = without_tip(points)
            ax.add_patch(Polygon(corners, closed=True, facecolor=colour, edgecolor="none", zorder=2))
        path = Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])
        dash = [float(part) for part in line.dash.split()]
        ax.add_patch(
            PathPatch(
                path,
                fill=False,
                edgecolor=colour,
                linewidth=line.width * scale,
                linestyle=(0, [part / line.width for part in dash]) if dash else "solid",
                zorder=1,
            )
        )

    for one in layout.edges:
        edge(list(one.points), drawing.lines.get((one.source, one.target), SOLID))
    for box in layout.boxes:
        ax.add_patch(
            FancyBboxPatch(
                (box.x, box.y),
                box.width,
                box.height,
                boxstyle="round,pad=0,rounding_size=7",
                facecolor=BOX,
                edgecolor=INK,
                linewidth=scale,
                zorder=3,
            )
        )
        _write(ax, box.x + box.width / 2, box.y + box.height / 2, box.label, scale, "center")
    for k, (line, words) in enumerate(drawing.legend):
        y = layout.height + 8 + LEGEND_LINE * k
        edge([(12.0, y), (24.0, y), (36.0, y), (48.0, y)], line)
        _write(ax, 58, y, words, scale, "left")
    ax.set_xlim(0, wide)
    ax.set_ylim(tall, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _write(ax: Any, x: float, y: float, words: str, scale: float, side: str) -> None:
    ax.text(
        x,
        y,
        words,
        ha=side,
        va="center",
        fontsize=0.94 * FONT_SIZE * scale,
        color=TEXT,
        parse_math=False,
        zorder=4,
        family="sans-serif",
    )
