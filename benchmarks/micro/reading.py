"""How long it takes to read and to write a table.

Two shapes: 1,000 columns of short texts, which is a wide survey, and 10,000 columns of small
integers, which is the widest table that order search is meant for.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bayesloom.table import Table, read_table

ROW_COUNT = 5_000
QUICK = {"text_columns": 300, "integer_columns": 1_000}
"""What `compare.py` measures."""


def rows(
    *, row_count: int = ROW_COUNT, text_columns: int = 1_000, integer_columns: int = 10_000
) -> list[dict[str, Any]]:
    """Return one row per measurement: name, seconds, detail."""
    rng = np.random.default_rng(0)
    found = []
    for kind, states, width in (
        ("texts", ("alpha", "beta", "gamma"), text_columns),
        ("integers", ("0", "1", "2"), integer_columns),
    ):
        codes = rng.integers(0, len(states), (width, row_count), dtype=np.uint8)
        names = [f"X{i}" for i in range(width)]
        table = Table.from_codes(names, [states] * width, codes)
        size = f"{row_count} x {width} {kind}"
        with tempfile.TemporaryDirectory() as folder:
            for suffix in (".csv", ".dat", ".parquet"):
                path = Path(folder) / f"table{suffix}"
                seconds, _ = _timed(table.write, path)
                found.append(_row(f"write {suffix}", seconds, size, path.stat().st_size))
                seconds, again = _timed(read_table, path)
                assert again == table
                found.append(_row(f"read {suffix}", seconds, size, path.stat().st_size))
        plain = codes if kind == "integers" else np.array(states)[codes]
        arrow = pa.table([pa.array(column) for column in plain], names=names)
        seconds, again = _timed(read_table, arrow)
        assert again == table
        found.append(_row("read Arrow", seconds, size, arrow.nbytes))
        if kind == "integers":
            array = np.ascontiguousarray(codes.T)
            seconds, again = _timed(read_table, array)
            assert again == table
            found.append(_row("read NumPy", seconds, size, array.nbytes))
    return found


def _timed(call: Callable[[Any], Any], argument: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = call(argument)
    return time.process_time() - start, result


def _row(name: str, seconds: float, size: str, bytes_: int) -> dict[str, Any]:
    return {"name": name, "seconds": seconds, "detail": f"{size}, {bytes_ / 1e6:.0f} MB"}


if __name__ == "__main__":
    for row in rows():
        print(f"{row['name']:<15} {row['seconds']:8.3f} s   {row['detail']}")
