"""A network as a picture: layers from top to bottom, as SVG that needs nothing else.

A variable's layer is the longest path to it, so every edge points down.  Within a layer variables are
sorted by the mean place of their neighbours in the layers above and below, a few times over
[sugiyama1981].  Good for networks of up to a few dozen variables; beyond that nobody can read it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from html import escape

from bayesloom.errors import InputError
from bayesloom.files import write_text
from bayesloom.networks.network import Network
from bayesloom.printable import one_line

__all__ = ["Drawing", "drawing_of", "network_svg"]

WIDTH, HEIGHT, GAP_X, GAP_Y = 110, 30, 24, 64
SWEEPS = 8


@dataclass(frozen=True)
class Drawing:
    """A picture of a network; a notebook shows it as it is.

    >>> drawing_of(Network("ab", {"b": ["a"]})).svg.startswith("<svg")
    True
    """

    svg: str

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an ``.svg`` file, complete or not at all."""
        if not os.fspath(path).lower().endswith(".svg"):
            raise InputError(f"{os.fspath(path)}: a drawing ends in .svg.")
        write_text(os.fspath(path), self.svg + "\n")

    def _repr_svg_(self) -> str:
        return self.svg


def drawing_of(network: Network, constraints: object = None) -> Drawing:
    """Return the drawing of a network; edges that can turn under the constraints are dashed."""
    picture = network.cpdag_under(constraints)
    return Drawing(network_svg(network.parents, set(picture.compelled), set(picture.undecided)))


def network_svg(
    parents: Mapping[str, Sequence[str]],
    compelled: Set[tuple[str, str]],
    undecided: Set[tuple[str, str]] = frozenset(),
) -> str:
    """Return an SVG picture; compelled edges are solid, undecided ones dotted, all others dashed.

    >>> network_svg({"a": [], "b": ["a"]}, set()).count("<path")
    2
    """
    layers = _layers(parents)
    wide = max(len(layer) for layer in layers)
    total = wide * (WIDTH + GAP_X) + GAP_X
    place: dict[str, tuple[float, float]] = {}
    for depth, layer in enumerate(layers):
        left = (total - len(layer) * (WIDTH + GAP_X) + GAP_X) / 2
        for k, name in enumerate(layer):
            place[name] = (left + k * (WIDTH + GAP_X) + WIDTH / 2, GAP_Y / 2 + depth * (HEIGHT + GAP_Y))
    tall = len(layers) * (HEIGHT + GAP_Y)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:g} {tall:g}" width="{total:g}" '
        f'height="{tall:g}" font-family="sans-serif" font-size="12" role="img" aria-label="the network">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#456"/></marker></defs>',
    ]
    for child, chosen in parents.items():
        for parent in chosen:
            (x1, y1), (x2, y2) = place[parent], place[child]
            top, bottom = y1 + HEIGHT, y2
            gaps = "1 4" if (parent, child) in undecided else "5 4"
            dash = "" if (parent, child) in compelled else f' stroke-dasharray="{gaps}"'
            bend = (bottom - top) / 2
            parts.append(
                f'<path d="M{x1:.1f} {top:.1f}C{x1:.1f} {top + bend:.1f} {x2:.1f} {bottom - bend:.1f} '
                f'{x2:.1f} {bottom:.1f}" fill="none" stroke="#456"{dash} marker-end="url(#tip)"/>'
            )
    for name, (x, y) in place.items():
        name = one_line(name)
        shown = name if len(name) <= 16 else name[:15] + "\u2026"
        parts.append(
            f'<g><title>{escape(name)}</title><rect x="{x - WIDTH / 2:.1f}" y="{y:.1f}" width="{WIDTH}" '
            f'height="{HEIGHT}" rx="8" fill="#eef3f8" stroke="#456"/><text x="{x:.1f}" '
            f'y="{y + HEIGHT / 2 + 4:.1f}" text-anchor="middle">{escape(shown)}</text></g>'
        )
    return "\n".join([*parts, "</svg>"])


def _layers(parents: Mapping[str, Sequence[str]]) -> list[list[str]]:
    depth: dict[str, int] = {}
    left = dict(parents)
    while left:
        ready = [name for name, chosen in left.items() if all(p in depth for p in chosen)]
        if not ready:
            raise InputError("the network has a cycle or a parent that is no variable, and cannot be drawn.")
        for name in ready:
            depth[name] = 1 + max((depth[p] for p in left[name]), default=-1)
        for name in ready:
            del left[name]
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for name, d in depth.items():
        layers[d].append(name)
    near: dict[str, list[str]] = {name: list(chosen) for name, chosen in parents.items()}
    for name, chosen in parents.items():
        for p in chosen:
            near[p].append(name)
    spot = {name: k / max(1, len(layer)) for layer in layers for k, name in enumerate(layer)}
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            layer.sort(key=lambda n: sum(spot[m] for m in near[n]) / len(near[n]) if near[n] else spot[n])
            for k, name in enumerate(layer):
                spot[name] = (k + 0.5) / len(layer)
    return layers
