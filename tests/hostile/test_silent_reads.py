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
    ("max_parents = 100000000000000000000\n", "max_parents of .* must be a whole number from 0 to 1,000,000"),
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
    ("a->b", "is not of this format, in which an edge is written from child to parent"),
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
    ("@attribute 'ab real\n@data\n1\n2\n", "line 1: expected @attribute NAME TYPE .*every quote closed"),
    ('@attribute "speed (km/h) real\n@data\n1\n2\n', "line 1: expected .*every quote closed"),
    ("@attribute a real\n@data\n10\n1_0\n", "line 4: variable 'a' is '1_0', not a number"),
    ("@attribute a real\n@data\n12\n\u0661\u0662\n", "line 4: variable 'a' is .*, not a number"),
    ("@attribute a real\n@data\n1\n1e400\n", "line 4: variable 'a' is '1e400', not a number"),
    ("@attribute a real\n@data\n1\ninfinity\n", "not a number"),
]


@pytest.mark.parametrize(("text", "message"), ARFF)
def test_arff_is_read_whole_or_refused(text, message, tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        bl.read_table(path)


@pytest.mark.parametrize("digits", ["\u0661", "1_0"])
def test_probabilities_are_numbers_as_files_write_them(digits):
    for name, old in (("n.bif", "table 1"), ("n.net", "(1)")):
        with pytest.raises(InputError, match="expected a number"):
            read(name, GOOD[name].replace(old, old.replace("1", digits)))


def test_an_address_in_a_property_is_no_comment():
    text = BIF.replace("};", "}; property url = http://x.org/a;\n property bayesloom_name = b%20c ;", 1)
    assert read("n.bif", text).names == ("b c",)
    assert read("n.bif", BIF.replace("{}", "{ property x; } // }")).names == ("a",)


# A quote opens a field only where the field begins. The number of quotes proves nothing.
OPEN = [
    'a,b\n5" pipe,x\n1,y\n2,"oops\n3,x\n4,y\n',
    'a,b\n5",x\n1,y\n2,"oops\n3,x\n4,y\n',
    'a,b\n"x"y,1\nz"",2\n2,"oops\n3,x\n4,y\n',
]


@pytest.mark.parametrize("text", OPEN)
def test_a_quote_that_swallows_rows_is_found_also_if_quotes_are_even(text, tmp_path):
    assert text.count('"') % 2 == 0 or text.startswith('a,b\n"x"y')
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="line 4: a quoted field is never closed"):
        bl.read_table(path)


CLOSED = [
    ('a,b\n"x, 1","y\n2"\n"u ""v""",""\n', 2),
    ('a,b\n5" pipe,x\n6" pipe,y\n', 2),
    ('a,b\r\n"x",1\r\n"y",2\r\n', 2),
    ('"a","b"\n"x","1"\n"y","2"', 2),
    ('sep=;\n"a";"b"\n"x";1\n"y";2\n', 2),
    ('a\tb\n"x"\t1\n"y"\t2\n', 2),
]


@pytest.mark.parametrize(("text", "rows"), CLOSED)
def test_quotes_that_are_closed_are_read(text, rows, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    assert bl.read_table(path, missing="state").row_count == rows


def dot(text):
    return read("n.dot", text)


@pytest.mark.parametrize(
    "name", ["a\u00d7b", "cafe\u0301", "\u0928\u092e\u0938\u094d\u0924\u0947", "x\u00a0y", "\u2603"]
)
def test_names_beyond_ascii_are_whole_in_dot(name):
    """As in Graphviz, where every such character is a letter."""
    network = dot(f"digraph {{ {name} -> c; d -> {name} [weight=2] }}")
    assert set(network.names) == {name, "c", "d"}
    assert set(network.edges) == {(name, "c"), ("d", name)}


@pytest.mark.parametrize("text", ["1a -> b", "a -> 1b", 'a"b" -> c', '"a""b" -> c', ".5x", "-1a"])
def test_names_that_touch_each_other_are_refused_in_dot(text):
    with pytest.raises(InputError, match="touch each other"):
        dot(f"digraph {{ {text} }}")


@pytest.mark.parametrize(
    "way", ['["dir"=back]', "[dir=<back>]", '[dir="both"]', "[ DIR = none ]", '["dir" = "back"]']
)
def test_edges_drawn_otherwise_are_refused_however_it_is_written(way):
    with pytest.raises(InputError, match="an edge has dir="):
        dot(f"digraph {{ a -> b {way} }}")
    with pytest.raises(InputError, match="an edge has dir="):
        dot(f"digraph {{ edge {way}; a -> b }}")


def test_what_only_looks_like_a_direction_is_none():
    labels = '[label="dir=back", xdir=back, "label" = "x \\" dir=back", dir=forward, dir="forward"]'
    assert dot(f"digraph {{ a -> b {labels} }}").edges == [("a", "b")]


def test_words_of_dot_are_known_in_capitals_and_are_no_names():
    text = "STRICT DiGraph G { Node [shape=box]; EDGE [color=red]; Graph [rank=same]; a -> b }"
    assert dot(text).names == ("a", "b")
    assert dot('digraph { "node" -> "Edge" }').names == ("node", "Edge")
    for word in ("node", "Edge", "GRAPH", "strict", "digraph"):
        with pytest.raises(InputError, match="is a word of DOT"):
            dot(f"digraph {{ {word} -> b }}")
    with pytest.raises(InputError, match="subgraphs are not read"):
        dot("digraph { Subgraph x { a } }")


def test_packed_networks_are_known_by_their_ending_in_capitals(tmp_path):
    network = bl.Network("ab", {"b": ["a"]})
    for name in ("n.modelstring.GZ", "n.json.Gz", "N.MODELSTRING.GZ"):
        network.write(tmp_path / name)
        assert bl.read_network(tmp_path / name).edges == [("a", "b")]


def test_comments_and_empty_lines_are_no_rows_in_a_dat_of_one_column(tmp_path):
    path = tmp_path / "one.dat"
    path.write_text("a\n2\n0\n# a comment\n1\n\n0\n")
    table = bl.read_table(path)
    assert (table.row_count, table.states) == (3, (("0", "1"),))
    path.write_text("a\n2\n0\n\n# c\n?\n")
    with pytest.raises(InputError, match="line 6"):
        bl.read_table(path, strict=True)
