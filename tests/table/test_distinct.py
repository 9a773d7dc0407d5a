"""Which states a column has, in which order, from text and from typed columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesloom.errors import InputError
from bayesloom.table import read_table
from bayesloom.table.distinct import distinct


def states_of_text(file, *values, **options):
    """Return the states of a single column written as CSV."""
    return read_table(file("t.csv", "\n".join(["v", *values])), **options).states[0]


@pytest.mark.parametrize(
    ("values", "states"),
    [
        (["10", "9", "-1", "0"], ("-1", "0", "9", "10")),  # integers, by size
        (["01", "1", "2"], ("01", "1", "2")),  # a leading zero makes labels
        (["1.0", "1", "2"], ("1", "2")),  # the same number
        (["1.50", "0.5", "1e1"], ("0.5", "1.5", "10.0")),  # reals, shortest form
        (["+1", "-0", "0"], ("0", "1")),
        ([".5", "5.", "1E-2"], ("0.01", "0.5", "5.0")),
        (["inf", "-inf", "1"], ("-inf", "1.0", "inf")),
        (["1e999", "1"], ("1.0", "inf")),
        (["10", "9", "x"], ("10", "9", "x")),  # one label makes texts
        (["1_000", "2"], ("1_000", "2")),
        (["0x10", "2"], ("0x10", "2")),
        (["٣", "2"], ("2", "٣")),  # digits of other scripts are texts
        (["true", "false"], ("false", "true")),
        (["b", "B", "é", "a"], ("B", "a", "b", "é")),  # by code point
        # More digits than 64 bits hold: labels, so that none are merged.
        (["12345678901234567890", "12345678901234567891"], ("12345678901234567890", "12345678901234567891")),
        (["999999999999999999", "-999999999999999999"], ("-999999999999999999", "999999999999999999")),
        (["1e20", "1e21"], ("1e+20", "1e+21")),
    ],
)
def test_states_of_text_columns(file, values, states):
    assert states_of_text(file, *values) == states


def test_white_space_around_values_is_removed_and_told_for_texts(file):
    table = read_table(file("t.csv", "a,b\nx, 1\n x ,2\n"))
    assert table.states == (("x",), ("1", "2"))
    assert "White space around the values of 'a' was removed." in table.notes


@pytest.mark.parametrize(
    ("values", "states"),
    [
        (pa.array([True, False]), ("false", "true")),
        (pa.array([True, True]), ("true",)),
        (pa.array([10, 9], pa.int8()), ("9", "10")),
        (pa.array([2**64 - 1, 0], pa.uint64()), ("0", "18446744073709551615")),
        (pa.array([1.0, 0.0]), ("0", "1")),
        (pa.array([-0.0, 0.0]), ("0",)),
        (pa.array([0.1, 1.0], pa.float32()), ("0.1", "1.0")),
        (pa.array(np.array([0.5, 2], dtype=np.float16)), ("0.5", "2.0")),
        (pa.array([1e300, 1.0]), ("1.0", "1e+300")),
        (pa.array(["1.5", "1"]).cast(pa.decimal128(5, 2)), ("1.0", "1.5")),
        (pa.array(["10", "9"]), ("10", "9")),  # texts stay texts
        (pa.array([" a", "a"]), (" a", "a")),  # and are kept exactly
        (pa.array(["b", "a"], pa.large_string()), ("a", "b")),
        (pa.array(["b", "a"], pa.string_view()), ("a", "b")),
    ],
)
def test_states_of_typed_columns(values, states):
    assert read_table({"v": values}).states[0] == states


@pytest.mark.parametrize(
    ("values", "states"),
    [
        (["lo", "mid", "hi"], ("lo", "mid", "hi")),
        (["NA", "?", ""], ("NA", "?", "")),  # states by decree
        ([3, 1, 2], ("3", "1", "2")),
        ([0.5, 1.0], ("0.5", "1.0")),
        ([2.0, 1.0], ("2", "1")),
        ([True, False], ("true", "false")),
        (["a", "b", "a"], ("a", "b")),  # the same state twice is one state
    ],
)
def test_a_dictionary_declares_its_states_and_their_order(values, states):
    array = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), pa.array(values))
    assert read_table({"v": array}, states="declared").states[0] == states


def test_a_dictionary_of_string_views():
    values = pa.array(["lo", "mid", "hi"], pa.string_view())
    chunk = pa.DictionaryArray.from_arrays(pa.array([2, 0]), values)
    source = {"v": pa.chunked_array([chunk, chunk])}
    assert read_table(source, states="declared").states[0] == ("lo", "mid", "hi")


def test_null_in_a_dictionary_is_missing():
    array = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array(["b", None, "a"]))
    table = read_table({"v": array}, missing="state", states="declared")
    assert table.states[0] == ("b", "a", "missing")
    assert table.codes[0].tolist() == [2, 0, 2]


def test_null_in_the_dictionaries_of_several_chunks():
    first = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["b", None]))
    second = pa.DictionaryArray.from_arrays(pa.array([2, 0]), pa.array([None, "c", "b"]))
    source = {"v": pa.chunked_array([first, second])}
    table = read_table(source, missing="state", states="declared")
    assert table.states[0] == ("b", "c", "missing")
    assert table.codes[0].tolist() == [2, 0, 0, 2]


@pytest.mark.parametrize(
    ("values", "states"), [([2, None, 1], ("2", "1")), ([2.5, np.nan, 1.0], ("2.5", "1.0"))]
)
def test_null_and_nan_among_the_numbers_of_a_dictionary_are_missing(values, states):
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(values))
    table = read_table({"v": array}, missing="state")
    assert table.states[0] == (*states, "missing")
    assert table.codes[0].tolist() == [0, 2, 1]


def test_chunks_with_their_own_dictionaries_become_one_column():
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "b"]))
    second = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["c", "a"]))
    table = read_table({"v": pa.chunked_array([first, second])})
    assert table.states[0] == ("a", "b", "c")
    assert table.codes[0].tolist() == [0, 1, 2, 0]


def test_dates_in_a_dictionary_are_labels():
    import datetime

    array = pa.array([datetime.date(2020, 1, 2)]).dictionary_encode()
    assert read_table({"v": array}).states[0] == ("2020-01-02",)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2]]),
        pa.array([b"x", b"y"]),
        pa.array([1, 2], pa.timestamp("s")),
        pa.array([{"x": 1}]),
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([[1]])),
    ],
)
def test_columns_of_other_types_are_refused_by_name_and_type(values):
    message = (
        r"dict: column 'v' has type .*; a table takes booleans, numbers and texts\. Leave the column out"
    )
    with pytest.raises(InputError, match=message):
        read_table({"v": values}, strict=True)


def test_codes_are_as_small_as_they_can_be():
    for count, kind in ((256, np.uint8), (257, np.uint16), (65_535, np.uint16)):
        table = read_table({"v": [f"{i:05}" for i in range(count)]}, strict=True)
        assert table.codes[0].dtype == kind
        assert table.codes[0].tolist() == list(range(count))


def test_too_many_states_are_refused_with_the_number():
    message = r"variable 'v' has 70000 states; the limit is 65535\. Leave it out if it names the rows"
    with pytest.raises(InputError, match=message):
        read_table({"v": [f"{i:05}" for i in range(70_000)]}, strict=True)


@given(st.lists(st.one_of(st.none(), st.integers(-30, 30)), min_size=1, max_size=50))
def test_codes_lead_back_to_the_values(values):
    """Value by value: the definition, against the look-up tables."""
    one = distinct(pa.chunked_array([pa.array(values, pa.int64())]), from_text=False)
    back = [None if code == len(one) else int(one.values[code]) for code in one.codes]
    assert back == values
    assert one.values.tolist() == sorted({value for value in values if value is not None})
    assert one.missing == values.count(None)


@given(st.lists(st.floats(width=64), min_size=1, max_size=50))
def test_reals_are_ordered_and_nan_is_missing(values):
    one = distinct(pa.chunked_array([pa.array(values, pa.float64())]), from_text=False)
    assert one.values.tolist() == sorted({value for value in values if value == value})
    for value, code in zip(values, one.codes, strict=True):
        assert (one.values[code] == value) if value == value else code == len(one)


@pytest.mark.parametrize("sign", [".", "-", "--", "#N/A", "None"])
def test_signs_of_gaps_among_numbers_are_missing_values(sign, tmp_path):
    numbers = [sign if k % 20 == 0 else str(k * 7 % 101) for k in range(400)]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{x},{'ab'[k % 2]}\n" for k, x in enumerate(numbers)))
    table = read_table(tmp_path / "t.csv")
    assert table.states[0][-1] == "missing"
    assert len(table.states[0]) == 4
    assert f"'x' holds numbers and {sign!r}, which is read as a missing value." in table.notes
    assert read_table(tmp_path / "t.csv", strict=True).states[0][0] in ("#N/A", "-", "--", ".", "0")


def test_a_text_among_numbers_stays_a_text(tmp_path):
    (tmp_path / "t.csv").write_text("x\n" + "".join(f"{'none' if k % 2 else 'some'}\n" for k in range(40)))
    assert read_table(tmp_path / "t.csv").states == (("none", "some"),)
