"""Values that stand for a missing one because somebody says so: the same from every kind of source."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.table import read_table
from made.command import run

AGES = [31.0, -99.0, 64.0, 22.0, -99.0, 47.0] * 10
CITIES = ["Lyon", "none", "Nice", "-99", "Metz", "Lyon"] * 10
CODES = ["-99", "none"]


def rows(blank: object = None) -> dict[str, list[object]]:
    """The table with nothing where a code stands."""
    ages = [blank if age == -99 else age for age in AGES]
    return {"age": ages, "city": [blank if city in CODES else city for city in CITIES]}


def plain(table: bl.Table) -> tuple[object, ...]:
    return table.names, table.states, [codes.tolist() for codes in table.codes]


def sources(tmp_path):
    """The same table as text, as Arrow's types, as categories and as a file of them."""
    lines = [f"{age:g},{city}" for age, city in zip(AGES, CITIES, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["age,city", *lines]))
    arrow = pa.table({"age": AGES, "city": CITIES})
    pa.parquet.write_table(arrow, tmp_path / "t.parquet")
    whole = arrow.set_column(0, "age", arrow["age"].cast(pa.int16()))
    split = pa.concat_tables([whole.slice(0, 7), whole.slice(7)])
    return [tmp_path / "t.csv", tmp_path / "t.parquet", arrow, whole, split, {"age": AGES, "city": CITIES}]


@pytest.mark.parametrize("missing", ["keep", "state", "drop"])
def test_every_source_reads_as_if_nothing_stood_there(tmp_path, missing):
    expected = plain(read_table(rows(), missing=missing))
    for source in sources(tmp_path):
        table = read_table(source, missing=missing, missing_values=CODES)
        assert plain(table) == expected
        assert table.notes[0] == "Read as missing, as asked for: '-99', 'none', in 'age' (20), 'city' (20)."


def test_categories_lose_the_state_that_a_code_was():
    coded = pa.array(CITIES).dictionary_encode()
    table = read_table(pa.table({"age": AGES, "city": coded}), missing="keep", missing_values=CODES)
    assert set(table.states[1]) == {"Lyon", "Nice", "Metz"}
    assert table.lacking("city").tolist() == [city in CODES for city in CITIES]
    first = read_table({"a": ["x", "y", "9"] * 5, "b": ["u", "v", "v"] * 5})
    again = read_table(first, missing_values="9", missing="keep")
    assert (again.states[0], int(again.lacking("a").sum())) == (("x", "y"), 5)


