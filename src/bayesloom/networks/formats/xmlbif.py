"""XMLBIF 0.3, the XML form of BIF, as JavaBayes, Weka, pgmpy and pyAgrum use it.

    <BIF VERSION="0.3"><NETWORK><NAME/>
      <VARIABLE TYPE="nature"><NAME/> <OUTCOME/>... </VARIABLE>...
      <DEFINITION><FOR/> <GIVEN/>... <TABLE/></DEFINITION>...
    </NETWORK></BIF>

In a table the GIVENs vary as listed, the last fastest but for FOR itself, which is the innermost.
Numbers are written so that they read back to the last bit. White space around a name does not count,
unless ``xml:space="preserve"`` says so, which the writer adds where it must.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bayesloom.networks.formats import _xml
from bayesloom.networks.formats._assemble import Declared, Defined, assemble, by_name, numbers
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, fitted

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork


def read(source: Source) -> FittedNetwork:
    """Read an XMLBIF file."""
    root = _xml.parse(source)
    if root.tag != "BIF":
        raise source.error_on(root.line, f"expected <BIF>, found <{root.tag}>.")
    _xml.check_children(source, root, frozenset({"NETWORK"}))
    network = _only(source, root, "NETWORK")
    _xml.check_children(source, network, frozenset({"NAME", "PROPERTY", "VARIABLE", "DEFINITION"}))
    variables = [_variable(source, element) for element in network.all("VARIABLE")]
    if not variables:
        raise source.error_on(network.line, "expected at least one <VARIABLE>.")
    definitions = [_definition(source, element) for element in network.all("DEFINITION")]
    return assemble(source, by_name(source, variables), definitions)


def _only(source: Source, parent: _xml.Element, tag: str) -> _xml.Element:
    found = list(parent.all(tag))
    if len(found) != 1:
        raise source.error_on(parent.line, f"expected one <{tag}> in <{parent.tag}>, found {len(found)}.")
    return found[0]


def _variable(source: Source, element: _xml.Element) -> Declared:
    kind = element.attributes.get("TYPE", "nature")
    if kind != "nature":
        raise source.error_on(element.line, f"variables of type {kind!r} are not part of a Bayesian network.")
    _xml.check_children(source, element, frozenset({"NAME", "OUTCOME", "PROPERTY"}))
    name = _word(source, _only(source, element, "NAME"))
    states = []
    for outcome in element.all("OUTCOME"):
        _xml.check_children(source, outcome, frozenset())
        states.append(outcome.word())
    return Declared(name, tuple(states), element.line)


def _definition(source: Source, element: _xml.Element) -> Defined:
    _xml.check_children(source, element, frozenset({"FOR", "GIVEN", "TABLE", "PROPERTY"}))
    table = _only(source, element, "TABLE")
    _xml.check_children(source, table, frozenset())
    return Defined(
        _word(source, _only(source, element, "FOR")),
        tuple(_word(source, given) for given in element.all("GIVEN")),
        numbers(source, table.text.split(), table.line),
        element.line,
    )


def _word(source: Source, element: _xml.Element) -> str:
    _xml.check_children(source, element, frozenset())
    if not (word := element.word()):
        raise source.error_on(element.line, f"expected a name in <{element.tag}>.")
    return word


def write(network: AnyNetwork) -> str:
    """Return a network as XMLBIF."""
    return "".join(_lines(fitted(network, "XMLBIF")))


def _lines(network: FittedNetwork) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n<NAME>unknown</NAME>\n'
    for name, states in zip(network.names, network.states, strict=True):
        yield f'<VARIABLE TYPE="nature">\n  {_xml.element("NAME", name)}\n'
        yield from (f"  {_xml.element('OUTCOME', state)}\n" for state in states)
        yield "</VARIABLE>\n"
    for name, parents in network.network.parents.items():
        yield f"<DEFINITION>\n  {_xml.element('FOR', name)}\n"
        yield from (f"  {_xml.element('GIVEN', parent)}\n" for parent in parents)
        table = network.cpt(name)
        rows = table.reshape(-1, table.shape[-1]).tolist()
        numbers_by_row = "\n    ".join(" ".join(map(repr, row)) for row in rows)
        yield f"  <TABLE>\n    {numbers_by_row}\n  </TABLE>\n</DEFINITION>\n"
    yield "</NETWORK>\n</BIF>\n"


FORMAT = Format("XMLBIF", (".xmlbif", ".bifxml", ".xml"), read, write, holds_probabilities=True)
