"""BIF, the Interchange Format 0.15 for Bayesian networks, as pgmpy, pyAgrum and bnlearn use it.

    file        := network (variable | probability)*
    network     := "network" NAME "{" property* "}"
    variable    := "variable" NAME "{" type property* "}"
    type        := "type" "discrete" "[" INT "]" "{" STATE ("," STATE)* "}" ";"
    probability := "probability" "(" NAME ["|" NAME ("," NAME)*] ")" "{" (row | property)* "}"
    row         := ("(" STATE ("," STATE)* ")" | "table" | "default") NUMBER (","? NUMBER)* ";"
    property    := "property" TEXT ";"        comments: // and /* */

The reader takes quoted names, commas or white space between items, and the older header without ``|``.
A ``table`` for a variable with parents has the standard's order: the variable slowest, the last
parent fastest. The writer labels every row, which leaves no order to guess, writes the shortest
numbers that read back to the last bit, and keeps names that are not plain in two properties,
``bayesloom_name`` and ``bayesloom_states``.

A probability block is read row by row with one regular expression, and its numbers in one go:
half a million numbers take about half a second.
"""

from __future__ import annotations

import itertools
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
from bayesloom.networks.formats._scanner import COMMENT, STRING, Comments, Scanner, unquote

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork, Floats

# The two slashes of an address, as in property url = http://..., begin no comment.
_COMMENTS = Comments("/", r"(?<=:)//|/(?![/*])", rf"//[^\n]*+|{COMMENT}")
_BLOCK = re.compile(r"(network|variable|probability)\b")
_HEAD = re.compile(rf'([^"{{}}();]*+(?:{STRING}[^"{{}}();]*+)*+)\{{', re.DOTALL)
_FAMILY = re.compile(rf'\(([^"{{}}();]*+(?:{STRING}[^"{{}}();]*+)*+)\)\s*+\{{', re.DOTALL)
_TYPE = re.compile(
    rf'type\s++discrete\s*+\[\s*+(\d{{1,9}})\s*+\]\s*+\{{([^"{{}};]*+(?:{STRING}[^"{{}};]*+)*+)\}}\s*+;',
    re.DOTALL,
)
_PROPERTY = re.compile(rf'property\b([^;"{{}}]*+(?:{STRING}[^;"{{}}]*+)*+);', re.DOTALL)
_ROW = re.compile(rf'(?:\(([^()";]*+(?:{STRING}[^()";]*+)*+)\)|(table|default)\b)([^;{{}}()"]*+);', re.DOTALL)
_CLOSE = re.compile(r"\}")
_STRING = re.compile(STRING, re.DOTALL)
_ITEM = re.compile(rf'{STRING}|[^\s,"]++', re.DOTALL)
_OWN = re.compile(r"\s*+(bayesloom_(?:name|states))\s*+=\s*+(\S*+)\s*+")

#: Names that every reader takes without quotes. pyAgrum reads 12 and 1_a, but not 1.5, 1-2 or 1e5.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*+|[0-9]++(?:(?![eE][0-9])[A-Za-z_][A-Za-z0-9_]*+)?")
_RESERVED = frozenset(
    {"network", "variable", "probability", "property", "type", "discrete", "table", "default"}
)


def read(source: Source) -> FittedNetwork:
    """Read a BIF file."""
    scanner = Scanner(source, _COMMENTS.blanked(source))
    variables: list[_Variable] = []
    blocks: list[_Block] = []
    networks = False
    while not scanner.at_end():
        match scanner.expect(_BLOCK, "'network', 'variable' or 'probability'")[1]:
            case "network":
                if networks:
                    raise source.error("there is a second 'network' block.", scanner.position)
                networks = True
                scanner.expect(_HEAD, "a name and '{'")
                while scanner.take(_PROPERTY):
                    pass
                scanner.expect(_CLOSE, "'property' or '}'")
            case "variable":
                variables.append(_Variable(scanner))
                check_number(source, len(variables))
            case _:
                blocks.append(_Block(scanner))
    if not variables:
        raise scanner.error("at least one 'variable' block")
    # In the file variables go by their plain names; originals take over when all is resolved.
    known = by_name(source, (v.declared for v in variables))
    by_name(source, (v.original for v in variables))
    original = {v.declared.name: v.original for v in variables}
    check_tables(source, ((b.child, b.shape(known), b.line) for b in blocks if b.has_default))
    defined = (block.resolve(known) for block in blocks)
    return assemble(
        source,
        {v.name: v for v in original.values()},
        (
            Defined(original[d.child].name, tuple(original[p].name for p in d.parents), d.values, d.place)
            for d in defined
        ),
    )


