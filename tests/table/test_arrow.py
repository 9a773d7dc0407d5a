"""Parquet, Feather, data frames through Arrow streams, NumPy arrays, mappings."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table

ARROW = pa.table(
    {
        "smoke": pa.DictionaryArray.from_arrays(pa.array([1, 0, 1]), pa.array(["no", "yes", "unknown"])),
        "dose": pa.array([2, 10, 2]),
    }
)
STATES = (("no", "yes", "unknown"), ("2", "10"))


class Frame:
    """A data frame of some other package: all it shows is an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def ipc(table, open_writer, **options):
    sink = io.BytesIO()
    with open_writer(sink, table.schema, **options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet(table, **options):
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def feather_v1():
    sink = io.BytesIO()
    pa.feather.write_feather(pa.table({"dose": [2, 10]}), sink, version=1)
    return sink.getvalue()


@pytest.mark.parametrize("values", [[0, 1, 2], ["u", "v", "u"]])
def test_a_column_without_a_name_is_a_column(values):
    """The index that a CSV kept: neither weights nor interventions."""
    table = read_table(Frame(pa.table([pa.array(values), pa.array(["x", "y", "y"])], names=["", "a"])))
    assert table.names == ("column 1", "a")
    assert table.weights is None
    assert table.interventions is None


@pytest.mark.parametrize(
    "name", ["t.parquet", "t.feather", "t.arrow", "t.ipc", "t.parquet.gz", "t.feather.gz"]
)
def test_files_keep_declared_states(file, name):
    data = parquet(ARROW) if "parquet" in name else ipc(ARROW, pa.ipc.new_file)
    table = read_table(file(name, data), states="declared")
    assert table.states == STATES
    assert table.codes[0].tolist() == [1, 0, 1]
    assert read_table(file(name, data)) == table.with_seen_states()


def test_an_arrow_stream_file_is_read_like_an_arrow_file(file):
    path = file("t.arrow", ipc(ARROW, pa.ipc.new_stream))
    assert read_table(path, states="declared").states == STATES


@pytest.mark.filterwarnings("ignore")
def test_feather_of_the_first_version(file):
    assert read_table(file("t.feather", feather_v1())).states == (("2", "10"),)


def test_row_groups_are_joined(file):
    table = read_table(file("t.parquet", parquet(ARROW, row_group_size=1)), states="declared")
    assert table.states == STATES
    assert table.row_count == 3


def test_anything_with_an_arrow_stream_is_a_table():
    table = read_table(Frame(ARROW), states="declared")
    assert table.states == STATES
    assert table.source == "Frame"
    assert read_table(table) is table
    assert read_table(Frame(table)) == table


def test_the_index_of_a_pandas_frame_is_left_out():
    described = {b"pandas": json.dumps({"index_columns": ["__index_level_0__"]}).encode()}
    arrow = pa.table({"a": [1, 2], "__index_level_0__": [7, 8]}).replace_schema_metadata(described)
    table = read_table(arrow)
    assert table.names == ("a",)
    note = "The index of the data frame is left out: it is not a variable."
    assert table.notes == (note,)


@pytest.mark.parametrize(
    "said", [b"{", b"3", b'{"index_columns": [{"kind": "range"}]}', b'{"index_columns": ["x"]}']
)
def test_other_pandas_metadata_changes_nothing(said):
    assert read_table(pa.table({"a": [1, 2]}).replace_schema_metadata({b"pandas": said})).names == ("a",)


def test_a_numpy_array_has_a_column_per_variable():
    table = read_table(np.array([[0, 5], [1, 5], [0, 7]]))
    assert table.names == ("X0", "X1")
    assert table.states == (("0", "1"), ("5", "7"))
    assert read_table(np.zeros((2, 2)), names=["a", "b"]).names == ("a", "b")


@pytest.mark.parametrize(
    ("array", "states"),
    [
        (np.array([[True], [False]]), ("false", "true")),
        (np.array([["b"], ["a"]]), ("a", "b")),
        (np.array([["b"], ["a"]], dtype=object), ("a", "b")),
        (np.array([[0.5], [0.25]], order="F"), ("0.25", "0.5")),
    ],
)
def test_numpy_arrays_of_all_kinds(array, states):
    assert read_table(array).states[0] == states


def test_masked_values_are_missing():
    array = np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, False], [True, False]])
    assert read_table(array, missing="state").states == (("1", "missing"), ("2", "4"))


