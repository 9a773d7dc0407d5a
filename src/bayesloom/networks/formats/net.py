"""NET, the text format of HUGIN, also read by GeNIe, pgmpy and pyAgrum.

    net { attribute... }
    node NAME { states = ( "state" ... ); attribute... }
    potential ( NAME | NAME... ) { data = (( number... )( ... )); }
    attribute := NAME = value ;        comments: from % to the end of the line

In ``data`` the parents vary as listed, the last fastest but for the node itself, which is the
innermost; parentheses only group. A potential without ``data`` is uniform, as the HUGIN manual says.
Node names are identifiers: other names are written as one, and the original as ``bayesloom_name``.
Utilities, decisions, continuous nodes and classes are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bayesloom.networks.formats import _names
from bayesloom.networks.formats._assemble import (
    Declared,
    Defined,
    assemble,
    by_name,
    check_number,
    check_tables,
    family,
    numbers,
)
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, fitted
from bayesloom.networks.formats._scanner import STRING, Comments, Scanner, quote, unquote

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork, Floats

_COMMENTS = Comments("%", "(?!)", r"%[^\n]*+")
_BLOCK = re.compile(r"(net|(?:discrete\s++)?node|potential)\b")
_OPEN = re.compile(r"\{")
_CLOSE = re.compile(r"\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*+")
_FAMILY = re.compile(r"\(([^()|{}]*+)(?:\|([^()|{}]*+))?\)")
_ATTRIBUTE = re.compile(rf'([A-Za-z_]\w*+)\s*+=([^;"{{}}]*+(?:{STRING}[^;"{{}}]*+)*+);', re.DOTALL)
_STRING = re.compile(STRING, re.DOTALL)
_STATE = re.compile(rf'{STRING}|[^\s()"]++', re.DOTALL)  # pyAgrum writes states without quotes
_STATES = re.compile(rf"\s*+\(\s*+(?:(?:{_STATE.pattern})\s*+)*+\)\s*+", re.DOTALL)
_GROUPING = str.maketrans("()", "  ")

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_RESERVED = frozenset({"net", "node", "potential", "discrete", "continuous", "utility", "decision", "class"})

_Attributes = dict[str, tuple[str, int]]  # value and line


def read(source: Source) -> FittedNetwork:
    """Read a HUGIN NET file."""
    scanner = Scanner(source, _COMMENTS.blanked(source))
    variables: list[Declared] = []
    originals: list[Declared] = []
    potentials: list[tuple[list[str], _Attributes, int]] = []
    nets = False
    while not scanner.at_end():
        block = scanner.expect(_BLOCK, "'net', 'node' or 'potential' of a discrete network")
        line = source.line(block.start())
        if block[1] == "net":
            if nets:
                raise source.error_on(line, "there is a second 'net' block.")
            nets = True
            _attributes(scanner)
        elif block[1] == "potential":
            match = scanner.expect(_FAMILY, "'( node | parents )'")
            child, parents = match[1].split(), (match[2] or "").split()
            if len(child) != 1:
                raise source.error_on(line, f"expected one node before '|', found {len(child)}.")
            potentials.append((child + parents, _attributes(scanner), line))
        else:
            name = scanner.expect(_NAME, "a node name")[0]
            attributes = _attributes(scanner)
            states = _states(source, name, attributes, line)
            variables.append(Declared(name, states, line))
            check_number(source, len(variables))
            originals.append(Declared(_original_name(source, name, attributes), states, line))
    if not variables:
        raise scanner.error("at least one 'node'")
    known = by_name(source, variables)
    original = {v.name: o.name for v, o in zip(variables, originals, strict=True)}
    defined = []
    shapes = [family(source, known, child, parents, line) for (child, *parents), _, line in potentials]
    each = zip(potentials, shapes, strict=True)
    check_tables(source, [(names[0], shape, line) for (names, held, line), shape in each if not held])
    for ((child, *parents), attributes, line), shape in zip(potentials, shapes, strict=True):
        values = _data(source, child, attributes, shape, line)
        defined.append(Defined(original[child], tuple(original[p] for p in parents), values, line))
    return assemble(source, by_name(source, originals), defined)


def _attributes(scanner: Scanner) -> _Attributes:
    scanner.expect(_OPEN, "'{'")
    found: _Attributes = {}
    while match := scanner.take(_ATTRIBUTE):
        if match[1] in found:
            raise scanner.source.error(f"attribute {match[1]!r} is given a second time.", match.start())
        found[match[1]] = match[2], scanner.source.line(match.start())
    scanner.expect(_CLOSE, "'attribute = value;' or '}'")
    return found


def _states(source: Source, name: str, attributes: _Attributes, line: int) -> tuple[str, ...]:
    value, line = attributes.get("states", ("", line))
    if not _STATES.fullmatch(value):
        raise source.error_on(line, f'expected states = ("..." "..."); for node {name!r}.')
    return tuple(unquote(state) if state[0] == '"' else state for state in _STATE.findall(value))


def _original_name(source: Source, name: str, attributes: _Attributes) -> str:
    if "bayesloom_name" not in attributes:
        return name
    value, line = attributes["bayesloom_name"]
    if not _STRING.fullmatch(value.strip()) or not (original := unquote(value.strip())):
        raise source.error_on(line, f"expected a string with the original name of {name!r}.")
    return original


def _data(source: Source, child: str, attributes: _Attributes, shape: tuple[int, ...], line: int) -> Floats:
    if "data" in attributes:
        value, line = attributes["data"]
        return numbers(source, value.translate(_GROUPING).split(), line)
    if others := sorted(attributes):
        raise source.error_on(line, f"the potential of {child!r} has {others[0]!r} instead of 'data'.")
    import numpy as np

    return np.full(math.prod(shape), 1 / shape[-1])


def write(network: AnyNetwork) -> str:
    """Return a network as HUGIN NET."""
    return "".join(_lines(fitted(network, "NET")))


def _lines(network: FittedNetwork) -> Iterator[str]:
    names = _names.plain_names(network.names, _PLAIN, _RESERVED)
    yield "net\n{\n}\n"
    for name, original, states in zip(names, network.names, network.states, strict=True):
        yield f"node {name}\n{{\n  states = ({' '.join(map(quote, states))});\n"
        if name != original:
            yield f"  label = {quote(original)};\n  bayesloom_name = {quote(original)};\n"
        yield "}\n"
    for i, parents in enumerate(network.network.parent_indices):
        given = f" | {' '.join(names[j] for j in parents)}" if parents else ""
        yield f"potential ({names[i]}{given})\n{{\n  data = {_nested(network.tables[i].tolist())};\n}}\n"


def _nested(values: list[object]) -> str:
    """Numbers in parentheses, one pair for each axis."""
    if isinstance(values[0], list):
        return "(" + "\n  ".join(_nested(inner) for inner in values if isinstance(inner, list)) + ")"
    return "(" + " ".join(map(repr, values)) + ")"


FORMAT = Format("NET", (".net",), read, write, holds_probabilities=True)
