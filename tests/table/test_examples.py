"""The examples in the docstrings run, and so does the micro-benchmark, on a small table."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import runpy
from pathlib import Path

import pytest

import bayesloom.table

MODULES = [name for _, name, _ in pkgutil.iter_modules(bayesloom.table.__path__, "bayesloom.table.")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_reading_benchmark_gives_rows():
    path = Path(__file__).parents[2] / "benchmarks" / "micro" / "reading.py"
    rows = runpy.run_path(str(path))["rows"](row_count=20, text_columns=3, integer_columns=4)
    assert len(rows) == 15
    assert all(row.keys() == {"name", "seconds", "detail"} for row in rows)
