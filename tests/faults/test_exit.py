"""A process that ends right after it has read a table ends well."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import bayesloom as bl


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_threads_of_arrow_hold_no_memory_of_python(tmp_path, monkeypatch, suffix):
    """One that lets go of it when Python has ended aborts the process: one run in ten on a busy machine."""
    path = tmp_path / f"t.{suffix}"
    table = pa.table({"a": ["x", "y"] * 5, "b": ["u", "u", "v", "v", "u"] * 2})
    if suffix == "csv":
        pa.csv.write_csv(table, path)
    elif suffix == "parquet":
        pa.parquet.write_table(table, path)
    else:
        pa.feather.write_feather(table, path)

    def refused(data: object) -> None:
        pytest.fail("memory of Python's is handed to Arrow")

    monkeypatch.setattr(pa, "py_buffer", refused)
    assert bl.read_table(path).names == ("a", "b")
