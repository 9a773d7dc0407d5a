"""SVG, PNG and PDF: drawings of the structure, which are written only (``bayesloom/report/drawing.py``).

Where it is known under which constraints a network was learned, as after `learn`, compelled edges are solid
arrows, reversible ones dashed lines, and dotted arrows where it was not found out; else all are solid arrows.
PNG and PDF need Matplotlib.
"""

from __future__ import annotations

from typing import NoReturn

from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Cpdag
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure


def read(source: Source) -> NoReturn:
    """Say that a drawing cannot be read."""
    kind = source.name.lower().rpartition(".")[2]
    kind = kind.upper() if kind in ("png", "pdf") else "SVG"
    a = "an" if kind == "SVG" else "a"
    raise InputError(
        f"{source.name}: {a} {kind} file is a drawing, from which no network is read. Give the network's own"
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


def _by_matplotlib(name: str, form: str) -> Format:
    def draw(network: AnyNetwork, picture: Cpdag | None = None) -> bytes:
        from bayesloom.report.drawing import drawing_with
        from bayesloom.report.figures import file_of

        return file_of(drawing_with(structure(network), picture), form)

    def check() -> None:
        from bayesloom.report.figures import check_matplotlib

        check_matplotlib()

    return Format(
        name, (f".{form}",), read, draw, holds_probabilities=False, write_directed=draw, check=check
    )


FORMAT = Format("SVG", (".svg",), read, write, holds_probabilities=False, write_directed=write_directed)
PNG, PDF = _by_matplotlib("PNG", "png"), _by_matplotlib("PDF", "pdf")
