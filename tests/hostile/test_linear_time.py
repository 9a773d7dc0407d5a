"""Every reader takes linear time on every text: counted, not timed.

The expressions of the readers are replaced by ones that count their steps, and calls and lines of Python are
counted besides. Four times the text may take little more than four times the work. The readers in C++ and in
libraries (expat, json, csv, Arrow) are not seen by this; ``benchmarks/tables/input/hostile`` times them.
"""

from __future__ import annotations

import importlib
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesloom as bl
from bayesloom.errors import BayesloomError, InputError
from made import texts
from made.texts import FEW
from reference import counting_regex
from reference.counting_regex import CountingPattern

MODULES = [
    *(
        f"bayesloom.networks.formats.{name}"
        for name in ("_names", "_scanner", "_xml", "bif", "dot", "modelstring", "net")
    ),
    *(f"bayesloom.table.{name}" for name in ("arff", "dat", "distinct", "text")),
    "bayesloom.constraints.files",
]
SMALL, FACTOR = 60, 4
ALLOWED = 1.6  # times FACTOR: the work per character may grow by so much, for what comes once


def patterns():
    for name in MODULES:
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield name, key, value
    for name in ("bif", "dot", "net"):
        comments = importlib.import_module(f"bayesloom.networks.formats.{name}")._COMMENTS
        yield name, "_COMMENTS._text", comments._text
        yield name, "_COMMENTS._comments", comments._comments


@pytest.fixture
def counting(monkeypatch):
    """Let the readers count the steps of their expressions."""
    for name in MODULES:
        module = importlib.import_module(name)
        for key, value in list(vars(module).items()):
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, key, CountingPattern(value))
    for name in ("bif", "dot", "net"):
        comments = importlib.import_module(f"bayesloom.networks.formats.{name}")._COMMENTS
        for key in ("_text", "_comments"):
            monkeypatch.setattr(comments, key, CountingPattern(getattr(comments, key)))


def work(reader, data):
    """Return how many steps a text takes."""
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        if "bayesloom" not in frame.f_code.co_filename and "tomllib" not in frame.f_code.co_filename:
            return None
        lines += 1
        return trace

    counting_regex.steps = 0
    sys.settrace(trace)
    try:
        reader.read(data)
    except BayesloomError:
        pass
    finally:
        sys.settrace(None)
    return lines + counting_regex.steps


READERS = texts.readers()
COUNTED = [name for name in READERS if name not in ("jkl", "pss")]  # these two are in C++
COUNTED = [name for name in COUNTED if " as " not in name or name.startswith("csv")]


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTED)
def test_four_times_the_text_takes_four_times_the_work(name, counting):
    reader = READERS[name]
    slow = []
    for (label, small), (_, large) in zip(
        reader.texts(SMALL, FEW), reader.texts(FACTOR * SMALL, FEW), strict=True
    ):
        few, many = work(reader, small), work(reader, large)
        if many > ALLOWED * FACTOR * few:
            slow.append((round(many / few, 1), label))
    assert slow == []


@pytest.mark.parametrize(
    ("module", "name", "pattern"), [pytest.param(*p, id=f"{p[0]}.{p[1]}") for p in patterns()]
)
def test_no_expression_goes_back(module, name, pattern):
    """Every repetition without an upper end is possessive, so an attempt never takes more than its length."""
    assert longest_that_goes_back(pattern) <= 31, f"{name}: {pattern.pattern!r}"


def longest_that_goes_back(pattern):
    """The upper end of the longest repetition that is not possessive, wherever it stands."""

    def ends(nodes):
        for kind, value in nodes:
            if str(kind) in ("MAX_REPEAT", "MIN_REPEAT"):
                yield int(value[1])
            for part in value if isinstance(value, (tuple, list)) else ():
                for inner in part if isinstance(part, list) else [part]:
                    if hasattr(inner, "data"):
                        yield from ends(inner)

    return max(ends(CountingPattern(pattern)._tree), default=0)


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [
        ("a*+b", 0),
        ("a{2,31}", 31),
        ("x(a|b*)", 10**9),
        ("(?:a++|(c+?))", 10**9),
        ("(?=a+)b", 10**9),
        ("a(b+)?+", 10**9),
    ],
)
def test_a_repetition_that_goes_back_is_found_wherever_it_stands(pattern, longest):
    assert min(longest_that_goes_back(re.compile(pattern)), 10**9) == longest


def test_there_are_expressions_to_look_at():
    assert len(list(patterns())) > 20


def test_the_counting_twin_sees_what_goes_back():
    slow = CountingPattern(re.compile(r"a*a*b"))
    counts = []
    for size in (50, 200):
        counting_regex.steps = 0
        assert slow.match("a" * size) is None
        counts.append(counting_regex.steps)
    assert counts[1] > 10 * counts[0]


ALPHABET = st.sampled_from(
    [*list("\"'\\ \n\t[{(]})<>&%#,;:|=-~.0a1@_é\u2028/*"), "->", "dir", "table", "sep=", "net"]
)


@given(pieces=st.lists(ALPHABET, max_size=30), data=st.data())
def test_the_counting_twin_agrees_with_re(pieces, data):
    _, _name, pattern = data.draw(st.sampled_from(list(patterns())), label="pattern")
    text = "".join(pieces)
    text = text.encode() if isinstance(pattern.pattern, bytes) else text
    twin = CountingPattern(pattern)
    for method in ("match", "fullmatch", "search"):
        expected, found = getattr(pattern, method)(text), getattr(twin, method)(text)
        assert (found is None) == (expected is None)
        if expected is not None:
            assert (found.start(), found.end()) == expected.span()
            assert found.groups() == expected.groups()
            if "|(?P<" in str(pattern.pattern):
                assert found.lastgroup == expected.lastgroup


def test_declared_attributes_are_counted(tmp_path):
    """The XML parser itself looks at all declared attributes of an element for each more."""
    lines = "\n".join(f'<!ATTLIST BIF a{k} CDATA "x">' for k in range(1001))
    path = tmp_path / "n.xmlbif"
    path.write_text(f"<!DOCTYPE BIF [{lines}]><BIF></BIF>")
    with pytest.raises(InputError, match="more than 1,000 attributes are declared"):
        bl.read_network(path)
