"""compare: the four kinds of edges, the distances, and the sentence."""

from __future__ import annotations

import pytest

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
