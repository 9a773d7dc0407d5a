"""Arrow types: which of them a column may have, and the labels that their values get."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bayesloom.errors import InputError

DECLARES = b"bayesloom states"
"""Key in the metadata of an Arrow schema: "declared" if all states count, as in tables written here."""

BOOLEANS = {False: "false", True: "true"}


def arrow_buffer(data: bytes | memoryview) -> Any:
    """Return a copy of bytes in memory of Arrow's own.

    Threads of Arrow may let go of what they read when Python has ended.  To let go of memory of Python's they
    would need its lock, which is gone then, and the process would be aborted.

    >>> arrow_buffer(b"a,b").to_pybytes()
    b'a,b'
    """
    view = memoryview(data)
    buffer = pa.allocate_buffer(view.nbytes)
    if view.nbytes:
        np.frombuffer(buffer, dtype=np.uint8)[:] = np.frombuffer(view, dtype=np.uint8)
    return buffer


def number_labels(values: NDArray[Any]) -> list[str]:
    """Return numbers as names of states: ``0``, ``1`` if all are whole, else the shortest form of each.

    >>> number_labels(np.array([0.0, 1.0])), number_labels(np.array([0.5, 1.0]))
    (['0', '1'], ['0.5', '1.0'])
    """
    whole = values.dtype.kind in "iu" or _all_whole(values)
    return [str(int(value)) if whole else str(value) for value in values]


def supported(column: Any, where: str) -> Any:
    """Return the column in a type that can be coded, or say that there is none."""
    kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if pa.types.is_dictionary(kind):
        return pa.chunked_array([_plain_dictionary(chunk) for chunk in column.chunks])
    known = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, is_text)
    if not any(is_known(kind) for is_known in known):
        raise _unsupported(kind, where)
    return column


def _plain_dictionary(chunk: Any) -> Any:
    """Return a dictionary array that Arrow can unify with others: no null and no views in its dictionary."""
    dictionary, indices = chunk.dictionary, chunk.indices
    if dictionary.null_count:
        valid = dictionary.is_valid().to_numpy(zero_copy_only=False)
        indices = pa.array(np.cumsum(valid) - 1, mask=~valid).take(indices)
        dictionary = dictionary.drop_null()
    elif not pa.types.is_string_view(dictionary.type):
        return chunk
    if pa.types.is_string_view(dictionary.type):
        dictionary = dictionary.cast(pa.large_string())
    return pa.DictionaryArray.from_arrays(indices, dictionary)


def dictionary_labels(dictionary: Any, where: str) -> list[str | None]:
    """Return the labels of a declared dictionary in its own order."""
    kind = dictionary.type
    if is_text(kind) or pa.types.is_null(kind):
        texts: list[str | None] = dictionary.to_pylist()
        return texts
    if pa.types.is_boolean(kind):
        return [None if value is None else BOOLEANS[value] for value in dictionary.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = dictionary.to_numpy(zero_copy_only=False)
        present = values == values  # not NaN
        labels = iter(number_labels(values[present]))
        return [next(labels) if here else None for here in present]
    if getattr(kind, "extension_name", "") == "pandas.interval":
        return [_interval(value, kind.closed) for value in dictionary.storage.to_pylist()]
    if pa.types.is_temporal(kind):
        return [None if value is None else str(value) for value in dictionary.to_pylist()]
    raise _unsupported(kind, where)


def _interval(value: dict[str, Any] | None, closed: str) -> str | None:
    """Return the label that pandas shows for an interval, as of ``pandas.cut``."""
    if value is None:
        return None
    left = "[" if closed in ("left", "both") else "("
    right = "]" if closed in ("right", "both") else ")"
    return f"{left}{value['left']}, {value['right']}{right}"


def all_indices(coded: Any, *, null: int) -> NDArray[Any]:
    """Return the indices of all chunks as one array, with a given index in place of nulls."""
    parts = []
    for chunk in coded.chunks:
        indices = chunk.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(null)
        parts.append(indices.to_numpy(zero_copy_only=False))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _unsupported(kind: Any, where: str) -> InputError:
    return InputError(
        f"{where} has type {kind}; a table takes booleans, numbers and texts. Leave the column out,"
        " or turn it into texts first."
    )


def _all_whole(values: NDArray[Any]) -> bool:
    # Beyond 2^53 not every integer is a float, and its digits would claim a precision it lacks.
    return bool((np.isfinite(values) & (np.trunc(values) == values) & (np.abs(values) <= 2.0**53)).all())
