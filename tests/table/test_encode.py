"""Declared states, missing values, continuous numbers, and what is told about the data."""

from __future__ import annotations

import numpy as np
import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table

MANY = list(range(21))


def test_declared_states_keep_their_order_and_those_unseen(file):
    table = read_table(file("t.csv", "s\nyes\nno\n"), states={"s": ["yes", "no", "maybe"]})
    assert table.states == (("yes", "no", "maybe"),)
    assert table.codes[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "declared", "codes"),
    [
        ([1, 2], ["2", "1"], [1, 0]),
        ([1, 2], [2, 1], [1, 0]),
        ([1.0, 2.0], [2, 1], [1, 0]),
        ([0.5, 1.0], ["1", "0.5"], [1, 0]),  # the same number is the same state
        ([0.5, 1.0], [1.0, 0.5], [1, 0]),
        ([True, False], [True, False], [0, 1]),
        (["NA", "x"], ["x", "NA"], [1, 0]),  # declared, hence not missing
        (MANY, MANY, MANY),  # declared, hence not continuous
    ],
)
def test_declared_states_match_values_of_all_kinds(values, declared, codes):
    assert read_table({"v": values}, states={"v": declared}).codes[0].tolist() == codes


def test_declared_texts_are_matched_exactly_and_then_without_white_space(file):
    path = file("t.csv", 'a,b\n" x",y\n" x", y\n')
    table = read_table(path, states={"a": [" x"], "b": ["y"]})
    assert table.states == ((" x",), ("y",))


def test_a_state_that_is_not_declared_is_named_with_its_line(file):
    path = file("asia.csv", "smoke,b\nyes,1\n\nmaybe,1\nno,1\n")
    message = (
        r"asia.csv, line 4: variable 'smoke' has state 'maybe', not among 'no', 'yes'\. Add it with states=\."
    )
    with pytest.raises(InputError, match=message):
        read_table(path, states={"smoke": ["no", "yes"]})
    with pytest.raises(InputError, match=r"dict, row 2: variable 'v' has state '3', not among '1'"):
        read_table({"v": [1, 3]}, states={"v": [1]})


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({"w": ["a"]}, r"states: the table has no column 'w'\."),
        ({"v": "ab"}, r"states: expected a list of states for 'v', got 'ab'\."),
        ({"v": []}, r"states: 'v' has 0 states; expected 1 to 65535\."),
        ({"v": ["a", "b", "a"]}, r"states: 'v' has the state 'a' twice\."),
    ],
)
def test_declarations_are_checked(states, message):
    with pytest.raises(InputError, match=message):
        read_table({"v": ["a", "b"]}, states=states)


