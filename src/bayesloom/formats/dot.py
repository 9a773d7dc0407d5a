"""DOT, the language of Graphviz: the structure, for drawing.

The writer gives every name in quotes, one statement a line; compelled edges are solid, reversible ones
dashed, and dotted where it was not found out. The reader takes what the writer gives and
what people write by hand in the same simple way: node statements, chains of ``->``, attributes in
brackets (not used), comments. Subgraphs, ports and undirected graphs are refused.
"""

from __future__ import annotations

import re

from bayesloom.cpdag import Cpdag
from bayesloom.directions import direction_of
from bayesloom.errors import InputError
from bayesloom.formats._format import AnyNetwork, Format, Source, structure
from bayesloom.formats._scanner import ANY_COMMENT, ANY_STRING, STRING, Scanner, blank, quote, unquote
from bayesloom.network import Network

_COMMENT = re.compile(rf"{ANY_STRING}|//[^\n]*+|{ANY_COMMENT}|^#[^\n]*+", re.DOTALL | re.MULTILINE)
_NAME = rf"{STRING}|[A-Za-z_\u0080-\U0010ffff][\w]*+|-?(?:\d++\.?\d*+|\.\d++)"
_HEAD = re.compile(rf"(?:strict\s++)?digraph\b\s*+(?:{_NAME})?\s*+\{{", re.DOTALL)
_NODE = re.compile(_NAME, re.DOTALL)
_ARROW = re.compile("->")
_ATTRIBUTES = re.compile(rf'\[[^"\[\]]*+(?:{STRING}[^"\[\]]*+)*+\]', re.DOTALL)
_SETTING = re.compile(rf"(?:(?:graph|node|edge)\b(?=\s*+\[)|\w++\s*+=\s*+(?:{_NAME}))", re.DOTALL)
_END = re.compile(";")
_CLOSE = re.compile(r"\}")


def read(source: Source) -> Network:
    """Read a simple DOT file."""
    scanner = Scanner(source, blank(_COMMENT, source))
    scanner.expect(_HEAD, "'digraph {'")
    names: dict[str, None] = {}
    edges: dict[tuple[str, str], None] = {}
    while not scanner.take(_CLOSE):
        if not scanner.take(_SETTING):
            tail = _name(scanner)
            names.setdefault(tail)
            while scanner.take(_ARROW):
                head = _name(scanner)
                names.setdefault(head)
                edges.setdefault((tail, head))
                tail = head
        scanner.take(_ATTRIBUTES)
        scanner.take(_END)
    if not scanner.at_end():
        raise scanner.error("the end of the file")
    try:
        return Network.from_edges(tuple(names), edges)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def _name(scanner: Scanner) -> str:
    match = scanner.expect(_NODE, "a name or '}'")[0]
    if match == "subgraph":
        raise scanner.source.error("subgraphs are not read.", scanner.position)
    return unquote(match) if match[0] == '"' else match


_STYLES = {"reversible": " [style=dashed]", "undecided": " [style=dotted]"}


def write(network: AnyNetwork) -> str:
    """Return the structure as DOT."""
    return write_directed(network, structure(network).cpdag)


def write_directed(network: AnyNetwork, picture: Cpdag) -> str:
    """Return the structure as DOT, each edge as the picture directs it."""
    style = {edge: _STYLES.get(direction, "") for edge, direction in direction_of(picture).items()}
    names = "".join(f"  {quote(name)};\n" for name in structure(network).names)
    edges = "".join(f"  {quote(a)} -> {quote(b)}{style[a, b]};\n" for a, b in structure(network).edges)
    return f"digraph {{\n{names}{edges}}}\n"


FORMAT = Format("DOT", (".dot", ".gv"), read, write, holds_probabilities=False, write_directed=write_directed)
