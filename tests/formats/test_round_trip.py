"""What is written reads back the same: names, states, parents, and numbers to the last bit."""

from __future__ import annotations

import gzip
import io
import resource

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesloom.errors import ResourceError
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.formats import FORMATS, format_of, read_network, write_network
from bayesloom.networks.formats._format import Source
from bayesloom.networks.generate import random_network
from bayesloom.networks.network import Network
from made.data import NETWORKS, needs_data

FITTED = [".bif", ".xmlbif", ".net", ".json"]
STRUCTURE = [".json", ".dot", ".graphml", ".modelstring"]


def through(network, extension):
    """Write to text and read back, without a file."""
    format = format_of("x" + extension)
    return format.read(Source("x" + extension, format.write(network).encode()))


@pytest.mark.parametrize("gz", ["", ".gz"])
@pytest.mark.parametrize("extension", [e for f in FORMATS for e in f.extensions])
def test_every_ending_round_trips_through_a_file(tmp_path, six, extension, gz):
    path = tmp_path / f"net{extension}{gz}"
    six.write(path)
    expected = six if extension == ".json" or format_of(path).holds_probabilities else six.network
    assert read_network(path) == expected
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("extension", FITTED)
def test_odd_names_and_states_survive(odd, extension):
    assert through(odd, extension) == odd


@pytest.mark.parametrize("extension", [".json", ".dot", ".graphml"])
def test_odd_names_survive_without_probabilities(odd, extension):
    assert through(odd.network, extension) == odd.network


@pytest.mark.parametrize("extension", STRUCTURE)
def test_structures_round_trip(extension):
    for seed in range(20):
        network = random_network(12, max_parents=4, states=(1, 1), seed=seed).network
        assert through(network, extension) == network
    assert through(Network("A", {}), extension) == Network("A", {})


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)


@pytest.mark.parametrize("extension", FITTED)
@settings(max_examples=60)
@given(data=st.data())
def test_any_names_states_and_numbers_survive(extension, data):
    n = data.draw(st.integers(1, 4))
    variables = data.draw(st.lists(names, min_size=n, max_size=n, unique=True))
    states = [data.draw(st.lists(names, min_size=1, max_size=3, unique=True)) for _ in range(n)]
    parents = [
        data.draw(st.lists(st.integers(0, i - 1), max_size=2, unique=True)) if i else [] for i in range(n)
    ]
    network = Network(variables, parents)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    tables = [
        rng.dirichlet([0.3] * len(states[i]), [len(states[j]) for j in up])
        for i, up in enumerate(map(sorted, parents))
    ]
    tables = [
        np.asarray(t).reshape([len(states[j]) for j in (*sorted(parents[i]), i)])
        for i, t in enumerate(tables)
    ]
    fitted = FittedNetwork(network, states, tables)
    assert through(fitted, extension) == fitted


@pytest.mark.parametrize("extension", FITTED)
def test_extreme_numbers_survive(extension):
    table = [5e-324, 1e-300, 0.1 + 0.2, 1 - 0.1 - 0.2]
    fitted = FittedNetwork(Network("A", {}), [list("abcd")], [table])
    assert through(fitted, extension).cpt("A").tolist() == table


def test_the_order_of_parents_in_a_file_does_not_matter():
    text = """network n { } variable c { type discrete [2] { x, y }; }
    variable a { type discrete [2] { p, q }; }
    variable b { type discrete [3] { u, v, w }; }
    probability (a) { table 0.5, 0.5; } probability (b) { table 0.2 0.3 0.5; }
    probability (c | b, a) { (u, p) 0.1, 0.9; (u, q) 0.2, 0.8; (v, p) 0.3, 0.7; (v, q) 0.4, 0.6;
      default 0.5, 0.5; }"""
    fitted = format_of("x.bif").read(Source("x.bif", text.encode()))
    assert fitted.network.parents["c"] == ("a", "b")
    assert fitted.cpt("c")[:, :, 0].tolist() == [[0.1, 0.3, 0.5], [0.2, 0.4, 0.5]]


def test_bif_as_others_write_it():
    """JavaBayes: quoted names, no bar, no commas, an unlabelled table, comments, properties."""
    text = """// dog problem
    network "Dog-Problem" { property "credal-set constant 1.1" ; }
    variable "light on" { type discrete[2] { "true" "false" }; property "position = (218, 195)" ; }
    variable family-out { type discrete[2] { "true" "false" }; }  /* a
    comment */
    probability ( "light on" "family-out" ) { table 0.6 0.05 0.4 0.95 ; }
    probability ( family-out ) { property x; table 0.15, 0.85; }"""
    fitted = format_of("dog.bif").read(Source("dog.bif", text.encode()))
    assert fitted.names == ("light on", "family-out")
    assert fitted.states[0] == ("true", "false")
    assert fitted.cpt("light on").tolist() == [[0.6, 0.4], [0.05, 0.95]]


