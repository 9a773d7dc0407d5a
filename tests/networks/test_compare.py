"""compare: the four kinds of edges, the distances, and the sentence."""

from __future__ import annotations

import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.networks.comparison import compare
from bayesloom.networks.network import Network


def test_every_edge_is_kept_reversed_missing_or_added():
    network = Network("ABCDE", {"B": ["A"], "C": ["B"], "E": ["D"]})
    reference = Network("EDCBA", {"B": ["A", "C"], "D": ["C"]})
    result = compare(network, reference)
    assert result.kept == (("A", "B"),)
    assert result.reversed == (("B", "C"),)
    assert result.missing == (("C", "D"),)
    assert result.added == (("D", "E"),)
    assert result.distance_dag == len(result.reversed) + len(result.missing) + len(result.added)
    assert not result.same_class


def test_equivalent_networks_differ_in_directions_only():
    result = compare(Network("ABC", {"B": ["A"], "C": ["B"]}), Network("ABC", {"A": ["B"], "B": ["C"]}))
    assert (result.distance_dag, result.distance_cpdag, result.distance_moral) == (2, 0, 0)
    assert result.same_class
    assert str(result) == (
        "edges: 0 kept, 2 reversed, 0 missing, 0 added\n"
        "distance: 2 (network), 0 (class), 0 (moral graph)\n"
        "class: same"
    )


def test_other_variables_are_an_error():
    with pytest.raises(InputError, match="different variables: 'A', 'B'"):
        compare(Network("A", {}), Network("B", {}))


def test_whatever_holds_a_network_is_compared_and_scored():
    table = bl.random_network(5, seed=2).sample(300, seed=2)
    result = bl.learn(table)
    for one in (result, result.network, result.fit()):
        assert bl.compare(one, result).distance_dag == 0
        assert bl.network_scores(one, table) == bl.network_scores(result.network, table)
        assert bl.learn(table, start=one).score == result.score
    for wrong in (table, "[a][b|a]", {"b": ["a"]}, None, bl.Network):
        with pytest.raises(TypeError, match=f"expected a network: .*; got {type(wrong).__name__}"):
            bl.compare(result, wrong)
        if wrong is not None:
            with pytest.raises(TypeError, match="expected a network"):
                bl.learn(table, start=wrong)
    with pytest.raises(InputError, match=r"use Network\.from_edges"):
        bl.Network(["a", "b"], [("a", "b")])


class Graph:
    """What graphs of networkx and models of pgmpy show."""

    def __init__(self, nodes, edges, directed=True):
        self.nodes, self.edges, self.directed = nodes, edges, directed

    def is_directed(self):
        return self.directed


def test_graphs_of_other_packages():
    network = bl.Network.from_graph(Graph(["a", 1, "c"], [("a", 1), (1, "c", {"weight": 2})]))
    assert network == bl.Network(["a", "1", "c"], {"1": ["a"], "c": ["1"]})
    with pytest.raises(InputError, match="undirected"):
        bl.Network.from_graph(Graph(["a"], [], directed=False))
    with pytest.raises(InputError, match="cycle"):
        bl.Network.from_graph(Graph(["a", "b"], [("a", "b"), ("b", "a")]))
