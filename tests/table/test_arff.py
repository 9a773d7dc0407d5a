"""ARFF: declared states, numbers, texts; quotes and comments; what is refused."""

from __future__ import annotations

import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table

WEATHER = """% a comment
@RELATION weather

@attribute outlook {sunny, 'partly cloudy', rain}
@Attribute 'temp. (F)' REAL
@attribute \"wind's\" {0,1} % not a comment, so refused below
@data
"""


def test_states_are_declared_in_their_order_and_numbers_are_numbers(file):
    text = (
        "@relation r\n@attribute a {y, n, 'not seen'}\n@attribute 'b c' integer [0,9]\n@data\nn, 3\n y ,1\n"
    )
    table = read_table(file("t.arff.gz", text))
    assert table.names == ("a", "b c")
    assert table.states == (("y", "n", "not seen"), ("1", "3"))
    assert [column.tolist() for column in table.codes] == [[1, 0], [1, 0]]


def test_nominal_numbers_are_states_however_many(file):
    states = ",".join(map(str, range(30)))
    rows = "\n".join(map(str, range(30)))
    assert read_table(file("t.arff", f"@attribute a {{{states}}}\n@data\n{rows}\n")).cardinalities == (30,)


def test_quotes_commas_and_missing_values(file):
    text = (
        "@attribute a string\r\n@attribute b {'x,1', \"it's\", 'a\\'b'}\r\n@data\r\n"
        "'q r', 'x,1'\r\n\"u v\",?\r\n% c\r\nw,'a\\'b'\r\n"
    )
    table = read_table(file("t.arff", text))
    assert table.states[1] == ("x,1", "it's", "a'b", "missing")
    assert table.codes[1].tolist() == [0, 3, 2]
    with pytest.raises(InputError, match=r"missing values: 'b' \(1\), first in line 5"):
        read_table("t.arff", strict=True)


def test_continuous_columns_are_cut_by_learn(file):
    rows = "\n".join(f"{k / 7}" for k in range(60))
    table = read_table(file("t.arff", f"@attribute x numeric\n@data\n{rows}\n"))
    assert table.cardinalities == (3,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", r"line 1: expected @attribute NAME TYPE or @data, found 'a,b'"),
        ("@relation r\n@attribute a real\n", r"there is no line @data"),
        ("@data\n1\n", r"line 1: there is no @attribute before @data"),
        ("@attribute a real\n@data\n", r"attributes and no rows"),
        ("@attribute a real\n@data\n1,2\n", r"line 3: expected 1 field, found 2"),
        ("@attribute a real\n@data\nx\n", r"line 3: variable 'a' is 'x', not a number"),
        ("@attribute a {x,y}\n@data\nz\n", r"line 3: variable 'a' has state 'z', which is not declared"),
        ("@attribute a {x,x}\n@data\nx\n", r"line 1: 'a' has the state 'x' twice"),
        ("@attribute a {x,y\n@data\nx\n", r"line 1: the states of 'a' are not closed"),
        ("@attribute a relational\n@data\nx\n", r"line 1: unknown type 'relational' of 'a'"),
        ("@attribute a string\n@data\n{0 x}\n", r"line 3: sparse rows"),
        ("@attribute a string\n@data\n'x\n", r"line 3: a quote"),
        (WEATHER + "rain,1,0\n", r"line 6: the states of \"wind's\" are not closed"),
    ],
)
def test_bad_files_get_one_sentence_with_the_line(file, content, message):
    with pytest.raises(InputError, match=message):
        read_table(file("t.arff", content))