def test_net_as_others_write_it():
    """pgmpy and pyAgrum: states without quotes, an empty bar, comments, other attributes, no data."""
    text = """net { node_size = (80 40); } % comment
    node A{ states = ("a %1"  "b"); label = "x { } ;"; }
    discrete node B { states = (u v w ); }
    potential (A |){ data = [0]; }""".replace("[0]", "(0.25 0.75)")
    text += "potential ( B | A ) { }"
    fitted = format_of("x.net").read(Source("x.net", text.encode()))
    assert fitted.states == (("a %1", "b"), ("u", "v", "w"))
    assert fitted.cpt("B").tolist() == [[1 / 3] * 3] * 2


def test_xmlbif_as_others_write_it():
    text = """<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> ]>
    <BIF VERSION="0.3"><NETWORK><NAME>n</NAME><PROPERTY>p</PROPERTY>
    <VARIABLE><NAME> caf\u00e9 </NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
    <DEFINITION><FOR>caf\u00e9</FOR><TABLE>0.25 <!-- b --> 0.75</TABLE></DEFINITION></NETWORK></BIF>"""
    fitted = format_of("x.xml").read(Source("x.xml", text.encode("latin1")))
    assert fitted.cpt("café").tolist() == [0.25, 0.75]


def test_dot_as_people_write_it():
    text = """# drawing
    strict digraph net { rankdir=LR; node [shape=box];
    A -> B -> "C c" [color=red]; D /* alone */ A -> B; 1.5 }"""
    network = format_of("x.dot").read(Source("x.dot", text.encode()))
    assert network.names == ("A", "B", "C c", "D", "1.5")
    assert network.edges == [("A", "B"), ("B", "C c")]


def test_networkx_reads_our_graphml(odd):
    graph = networkx.read_graphml(io.BytesIO(format_of("x.graphml").write(odd).encode()))
    assert list(graph.nodes) == list(odd.names)
    assert set(graph.edges) == set(odd.network.edges)
    assert graph.edges["net", "x"]["compelled"] is False
    assert graph.edges["1st", "X%20"]["compelled"] is True


@pytest.mark.filterwarnings("ignore:scipy not found:ImportWarning")  # of networkx 3.0
def test_we_read_networkx_s_graphml(six):
    text = "\n".join(networkx.generate_graphml(networkx.DiGraph(six.network.edges)))
    network = format_of("x.graphml").read(Source("x.graphml", text.encode()))
    assert set(network.edges) == set(six.network.edges)


def test_the_same_network_gives_the_same_bytes(tmp_path, six):
    for extension in (".bif.gz", ".json"):
        a, b = tmp_path / f"a{extension}", tmp_path / f"b{extension}"
        six.write(a)
        six.write(b)
        assert a.read_bytes() == b.read_bytes()


def test_written_bif_is_plain_where_names_are():
    fitted = FittedNetwork(
        Network("AB", {"B": ["A"]}), [["0", "1"], ["n", "y"]], [[0.5, 0.5], [[1, 0], [0.1, 0.9]]]
    )
    assert format_of("x.bif").write(fitted) == (
        "network unknown {\n}\n"
        "variable A {\n  type discrete [ 2 ] { 0, 1 };\n}\n"
        "variable B {\n  type discrete [ 2 ] { n, y };\n}\n"
        "probability ( A ) {\n  table 0.5, 0.5;\n}\n"
        "probability ( B | A ) {\n  (0) 1.0, 0.0;\n  (1) 0.1, 0.9;\n}\n"
    )


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, six):
    path = tmp_path / "net.bif"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
    try:
        with pytest.raises(ResourceError, match=r"net\.bif: cannot be written: file too large\.$"):
            six.write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


FILES = sorted(NETWORKS.glob("*.bif.gz"))


@needs_data
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_published_networks_round_trip(path, tmp_path):
    """All 21: read, and through each format with probabilities equal to the last bit."""
    fitted = read_network(path)
    text = gzip.decompress(path.read_bytes()).decode()
    assert len(fitted.names) == text.count("\nvariable ")
    for extension in FITTED:
        write_network(fitted, tmp_path / f"net{extension}")
        assert read_network(tmp_path / f"net{extension}") == fitted


@needs_data
def test_there_are_21_published_networks():
    assert len(FILES) == 21