class _Variable:
    """A variable block: what it is called in this file, and what it was called before."""

    def __init__(self, scanner: Scanner) -> None:
        line = scanner.source.line(scanner.position)
        name = _single(scanner, scanner.expect(_HEAD, "a variable name and '{'")[1])
        match = scanner.expect(_TYPE, "'type discrete [ count ] { states };'")
        states = _items(match[2])
        if int(match[1]) != len(states):
            raise scanner.source.error(
                f"variable {name!r} says it has {match[1]} states and lists {len(states)}.", match.start()
            )
        own: dict[str, str] = {}
        while found := scanner.take(_PROPERTY):
            if mine := _OWN.fullmatch(found[1]):
                if mine[1] in own:
                    raise scanner.source.error(f"{mine[1]} is given a second time.", found.start())
                own[mine[1]] = mine[2]
        scanner.expect(_CLOSE, "'property' or '}'")
        self.declared = Declared(name, tuple(states), line)
        try:
            name = _names.decode(own.get("bayesloom_name", _names.encode(name)))
            if "bayesloom_states" in own:
                given = own["bayesloom_states"].split(",")
                states = [_names.decode(state) for state in given] if len(given) == len(states) else []
        except ValueError:
            name = ""
        if not name or len(states) != len(self.declared.states):
            raise scanner.source.error_on(
                line, f"the property with the original names of {self.declared.name!r} is damaged."
            )
        self.original = Declared(name, tuple(states), line)


class _Block:
    """A probability block: its rows, with labels not yet looked up."""

    def __init__(self, scanner: Scanner) -> None:
        self.source = scanner.source
        self.line = self.source.line(scanner.position)
        head = scanner.expect(_FAMILY, "'( variable | parents ) {'")[1]
        bare = _STRING.sub(lambda m: "_" * len(m[0]), head)
        if (bar := bare.find("|")) >= 0:
            self.child, self.parents = _single(scanner, head[:bar]), tuple(_items(head[bar + 1 :]))
        else:
            names = _items(head)
            self.child, self.parents = (names[0] if names else ""), tuple(names[1:])
        self.rows: list[re.Match[str]] = []
        while True:
            if row := scanner.take(_ROW):
                self.rows.append(row)
            elif not scanner.take(_PROPERTY):
                break
        scanner.expect(_CLOSE, "a row '(states) numbers;', 'table', 'default' or '}'")

    @property
    def has_default(self) -> bool:
        """Whether one row stands for many."""
        return any(row[2] == "default" for row in self.rows)

    def shape(self, known: dict[str, Declared]) -> tuple[int, ...]:
        """Return the numbers of states of the parents and of the child."""
        return family(self.source, known, self.child, self.parents, self.line)

    def resolve(self, known: dict[str, Declared]) -> Defined:
        """Look the labels up and put the numbers in order."""
        shape = self.shape(known)
        tables = [row for row in self.rows if row[2] == "table"]
        if tables:
            values = self._unlabelled(tables[0], shape)
        else:
            values = self._labelled(known, shape)
        return Defined(self.child, self.parents, values, self.line)

    def _unlabelled(self, row: re.Match[str], shape: tuple[int, ...]) -> Floats:
        if len(self.rows) > 1:
            raise self._error(self.rows[1], f"'table' must be the only row of {self.child!r}.")
        values = self._numbers([row], math.prod(shape))
        return values.reshape(shape[-1], -1).T.reshape(-1)

    def _labelled(self, known: dict[str, Declared], shape: tuple[int, ...]) -> Floats:
        default = [row for row in self.rows if row[2] == "default"]
        rows = [row for row in self.rows if row[2] is None]
        q, r = math.prod(shape[:-1]), shape[-1]
        if len(default) > 1 or len(rows) > q:
            raise self._error(
                self.rows[-1], f"{self.child!r} has more rows than its parents have joint states, {q}."
            )
        if len(rows) < q and not default:
            raise self.source.error_on(
                self.line, f"{self.child!r} has {len(rows)} rows, its parents have {q} joint states."
            )
        lookup = [{state: k for k, state in enumerate(known[p].states)} for p in self.parents]
        at = [self._position(row, lookup, shape) for row in rows]
        first = {position: k for k, position in reversed(list(enumerate(at)))}
        if len(first) < len(at):
            twice = next(k for k, position in enumerate(at) if first[position] != k)
            raise self._error(rows[twice], f"this row of {self.child!r} is given a second time.")
        import numpy as np

        values = np.empty((q, r))
        if default:
            values[:] = self._numbers(default, r)
        values[at] = self._numbers(rows, r).reshape(-1, r)
        return values.reshape(-1)

    def _position(self, row: re.Match[str], lookup: list[dict[str, int]], shape: tuple[int, ...]) -> int:
        labels = _items(row[1])
        if len(labels) != len(lookup):
            raise self._error(row, f"expected {len(lookup)} parent states, found {len(labels)}.")
        position = 0
        try:
            for label, states, cardinality in zip(labels, lookup, shape, strict=False):
                position = position * cardinality + states[label]
        except KeyError as unknown:
            raise self._error(row, f"{unknown} is not a state of this parent of {self.child!r}.") from None
        return position

    def _numbers(self, rows: list[re.Match[str]], per_row: int) -> Floats:
        tokens: list[str] = []
        for k, row in enumerate(rows, start=1):
            tokens += row[3].replace(",", " ").split()
            if len(tokens) != k * per_row:
                found = len(tokens) - (k - 1) * per_row
                raise self._error(row, f"expected {per_row} numbers for {self.child!r}, found {found}.")
        try:
            return numbers(self.source, tokens, self.line)
        except ValueError:
            for row in rows:  # find the row, for the line in the message
                numbers(self.source, row[3].replace(",", " ").split(), self.source.line(row.start()))
            raise

    def _error(self, row: re.Match[str], message: str) -> Exception:
        return self.source.error(message, row.start())


