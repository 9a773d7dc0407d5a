"""Why edges are compelled: every reason given is one, checked by its definition on random networks."""

from __future__ import annotations

from collections import Counter

import pytest

import bayesloom as bl
from bayesloom.report.reasons import in_words, reasons_of


def joined(network, a, b):
    return (a, b) in network.edges or (b, a) in network.edges


def holds(network, edge, reason):
    """Whether a reason is what it says, of the edge as it stands in the network and its class."""
    (a, b), (kind, shown) = edge, reason
    fixed = set(network.cpdag.compelled)
    match kind:
        case "v-structure":
            (c,) = shown
            return (c, b) in network.edges and not joined(network, a, c)
        case "new v-structure":
            (c,) = shown
            return (c, a) in fixed and not joined(network, c, b)
        case "cycle":
            (c,) = shown
            return {(a, c), (c, b)} <= fixed
        case "both":
            c, d = shown
            return (
                {(c, b), (d, b)} <= fixed
                and joined(network, a, c)
                and joined(network, a, d)
                and not joined(network, c, d)
            )
        case "reversible":
            return edge not in fixed
    return False


def test_every_edge_of_random_networks_has_a_reason_that_holds():
    seen = Counter()
    for seed in range(250):
        network = bl.random_network(7 + seed % 6, max_parents=3, seed=seed).network
        found = reasons_of(network, network.cpdag)
        assert set(found) == set(network.edges)
        for edge, reason in found.items():
            assert holds(network, edge, reason), (seed, edge, reason)
            seen[reason[0]] += 1
    assert {"v-structure", "new v-structure", "cycle", "reversible"} <= set(seen)


def test_two_edges_that_would_have_to_turn():
    """d - a, a -> c <- b with b, c beside: the textbook case of the third rule."""
    network = bl.Network("acdb", {"c": ["a"], "d": ["a"], "b": ["a", "c", "d"]})
    found = reasons_of(network, network.cpdag)
    assert found["a", "b"] == ("both", ("c", "d"))
    assert holds(network, ("a", "b"), found["a", "b"])
    assert "c and d would have to point to a" in in_words(("a", "b"), found["a", "b"])


@pytest.mark.parametrize(("rules", "kind"), [({"leaves": ["c"]}, "constraints"), ({}, "reversible")])
def test_constraints_are_a_reason(rules, kind):
    network = bl.Network("abc", {"b": ["a"], "c": ["b"]})
    assert reasons_of(network, network.cpdag_under(rules))["b", "c"][0] == kind
