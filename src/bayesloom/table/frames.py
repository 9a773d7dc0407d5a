"""Columns from data frames and lists of rows that Arrow does not take as they are.

pandas and polars are never imported: whoever has such a frame has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from bayesloom.errors import InputError

from .arrow import ARROW_ERRORS, array_of, read_arrow_stream
from .columns import Columns, check_name_count, checked_names, mended_names


def collected(source: Any) -> Any:
    """Return the frame that a lazy frame of polars computes; all else as it is."""
    lazy = type(source).__name__ == "LazyFrame" and type(source).__module__.startswith("polars")
    return source.collect() if lazy else source


def is_pandas(source: Any) -> bool:
    """Whether this is a data frame of pandas."""
    return type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "iloc")


def read_pandas(frame: Any, *, names: Sequence[str] | None) -> Columns:
    """Read a data frame of pandas; names are mended, and columns of several types become texts."""
    label = type(frame).__name__
    if not hasattr(frame, "columns"):
        raise InputError("a series is one column, not a table. Give a data frame: series.to_frame().")
    notes: list[str] = []
    own = [str(name) for name in frame.columns]
    if frame.columns.nlevels > 1:
        own = [".".join(str(part) for part in name if str(part)) for name in frame.columns]
        notes.append(
            f"The names of the columns have {frame.columns.nlevels} levels; they are joined by dots."
        )
    if frame.columns.nlevels == 1 and len(set(own)) == len(own):
        try:
            whole = pa.table(frame)
        except ARROW_ERRORS:
            pass  # column by column, then
        else:
            return read_arrow_stream(whole, label, names=names, lenient=True)
    check_name_count(names, len(own), label)
    names = checked_names(mended_names(own, notes) if names is None else names, label)
    if type(frame.index).__name__ != "RangeIndex":
        notes.append("The index of the data frame is left out: it is not a variable.")
    arrays = [array_of(frame.iloc[:, i], name, label, notes=notes) for i, name in enumerate(names)]
    return Columns(source=label, names=names, arrays=arrays, notes=notes)


def is_rows(source: Any) -> bool:
    """Whether this is a list of rows, each a mapping from names to values."""
    return isinstance(source, list | tuple) and all(isinstance(row, Mapping) for row in source)


def by_column(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Return the columns of rows; a name that a row lacks is a missing value there.

    >>> by_column([{"a": 1}, {"a": 2, "b": "x"}])
    {'a': [1, 2], 'b': [None, 'x']}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