def _items(raw: str) -> list[str]:
    """Names between commas, or between white space if there are no commas; quoted ones as they are."""
    if '"' in raw:
        return [unquote(item) if item[0] == '"' else item for item in _ITEM.findall(raw)]
    if "," in raw:
        return [item for part in raw.split(",") if (item := part.strip())]
    return raw.split()


def _single(scanner: Scanner, raw: str) -> str:
    """One name: a quoted string, or all there is, which pgmpy allows to be several words."""
    name = raw.strip()
    if _STRING.fullmatch(name):
        name = unquote(name)
    elif '"' in name:
        name = ""
    if not name:
        raise scanner.source.error("expected a name.", scanner.position)
    return name


def write(network: AnyNetwork) -> str:
    """Return a network as BIF."""
    return "".join(_lines(fitted(network, "BIF")))


def _lines(network: FittedNetwork) -> Iterator[str]:
    names = _names.plain_names(network.names, _PLAIN, _RESERVED)
    states = [_names.plain_names(given, _PLAIN, _RESERVED) for given in network.states]
    yield "network unknown {\n}\n"
    for i, name in enumerate(names):
        yield f"variable {name} {{\n  type discrete [ {len(states[i])} ] {{ {', '.join(states[i])} }};\n"
        if name != network.names[i]:
            yield f"  property bayesloom_name = {_names.encode(network.names[i])} ;\n"
        if states[i] != list(network.states[i]):
            yield f"  property bayesloom_states = {','.join(map(_names.encode, network.states[i]))} ;\n"
        yield "}\n"
    for i, parents in enumerate(network.network.parent_indices):
        rows = network.tables[i].reshape(-1, len(states[i]))
        if not parents:
            yield f"probability ( {names[i]} ) {{\n  table {', '.join(map(repr, rows[0].tolist()))};\n}}\n"
            continue
        yield f"probability ( {names[i]} | {', '.join(names[j] for j in parents)} ) {{\n"
        labels = itertools.product(*(states[j] for j in parents))
        written: dict[bytes, str] = {}  # with many parents most rows are that of no data at all
        for label, row in zip(labels, rows, strict=True):
            key = row.tobytes()
            if (numbers_of_row := written.get(key)) is None:
                numbers_of_row = written[key] = ", ".join(map(repr, row.tolist()))
            yield f"  ({', '.join(label)}) {numbers_of_row};\n"
        yield "}\n"


FORMAT = Format("BIF", (".bif",), read, write, holds_probabilities=True)
