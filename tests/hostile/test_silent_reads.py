"""What readers do not read could say something else: each such thing is refused, with its place."""

from __future__ import annotations

import json

import pytest

import bayesloom as bl
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.networks.formats import format_of
from bayesloom.networks.formats._format import Source

XML = (
    "<BIF><NETWORK><NAME>n</NAME><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME></VARIABLE>"
    "<DEFINITION><FOR>a</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>"
)
GRAPHML = '<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>'
BIF = "network n {}\nvariable a { type discrete [ 1 ] { x }; }\nprobability ( a ) { table 1; }\n"
NET = 'net { }\nnode a { states = ("x"); }\npotential (a) { data = (1); }\n'
JSON = '{"format": "bayesloom network", "version": 1, "variables": [{"name": "a", "parents": []}]}'
RUN = '{"bayesloom": "0", "variables": ["a", "b"], "parents": {"a": [], "b": []}}'
GOOD = {"n.xml": XML, "n.graphml": GRAPHML, "n.bif": BIF, "n.net": NET, "n.json": JSON, "r.json": RUN}


def read(name, text):
    return format_of(name).read(Source(name, text.encode()))


@pytest.mark.parametrize("name", GOOD)
def test_the_texts_are_good_before_they_are_changed(name):
    assert read(name, GOOD[name]).names[0] == "a"


CHANGED = [
    ("n.xml", "<BIF>", '<!DOCTYPE BIF SYSTEM "bif.dtd"><BIF>&amp', "damaged"),
    ("n.xml", "<FOR>a</FOR>", "<FOR>a</FOR><FOR>a</FOR>", "expected one <FOR>"),
    ("n.xml", "<NAME>a</NAME>", "<NAME>a<B>c</B></NAME>", "<B> in <NAME> is not known"),
    ("n.xml", "<TABLE>1</TABLE>", "<TABLE>1</TABLE><CELLS>2</CELLS>", "<CELLS> in <DEFINITION> is not known"),
    ("n.xml", "<OUTCOME>", "<VALUE>y</VALUE><OUTCOME>", "<VALUE> in <VARIABLE> is not known"),
    ("n.xml", "</NETWORK>", "junk</NETWORK>", "found the text 'junk' in <NETWORK>"),
    ("n.xml", "</NETWORK>", "</NETWORK><NETWORK></NETWORK>", "expected one <NETWORK>"),
    ("n.graphml", '<node id="a"/>', '<node id="a"><graph/></node>', "a graph inside is not read"),
    ("n.graphml", '<node id="a"/>', '<node id="a"/><hyperedge/>', "<hyperedge> in <graph> is not read"),
    ("n.graphml", '<node id="a"/>', '<node id="a"/><node id="a"/>', "given twice"),
    ("n.bif", "variable", "network m {}\nvariable", "line 2: there is a second 'network' block"),
    ("n.bif", "probability", "probability ( a ) { table 1; }\nprobability", "given a second time"),
    ("n.bif", "table 1", "table 0.7", "sum to 0.7"),
    ("n.bif", "};", "}; property bayesloom_name = b ; property bayesloom_name = c ;", "given a second time"),
    ("n.net", "node", "net { }\nnode", "line 2: there is a second 'net' block"),
    ("n.net", "potential", "potential (a) { data = (1); }\npotential", "given a second time"),
    ("n.net", "data = (1)", "data = (1); data = (1)", "given a second time"),
    ("n.json", '"parents": []', '"parents": [], "parent": ["b"]', "variables\\[0\\]: unknown key 'parent'"),
    ("n.json", '"version": 1', '"version": 1, "edges": []', "unknown key 'edges'"),
    ("n.json", '"parents": []', '"parents": [], "parents": []', "the key 'parents' is in one object twice"),
    ("r.json", ', "b": []', "", "no entry for variable 'b'"),
]


@pytest.mark.parametrize(("name", "old", "new", "message"), CHANGED)
def test_what_is_not_known_is_refused(name, old, new, message):
    text = GOOD[name].replace(old, new, 1)
    assert text != GOOD[name]
    with pytest.raises(InputError, match=message):
        read(name, text)


@pytest.mark.parametrize("place", ["NAME", "OUTCOME", "FOR", "TABLE"])
def test_undefined_entities_are_refused_also_where_a_document_type_is_elsewhere(place):
    text = '<!DOCTYPE BIF SYSTEM "bif.dtd">' + XML.replace(f"</{place}>", f"&nbsp;</{place}>")
    with pytest.raises(InputError, match="the entity &nbsp; is not defined"):
        read("n.xml", text)
    with pytest.raises(InputError, match="damaged"):
        read("n.xml", XML.replace(f"</{place}>", f"&nbsp;</{place}>"))
    assert read("n.xml", '<!DOCTYPE BIF SYSTEM "bif.dtd">' + XML).names == ("a",)


