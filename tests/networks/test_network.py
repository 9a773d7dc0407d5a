"""Network: construction, questions, comparisons, and every error message."""

from __future__ import annotations

import pickle
import sys

import pytest

from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Cpdag
from bayesloom.networks.network import Network

DIAMOND = {"B": ["A"], "C": ["A"], "D": ["B", "C"]}


@pytest.fixture
def diamond() -> Network:
    return Network("ABCD", DIAMOND)


def test_parents_by_name_and_by_index_give_the_same_network(diamond):
    assert diamond == Network("ABCD", [[], [0], [0], [2, 1]])
    assert diamond.parent_indices == ((), (0,), (0,), (1, 2))
    assert diamond.parents == {"A": (), "B": ("A",), "C": ("A",), "D": ("B", "C")}
    assert diamond.edges == [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")]
    assert diamond == Network.from_edges("ABCD", diamond.edges)


def test_a_network_is_a_value(diamond):
    same = Network("ABCD", DIAMOND)
    assert {diamond: 1}[same] == 1
    assert pickle.loads(pickle.dumps(diamond)) == diamond
    assert diamond != Network("ABCD", {})
    assert diamond != Network("BACD", DIAMOND)
    assert diamond != "ABCD"
    assert repr(diamond) == "<Network: 4 variables, 4 edges>"
    with pytest.raises(AttributeError):
        diamond.names = ()  # type: ignore[misc]


def test_questions_about_a_variable(diamond):
    assert diamond.order == ("A", "B", "C", "D")
    assert diamond.children("A") == ("B", "C")
    assert diamond.children("D") == ()
    assert diamond.markov_blanket("B") == ("A", "C", "D")
    assert diamond.index("C") == 2
    assert diamond.moral_edges == [("A", "B"), ("A", "C"), ("B", "C"), ("B", "D"), ("C", "D")]


def test_cpdag_of_the_diamond(diamond):
    assert diamond.cpdag.compelled == (("B", "D"), ("C", "D"))
    assert diamond.cpdag.reversible == (("A", "B"), ("A", "C"))
    assert diamond.cpdag is diamond.cpdag
    assert diamond.cpdag.network().is_equivalent(diamond)


def test_covered_edges_and_equivalence(diamond):
    assert diamond.is_covered("A", "B")
    assert not diamond.is_covered("B", "D")
    turned = Network("ABCD", {"A": ["B"], "C": ["A"], "D": ["B", "C"]})
    assert diamond.is_equivalent(turned)
    assert not diamond.is_equivalent(Network("ABCD", {"B": ["A"], "C": ["A"], "D": ["B"], "A": []}))


def test_distances_count_pairs_that_are_joined_differently(diamond):
    turned = Network("ABCD", {"A": ["B"], "C": ["A"], "D": ["B", "C"]})
    assert diamond.distance(turned) == 1
    assert diamond.distance(turned, on="cpdag") == 0
    assert diamond.distance(turned, on="moral") == 0
    empty = Network("ABCD", {})
    assert [diamond.distance(empty, on=on) for on in ("dag", "cpdag", "moral")] == [4, 4, 5]


def test_variables_match_by_name(diamond):
    """The same edges over another order of variables are at distance zero and equivalent."""
    other = Network("DCBA", DIAMOND)
    assert other != diamond
    assert diamond.is_equivalent(other)
    assert [diamond.distance(other, on=on) for on in ("dag", "cpdag", "moral")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("names", "parents", "message"),
    [
        ("AA", {}, r"^variable name 'A' is given twice\.$"),
        ([""], {}, r"^a variable name must be a string that is not empty, got ''\.$"),
        ([1], {}, r"^a variable name must be a string that is not empty, got 1\.$"),
        (["\ud800"], {}, r"^'\\ud800' is not valid Unicode; it holds half of a surrogate pair\.$"),
        (["smoke", "lung"], {"lung": ["smoker"]}, r"^unknown variable 'smoker'\. Did you mean 'smoke'\?"),
        ("AB", {"C": ["A"]}, r"^unknown variable 'C'\. Known: A, B\.$"),
        ("AB", {"B": "A"}, r"^the parents of 'B' must be a list of names, got the string 'A'\.$"),
        ("AB", {"B": ["A", "A"]}, r"^the parents of 'B' name a variable twice: A, A\.$"),
        ("AB", {"B": ["B"]}, r"^variable 'B' is given as its own parent\.$"),
        ("AB", [[]], r"^got parents of 1 variables for 2 names\.$"),
        ("AB", [[], [-1]], r"^a parent index is negative; indices count from 0\.$"),
        ("AB", [[], [7]], r"^variable 1 has parent 7, but there are only 2 variables\.$"),
        (
            "ABCD",
            {"B": ["A", "C"], "C": ["B"]},
            r"^the network has a cycle: 'B' -> 'C' -> 'B'\. Remove or turn one of these edges\.$",
        ),
        (map(str, range(1_000_001)), {}, r"^a network has at most 1,000,000 variables, got 1000001\.$"),
    ],
)
def test_what_is_not_a_network_is_refused(names, parents, message):
    with pytest.raises(InputError, match=message):
        Network(list(names), parents)


def test_comparing_networks_over_other_variables_names_them(diamond):
    with pytest.raises(InputError, match=r"^the networks have different variables: 'D', 'E' in only one"):
        diamond.distance(Network("ABCE", {}))
    with pytest.raises(InputError, match=r"'0', '1', '10', '11', '12', \.\.\. in only one"):
        diamond.is_equivalent(Network([str(i) for i in range(50)], {}))
    with pytest.raises(
        InputError, match=r"^unknown graph to measure on 'skeleton'\. Known: cpdag, dag, moral"
    ):
        diamond.distance(diamond, on="skeleton")
    with pytest.raises(InputError, match=r"^unknown variable 'Z'"):
        diamond.markov_blanket("Z")


def test_a_cpdag_that_no_network_has_is_refused():
    square = Cpdag(tuple("ABCD"), (), (("A", "B"), ("B", "C"), ("C", "D"), ("A", "D")))
    with pytest.raises(InputError, match=r"^no network has these compelled and reversible edges"):
        square.network()
    with pytest.raises(InputError, match=r"^the edges name 'Z', which is not a variable\.$"):
        Cpdag(("A",), (("A", "Z"),), ()).network()


def test_networkx_gets_nodes_and_compelled_edges(diamond, sprinkler):
    graph = diamond.to_networkx()
    assert list(graph.nodes) == ["A", "B", "C", "D"]
    assert graph.edges["B", "D"]["compelled"] is True
    assert graph.edges["A", "B"]["compelled"] is False
    fitted = sprinkler.to_networkx()
    assert fitted.nodes["rain"]["states"] == ("no", "yes")
    assert fitted.nodes["wet"]["cpt"].shape == (2, 2, 2)


@pytest.mark.parametrize("library", ["pgmpy", "pyagrum"])
def test_a_library_that_is_not_installed_is_named(library, diamond, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, f"{library}.models", None)
    with pytest.raises(ImportError, match=rf"^{library} is not installed\. .*bayesloom\[{library}\]"):
        getattr(diamond, f"to_{library}")()