def test_a_mapping_of_sequences_arrays_and_series():
    table = read_table(
        {"a": ["x", "y"], "b": np.array([1, 2]), "c": pa.chunked_array([[True], [False]]), 3: (1, 1)}
    )
    assert table.names == ("a", "b", "c", "3")
    assert table.states == (("x", "y"), ("1", "2"), ("false", "true"), ("1",))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.zeros(3), r"array: expected 2 dimensions \(rows, columns\), found 1\."),
        (np.zeros((0, 2)), r"array: the table has no rows\."),
        (np.zeros((2, 0)), r"array: the table has no columns\."),
        (np.zeros((1, 1_000_001), dtype=np.int8), r"array: 1000001 columns; a table has at most 1,000,000\."),
        (np.array([[1j]]), r"array: column 'X0' cannot be read: unsupported numpy type"),
        ({}, r"dict: the table has no columns\."),
        ({"a": [1, 2], "b": [1]}, r"dict: column 'b' has 1 row, column 'a' has 2\."),
        ({"a": [1, "x"]}, r"dict: column 'a' cannot be read: could not convert 'x' with type str"),
        ({"a": ["\ud800"]}, r"dict: column 'a' cannot be read: "),
        ({"a": 3}, r"dict: column 'a' cannot be read: "),
        ({" a": [1], "a": [1]}, r"dict: columns 1 and 2 are both named 'a'\."),
        (pa.table({"a": pa.array([], pa.int64())}), r"Table: the table has no rows\."),
        (pa.table([[1], [2]], names=["a", "a"]), r"Table: columns 1 and 2 are both named 'a'\."),
        (pa.table([[1]], names=["  "]), r"Table: column 1 has no name\."),
    ],
)
def test_what_cannot_be_read(source, message):
    with pytest.raises(InputError, match=message):
        read_table(source, strict=True)


def test_the_number_of_given_names_must_fit():
    for source, label in ((np.zeros((1, 2)), "array"), ({"a": [1], "b": [1]}, "dict"), (ARROW, "Table")):
        with pytest.raises(InputError, match=rf"{label}: names= gives 3 names for 2 columns\."):
            read_table(source, names=["u", "v", "w"])


def test_a_stream_that_fails_is_an_input_error():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ValueError("No connection.")

    with pytest.raises(InputError, match=r"Broken: the Arrow stream cannot be read: no connection\."):
        read_table(Broken())


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.parquet", b"", r"t.parquet: the file is empty\."),
        ("t.parquet", b"PAR1 nonsense", r"t.parquet: this is not a Parquet file, or it is damaged\."),
        ("t.feather", b"ARROW1 nonsense", r"t.feather: this is not an Arrow file, or it is damaged\."),
        ("t.arrow", b"a,b\n1,2\n", r"t.arrow: this is not an Arrow file, or it is damaged\."),
        ("t.parquet", parquet(ARROW)[:-20], r"t.parquet: this is not a Parquet file, or it is damaged\."),
    ],
)
def test_damaged_files_are_refused(file, name, data, message):
    with pytest.raises(InputError, match=message):
        read_table(file(name, data))


def test_a_dictionary_index_out_of_range_is_refused(file):
    wild = pa.DictionaryArray.from_arrays(pa.array([0, 5]), pa.array(["a"]), safe=False)
    data = ipc(pa.table({"v": wild}), pa.ipc.new_file)
    with pytest.raises(InputError, match=r"this is not an Arrow file, or it is damaged\."):
        read_table(file("t.feather", data))


def test_damaged_gzip_is_refused(file):
    whole = gzip.compress(parquet(ARROW))
    for data in (whole[:-9], whole[:40], b"no gzip", whole[:30] + b"xxxx" + whole[34:]):
        file("t.parquet", data)
        Path("t.parquet").rename("t.parquet.gz")
        with pytest.raises(InputError, match=r"t.parquet.gz: the gzip data is damaged or cut short\."):
            read_table("t.parquet.gz")


def test_text_options_are_refused():
    with pytest.raises(InputError, match=r"^header= is for text files\."):
        read_table(ARROW, header=True)
    with pytest.raises(InputError, match=r"^delimiter= is for text files\."):
        read_table(ARROW, delimiter=";")


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_frames_of_other_packages(package):
    frames = pytest.importorskip(package, reason=f"{package} is not installed")
    table = read_table(frames.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 2], "c": [True, False, True]}))
    assert table.states == (("x", "y"), ("1", "2"), ("false", "true"))


def test_a_list_of_texts_with_nan_is_read():
    """As `to_dict("list")` of a data frame gives it."""
    nan = float("nan")
    given = {"a": ["x", nan, "y"] * 20, "b": [1.5, nan, 2.5] * 20}
    for strict in (False, True):
        table = read_table(given, strict=strict, missing="state")
        assert table.states == (("x", "y", "missing"), ("1.5", "2.5", "missing"))
    assert read_table({"a": ["x", nan, 3] * 20}).states == (("3", "x", "missing"),)
