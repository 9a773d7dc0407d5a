"""SVG: a drawing of the structure, which is written only (``bayesloom/report/drawing.py``).

Where it is known under which constraints a network was learned, as after `learn`, compelled edges are solid
arrows, reversible ones dashed lines, and dotted arrows where it was not found out; else all are solid arrows.
"""

from __future__ import annotations

from typing import NoReturn

from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Cpdag
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure


def read(source: Source) -> NoReturn:
    """Say that a drawing cannot be read."""
    raise InputError(
        f"{source.name}: an SVG file is a drawing, from which no network is read. Give the network's own"
        " file, such as .json or .bif."
    )


def write(network: AnyNetwork) -> str:
    """Return a drawing, all edges solid."""
    from bayesloom.report.drawing import drawing_with

    return drawing_with(structure(network)).svg + "\n"


def write_directed(network: AnyNetwork, picture: Cpdag) -> str:
    """Return a drawing, each edge as the picture directs it."""
    from bayesloom.report.drawing import drawing_with

    return drawing_with(structure(network), picture).svg + "\n"


FORMAT = Format("SVG", (".svg",), read, write, holds_probabilities=False, write_directed=write_directed)
