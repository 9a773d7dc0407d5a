"""Values that stand for a missing one in a source of its own habits, such as -99 or "unknown".

They are taken away before anything is decided about a column, so that numbers stay numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bayesloom.errors import InputError, option

from .arrow_types import dictionary_labels, is_text
from .columns import Columns, listed, unknown_column
from .distinct import number_in_text
from .mixed import state_text

__all__ = ["MissingGiven", "MissingValues", "missing_values_given", "without_codes"]

MissingGiven = str | float | Iterable[str | float] | Mapping[str, str | float | Iterable[str | float]] | None
MissingValues = dict[str, list[str]]
"""The codes of each column; those of ``"*"`` are of all columns."""
EVERY = "*"


def missing_values_given(given: MissingGiven) -> MissingValues:
    """Return the codes that were given, as texts, by column.

    >>> missing_values_given(-99), missing_values_given({"age": [-1, "?"]})
    ({'*': ['-99']}, {'age': ['-1', '?']})
    """
    if given is None:
        return {}
    each: Mapping[Any, Any] = given if isinstance(given, Mapping) else {EVERY: given}
    found: MissingValues = {}
    for name, codes in each.items():
        several = [codes] if isinstance(codes, str) or not isinstance(codes, Iterable) else list(codes)
        if not all(isinstance(code, str | int | float | np.number) for code in several):
            where = option("missing_values", subject=True)
            raise InputError(f"{where}: expected texts and numbers, got {codes!r}.")
        found[str(name)] = [state_text(code).strip() for code in several]
    return found


def without_codes(columns: Columns, codes: MissingValues, *, aside: Collection[str] = ()) -> Columns:
    """Return the columns with no value where one of the codes stands, with notes on where; not those `aside`.

    A code that is a number stands for every way to write it.
    """
    if not codes:
        return columns
    known = set(columns.names)
    for name in codes:
        if name not in known and name != EVERY:
            raise unknown_column(name, columns.names, named_by="missing_values")
    arrays, counts = [], []
    seen: set[str] = set()
    kept = {*aside, columns.weight_name, columns.target_name}
    for name, array in zip(columns.names, columns.arrays, strict=True):
        every = [] if EVERY in known or name in kept else codes.get(EVERY, [])
        own = list(dict.fromkeys([*codes.get(name, []), *every]))
        text = columns.from_text and name not in columns.typed
        cleared, found, rows = _without(array, own, text=text) if own else (array, set(), 0)
        arrays.append(cleared)
        seen |= found
        if rows:
            counts.append(f"{name!r} ({rows})")
    notes = list(columns.notes)
    asked = list(dict.fromkeys(code for own in codes.values() for code in own))
    if counts:
        shown = listed([repr(code) for code in asked if code in seen])
        notes.append(f"Read as missing, as asked for: {shown}, in {listed(counts)}.")
    if nowhere := [repr(code) for code in asked if code not in seen]:
        notes.append(f"Asked to be read as missing, and found nowhere: {listed(nowhere)}.")
    return replace(columns, arrays=arrays, notes=notes)


def _without(array: Any, codes: Sequence[str], *, text: bool) -> tuple[Any, set[str], int]:
    """Return a column without some values, which of them it had, and in how many rows."""
    if not array.num_chunks:
        return array, set(), 0
    if pa.types.is_string_view(array.type):  # of polars
        array = array.cast(pa.large_string())
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if coded.num_chunks > 1:
        coded = coded.unify_dictionaries()
    dictionary = coded.chunk(0).dictionary
    stands_for = _standing_for(_labels(dictionary), codes)
    seen = {code for code in stands_for if code is not None}
    if not seen:
        return array, seen, 0
    gone = np.array([code is not None for code in stands_for], dtype=bool)
    rank = np.cumsum(~gone) - 1
    kept = dictionary.filter(pa.array(~gone))
    chunks, rows = [], 0
    for chunk in coded.chunks:
        indices = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        absent: NDArray[np.bool_] = (indices < 0) | gone[indices]
        rows += int(np.count_nonzero(absent & (indices >= 0)))
        own = pa.array(np.where(absent, 0, rank[indices]).astype(np.int32), mask=absent)
        chunks.append(pa.DictionaryArray.from_arrays(own, kept))
    if not (text or pa.types.is_dictionary(array.type)):
        chunks = [chunk.dictionary_decode() for chunk in chunks]
    return pa.chunked_array(chunks), seen, rows


def _labels(dictionary: Any) -> list[str | None]:
    kind = dictionary.type
    if is_text(kind) or pa.types.is_null(kind):
        return [None if text is None else text.strip() for text in dictionary.to_pylist()]
    if pa.types.is_decimal(kind):
        return [None if value is None else str(value) for value in dictionary.to_pylist()]
    return dictionary_labels(dictionary, "")


def _standing_for(labels: Sequence[str | None], codes: Sequence[str]) -> list[str | None]:
    """Return for each label the code that it is, or None.

    >>> _standing_for(["-99.0", "1", None, "n.a."], ["-99", "n.a."])
    ['-99', None, None, 'n.a.']
    """
    by_text = {code: code for code in codes}
    by_number = {number: code for code in codes if (number := number_in_text(code)) is not None}
    found: list[str | None] = []
    for label in labels:
        number = None if label is None or not by_number else number_in_text(label)
        code = None if number is None else by_number.get(number)
        found.append(by_text.get(label) if code is None and label is not None else code)
    return found
