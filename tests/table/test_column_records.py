"""`Table.columns`: what became of each column of the source."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.report.page import report_text
from bayesloom.table import Column, read_table
from made.command import exit_code

DRAW = np.random.default_rng(8)
ROWS = 120
SOURCE = {
    "id": [f"u{k}" for k in range(ROWS)],
    "word": [("no", "yes", None)[k] for k in DRAW.integers(0, 3, ROWS)],
    "flag": DRAW.integers(0, 2, ROWS).astype(bool),
    "few": DRAW.integers(0, 4, ROWS),
    "half": DRAW.integers(0, 4, ROWS) / 2,
    "many": DRAW.normal(size=ROWS),
    "same": ["x"] * ROWS,
}


@pytest.fixture(scope="module")
def table():
    return read_table(SOURCE)


def test_every_column_of_the_source_has_a_record_in_order(table):
    assert tuple(column.name for column in table.columns) == tuple(SOURCE)
    assert [column.kind for column in table.columns] == [
        *("text", "text", "true/false", "whole numbers", "numbers", "numbers", "text")
    ]
    assert [column.used for column in table.columns] == [False] + [True] * 6
    assert [column.states for column in table.columns] == [0, 3, 2, 4, 4, 3, 1]
    assert table.columns[1].missing == SOURCE["word"].count(None)
    assert table.columns[5].cut_points == table.cut_points["many"]
    assert [column.why for column in table.columns] == [
        "it has another value in every row",
        "each of its 2 texts is a state",
        "true and false are states",
        "each of its 4 values is a state",
        "each of its 4 values is a state",
        "120 values in 3 ranges by quantile:3: more than 20 values",
        "it has one value only",
    ]


def test_used_columns_are_the_variables(table):
    chosen = table.select(["many", "word"])
    for one in (table, chosen, table.with_seen_states(), pickle.loads(pickle.dumps(chosen))):
        assert tuple(column.name for column in one.columns if column.used) == one.names
        assert tuple(column.states for column in one.columns if column.used) == one.cardinalities
    assert len(chosen.columns) == len(table.columns)
    left_out = {column.name: column.why for column in chosen.columns if not column.used}
    assert left_out["few"] == "not selected"
    assert left_out["id"] == "it has another value in every row"
    assert pickle.loads(pickle.dumps(table)).columns == table.columns


def test_records_print_as_a_table(table):
    lines = repr(table.columns).splitlines()
    assert lines == str(table.columns).splitlines()
    assert lines[0].split() == ["column", "kind", "states", "missing", "cut", "at", "why"]
    assert len(lines) == 1 + len(SOURCE)
    at = lines[0].index("why")
    assert lines[1][at:] == "left out: it has another value in every row"
    assert all(line[at - 1] == " " for line in lines)


def test_tables_made_of_codes_have_records():
    made = bl.Table.from_codes("ab", [["x", "y"], ["u"]], [[0, 1], [0, 0]])
    assert made.columns == (
        Column("a", "categories", 2, why="the states are given"),
        Column("b", "categories", 1, why="the states are given"),
    )
    fewer = bl.Table.from_codes("a", [["x", "y", "z"]], [[0, 2]]).with_seen_states()
    assert fewer.columns[0].states == 2


def test_dropped_rows_leave_the_number_of_missing_values():
    dropped = read_table(SOURCE, missing="drop")
    assert dropped.columns[1].missing == SOURCE["word"].count(None)
    assert dropped.columns[1].states == 2


def test_summary_json_and_report_show_them(tmp_path, capsys):
    lines = zip(*(map(str, values) for values in SOURCE.values()), strict=True)
    path = str(tmp_path / "t.csv")
    with open(path, "w") as file:
        file.write(",".join(SOURCE) + "\n" + "".join(",".join(line) + "\n" for line in lines))
    run = str(tmp_path / "run.json")
    assert exit_code("learn", path, "--json", run, "--report", str(tmp_path / "r.md")) == 0
    with open(run) as file:
        written = json.load(file)
    assert [column["name"] for column in written["table"]["columns"]] == list(SOURCE)
    assert written["table"]["columns"][0]["used"] is False
    assert "Left out, for another value in every row: 'id'" in capsys.readouterr().err
    for text in (report_text(written, "html"), (tmp_path / "r.md").read_text()):
        assert "left out: it has another value in every row" in text
        assert "each of its 4 values is a state" in text
    assert exit_code("verify", run, "--data", path) == 0
