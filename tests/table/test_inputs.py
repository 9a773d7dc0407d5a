"""Inputs as people have them: other encodings, workbooks, frames of all kinds, rows; guesses are told."""

from __future__ import annotations

import builtins
import datetime
import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayesloom as bl
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import reading_within
from made.command import exit_code

TEXT = "größe,b\nklein,1\ngroß,2\n"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv"])
@pytest.mark.parametrize(
    ("encoding", "note"),
    [("utf-16", "The text is UTF-16"), ("cp1252", "it is read as Windows-1252"), ("utf-8-sig", "")],
)
def test_encodings(file, name, encoding, note):
    text = TEXT.replace(",", "\t") if name.endswith(".tsv") else TEXT
    table = bl.read_table(file(name, text.encode(encoding)))
    assert table.names == ("größe", "b")
    assert table.states[0] == ("groß", "klein")
    assert any(note in one for one in table.notes) if note else not table.notes


def test_big_endian_and_other_formats(file):
    data = b"\xfe\xff" + TEXT.encode("utf-16-be")
    assert bl.read_table(file("t.csv", data)).names == ("größe", "b")
    arff = "@attribute größe {klein,groß}\n@data\nklein\ngroß\n"
    assert bl.read_table(file("t.arff", arff.encode("cp1252"))).states == (("klein", "groß"),)
    assert bl.read_table(file("t.dat", "größe b\n2 1\nx 0\ny 0\n".encode("cp1252"))).names == ("größe", "b")


@pytest.mark.parametrize(
    "data",
    [
        "ü,b\nklein,1\n".encode() + b"gro\xff,2\n",  # UTF-8 before: damaged
        b"a,b\n\x81,1\nx,2\n",  # no character of Windows-1252
        b"a,b\n\xe9\x02,1\nx,2\n",  # a control character
        b"a,b\n\xe9\x00,1\nx,2\n",
        b"\xef\xbb\xbfa,b\n\xe9,1\nx,2\n",  # says that it is UTF-8
        b"\xff\xfea\x00,\x00b\x00\n\x00\x00\xd8",  # UTF-16, half a character
    ],
)
def test_text_that_is_no_text(file, data):
    with pytest.raises(InputError):
        bl.read_table(file("t.csv", data))


def workbook(path, *sheets) -> str:
    book = openpyxl.Workbook()
    for k, rows in enumerate(sheets):
        sheet = book.active if k == 0 else book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


def test_a_workbook(tmp_path, capsys):
    rows = [
        ["a", "b", "", "day", "flag", "a"],
        ["x", 1, 0.5, datetime.datetime(2020, 1, 2), True, 1],
        [],
        ["y", 2, None, datetime.datetime(2020, 1, 3), False, "#N/A"],
        ["x", "NA", 1.5, None, True, "z"],
    ]
    path = workbook(tmp_path / "t.xlsx", rows, [["other"]])
    table = bl.read_table(path)
    titles = openpyxl.load_workbook(path).sheetnames
    with pytest.raises(InputError, match=f"sheet '{titles[1]}' has a header and no rows"):
        bl.read_table(path, sheet=titles[1])
    with pytest.raises(InputError, match=r"t.xlsx: unknown sheet 'Shet'.*Did you mean 'Sheet'"):
        bl.read_table(path, sheet="Shet")
    first = bl.read_table(path, sheet=titles[0])
    assert first.states == table.states
    assert not any("sheets" in note for note in first.notes)
    assert table.like(path, sheet=titles[0]).row_count == table.row_count
    for source in ({"a": [1, 2]}, tmp_path / "t.csv", "-"):
        with pytest.raises(InputError, match=r"sheet= is for workbooks of Excel \(.xlsx\)"):
            bl.read_table(source, sheet="Sheet")
    assert exit_code("convert", path, str(tmp_path / "s.csv"), "--sheet", titles[0]) == 0
    assert exit_code("convert", path, str(tmp_path / "s.csv"), "--sheet", "no") == 1
    assert "t.xlsx: unknown sheet 'no'" in capsys.readouterr().err
    assert table.names == ("a", "b", "column 3", "day weekday", "flag", "a (2)")
    assert table.states == (
        ("x", "y"),
        ("1", "2", "missing"),
        ("0.5", "1.5", "missing"),
        ("Thursday", "Friday", "missing"),
        ("false", "true"),
        ("1", "z", "missing"),
    )
    notes = " ".join(table.notes)
    for part in (
        "The workbook has 2 sheets; the first, 'Sheet', is read.",
        "1 cells hold an error such as #N/A",
        "'b' holds numbers and 'NA', which is read as a missing value.",
        "'a (2)' holds values of several types (int, str); they are read as texts.",
    ):
        assert part in notes
    with pytest.raises(InputError, match="line 1: column 3 has no name"):
        bl.read_table(path, strict=True)
    other = workbook(tmp_path / "u.xlsx", [["a"], ["y"], [], [], ["x"]])
    with pytest.raises(InputError, match=r"u.xlsx, line 5: variable 'a' has state 'x', not among 'y'"):
        bl.read_table(other, states={"a": ["y"]})
    assert exit_code("convert", path, str(tmp_path / "t.csv")) == 0
    assert "note: The workbook has 2 sheets" in capsys.readouterr().err


