"""Benchmarks: every table has its parts, and the page of all tables is what the folders say."""

from __future__ import annotations

import csv
import importlib
import re
import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "benchmarks"
FOLDERS = sorted(path.parent for path in HERE.glob("tables/*/*/run.py"))


def test_there_are_tables() -> None:
    assert len(FOLDERS) > 30


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_table_has_its_parts(folder: Path) -> None:
    run = (folder / "run.py").read_text(encoding="utf-8")
    assert "--full" in run or "given_options" in run
    assert "csv.writer" not in run  # one writer: measure.py
    assert "DictWriter" not in run
    with (folder / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(row["commit"] and row["machine"] for row in rows)


def test_every_number_to_compare_with_is_used() -> None:
    beside = [path for path in HERE.glob("tables/*/*/*.csv") if path.name in ("paper.csv", "peer.csv")]
    assert len(beside) >= 10
    for path in beside:
        words = (path.parent / "README.md").read_text() + (path.parent / "run.py").read_text()
        assert path.name in words, path


def test_the_page_of_all_tables_is_up_to_date() -> None:
    page = runpy.run_path(str(HERE / "index.py"))["page"]()
    assert (HERE / "README.md").read_text(encoding="utf-8") == page, "run python benchmarks/index.py"


def test_micro_benchmarks_are_compared_by_the_least_time_of_each_line(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(HERE / "micro"))
    compare = importlib.import_module("compare")
    base = Path("base")
    runs = [(None, {"a": 1.0, "b": 2.0}), (None, {"a": 0.9, "b": 3.0, "new": 1.0})]
    runs += [(base, {"a": 1.0, "b": 1.0}), (base, {"a": 1.2, "b": 1.5})]
    times = {site: iter([found for of, found in runs if of == site]) for site in (None, base)}
    monkeypatch.setattr(compare, "measured", lambda name, site: next(times[site]))
    pairs = compare.compare(["some"], base, rounds=2)
    assert pairs == {"a": (1.0, 0.9), "b": (1.0, 2.0)}
    assert compare.slower(pairs, 0.15) == ["b"]
    assert compare.slower(pairs, 1.0) == []
    assert re.fullmatch("[0-9a-f]{7,40}", compare.measured_commit())
