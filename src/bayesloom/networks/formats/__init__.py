"""Files of networks: one format per file of this folder, found by the ending of a file's name.

=============  ============================  ====================================
format         endings (each also ``.gz``)   holds
=============  ============================  ====================================
BIF            .bif                          structure, states, probabilities
XMLBIF         .xmlbif, .bifxml, .xml        structure, states, probabilities
NET            .net                          structure, states, probabilities
JSON           .json                         structure; the rest if there is any
DOT            .dot, .gv                     structure
GraphML        .graphml                      structure
model string   .modelstring                  structure
SVG            .svg                          a drawing of the structure; written only
PNG, PDF       .png, .pdf                    the same; need Matplotlib
=============  ============================  ====================================

All but drawings are read and written, in UTF-8. Numbers survive to the last bit and names as they are. A file
is replaced only once its successor is complete, and a damaged one is refused with its line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from bayesloom.errors import InputError, unknown
from bayesloom.files import read_bytes, replacing, write_text
from bayesloom.networks.formats import bif, dot, graphml, json, modelstring, net, svg, xmlbif
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure

FORMATS: tuple[Format, ...] = (
    bif.FORMAT,
    xmlbif.FORMAT,
    net.FORMAT,
    json.FORMAT,
    dot.FORMAT,
    graphml.FORMAT,
    modelstring.FORMAT,
)
WRITTEN: tuple[Format, ...] = (*FORMATS, svg.FORMAT, svg.PNG, svg.PDF)

__all__ = ["FORMATS", "WRITTEN", "Format", "format_of", "read_network", "write_network"]


def format_of(path: str | os.PathLike[str], name: str | None = None) -> Format:
    """Return the format with this name or, without one, that of the path's ending.

    >>> format_of("asia.bif.gz").name
    'BIF'
    >>> format_of("asia.txt", "json").extensions
    ('.json',)
    """
    if name is not None:
        named = {format.name.lower(): format for format in WRITTEN}
        if name.lower() not in named:
            raise unknown("network format", name, (format.name for format in WRITTEN))
        return named[name.lower()]
    file = _name(path).lower().removesuffix(".gz")
    by_extension = {extension: format for format in WRITTEN for extension in format.extensions}
    if (extension := os.path.splitext(file)[1]) not in by_extension:
        raise unknown("network file ending", extension or file, by_extension)
    return by_extension[extension]


def _name(path: str | os.PathLike[str]) -> str:
    return os.path.basename(os.path.normpath(path))


def read_network(path: str | os.PathLike[str], format: str | None = None) -> AnyNetwork:
    """Read a network from a file.

    Parameters
    ----------
    path
        Its ending names the format; ``.gz`` after it is decompressed.
    format
        The format's name, if the ending does not tell.

    Returns
    -------
    Network or FittedNetwork
        A `FittedNetwork` if the file holds probabilities.

    Raises
    ------
    InputError
        If the file cannot be read; the message says where and what was expected.
    """
    chosen = format_of(path, format)
    file = os.fspath(path)
    return chosen.read(Source(_name(file), read_bytes(file, gzipped=file.lower().endswith(".gz"))))


def write_network(
    network: AnyNetwork,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    constraints: object = None,
    interventions: Iterable[Iterable[str]] = (),
) -> None:
    """Write a network to a file; formats that hold only the structure leave probabilities out.

    Parameters
    ----------
    network
        BIF, XMLBIF and NET need a `FittedNetwork`.
    path
        Its ending names the format; with ``.gz`` after it the file is compressed. An existing file is
        replaced in one step.
    format
        The format's name, if the ending does not tell.
    constraints
        What the network was learned under, ``{}`` for none: which edges are compelled, as DOT, SVG, GraphML
        say it, is judged among the networks that keep them. Without it DOT and SVG do not say it, GraphML
        says it of the whole equivalence class.

    Examples
    --------
    >>> import tempfile
    >>> from bayesloom.networks.network import Network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_network(Network("AB", {"B": ["A"]}), f"{folder}/ab.json.gz")
    ...     read_network(f"{folder}/ab.json.gz").edges
    [('A', 'B')]
    """
    chosen = format_of(path, format)
    if chosen.write_directed is not None and constraints is not None:
        picture = structure(network).cpdag_under(constraints, interventions=interventions)
        text: str | bytes = chosen.write_directed(network, picture)
    else:
        text = chosen.write(network)
    if isinstance(text, bytes):
        with replacing(path) as file:
            file.write(text)
        return
    if "\0" in text:  # which the reader takes for damage
        raise InputError(
            f"{os.fspath(path)}: a name or state holds a NUL character, which {chosen.name} cannot hold. "
            "Rename it, or write .json."
        )
    write_text(path, text)