@pytest.mark.parametrize("text", ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", " ? "])
def test_texts_for_a_missing_value(file, text):
    with pytest.raises(InputError, match=r"t.csv: 1 column has missing values: 'b' \(1\), first in line 3\."):
        read_table(file("t.csv", f"a,b\n1,x\n2,{text}\n"), strict=True)


@pytest.mark.parametrize("values", [["x", None], [1, None], [1.0, float("nan")], [True, None], ["x", "NA"]])
def test_missing_values_of_typed_columns(values):
    message = (
        r"dict: 1 column has missing values: 'v' \(1\), first in row 2\. Drop those rows with missing='drop'"
    )
    with pytest.raises(InputError, match=message):
        read_table({"v": values}, strict=True)


def test_missing_values_name_all_columns_and_counts(file):
    path = file("t.csv", "a,b,c\n1,,x\n,,x\n2,1,x\n")
    with pytest.raises(
        InputError, match=r"2 columns have missing values: 'a' \(1\), 'b' \(2\), first in line 2\."
    ):
        read_table(path, strict=True)


def test_a_number_column_with_gaps_stays_a_number_column(file):
    path = file("t.csv", "a,b\n10,1\n,1\n9,1\n")
    assert read_table(path, missing="state").states[0] == ("9", "10", "missing")


def test_dropped_rows_are_told_and_leave_no_states_behind():
    table = read_table({"a": ["x", "y", "z"], "b": [1, None, 2]}, missing="drop")
    assert table.states == (("x", "z"), ("1", "2"))
    assert [column.tolist() for column in table.codes] == [[0, 1], [0, 1]]
    assert table.notes == ("1 of 3 rows dropped for missing values.",)


def test_dropped_rows_leave_declared_states():
    table = read_table({"a": ["x", "y"], "b": [1, None]}, missing="drop", states={"a": ["y", "x"]})
    assert table.states[0] == ("y", "x")


def test_dropped_rows_are_not_counted_as_distinct_values():
    rows = {"a": MANY, "b": [None, *[1] * 20]}
    assert read_table(rows, missing="drop", strict=True).cardinalities == (20, 1)


def test_missing_as_a_state_comes_last_and_only_where_values_are_missing():
    table = read_table({"a": ["x", None], "b": ["u", "v"]}, missing="state")
    assert table.states == (("x", "missing"), ("u", "v"))
    assert table.codes[0].tolist() == [0, 1]


def test_a_column_of_nothing_but_missing_values():
    with pytest.raises(InputError, match=r"'v' \(2\)"):
        read_table({"v": [None, None]}, strict=True)
    with pytest.raises(InputError, match="every value is missing"):
        read_table({"v": [None, None]})
    assert read_table({"v": [None, None]}, missing="state").states == (("missing",),)
    with pytest.raises(InputError, match=r"every row has a missing value, so missing='drop' leaves none\."):
        read_table({"v": [None, None]}, missing="drop")


def test_a_state_named_missing_is_in_the_way():
    with pytest.raises(
        InputError, match=r"variable 'v' has a state named 'missing' already; rename it before"
    ):
        read_table({"v": ["missing", None]}, missing="state", strict=True)
    assert read_table({"v": ["missing", None]}).states == (("missing", "(missing)"),)


def test_256_states_and_a_missing_one_take_two_bytes():
    values = [f"{i:03}" for i in range(256)]
    assert read_table({"v": values}, strict=True).codes[0].dtype == np.uint8
    table = read_table({"v": [*values, None]}, missing="state", strict=True)
    assert table.codes[0].dtype == np.uint16
    assert table.codes[0][-1] == 256


def test_up_to_20_numbers_are_discrete_and_more_are_continuous():
    assert read_table({"v": MANY[:20]}, strict=True).cardinalities == (20,)
    message = (
        r"dict: 2 columns are continuous, that is, numbers with more than 20 distinct values:"
        r" 'v' \(21\), 'w' \(21\)\. Cut into intervals with discretize='quantile:3' \(or width:3,"
        r" or mean\), keep them as numbers with continuous='auto', or take every number as a state with"
        r" discrete=; without strict=True they are cut in three\."
    )
    with pytest.raises(InputError, match=message):
        read_table({"v": MANY, "w": [value / 2 for value in MANY], "t": list("abc" * 7)}, strict=True)


def test_long_lists_of_columns_say_how_many_more_there_are():
    with pytest.raises(InputError, match=r"12 columns are .*'X7' \(21\) and 4 more\."):
        read_table(np.array(MANY)[:, None].repeat(12, axis=1), strict=True)


@pytest.mark.parametrize("discrete", [True, ["v"], "v"])
def test_numbers_can_be_taken_as_they_are(discrete):
    assert read_table({"v": MANY}, discrete=discrete).cardinalities == (21,)


def test_texts_are_discrete_however_many():
    assert read_table({"v": [f"id{i}" for i in range(30)] * 2}).cardinalities == (30,)


def test_notes_on_columns_that_look_like_a_mistake(file):
    table = read_table({"id": [f"id{i}" for i in range(30)], "c": ["x"] * 30}, strict=True)
    assert table.notes == ("'id' has another state in every row.", "Constant, with one state only: 'c'.")
    path = file("t.csv", "age,b\n" + "\n".join(f"{i},{i % 2}" for i in range(30)) + "\nunknown,1\n")
    assert (
        "'age' is read as texts, since 'unknown' among its numbers is none."
        in read_table(path, strict=True).notes
    )


def test_a_single_row_is_read_and_told():
    assert read_table({"a": [1], "b": ["x"]}).notes[-1] == "The table has a single row."


def test_rows_that_few_columns_lack_go_those_with_the_fewest_first():
    """Less than 1 % of a column each, and less than 5 % of the rows together."""
    rows = 1000
    columns = {
        f"x{k}": [None if 20 * k <= i < 20 * k + 3 + k else i % 2 for i in range(rows)] for k in range(9)
    }
    table = read_table(columns, discrete=True)
    lacking = [3 + k for k in range(9)]  # of which those with 3 to 9 are less than 1 %
    assert table.row_count == rows - sum(lacking[:7])
    assert [len(states) for states in table.states] == [2] * 7 + [3] * 2
    [note] = [note for note in table.notes if "dropped" in note]
    assert note.startswith(
        "42 of 1000 rows dropped: they lack 'x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', which"
    )
    few = {name: [None if v is None or i % 200 == k else v for i, v in enumerate(values)]
           for k, (name, values) in enumerate(columns.items())}  # fmt: skip
    kept = read_table(few, discrete=True)
    assert 950 < kept.row_count < 1000
    assert 2 in [len(states) for states in kept.states]
    assert [len(states) for states in kept.states] == sorted(len(states) for states in kept.states)
