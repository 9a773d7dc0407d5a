"""DOT, the language of Graphviz: the structure, for drawing.

The writer gives every name in quotes, one statement a line. Where it is known under which constraints a
network was learned, as after `learn`, compelled edges are solid, reversible ones dashed, and dotted where it
was not found out; else all are solid. The reader takes what the writer gives and what people write by hand in
the same simple way: node statements, chains of ``->``, attributes in brackets (not used), comments.
Subgraphs, ports, undirected graphs and edges drawn otherwise than from tail to head (``dir=none``, ``back``,
``both``) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Cpdag, Edge, direction_of
from bayesloom.networks.formats._assemble import check_number
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure
from bayesloom.networks.formats._scanner import COMMENT, STRING, Comments, Scanner, quote, unquote
from bayesloom.networks.network import Network

_COMMENTS = Comments("/#", r"/(?![/*])|(?<=[^\n])#", rf"//[^\n]*+|{COMMENT}|^#[^\n]*+")
# A name in quotes, a word (every character beyond ASCII is a letter, as in Graphviz), or a number.
_NAME = (
    rf"{STRING}|[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*+|-?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)"
)
_HEAD = re.compile(
    rf"(?:strict\s++)?digraph(?![A-Za-z0-9_\u0080-\U0010ffff])\s*+(?:{_NAME})?\s*+\{{",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_KEYWORDS = frozenset({"graph", "digraph", "node", "edge", "strict"})
# What may come next, one alternative a kind; the value of dir is looked at, other attributes are not.
_TOKEN = re.compile(
    rf"""\s*+(?:
    (?P<close>\}})
    |(?P<defaults>(?i:graph|node|edge)(?=\s*+\[))
    |(?P<name>{_NAME})(?P<setting>\s*+=\s*+(?:{_NAME}))?
    |(?P<arrow>->)
    |(?P<attributes>\[[^"\[\]]*+(?:{STRING}[^"\[\]]*+)*+\])
    |(?P<end>;)
    )""",
    re.ASCII | re.DOTALL | re.VERBOSE,
)
# Names and values can be in quotes, values also between < and >.
_DIRECTION = re.compile(
    rf'(?:(?<![A-Za-z0-9_\u0080-\U0010ffff])dir|"dir")\s*+=\s*+["<]?+\s*+([^\s"<>,;\]]*+)|{STRING}',
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_STATEMENT = frozenset({"close", "defaults", "setting", "name"})
_AFTER = {
    "end": _STATEMENT,
    "attributes": _STATEMENT | {"end"},
    "defaults": frozenset({"attributes"}),
    "setting": _STATEMENT | {"end", "attributes"},
    "name": _STATEMENT | {"end", "attributes", "arrow"},
    "arrow": frozenset({"name"}),
}


def read(source: Source) -> Network:
    """Read a simple DOT file."""
    scanner = Scanner(source, _COMMENTS.blanked(source))
    scanner.expect(_HEAD, "'digraph {'")
    names: dict[str, None] = {}
    name_of: dict[str, str] = {}  # as it stands in the file, perhaps in quotes
    edges: dict[tuple[str, str], None] = {}
    tail, last, end = "", "end", 0  # the name and the kind before, and where that ended
    text, match, position = scanner.text, _TOKEN.match, scanner.position
    while last != "close":
        token = match(text, position)
        if token is None or (kind := token.lastgroup) not in _AFTER[last]:
            scanner.position = position
            raise scanner.error("a name or '}'")
        position = token.end()
        if kind == "name":
            given = token[kind]
            if last == "name" and position - len(given) == end:
                raise source.error(
                    f"{tail[-40:]!r} and {given[:40]!r} touch each other. Put a name into quotes.", end
                )
            end = position
            name = name_of.get(given)
            if name is None:
                name = name_of[given] = _name(source, given, position)
                names.setdefault(name)
                check_number(source, len(names))
            if last == "arrow":
                edges.setdefault((tail, name))
            tail = name
        elif kind == "attributes":
            for way in filter(None, _DIRECTION.findall(token[kind])):
                if way.lower() != "forward":
                    raise source.error(
                        f"an edge has dir={way[:20]}; a network has edges from tail to head only.",
                        position,
                    )
        last = kind
    scanner.position = position
    if not scanner.at_end():
        raise scanner.error("the end of the file")
    try:
        return Network.from_edges(tuple(names), edges)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def _name(source: Source, given: str, position: int) -> str:
    """Return what a name stands for; words of the language are none."""
    if given.lower() == "subgraph":
        raise source.error("subgraphs are not read.", position)
    if given.lower() in _KEYWORDS:
        raise source.error(f"{given!r} is a word of DOT. Put a name into quotes.", position)
    return unquote(given) if given[0] == '"' else given


_STYLES = {"reversible": " [style=dashed]", "undecided": " [style=dotted]"}


def write(network: AnyNetwork) -> str:
    """Return the structure as DOT."""
    return _text(structure(network), {})


def write_directed(network: AnyNetwork, picture: Cpdag) -> str:
    """Return the structure as DOT, each edge as the picture directs it."""
    return _text(
        structure(network), {edge: _STYLES.get(way, "") for edge, way in direction_of(picture).items()}
    )


def _text(network: Network, style: Mapping[Edge, str]) -> str:
    names = "".join(f"  {quote(name)};\n" for name in network.names)
    edges = "".join(f"  {quote(a)} -> {quote(b)}{style.get((a, b), '')};\n" for a, b in network.edges)
    return f"digraph {{\n{names}{edges}}}\n"


FORMAT = Format("DOT", (".dot", ".gv"), read, write, holds_probabilities=False, write_directed=write_directed)
