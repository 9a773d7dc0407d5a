"""How often a row counts: weights as a column of the table or as a sequence, checked.

A table of counts has one row for each combination of states, and a column that says how often it was
seen.  Such a row is that many rows: N of every score is the sum of the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from bayesloom.errors import InputError, option

from .column_records import SAYS_HOW_OFTEN, Column, kind_in_words
from .columns import Columns, counted, unknown_column
from .distinct import distinct, number_in_text

Weights = NDArray[np.uint32]

WEIGHT_LIMIT = 2**32 - 2
"""Most rows that a table counts, weights added up: counts are 32 bits wide."""

WEIGHT_NAME = "weight"
"""What the column of weights is called in files if they came without a name."""

WEIGHTS_KEY = b"bayesloom.weights"
"""Under which key the schema of an Arrow table names its column of weights."""

_NAMES_OF_COUNTS = frozenset({"freq", "frequency", "count", "counts", "n", "weight", "weights"})


def checked_weights(given: ArrayLike, rows: int, source: str) -> Weights:
    """Return weights that are whole numbers from 1 on, one for each row.

    >>> checked_weights([2, 1.0], 2, "table")
    array([2, 1], dtype=uint32)
    """
    weights = _whole(_numbers(given, source), rows, lambda row: f"{source}, row {row + 1}", source)
    if zeros := int(np.count_nonzero(weights == 0)):
        raise InputError(f"{source}: {counted(zeros, 'row')} of weight 0; leave such rows out.")
    return weights


def with_weights(columns: Columns, given: object) -> Columns:
    """Return columns with the weights that a column of that name, or a sequence, says.

    The column is no variable then, and rows of weight 0 are gone.
    """
    if isinstance(given, str):
        columns, values = _taken_out(columns, given)
        what = f"weights, column {given!r}"
        name = given
    else:
        values, what, name = _numbers(given, "weights"), "weights", WEIGHT_NAME
    weights = _whole(
        values, columns.row_count, lambda row: f"{columns.source}, {columns.place(row)}", columns.source, what
    )
    kept = np.flatnonzero(weights)
    notes = [*columns.notes]
    if not kept.size:
        raise InputError(
            f"{columns.source}: all weights are 0, so no row is left. Check {option('weights')}."
        )
    if zeros := weights.size - kept.size:
        notes.append(f"{counted(zeros, 'row')} of weight 0 left out.")
        columns = _only_rows(columns, kept)
        weights = weights[kept]
    says = f"{name!r} says" if isinstance(given, str) else "Weights say"
    total = int(weights.sum(dtype=np.uint64))
    notes.append(f"{says} how often each row counts: {counted(weights.size, 'row')} stand for {total}.")
    return replace(columns, weights=weights, weight_name=name, notes=notes)


def _taken_out(columns: Columns, name: str) -> tuple[Columns, NDArray[Any]]:
    """Return the columns without one, and the numbers that it holds."""
    if name not in columns.names:
        raise unknown_column(name, columns.names, named_by="weights")
    at = list(columns.names).index(name)
    where = f"{columns.source}: column {name!r}"
    one = distinct(columns.arrays[at], from_text=columns.from_text, where=where)
    values = one.values
    if not one.is_numeric:
        numbers = [number_in_text(label) for label in one.labels()]
        values = np.array([np.nan if number is None else number for number in numbers])
        if odd := [label for label, number in zip(one.labels(), numbers, strict=True) if number is None]:
            raise InputError(
                f"{where} holds {odd[0]!r}, which is no number;"
                f" {option('weights')} expects whole numbers of 0 or more."
            )
    if one.missing:
        row = int(np.argmax(one.codes == len(one)))
        raise InputError(
            f"{columns.source}, {columns.place(row)}: the weight ({name!r}) is missing;"
            f" {option('weights')} expects a whole number of 0 or more in every row."
        )
    record = Column(name, kind_in_words(one), used=False, why=SAYS_HOW_OFTEN)
    return columns.without({name: record}), values[one.codes]


def _numbers(given: Any, source: str) -> NDArray[Any]:
    try:
        values = np.asarray(given if hasattr(given, "__array__") else list(given))
    except (TypeError, ValueError):
        values = np.empty((), dtype=object)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise InputError(
            f"{source}: weights must be the name of a column or one whole number for each row,"
            f" got {_shown(given)}."
        )
    return values


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _whole(
    values: NDArray[Any], rows: int, place: Callable[[int], str], source: str, what: str = "weights"
) -> Weights:
    if values.size != rows:
        raise InputError(f"{source}: {counted(values.size, 'weight')} for {counted(rows, 'row')}.")
    bad = values < 0
    if values.dtype.kind == "f":
        bad = bad | ~np.isfinite(values) | (np.trunc(values) != values)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"{place(row)}: the weight is {values[row]} ({what}); expected a whole number of 0 or more."
        )
    total = float(values.sum(dtype=np.float64))
    if total > WEIGHT_LIMIT:
        raise InputError(
            f"{source}: the weights add up to {total:.10g} rows; at most {WEIGHT_LIMIT:,} are possible."
        )
    return np.ascontiguousarray(values, dtype=np.uint32)


def _only_rows(columns: Columns, kept: NDArray[np.intp]) -> Columns:
    """Return columns with some of the rows; values seen in no other row are forgotten."""
    chosen = pa.array(kept)

    def taken(array: Any) -> Any:
        few = array.take(chosen)
        if columns.from_text and pa.types.is_dictionary(few.type):  # what the texts were read into, no more
            few = few.cast(few.type.value_type).dictionary_encode()
        return few

    regimes = None if columns.regimes is None else columns.regimes[kept]
    return replace(
        columns, arrays=[taken(array) for array in columns.arrays], kept_rows=kept, regimes=regimes
    )


def counts_in(names: Iterable[str]) -> list[str]:
    """Return the names that a column of counts usually has.

    >>> counts_in(["Hair", "Freq", "n"])
    ['Freq', 'n']
    """
    return [name for name in names if name.strip().lower() in _NAMES_OF_COUNTS]


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, or one like it that is free.

    >>> free_name("weight", ["a", "weight"])
    'weight (2)'
    """
    others = set(taken)
    found, number = name, 2
    while found in others:
        found, number = f"{name} ({number})", number + 1
    return found