def test_numbers_stay_numbers_however_the_code_is_written(tmp_path):
    texts = [f"{k / 7:.3f}" if k % 5 else ["-99", "-99.0", "-9.9e1", "n.a."][k // 5 % 4] for k in range(100)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *(f"{x},{'ab'[k % 2]}" for k, x in enumerate(texts))]))
    table = read_table(tmp_path / "t.csv", missing_values=[-99, "n.a."], continuous=["x"])
    assert table.continuous == ("x",)
    assert table.row_count == 80
    assert table.values("x").min() > 0


def test_codes_of_a_column_are_of_that_column_only():
    table = read_table({"a": [1, 9, 2] * 4, "b": [9, 1, 2] * 4}, missing_values={"a": 9}, missing="keep")
    assert table.states == (("1", "2"), ("1", "2", "9"))
    assert table.notes[0] == "Read as missing, as asked for: '9', in 'a' (4)."
    both = read_table(
        {"a": [1, 9, 2] * 4, "b": [9, 1, 2] * 4}, missing_values={"a": 9, "*": [2]}, missing="keep"
    )
    assert both.states == (("1",), ("1", "9"))
    with pytest.raises(InputError, match="missing_values: the table has no column 'c'"):
        read_table({"a": [1, 9]}, missing_values={"c": 9})
    with pytest.raises(InputError, match="expected texts and numbers"):
        read_table({"a": [1, 9]}, missing_values=[None])


def test_what_is_found_nowhere_and_what_is_no_value_of_a_column():
    weighted = read_table({"a": ["x", "y", "x"], "n": [9, 1, 2]}, weights="n", missing_values=9)
    assert weighted.total_weight == 12
    assert "Asked to be read as missing, and found nowhere: '9'." in weighted.notes
    assert read_table({"a": ["x", "y"]}, missing_values=[]).notes == read_table({"a": ["x", "y"]}).notes


def test_new_rows_have_the_same_codes():
    first = {"a": ["x", "y", "9"] * 5, "b": [1, 2, 9] * 5, "n": [9] * 15}
    table = read_table(first, missing_values=9, weights="n", missing="keep")
    new = {"a": ["9", "x"], "b": [2, 2], "n": [9, 1]}
    assert table.like(new, missing="drop").column("a").tolist() == [0]
    assert table.like({"a": ["y", "x"], "b": [2, 2], "n": [9, 1]}).total_weight == 10
    assert table.select(["a"]).like({"a": ["9", "y"]}, missing="drop").column("a").tolist() == [1]
    cut = read_table({"x": [float(k) for k in range(60)] + [-99.0]}, missing_values=-99, missing="drop")
    assert cut.like({"x": [-99.0, 59.0]}, missing="drop").column("x").tolist() == [2]


def test_dates_with_a_code_among_them_are_dates(tmp_path):
    days = [f"2024-{k % 12 + 1:02}-{k % 28 + 1:02}" if k % 9 else "unknown" for k in range(60)]
    (tmp_path / "t.csv").write_text(
        "\n".join(["day,y", *(f"{day},{'ab'[k % 2]}" for k, day in enumerate(days))])
    )
    table = read_table(tmp_path / "t.csv", missing_values="unknown")
    assert "day month" in table.names
    never = datetime.date(1900, 1, 1)
    typed = [never if k % 9 == 0 else datetime.date.fromisoformat(day) for k, day in enumerate(days)]
    again = read_table({"day": typed, "y": [k % 2 for k in range(60)]}, missing_values="1900-01-01")
    assert "day year" not in again.names


@pytest.mark.parametrize(
    "kind", [pa.bool_(), pa.float32(), pa.uint8(), pa.large_string(), pa.decimal128(5, 1)]
)
def test_columns_of_all_types(kind):
    code, other = {"bool": ("true", "false")}.get(str(kind), ("9", "3"))
    given = pa.array([True, False, None, True] if kind == pa.bool_() else [9, 3, None, 9])
    column = (
        given.cast(pa.string()).cast(kind)
        if pa.types.is_large_string(kind)
        else given.cast(pa.float64()).cast(kind)
        if pa.types.is_decimal(kind)
        else given.cast(kind)
    )
    table = read_table(
        pa.table({"x": column, "y": ["a", "b", "b", "a"]}), missing_values=code, missing="keep"
    )
    assert table.states[0] == (other,)
    assert table.lacking("x").tolist() == [True, False, True, True]
    gone = read_table(
        pa.table({"x": column, "y": list("abba")}), missing_values=[code, other], missing="keep"
    )
    assert gone.states[0] == ("missing",)  # in every row


def test_a_result_is_verified_and_new_rows_are_read_alike(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(2)
    age = np.round(draw.uniform(20, 80, 300), 1)
    ill = np.where(age + draw.normal(0, 9, 300) > 55, "yes", "no")
    lines = [f"{-99 if k % 7 == 0 else x},{y}" for k, (x, y) in enumerate(zip(age, ill, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(["age,ill", *lines]))
    assert run(capsys, "learn t.csv --missing-code -99 --missing drop -q --json run.json").code == 0
    found = json.loads((tmp_path / "run.json").read_text())
    assert found["table"]["rows"] == 300 - 43
    assert len(found["edges"]) == 1
    assert run(capsys, "verify run.json --data t.csv --missing-code -99 --missing drop").code == 0
    assert run(capsys, "verify run.json --data t.csv").code == 0  # the run says how its table was read
    ended = run(capsys, "learn t.csv --missing-code age=-99 --missing drop")
    assert ended.code == 0
    assert "credible t.csv --missing drop --missing-code age=-99" in ended.out
    table = read_table("t.csv", missing_values=-99, missing="drop")
    assert plain(table.like("t.csv", missing="drop")) == plain(table)
    result = bl.learn("t.csv", missing_values=-99, missing="drop")
    assert result.verify().ok
