"""Every message of the readers and writers: file, line, what was found, what was expected."""

from __future__ import annotations

import json
import re

import pytest

from bayesloom.errors import InputError
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.formats import format_of, read_network, write_network
from bayesloom.networks.formats._format import Source
from bayesloom.networks.network import Network

BIF = """network n {
}
variable a {
  type discrete [ 2 ] { x, y };
}
variable b {
  type discrete [ 2 ] { u, v };
}
probability ( a ) {
  table 0.5, 0.5;
}
probability ( b | a ) {
  (x) 0.1, 0.9;
  (y) 0.2, 0.8;
}
"""
XML = """<BIF VERSION="0.3">
<NETWORK>
<VARIABLE TYPE="nature">
<NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME>
</VARIABLE>
<DEFINITION>
<FOR>a</FOR>
<TABLE>0.5 0.5</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""
NET = """net
{
}
node a
{
  states = ("x" "y");
}
potential (a)
{
  data = (0.5 0.5);
}
"""
ONE = {"name": "a", "parents": [], "states": ["x", "y"], "table": [[0.5, 0.5]]}
TWO = {"name": "b", "parents": ["a"], "states": ["u", "v"], "table": [[0.1, 0.9], [0.2, 0.8]]}


def read(name, text):
    return format_of(name).read(Source(name, text if isinstance(text, bytes) else text.encode()))


def refused(name, text):
    with pytest.raises(InputError) as error:
        read(name, text)
    return str(error.value)


@pytest.mark.parametrize(("name", "text"), [("n.bif", BIF), ("n.xml", XML), ("n.net", NET)])
def test_the_texts_below_are_good_before_they_are_damaged(name, text):
    assert isinstance(read(name, text), FittedNetwork)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("network n", "nodes", "line 1: expected 'network', 'variable' or 'probability', found 'nodes'."),
        ("n {\n}", "n {\n", "line 3: expected 'property' or '}', found 'variable'."),
        ("variable a {", "variable {", "line 3: expected a name."),
        ("variable a {", 'variable a "b" {', "line 3: expected a name."),
        ("variable a {", "variable a ;", "line 3: expected a variable name and '{', found 'a'."),
        (
            "discrete [ 2 ] { x",
            "real [ 2 ] { x",
            "line 4: expected 'type discrete [ count ] { states };', found 'type'.",
        ),
        ("[ 2 ] { x, y }", "[ 3 ] { x, y }", "line 4: variable 'a' says it has 3 states and lists 2."),
        ("[ 2 ] { x, y }", "[ 2 ] { x, x }", "line 3: the states of 'a' are not distinct."),
        ("[ 2 ] { x, y }", "[ 0 ] { }", "line 3: variable 'a' has no states."),
        ("variable b", "variable a", "line 6: variable 'a' is declared a second time."),
        ("y };\n", "y };\n  wrong\n", "line 5: expected 'property' or '}', found 'wrong'."),
        (
            "y };\n",
            "y };\n property bayesloom_name = %zz ;\n",
            "line 3: the property with the original names of 'a' is damaged.",
        ),
        (
            "y };\n",
            "y };\n property bayesloom_states = q ;\n",
            "line 3: the property with the original names of 'a' is damaged.",
        ),
        ("( a )", "a", "line 9: expected '( variable | parents ) {', found 'a'."),
        ("( a )", "( c )", "line 9: variable 'c' is not declared."),
        ("| a", "| c", "line 12: variable 'c' is not declared."),
        ("| a", "| b", "line 12: the probabilities of 'b' name a variable twice."),
        ("( b | a )", "( a )", "line 14: 'a' has more rows than its parents have joint states, 1."),
        (
            "0.5, 0.5;",
            "0.5, 0.5",
            "line 10: expected a row '(states) numbers;', 'table', 'default' or '}', found 'table'.",
        ),
        ("0.5, 0.5;", "0.5;", "line 10: expected 2 numbers for 'a', found 1."),
        ("0.5, 0.5;", "0.5, half;", "line 10: expected a number, found 'half'."),
        ("0.5, 0.5;", "0.5, 0_5;", "line 10: expected a number, found '0_5'."),
        ("0.5, 0.5;", "0.5, 0.6;", "line 9: the probabilities of 'a' sum to 1.1, expected 1."),
        (
            "0.5, 0.5;",
            "1.5, -0.5;",
            "line 9: the probabilities of 'a' hold a number that is not a probability.",
        ),
        ("0.5, 0.5;", "0.5, 0.5; default 1, 0;", "line 10: 'table' must be the only row of 'a'."),
        ("0.9", "0.8", "line 12: the probabilities of 'b' given a='x' sum to 0.9, expected 1."),
        ("0.9;", "0.9, 0;", "line 13: expected 2 numbers for 'b', found 3."),
        ("0.8;", "eight;", "line 14: expected a number, found 'eight'."),
        ("(y)", "(z)", "line 14: 'z' is not a state of this parent of 'b'."),
        ("(y)", "(y, y)", "line 14: expected 1 parent states, found 2."),
        ("(y)", "(x)", "line 14: this row of 'b' is given a second time."),
        ("  (y) 0.2, 0.8;\n", "", "line 12: 'b' has 1 rows, its parents have 2 joint states."),
        ("0.8;\n", "0.8; (x) 1, 0;\n", "line 14: 'b' has more rows than its parents have joint states, 2."),
    ],
)
def test_damaged_bif(old, new, message):
    assert old in BIF
    assert refused("n.bif", BIF.replace(old, new, 1)).startswith(f"n.bif, {message}")


def test_bif_as_a_whole():
    assert (
        refused("n.bif", "")
        == "n.bif, line 1: expected at least one 'variable' block, found the end of the file."
    )
    assert refused("n.bif", BIF + BIF[BIF.index("probability ( a )") :]).endswith(
        "line 16: the probabilities of 'a' are given a second time."
    )
    missing = BIF[: BIF.index("probability ( b")]
    assert refused("n.bif", missing) == "n.bif, line 6: variable 'b' has no probabilities."
    cyclic = BIF.replace("( a ) {\n  table", "( a | b ) {\n  default")
    assert refused("n.bif", cyclic).startswith("n.bif: the network has a cycle: 'a' -> 'b' -> 'a'.")
    assert refused("n.bif", BIF.encode("utf-16")).startswith("n.bif, byte 0: the file is not UTF-8 text.")
    assert refused("n.bif", BIF.replace("x", "\0", 1)).startswith("n.bif, line 4: found a NUL character")


def test_bif_with_a_default_for_too_many_rows():
    variables = "".join(f"variable v{i} {{ type discrete [ 2 ] {{ x, y }}; }}\n" for i in range(40))
    parents = ", ".join(f"v{i}" for i in range(1, 40))
    text = f"{variables} probability ( v0 | {parents} ) {{ default 0.5, 0.5; }}"
    assert refused("n.bif", text) == f"n.bif, line 41: the table of 'v0' would have {2**40} numbers."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</NETWORK>", "", "line 11: the XML is damaged: mismatched tag."),
        ("<BIF", "<bif", "line 11: the XML is damaged: mismatched tag."),
        ("NAME>a", "NAME>", "line 4: expected a name in <NAME>."),
        ("<NAME>a</NAME>", "", "line 3: expected one <NAME> in <VARIABLE>, found 0."),
        ("nature", "utility", "line 3: variables of type 'utility' are not part of a Bayesian network."),
        ("<FOR>a</FOR>", "<FOR>b</FOR>", "line 6: variable 'b' is not declared."),
        ("0.5 0.5", "0.5 0.5 0", "line 6: expected 2 probabilities of 'a', found 3."),
        ("0.5 0.5", "0.5 x", "line 8: expected a number, found 'x'."),
        (
            "<BIF ",
            '<!DOCTYPE BIF [<!ENTITY e "x">]><BIF ',
            "line 1: entity declarations are not read. Remove them.",
        ),
        ("<BIF ", '<?xml version="1.0" encoding="wrong"?><BIF ', "line 1: "),
    ],
)
def test_damaged_xmlbif(old, new, message):
    assert refused("n.xml", XML.replace(old, new, 1)).startswith(f"n.xml, {message}")


def test_xmlbif_as_a_whole():
    assert refused("n.xml", "<html/>") == "n.xml, line 1: expected <BIF>, found <html>."
    assert refused("n.xml", "<BIF/>") == "n.xml, line 1: expected one <NETWORK> in <BIF>, found 0."
    empty = "<BIF><NETWORK></NETWORK></BIF>"
    assert refused("n.xml", empty) == "n.xml, line 1: expected at least one <VARIABLE>."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "node a",
            "utility a",
            "line 4: expected 'net', 'node' or 'potential' of a discrete network, found 'utility'.",
        ),
        ("node a", "node 1", "line 4: expected a node name, found '1'."),
        ("node a\n{", "node a", "line 5: expected '{', found 'states'."),
        ('("x" "y")', '"x" "y"', 'line 6: expected states = ("..." "..."); for node \'a\'.'),
        ('("x" "y");', '("x" "y"); states = ();', "line 6: attribute 'states' is given a second time."),
        (
            '("x" "y");',
            '("x" "y"); bayesloom_name = 3;',
            "line 6: expected a string with the original name of 'a'.",
        ),
        ("(a)", "(a b)", "line 8: expected one node before '|', found 2."),
        ("(a)", "a", "line 8: expected '( node | parents )', found 'a'."),
        ("(a)", "(a | a)", "line 8: the probabilities of 'a' name a variable twice."),
        ("data", "model_data", "line 8: the potential of 'a' has 'model_data' instead of 'data'."),
        ("0.5 0.5", "0.5 ?", "line 10: expected a number, found '?'."),
        ("0.5);\n}", "0.5);", "line 11: expected 'attribute = value;' or '}', found the end of the file."),
    ],
)
def test_damaged_net(old, new, message):
    assert refused("n.net", NET.replace(old, new, 1)) == f"n.net, {message}"


def test_net_as_a_whole():
    assert (
        refused("n.net", "net { }")
        == "n.net, line 1: expected at least one 'node', found the end of the file."
    )
    nodes = "".join(f'node v{i} {{ states = ("x" "y"); }}\n' for i in range(40))
    text = f"{nodes}potential (v0 | {' '.join(f'v{i}' for i in range(1, 40))}) {{ }}"
    assert refused("n.net", text) == f"n.net, line 41: the table of 'v0' would have {2**40} numbers."


def as_json(*variables, **others):
    return json.dumps({"format": "bayesloom network", "version": 1, "variables": list(variables)} | others)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "n.json, line 1: the JSON is damaged: Expecting property name enclosed in double quotes."),
        ('{"a": NaN}', "n.json: the JSON is damaged: NaN is not a number of JSON."),
        ('{"a": 1, "a": 2}', "n.json: the JSON is damaged: the key 'a' is in one object twice."),
        ("[" * 100_000, "n.json: the JSON is nested too deeply to be read."),
        ("[]", 'n.json: expected a JSON object with "format": "bayesloom network"'),
        (as_json(version=3), "n.json: version 3 of the format is not known, only 1 and 2."),
        (as_json(variables=3), 'n.json: "variables" must be a list of objects.'),
        (as_json({"name": ""}), 'n.json, variables[0]: "name" must be a string that is not empty.'),
        (as_json({"name": "a"}), "n.json, variables[0]: \"parents\" of 'a' must be a list of names."),
        (as_json(ONE, {"name": "b", "parents": []}), 'n.json: "states" and "table" must be given for all'),
        (as_json({"name": "a", "parents": ["b"]}), "n.json: unknown variable 'b'."),
        (as_json(*[{"name": "a", "parents": []}] * 2), "n.json: variable name 'a' is given twice."),
        (as_json(ONE, ONE), "n.json, variables[1]: variable 'a' is declared a second time."),
        (as_json(TWO), "n.json, variables[0]: variable 'a' is not declared."),
        (
            as_json(ONE | {"states": "xy"}),
            "n.json, variables[0]: \"states\" of 'a' must be a list of strings.",
        ),
        (
            as_json(ONE | {"table": [0.5, 0.5]}),
            "n.json, variables[0]: \"table\" of 'a' must be a list of rows of 2",
        ),
        (
            as_json(ONE | {"table": [["0.5", 1]]}),
            "n.json, variables[0]: \"table\" of 'a' must hold probabilities.",
        ),
        (
            as_json(ONE | {"table": [[True, 0]]}),
            "n.json, variables[0]: \"table\" of 'a' must hold probabilities.",
        ),
        (
            as_json(ONE | {"table": [[10**400, 0]]}),
            "n.json: the JSON is damaged: a number has 401 digits, and at most 308 can be read.",
        ),
        (
            as_json(ONE, TWO | {"table": [[1, 0]]}),
            "n.json, variables[1]: expected 4 probabilities of 'b', found 2.",
        ),
        ('{"bayesloom": "1", "parents": 3}', 'n.json: "variables" must be a list of names'),
        ('{"bayesloom": "1", "variables": ["a"], "parents": {"a": ["b"]}}', "n.json: unknown variable 'b'."),
    ],
)
def test_damaged_json(text, message):
    assert refused("n.json", text).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph { a -- b }", "n.dot, line 1: expected 'digraph {', found 'graph'."),
        ("digraph {\na ->\n}", "n.dot, line 3: expected a name or '}', found '}'."),
        ("digraph { a", "n.dot, line 1: expected a name or '}', found the end of the file."),
        ("digraph { subgraph x { a } }", "n.dot, line 1: subgraphs are not read."),
        ("digraph { a }\nb", "n.dot, line 2: expected the end of the file, found 'b'."),
        ("digraph { a -> b -> a }", "n.dot: the network has a cycle: 'a' -> 'b' -> 'a'."),
    ],
)
def test_damaged_dot(text, message):
    assert refused("n.dot", text).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<graphml/>", "n.graphml, line 1: expected <graphml> with one <graph>, found <graphml> with 0."),
        ("<graphml>\n<graph/></graphml>", 'n.graphml, line 2: expected a graph with edgedefault="directed".'),
        (
            "<graphml><graph edgedefault='directed'><node/></graph></graphml>",
            'n.graphml, line 1: expected <node> to have id="..."',
        ),
        (
            "<graphml><graph edgedefault='directed'><node id='a'/>"
            "<edge source='a' target='a' directed='false'/></graph></graphml>",
            "n.graphml, line 1: the graph has an undirected edge.",
        ),
        (
            "<graphml><graph edgedefault='directed'><edge source='a' target='b'/></graph></graphml>",
            "n.graphml: unknown variable 'a'",
        ),
    ],
)
def test_damaged_graphml(text, message):
    assert refused("n.graphml", text).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a][b|", "model string, line 1: expected '[variable]' or '[variable|parent:parent]', found '['."),
        ("[a]\n[a]", "model string, line 2: variable 'a' is given twice."),
        ("[a|b]", "model string: unknown variable 'b'."),
        ("[a|]", "model string: unknown variable ''."),
        ("[a|b][b|a]", "model string: the network has a cycle: 'a' -> 'b' -> 'a'."),
    ],
)
def test_damaged_model_strings(text, message):
    with pytest.raises(InputError, match="^" + re.escape(message)):
        Network.from_modelstring(text)


def test_a_name_that_a_model_string_cannot_quote():
    with pytest.raises(
        InputError, match=r"^variable 'a:b' holds ':', which a model string cannot quote\. Rename"
    ):
        Network(["a:b"], {}).to_modelstring()


@pytest.mark.parametrize("extension", [".xmlbif", ".graphml"])
def test_a_name_that_xml_cannot_hold(extension, tmp_path):
    fitted = FittedNetwork(Network(["a\x01"], {}), [["x"]], [[1.0]])
    with pytest.raises(
        InputError, match=r"^'a\\x01' holds '\\x01', which XML cannot\. Rename it, or write JSON\.$"
    ):
        fitted.write(tmp_path / f"n{extension}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("extension", "name"), [(".bif", "BIF"), (".xmlbif", "XMLBIF"), (".net", "NET")])
def test_formats_with_probabilities_want_a_fitted_network(extension, name, tmp_path):
    with pytest.raises(
        InputError, match=rf"^{name} holds probabilities, and this network has none\. Estimate"
    ):
        Network("A", {}).write(tmp_path / f"n{extension}")


def test_files_and_endings(tmp_path):
    with pytest.raises(InputError, match=r"none\.bif: no such file\.$"):
        read_network(tmp_path / "none.bif")
    with pytest.raises(InputError, match=r"none/n\.json: cannot be written: no such file or directory\.$"):
        write_network(Network("A", {}), tmp_path / "none" / "n.json")
    with pytest.raises(
        InputError, match=r"^unknown network file ending '\.bfi'\. Did you mean '\.bif'\? Known: \.bif"
    ):
        format_of("n.bfi")
    with pytest.raises(
        InputError, match=r"^unknown network format 'gml'\. Did you mean 'GraphML'\?|^unknown network"
    ):
        format_of("n.txt", "gml")
    (tmp_path / "n.bif.gz").write_bytes(b"not gzip")
    with pytest.raises(InputError, match=r"n\.bif\.gz: the gzip data is damaged or cut short"):
        read_network(tmp_path / "n.bif.gz")


def test_the_format_can_be_named(tmp_path):
    network = Network("AB", {"B": ["A"]})
    network.write(tmp_path / "n.txt", format="model string")
    assert (tmp_path / "n.txt").read_text() == "[A][B|A]\n"
    assert read_network(tmp_path / "n.txt", format="Model String") == network
