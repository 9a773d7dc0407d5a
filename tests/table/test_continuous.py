"""Columns that are kept as numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from made.continuous import conditional_gaussian, linear_gaussian

MANY = [0.5 * k for k in range(30)]
SOURCE = {"x": MANY, "k": [1, 2, 3] * 10, "s": ["a", "b"] * 15}


def test_auto_keeps_many_numbers_and_leaves_the_rest_as_it_is():
    table = bl.read_table(SOURCE, continuous="auto")
    assert table.continuous == ("x",)
    assert table.states == ((), ("1", "2", "3"), ("a", "b"))
    assert table.values("x").tolist() == MANY
    assert table.values("x").dtype == np.float64
    assert not table.values("x").flags.writeable
    record = table.columns[0]
    assert (record.kind, record.states, record.used) == ("continuous", 0, True)
    assert record.why == "its 30 values are kept as numbers: more than 20 values"


def test_all_keeps_every_column_of_numbers():
    assert bl.read_table(SOURCE, continuous="all").continuous == ("x", "k")


def test_names_and_the_default():
    assert bl.read_table(SOURCE, continuous=["k"]).continuous == ("k",)
    assert bl.read_table(SOURCE, continuous="k").cardinalities == (3, 0, 2)
    assert bl.read_table(SOURCE).continuous == ()
    assert bl.read_table(SOURCE, continuous="auto", discrete=["x"]).continuous == ()
    assert bl.read_table(SOURCE, continuous="all", discretize={"x": "mean"}).continuous == ("k",)
    assert bl.read_table(SOURCE, strict=True, continuous="auto").continuous == ("x",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"continuous": ["s"]}, "dict: column 's' does not hold numbers alone"),
        ({"continuous": ["z"]}, "continuous names 'z'|no column 'z'"),
        ({"continuous": 3}, "continuous: expected 'auto', 'normal', 'all' or a list of columns, got 3"),
        ({"continuous": ["x"], "discretize": {"x": "mean"}}, "both name column 'x'"),
        ({"continuous": ["x"], "discrete": ["x"]}, "both name column 'x'"),
        ({"continuous": ["k"], "states": {"k": [1, 2, 3]}}, "both name column 'k'"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        bl.read_table(SOURCE, **options)


def test_infinite_numbers_are_refused():
    with pytest.raises(InputError, match=r"row 3: variable 'x' is continuous and has inf"):
        bl.read_table({"x": [1.0, 2.0, float("inf")]}, continuous="all")
    with pytest.raises(InputError, match=r"variable 'x' has nan in row 1"):
        bl.Table.from_codes(["x"], [[]], [[float("nan")]])


def test_rows_without_a_number_are_dropped_and_told():
    table = bl.read_table({"x": [1.0, None, 3.0], "s": ["a", "b", None]}, continuous=["x"])
    assert table.values("x").tolist() == [1.0, 3.0]
    assert table.states[1] == ("a", "missing")
    assert "1 of 3 rows dropped: they lack a number of 'x'." in table.notes
    with pytest.raises(InputError, match="missing values"):
        bl.read_table({"x": [1.0, None]}, continuous=["x"], strict=True)
    with pytest.raises(InputError, match="every row lacks a number of 'x', 'y'"):
        bl.read_table({"x": [1.0, None], "y": [None, 2.0]}, continuous="all")


def test_numbers_are_not_called_copies():
    rng = np.random.default_rng(1)
    table = bl.read_table(dict(zip("abc", rng.normal(size=(3, 50)), strict=True)), continuous="all")
    assert table.notes == ()


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".feather", ".csv.gz"])
def test_files_keep_the_numbers_to_the_last_bit(tmp_path, suffix):
    table, _ = conditional_gaussian(3, variables=6, rows=60)
    path = tmp_path / f"table{suffix}"
    table.write(path)
    back = bl.read_table(path, continuous=table.continuous)
    assert back.continuous == table.continuous
    for name in table.continuous:
        assert np.array_equal(back.values(name), table.values(name))


def test_a_dat_file_holds_no_numbers(tmp_path):
    table, _ = linear_gaussian(1, variables=2, rows=30)
    with pytest.raises(InputError, match="variable 'X0' is continuous"):
        table.write(tmp_path / "t.dat")


def test_what_is_done_with_tables_is_done_with_numbers():
    table, _ = conditional_gaussian(4, variables=6, rows=50)
    name = table.continuous[0]
    assert table.select([name]).continuous == (name,)
    assert pickle.loads(pickle.dumps(table)) == table
    assert bl.read_table(table) is table
    assert bl.read_table(table, missing="drop") == table
    assert bl.read_table(table, discretize="mean").continuous == ()
    assert table.like(table.to_pandas()) == table
    weighted = bl.Table.from_codes(table.names, table.states, table.codes, weights=[2] * 50)
    assert weighted.expanded().values(name).tolist() == np.repeat(table.values(name), 2).tolist()
    assert "continuous, from" in table.summary()
    assert table.unseen.keys() <= set(table.names) - set(table.continuous)
    odd = {n: ["q"] * 3 if n == name else table.to_pandas()[n].tolist()[:3] for n in table.names}
    with pytest.raises(InputError, match=f"variable '{name}' is continuous and has no finite number"):
        table.like(odd)


def test_merging_rows_looks_at_numbers_and_not_at_their_order():
    one = bl.read_table({"x": [1.0, 2.0, 1.0], "s": ["a", "b", "a"]}, continuous=["x"])
    assert one.encoded.unique_row_count == 2
    turned = bl.read_table({"x": [2.0, 1.0, 1.0], "s": ["b", "a", "a"]}, continuous=["x"])
    assert one.encoded.digest == turned.encoded.digest
    other = bl.read_table({"x": [2.5, 1.0, 1.0], "s": ["b", "a", "a"]}, continuous=["x"])
    assert one.encoded.digest != other.encoded.digest
