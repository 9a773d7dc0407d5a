"""Comments and quotes of BIF, NET and DOT: closed or refused, wherever they stand."""

from __future__ import annotations

import pytest

from bayesloom.errors import InputError
from bayesloom.networks.formats import format_of
from bayesloom.networks.formats._format import Source

BIF = "network n {\n}\nvariable a {\n type discrete [ 1 ] { x };\n}\nprobability ( a ) {\n table 1;\n}\n"
NET = 'node a\n{\n states = ("x");\n}\npotential (a)\n{\n data = (1);\n}\n'
DOT = 'digraph {\n a -> b;\n "c";\n}\n'


def read(name, text):
    return format_of(name).read(Source(name, text.encode()))


@pytest.mark.parametrize(("name", "text"), [("n.bif", BIF), ("n.dot", DOT)])
@pytest.mark.parametrize(
    "comment", ["/* a */", "/**/", "/***/", "/* a\n * b\n */", "// a", '// "', "/* */ /* */"]
)
def test_comments_may_stand_before_every_line(name, text, comment):
    lines = text.splitlines()
    for k in range(len(lines) + 1):
        commented = "\n".join([*lines[:k], comment, *lines[k:]]) + "\n"
        assert str(read(name, commented)) == str(read(name, text))


@pytest.mark.parametrize(("name", "text"), [("n.bif", BIF), ("n.dot", DOT)])
@pytest.mark.parametrize("comment", ["/*", "/* a", "/* *", "/* a */ /*", "// a\n/* /* b", "/*/"])
def test_a_comment_that_is_never_closed_is_refused_with_its_line(name, text, comment):
    line = text.count("\n") + 1 + comment.count("\n")
    with pytest.raises(InputError, match=rf"line {line}: a comment /\* is never closed"):
        read(name, text + comment)


@pytest.mark.parametrize(("name", "text"), [("n.bif", BIF), ("n.dot", DOT), ("n.net", NET)])
@pytest.mark.parametrize("quote", ['"', '"a', '"\\"', '"a\\"b\\', '"a" "b'])
def test_a_quote_that_is_never_closed_is_refused(name, text, quote):
    for k in range(len(lines := text.splitlines()) + 1):
        with pytest.raises(InputError):
            read(name, "\n".join([*lines[:k], quote]))


def test_what_looks_like_a_comment_in_a_string_stays():
    assert read("n.dot", 'digraph { "a//b" -> "/*"; "*/" -> "a//b" }').names == ("a//b", "/*", "*/")
    assert read("n.dot", '# one\ndigraph { a -> "#b"\n# two\n}').names == ("a", "#b")
    net = NET.replace('"x"', '"50 % x"')
    assert read("n.net", net + "% the end").states == (("50 % x",),)


@pytest.mark.parametrize("way", ["none", "both", "back", '"none"', ' = "back"'])
def test_edges_of_dot_that_are_not_from_tail_to_head_are_refused(way):
    text = f"digraph {{ a -> b [color=red, dir{'' if '=' in way else '='}{way}]; }}"
    with pytest.raises(InputError, match="line 1: an edge has dir="):
        read("n.dot", text)


@pytest.mark.parametrize("given", ["dir=forward", 'label="dir=none"', "mydir=none", 'dir="forward"'])
def test_other_attributes_of_dot_are_not_looked_at(given):
    assert read("n.dot", f"digraph {{ a -> b [{given}]; }}").edges == [("a", "b")]