def test_a_workbook_without_a_header_and_with_names(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [[1, 2], [3, 4]])
    assert bl.read_table(path).names == ("X0", "X1")
    assert bl.read_table(path).row_count == 2
    assert bl.read_table(path, header=True).names == ("1", "2")
    assert bl.read_table(path, names=["u", "v"]).names == ("u", "v")
    with pytest.raises(InputError, match="delimiter= has no meaning"):
        bl.read_table(path, delimiter=";")


def test_workbooks_that_cannot_be_read(tmp_path, monkeypatch):
    empty = workbook(tmp_path / "e.xlsx", [])
    with pytest.raises(InputError, match="the first sheet is empty"):
        bl.read_table(empty)
    with pytest.raises(InputError, match="has a header and no rows"):
        bl.read_table(workbook(tmp_path / "h.xlsx", [["a"]]))
    path = tmp_path / "d.xlsx"
    for data in (b"", b"PK\3\4", b"a,b\n1,2\n", (tmp_path / "h.xlsx").read_bytes()[:-300]):
        path.write_bytes(data)
        with pytest.raises(
            InputError, match=r"d.xlsx: this is not an Excel workbook \(.xlsx\), or it is damaged"
        ):
            bl.read_table(path)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 50_000_000)
    path.write_bytes(packed.getvalue())
    with reading_within(0.05), pytest.raises(ResourceError, match="unpacked"):
        bl.read_table(path)
    (tmp_path / "t.xls").write_bytes(b"x")
    with pytest.raises(InputError, match=r"t.xls: .xls is not read\. Save the sheet as .xlsx or .csv\."):
        bl.read_table(tmp_path / "t.xls")
    known = builtins.__import__

    def without(name, *rest, **more):
        if name == "openpyxl":
            raise ModuleNotFoundError(name)
        return known(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"openpyxl is needed to read .xlsx\. .*bayesloom\[excel\]"):
        bl.read_table(empty)


def test_pandas_of_all_kinds():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 2], dtype="Int64"),
            "s": pd.array(["x", None, "y"], dtype="string"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "f": pd.array([0.5, None, 1.5], dtype="Float64"),
            "c": pd.Categorical(["u", None, "v"], categories=["v", "u", "w"]),
        }
    )
    table = bl.read_table(frame)
    assert table.states == (
        ("1", "2", "missing"),
        ("x", "y", "missing"),
        ("false", "true", "missing"),
        ("0.5", "1.5", "missing"),
        ("v", "u", "missing"),
    )


def test_objects_of_several_types():
    mixed = pd.DataFrame({"a": [1, "x", None, 2.0], "b": ["u", "v", "u", "v"]}, index=list("wxyz"))
    table = bl.read_table(mixed)
    assert table.states == (("1", "2", "x", "missing"), ("u", "v"))
    assert "'a' holds values of several types (float, int, str); they are read as texts." in table.notes
    assert any("index of the data frame is left out" in note for note in table.notes)
    with pytest.raises(InputError):
        bl.read_table(mixed, strict=True)
    with pytest.raises(InputError, match="column 'a' cannot be read"):
        bl.read_table(pd.DataFrame({"a": [1, [2]]}))
    assert bl.read_table({"a": [1, "x", pd.NA]}).states == (("1", "x", "missing"),)
    assert bl.read_table(np.array([[1, "x"], ["y", "x"]], dtype=object)).states[0] == ("1", "y")


def test_names_of_pandas_columns():
    twice = pd.DataFrame([[0, 1, 1], [1, 0, 1]], columns=["a", "a", "b"])
    table = bl.read_table(twice)
    assert table.names == ("a", "a (2)", "b")
    assert table.codes[1].tolist() == [1, 0]
    assert any("is named 'a' like another" in note for note in table.notes)
    levels = pd.DataFrame([[0, 1], [1, 0]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    table = bl.read_table(levels)
    assert table.names == ("a.x", "a.y")
    assert "The names of the columns have 2 levels; they are joined by dots." in table.notes
    for frame in (twice, levels.droplevel(1, axis=1)):
        with pytest.raises(InputError):
            bl.read_table(frame, strict=True)
    assert bl.read_table(pd.DataFrame([[0, 1], [1, 0]])).names == ("0", "1")
    with pytest.raises(InputError, match=r"a series is one column"):
        bl.read_table(pd.Series([1, 2]))


def test_polars_and_arrow():
    frame = pl.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    expected = bl.read_table(frame)
    assert bl.read_table(frame.lazy().filter(pl.col("b") > 0)) == expected
    table = frame.to_arrow()
    assert bl.read_table(table) == expected
    assert bl.read_table(table.to_batches()[0]) == expected
    assert bl.read_table(pa.RecordBatchReader.from_batches(table.schema, table.to_batches())) == expected
    assert bl.read_table(pa.table([[1, 2], [2, 1]], names=["a", "a"])).names == ("a", "a (2)")


def test_rows():
    table = bl.read_table([{"a": "x", "b": 1}, {"b": 2, "c": True}])
    assert table.names == ("a", "b", "c")
    assert table.states == (("x", "missing"), ("1", "2"), ("true", "missing"))
    with pytest.raises(InputError, match="the table has no columns"):
        bl.read_table([])
    with pytest.raises(InputError, match="cannot read a table from an object of type list"):
        bl.read_table([1, 2])