def test_deep_xml_and_declared_entities_are_refused():
    with pytest.raises(InputError, match="nested more than 50 deep"):
        read("n.xml", "<a>" * 100_000)
    laughs = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))
    with pytest.raises(InputError, match="entity declarations are not read"):
        read("n.xml", f'<!DOCTYPE BIF [<!ENTITY l0 "lol">{laughs}]>' + XML.replace(">a<", ">&l9;<"))


TOML = [
    ('roots = ["a"]\n[constraints]\nleaves = ["b"]\n', "'roots' stands beside the table \\[constraints\\]"),
    ("[constraints]\n[other]\n", "'other' stands beside"),
    ("constraints = 5\n", "'constraints' must be a table, got 5"),
    ("constraints = [1]\n", "a list holds a number"),
    ('constraints = "x"\n', "'constraints' must be a table"),
    ("a." * 100_000 + "b = 1\n", "a key has more than 8 parts"),
    ("[" + "a." * 100_000 + "b]\n", "a key has more than 8 parts"),
    ('"a".' * 100 + "b = 1\n", "a key has more than 8 parts"),
    ("required = " + "[" * 5000, "nested too deeply|not a TOML file"),
    ("max_parents = " + "9" * 5000, "not a TOML file"),
    ("max_parents = 100000000000000000000\n", "max_parents of '\\*' must be a whole number from 0 to 65,535"),
    ("\n".join(f"[t{k}]" for k in range(200)), "more than 100 tables"),
]


@pytest.mark.parametrize(("text", "message"), TOML, ids=lambda text: text[:20])
def test_constraint_files_are_read_whole_or_refused(text, message, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        Constraints.read(path)


def test_names_with_many_dots_are_no_long_keys(tmp_path):
    name = ".".join("abcdefghijklmnop")
    path = tmp_path / "a.toml"
    path.write_text(f"# {name} = 1\nroots = [{json.dumps(name)}, '{name}']\n[max_parents]\n\"{name}\" = 1\n")
    assert Constraints.read(path).roots == (name, name)


@pytest.mark.parametrize("given", [5, 1.5, [1], True])
def test_constraints_in_python_are_of_a_known_kind(given):
    with pytest.raises(InputError, match="constraints must be Constraints, a dictionary or a path"):
        bl.learn({"a": [0, 1] * 9, "b": [0, 1] * 9}, constraints=given)
    with pytest.raises(InputError, match="must be a list"):
        Constraints.given({"required": 5})


GOBNILP = [
    ("~a-b-c", "more than one hyphen"),
    ("a<-b<-c", "is no constraint"),
    ("a->b", "asks for an edge in either direction"),
    ("a<-", "is no constraint"),
    ("sink a b", "is no constraint"),
    ("~sink a", "is no constraint"),
    ("~a->b<-c", "an immorality that is forbidden"),
    ("a_|_b|c", "a conditional independence"),
]


@pytest.mark.parametrize(("line", "message"), GOBNILP)
def test_lines_of_gobnilp_that_are_refused(line, message, tmp_path):
    path = tmp_path / "a.con"
    path.write_text(f"x<-y\n{line}\n")
    with pytest.raises(InputError, match=f"line 2: .*{message}"):
        Constraints.read(path)


def test_lines_of_gobnilp_that_are_read(tmp_path):
    path = tmp_path / "a.con"
    path.write_text("a <- b # why\n~ c<-d\n~x-1 - y-2\ne<f\ng-1->h<-i\n\nsink j\n")
    rules = Constraints.read(path)
    assert rules.required == (("b", "a"), ("g-1", "h"), ("i", "h"))
    assert set(rules.forbidden) == {("d", "c"), ("x-1", "y-2"), ("y-2", "x-1"), ("g-1", "i"), ("i", "g-1")}
    assert (rules.before, rules.leaves) == ((("e", "f"),), ("j",))


ARFF = [
    ("@attribute a {x,y} {2}\n@data\nx\n", "quote or brace"),
    ("@attribute a real {2}\n@data\n1\n", "unknown type"),
    ("@attribute a {x}\n@data x\nx\n", "end of the line after @data"),
    ("@attribute a {x,x}\n@data\nx\n", "has the state 'x' twice"),
]


@pytest.mark.parametrize(("text", "message"), ARFF)
def test_arff_is_read_whole_or_refused(text, message, tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        bl.read_table(path)
