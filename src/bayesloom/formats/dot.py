"""DOT, the language of Graphviz: the structure, for drawing.

The writer gives every name in quotes, one statement a line. The reader takes what the writer gives and
what people write by hand in the same simple way: node statements, chains of ``->``, attributes in
brackets (not used), comments. Subgraphs, ports and undirected graphs are refused.
"""

from __future__ import annotations

import re

from bayesloom.errors import InputError
from bayesloom.formats._format import AnyNetwork, Format, Source, structure
from bayesloom.formats._scanner import STRING, Scanner, blank, quote, unquote
from bayesloom.network import Network

_COMMENT = re.compile(rf"{STRING}|//[^\n]*+|/\*.*?\*/|^#[^\n]*+", re.DOTALL | re.MULTILINE)
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
    scanner = Scanner(source, blank(_COMMENT, source.text))
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


def write(network: AnyNetwork) -> str:
    """Return the structure as DOT."""
    names = "".join(f"  {quote(name)};\n" for name in structure(network).names)
    edges = "".join(f"  {quote(a)} -> {quote(b)};\n" for a, b in structure(network).edges)
    return f"digraph {{\n{names}{edges}}}\n"


FORMAT = Format("DOT", (".dot", ".gv"), read, write, holds_probabilities=False)
