"""GraphML: the structure, for networkx, igraph, Gephi, yEd and Cytoscape.

A node's identifier is the variable's name, so that networkx gives nodes by name; every edge says whether
it is ``compelled``, unless that was not found out. The reader takes any directed GraphML without nested
graphs and looks at nodes and edges only.
"""

from __future__ import annotations

from collections.abc import Iterator

from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Cpdag
from bayesloom.networks.formats import _xml
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure
from bayesloom.networks.network import Network


def read(source: Source) -> Network:
    """Read the structure from GraphML."""
    root = _xml.parse(source)
    graphs = list(root.all("graph"))
    if root.tag != "graphml" or len(graphs) != 1:
        raise source.error_on(
            root.line, f"expected <graphml> with one <graph>, found <{root.tag}> with {len(graphs)}."
        )
    graph = graphs[0]
    if graph.attributes.get("edgedefault") != "directed":
        raise source.error_on(graph.line, 'expected a graph with edgedefault="directed".')
    for node in graph.children:
        if node.tag not in ("node", "edge", "data", "desc"):
            raise source.error_on(
                node.line, f"<{node.tag}> in <graph> is not read; expected nodes and edges."
            )
        if any(inner.tag == "graph" for inner in node.children):
            raise source.error_on(node.line, f"a <{node.tag}> with a graph inside is not read.")
    names = [_attribute(source, node, "id") for node in graph.all("node")]
    edges = [
        (_attribute(source, edge, "source"), _attribute(source, edge, "target"))
        for edge in graph.all("edge")
        if edge.attributes.get("directed", "true") == "true"
    ]
    if len(edges) < sum(1 for _ in graph.all("edge")):
        raise source.error_on(graph.line, "the graph has an undirected edge.")
    try:
        return Network.from_edges(names, edges)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def _attribute(source: Source, element: _xml.Element, name: str) -> str:
    if not (value := element.attributes.get(name)):
        raise source.error_on(element.line, f'expected <{element.tag}> to have {name}="...".')
    return value


def write(network: AnyNetwork) -> str:
    """Return the structure as GraphML."""
    return write_directed(network, structure(network).cpdag)


def write_directed(network: AnyNetwork, picture: Cpdag) -> str:
    """Return the structure as GraphML, each edge as the picture directs it."""
    return "".join(_lines(structure(network), picture))


def _lines(network: Network, picture: Cpdag) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '  <key id="compelled" for="edge" attr.name="compelled" attr.type="boolean"/>\n'
    yield '  <graph edgedefault="directed">\n'
    yield from (f'    <node id="{_xml.text(name)}"/>\n' for name in network.names)
    compelled, undecided = set(picture.compelled), set(picture.undecided)
    for source, target in network.edges:
        value = "true" if (source, target) in compelled else "false"
        known = "" if (source, target) in undecided else f'<data key="compelled">{value}</data>'
        yield f'    <edge source="{_xml.text(source)}" target="{_xml.text(target)}">{known}</edge>\n'
    yield "  </graph>\n</graphml>\n"


FORMAT = Format(
    "GraphML", (".graphml",), read, write, holds_probabilities=False, write_directed=write_directed
)
