"""The .dat format: names, cardinalities, rows."""

from __future__ import annotations

import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table


def test_integers_below_the_cardinality_are_the_states_of_that_number(file):
    table = read_table(file("t.dat", "a b\n3 2\n0 1\n1 0\n"))
    assert table.names == ("a", "b")
    assert table.states == (("0", "1", "2"), ("0", "1"))
    assert [column.tolist() for column in table.codes] == [[0, 1], [1, 0]]


def test_other_labels_are_sorted_and_filled_up_with_unseen_ones(file):
    table = read_table(file("t.dat.gz", "a b\n3 3\ny 5\nx 10\n"))
    assert table.states == (("x", "y", "(unseen 1)"), ("5", "10", "(unseen 1)"))


def test_comments_blank_lines_tabs_and_spaces_mean_nothing(file):
    content = "# BLIP\r\n\r\n  a\t b  \n# counts\n 2   2\n0\t1 \n\n# row\n 1 0\n"
    table = read_table(file("t.dat", content))
    assert table.names == ("a", "b")
    assert table.row_count == 2


def test_quotes_are_ordinary_characters(file):
    assert read_table(file("t.dat", 'a\n2\n"x\ny\n')).states == (('"x', "y"),)


def test_numbers_are_discrete_however_many_are_declared(file):
    rows = "\n".join(map(str, range(30)))
    assert read_table(file("t.dat", f"a\n40\n{rows}\n")).cardinalities == (40,)


def test_declared_states_win_over_the_cardinality(file):
    table = read_table(file("t.dat", "a\n2\nno\nyes\n"), states={"a": ["yes", "no", "maybe"]})
    assert table.states == (("yes", "no", "maybe"),)


def test_missing_values_are_not_counted_as_states(file):
    table = read_table(file("t.dat", "a b\n2 2\n0 x\n? y\n1 x\n"), missing="drop")
    assert table.states == (("0", "1"), ("x", "y"))
    assert table.row_count == 2
    assert read_table("t.dat", missing="state").states[0] == ("0", "1", "missing")


def test_given_names_replace_those_of_the_file(file):
    assert read_table(file("t.dat", "a b\n2 2\n0 1\n"), names=["u", "v"]).names == ("u", "v")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"t.dat: the file is empty\."),
        ("# only\n", r"names and a line of cardinalities; this one has no line\."),
        ("a b\n", r"names and a line of cardinalities; this one has only one line\."),
        ("a b\n2 2\n", r"t.dat: the file has names and cardinalities and no rows\."),
        ("a b\n2\n0 1\n", r"t.dat, line 2: expected 2 numbers of states, one per name of line 1, found 1\."),
        ("a b\n2 x\n0 1\n", r"t.dat, line 2: expected the cardinality of 'b', found 'x'\."),
        ("a b\n2 0\n0 1\n", r"line 2: cardinality 0 of 'b' is out of range; it goes from 1 to 65535\."),
        ("a b\n2 99999999\n0 1\n", r"line 2: cardinality 99999999 of 'b' is out of range"),
        ("a b\n2 99999999999999999999999\n0 1\n", r"expected the cardinality of 'b', found '9999"),
        ("#\na b\n2 2\n0 1\n\n0 1 1\n", r"t.dat, line 6: expected 2 fields, found 3\."),
        ("a a\n2 2\n0 1\n", r"t.dat, line 1: columns 1 and 2 are both named 'a'"),
        (
            "a b\n2 2\n0 1\n# c\n1 1\n2 0\n",
            r"line 6: variable 'a' is declared with 2 states; '2' is one more\.",
        ),
        ("a\n1\n?\nx\n?\ny\n", r"t.dat, line 6: variable 'a' is declared with 1 state; 'y' is one more\."),
    ],
)
def test_what_is_wrong_is_said_with_its_line(file, content, message):
    with pytest.raises(InputError, match=message):
        read_table(file("t.dat", content))


def test_options_of_other_text_files_are_refused(file):
    path = file("t.dat", "a\n2\n0\n")
    with pytest.raises(InputError, match=r"t.dat: header= has no meaning for \.dat files\."):
        read_table(path, header=False)
    with pytest.raises(InputError, match=r"t.dat: delimiter= has no meaning for \.dat files\."):
        read_table(path, delimiter=";")
    with pytest.raises(InputError, match=r"t.dat: names= gives 2 names for 1 column\."):
        read_table(path, names=["u", "v"])
