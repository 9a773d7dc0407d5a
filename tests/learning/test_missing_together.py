"""Columns that lack their values in the same rows: they are named, and edges that rest on that are marked."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.report.page import report_text
from bayesloom.scoring.absence import edges_by_missing, pair_gain
from bayesloom.table import read_table
from bayesloom.table.missing_together import missing_together
from bayesloom.verification.absence import allowed_marks
from made.command import exit_code
from reference.forms import pair_gain as twin_gain


def trial(seed: int = 1) -> dict[str, list[object]]:
    """In the image of pbc: 418 rows, the last 106 lack the same seven columns; `trt` is randomised."""
    draw = np.random.default_rng(seed)
    rows, kept = 418, 312
    ill = draw.normal(size=rows)
    columns: dict[str, list[object]] = {
        "trt": draw.integers(1, 3, rows).tolist(),
        "ascites": (ill + draw.normal(size=rows) > 2).astype(int).tolist(),
        "hepato": (ill + draw.normal(size=rows) > 0).astype(int).tolist(),
        "spiders": (ill + 2 * draw.normal(size=rows) > 1).astype(int).tolist(),
        "chol": np.exp(ill + draw.normal(size=rows)).tolist(),
        "copper": (50 + 20 * ill + 15 * draw.normal(size=rows)).tolist(),
        "alk": draw.normal(1500, 300, rows).tolist(),
    }
    for values in columns.values():
        values[kept:] = [None] * (rows - kept)
    columns["bili"] = np.exp(1.5 * ill + draw.normal(size=rows)).tolist()
    columns["sex"] = [("m", "f")[k] for k in draw.integers(0, 2, rows)]
    return columns


def test_columns_missing_in_the_same_rows_are_named():
    table = read_table(trial())
    [note] = [note for note in table.notes if "the same" in note]
    assert note == (
        "'trt', 'ascites', 'hepato', 'spiders', 'chol', 'copper', 'alk' are missing in the same 106 rows, so"
        " edges between them may tell of nothing else. missing='drop' (--missing drop) leaves such rows out,"
        " exclude= (--exclude NAME) a column."
    )
    assert not any(
        "the same" in note
        for note in bl.read_table(trial(), missing="state", discretize="mean", strict=True).notes
    )


def test_gaps_beside_a_state_called_missing():
    """Rows that lack a value of the pair do not count, and are no state: neither here nor in the verifier."""
    draw = np.random.default_rng(3)
    codes = [draw.integers(0, 3, 200) for _ in range(2)]
    codes[1] = np.where(draw.random(200) < 0.7, codes[0], codes[1])
    gone = [draw.random(200) < 0.1 for _ in range(2)]
    states = [["high", "low", "missing"]] * 2
    given = [np.where(gone[v], 3, codes[v]) for v in range(2)]
    weights = draw.integers(1, 4, 200).astype(np.uint32)
    table = bl.Table.from_codes("ab", states, given, gaps=True, weights=weights)
    here = ~gone[0] & ~gone[1]
    whole = bl.Table.from_codes("ab", states, [column[here] for column in codes], weights=weights[here])
    assert edges_by_missing(table, [("a", "b")]) == edges_by_missing(whole, [("a", "b")])
    assert allowed_marks(table, "a", "b") == allowed_marks(whole, "a", "b")
    assert bl.learn(table, score="pnal").verify().ok


@pytest.mark.parametrize("seed", range(5))
def test_a_randomised_treatment_has_no_edge_that_is_not_marked(seed):
    columns = trial(seed)
    result = bl.learn(columns)
    for edge in result.edges:
        if "trt" in edge[:2]:
            assert edge.by_missing, edge
    marked = sum(edge.by_missing for edge in result.edges)
    assert marked
    assert any(note.startswith(f"{marked} edge") and "missing together" in note for note in result.notes)
    # What is there without the missing values is not marked.
    full = {name: values[:312] for name, values in columns.items()}
    assert not any(edge.by_missing for edge in bl.learn(full).edges)


def test_marks_are_shown_written_and_verified(tmp_path, capsys):
    columns = trial()
    path, run = str(tmp_path / "t.csv"), str(tmp_path / "run.json")
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        for row in zip(*columns.values(), strict=True):
            file.write(",".join("" if value is None else str(value) for value in row) + "\n")
    assert exit_code("learn", path, "--json", run) == 0
    assert "rests on values missing together" in capsys.readouterr().out
    with open(run) as file:
        written = json.load(file)
    marked = [edge for edge in written["edges"] if edge["rests_on_missing"]]
    assert marked
    words = "rests on values missing together"
    assert report_text(written, "markdown").rsplit("To know before", 1)[0].count(words) == len(marked)
    assert report_text(written, "html").count(f"<td>{words}</td>") == len(marked)
    assert report_text(written, "html").count(' doubtful"><title>') == len(marked)  # in the drawing too
    assert exit_code("verify", run, "--data", path) == 0
    for edge in written["edges"]:
        edge["rests_on_missing"] = not edge["rests_on_missing"]
        found = bl.verify_run(written, table=read_table(path))
        assert [check.what for check in found.checks if check.outcome == "wrong"] == ["rests_on_missing"]
        edge["rests_on_missing"] = not edge["rests_on_missing"]


@pytest.mark.parametrize("seed", range(20))
def test_marks_are_those_of_the_twins(seed):
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(5, 200))
    absent = draw.random(rows) < 0.3
    codes = []
    for states in (3, 4):
        own = np.where(draw.random(rows) < 0.5, np.arange(rows) % states, draw.integers(0, states, rows))
        codes.append(np.where(absent ^ (draw.random(rows) < 0.1), states, own))
    table = bl.Table.from_codes("ab", [[*"xyz", "missing"], [*"stuv", "missing"]], codes)
    both = (codes[0] < 3) & (codes[1] < 4)
    everywhere = twin_gain(codes[0].tolist(), codes[1].tolist(), 4, 5)
    present = twin_gain(codes[0][both].tolist(), codes[1][both].tolist(), 3, 4)
    marked = everywhere > 0 >= present
    assert edges_by_missing(table, [("a", "b"), ("b", "a")]) == (
        {("a", "b"), ("b", "a")} if marked else set()
    )
    assert allowed_marks(table, "a", "b") == {marked}
    assert pair_gain(np.zeros((2, 2))) == 0.0


def test_a_pair_that_is_never_present_together_is_marked():
    codes = [[0, 1] * 20 + [2] * 40, [2] * 40 + [0, 1] * 20]
    table = bl.Table.from_codes("ab", [["x", "y", "missing"]] * 2, codes)
    assert edges_by_missing(table, [("a", "b")]) == {("a", "b")}
    assert allowed_marks(table, "a", "b") == {True}
    other = bl.Table.from_codes("ab", [["x", "y", "missing"], ["x", "y", "z"]], codes)
    assert edges_by_missing(other, [("a", "b")]) == set()
    assert allowed_marks(other, "a", "b") == {False}


def test_groups_are_of_columns_that_lack_largely_the_same_rows():
    rows = np.arange(1000)
    absent = {
        "a": rows < 100,
        "b": rows < 104,
        "c": (rows >= 50) & (rows < 150),
        "d": rows >= 800,
        "e": rows > 802,
        "f": rows < 3,
        "g": rows < 3,
    }
    assert missing_together(absent) == [(["a", "b"], 100), (["d", "e"], 197)]
    assert missing_together({}) == []
    many = {f"v{k}": np.arange(1001) % 7 == k % 7 for k in range(1200)}
    groups = missing_together(many)
    assert len(groups) == 7
    assert sum(len(names) for names, _ in groups) == 1000
    assert {count for _, count in groups} == {143}
