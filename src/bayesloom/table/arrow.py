"""Columns from Arrow: Parquet and Feather files, anything with an Arrow stream, NumPy, mappings.

Data frames come in through the Arrow PyCapsule interface, so pandas, polars and duckdb need no
code of their own and are never imported here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from bayesloom.errors import InputError
from bayesloom.limits import check_fits, reading_memory

from .arrow_types import DECLARES, arrow_buffer
from .columns import Columns, check_name_count, checked_names, counted, listed, mended_names
from .interventions import INTERVENTIONS_KEY
from .mixed import mixed_column
from .weights import WEIGHTS_KEY

# What a damaged file or a strange object makes pyarrow raise.
ARROW_ERRORS = (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, MemoryError, EOFError)


def read_arrow_file(
    data: bytes, suffix: str, source: str, *, names: Sequence[str] | None, lenient: bool = False
) -> Columns:
    """Read the bytes of a Parquet file, or of an Arrow IPC file (Feather) or stream."""
    if not data:
        raise InputError(f"{source}: the file is empty.")
    kind, read = ("Parquet", _parquet) if suffix == ".parquet" else ("Arrow", _ipc)
    try:
        arrow_table = read(arrow_buffer(data), source)
        # Lengths, offsets and dictionary indices come from the file: trust none of them.
        arrow_table.validate(full=True)
        return _columns(arrow_table, source, names, lenient)
    except InputError:
        raise
    except ARROW_ERRORS:
        raise InputError(f"{source}: this is not {_article(kind)} file, or it is damaged.") from None


def read_arrow_stream(
    source: Any, label: str, *, names: Sequence[str] | None, lenient: bool = False
) -> Columns:
    """Read any object with ``__arrow_c_stream__``, or a batch of rows."""
    try:
        arrow_table = pa.table(source)
    except ARROW_ERRORS as error:
        raise InputError(f"{label}: the Arrow stream cannot be read: {_first_line(error)}.") from None
    return _columns(arrow_table, label, names, lenient)


def read_array(array: np.ndarray[Any, Any], *, names: Sequence[str] | None, lenient: bool = False) -> Columns:
    """Read a 2-d NumPy array, one column per variable."""
    if array.ndim != 2:
        raise InputError(f"array: expected 2 dimensions (rows, columns), found {array.ndim}.")
    width = array.shape[1]
    check_name_count(names, width, "array")
    names = checked_names((f"X{i}" for i in range(width)) if names is None else names, "array")
    mask = np.ma.getmaskarray(array).T if isinstance(array, np.ma.MaskedArray) else None
    # One pass to lay the columns out one after the other; each is then read in sequence.
    columns = np.ascontiguousarray(np.asarray(array).T)
    notes: list[str] = []
    arrays = [
        array_of(
            column, name, "array", mask=None if mask is None else mask[i], notes=notes if lenient else None
        )
        for i, (name, column) in enumerate(zip(names, columns, strict=True))
    ]
    return Columns(source="array", names=names, arrays=arrays, notes=notes)


def read_mapping(
    mapping: Mapping[Any, Any], *, names: Sequence[str] | None, lenient: bool = False
) -> Columns:
    """Read a mapping from names to sequences of equal length."""
    label = type(mapping).__name__
    check_name_count(names, len(mapping), label)
    notes: list[str] = []
    if names is None:
        names = mended_names([*map(str, mapping)], notes) if lenient else [*map(str, mapping)]
    names = checked_names(names, label)
    arrays = [
        array_of(values, name, label, notes=notes if lenient else None)
        for name, values in zip(names, mapping.values(), strict=True)
    ]
    for name, array in zip(names, arrays, strict=True):
        if len(array) != len(arrays[0]):
            raise InputError(
                f"{label}: column {name!r} has {counted(len(array), 'row')}, column {names[0]!r} has"
                f" {len(arrays[0])}."
            )
    return Columns(source=label, names=names, arrays=arrays, notes=notes)


def _parquet(buffer: Any, source: str) -> Any:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(buffer, page_checksum_verification=True)
    # Packed by dictionaries and runs, a file can be a thousandth of what it holds.
    values = 8.0 * file.metadata.num_rows * file.metadata.num_columns
    check_fits(values, reading_memory(), source, ", unpacked")
    return file.read()


def _ipc(buffer: Any, source: str) -> Any:
    if buffer.slice(0, 4).to_pybytes() == b"FEA1":  # Feather of before 2020
        import pyarrow.feather

        return pyarrow.feather.read_table(pa.BufferReader(buffer))
    opened: Callable[[Any], Any] = pa.ipc.open_stream
    if buffer.slice(0, 6).to_pybytes() == b"ARROW1":
        opened = pa.ipc.open_file
    with opened(buffer) as reader:
        return reader.read_all()


def _columns(arrow_table: Any, source: str, names: Sequence[str] | None, lenient: bool) -> Columns:
    index = _index_columns(arrow_table.schema)
    notes: list[str] = []
    if index:
        arrow_table = arrow_table.drop_columns(index)
        named = [name for name in index if not name.startswith("__index_level_")]
        which = f" ({listed(named)})" if named else ""
        notes.append(f"The index of the data frame{which} is left out: it is not a variable.")
    check_name_count(names, arrow_table.num_columns, source)
    own = arrow_table.column_names
    if names is None:
        names = mended_names(own, notes) if lenient else own
    names = checked_names(names, source)
    metadata = arrow_table.schema.metadata or {}

    def marked(key: bytes) -> str | None:
        """The column that the metadata name, whatever it is called now."""
        name = metadata[key].decode("utf-8", "replace") if key in metadata else None
        return names[own.index(name)] if name in own else None

    declares = metadata.get(DECLARES) == b"declared"
    return Columns(
        source=source,
        names=names,
        arrays=arrow_table.columns,
        notes=notes,
        declares=declares,
        weight_name=marked(WEIGHTS_KEY),
        target_name=marked(INTERVENTIONS_KEY),
    )


COARSE = ("datetime64[h]", "datetime64[m]", "datetime64[M]", "datetime64[Y]", "datetime64[W]")


def _index_columns(schema: Any) -> list[str]:
    """Return the columns that hold the index of a pandas data frame."""
    try:
        described = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError):
        return []
    # A range index is described by a mapping and takes no column.
    return [name for name in described if isinstance(name, str) and schema.names.count(name) == 1]


def array_of(values: Any, name: str, source: str, *, mask: Any = None, notes: list[str] | None = None) -> Any:
    """Return the values of a column as a ``ChunkedArray``; with notes, also those of several types."""
    if isinstance(values, pa.Array):
        return pa.chunked_array([values])
    try:
        if hasattr(values, "__arrow_c_stream__"):  # a series of polars or pandas, a chunked array
            return pa.chunked_array(values)
        if isinstance(values, np.ndarray) and values.dtype.kind == "M" and str(values.dtype) in COARSE:
            values = values.astype("datetime64[s]")  # the coarsest that Arrow knows beside days
        array = pa.array(values, mask=mask)
    except ARROW_ERRORS as error:
        array = _with_gaps(values) if isinstance(values, list | tuple) and mask is None else None
        if array is None and notes is not None and not isinstance(values, str | bytes):
            array = mixed_column(_unmasked(values, mask), name, notes)
        if array is None:
            raise InputError(f"{source}: column {name!r} cannot be read: {_first_line(error)}.") from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _with_gaps(values: Sequence[Any]) -> Any:
    """Return texts among which NaN stands for a missing value, as in lists from pandas; else None."""
    if not any(isinstance(value, float) and value != value for value in values):
        return None
    try:
        return pa.array([None if isinstance(value, float) and value != value else value for value in values])
    except ARROW_ERRORS:
        return None


def _unmasked(values: Any, mask: Any) -> list[Any]:
    """Return values one by one, None where they are masked; nothing for what has no values."""
    try:
        listed_values = list(values)
    except TypeError:
        return [object()]
    return [None if mask is not None and mask[i] else value for i, value in enumerate(listed_values)]


def _first_line(error: BaseException) -> str:
    """Return what an error says in one line; pandas hands over its errors in several parts."""
    said = "; ".join(str(part).rstrip(".") for part in error.args) or type(error).__name__
    line = said.splitlines()[0]
    return line[:1].lower() + line[1:]


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "AEIOU" else f"a {kind}"
