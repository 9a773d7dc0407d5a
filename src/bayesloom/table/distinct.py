"""The distinct values of a column, in natural order, and its codes.

Everything is decided on the distinct values, of which there are few, and the column itself is
touched once: Arrow codes it against a dictionary in C++, and one table look-up turns Arrow's
indices into ours.

Natural order: numbers by size, false before true, texts by Unicode code point.

A column of a text file is of integers if every text is a plain integer that fits in 64 bits; else
of reals if every text is a number; else of texts.  A number with leading zeros is a text: ``01``
and ``1`` are different labels.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bayesloom.errors import InputError

Kind = Literal["boolean", "integer", "real", "text", "declared"]

MISSING_TEXTS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NAN", "null", "NULL"})
"""Texts that stand for a missing value, unless a state of that name is declared."""

# All texts of a column, each ended by NUL, are matched at once.  At most 18 digits: fits in int64.
_INTEGER = r"(?:0|-?[1-9][0-9]{0,17})"
_REAL = (
    r"(?:[+-]?(?:(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?|0|[1-9][0-9]{0,17}|[iI]nf(?:inity)?)))"
)
_INTEGERS = re.compile(rf"(?:{_INTEGER}\0)+")
_REALS = re.compile(rf"(?:{_REAL}\0)+")
_ONE_REAL = re.compile(_REAL)


@dataclass(frozen=True)
class Distinct:
    """A column as distinct values and codes.

    Code ``i`` stands for ``values[i]`` and code ``len(values)`` for a missing value.
    """

    kind: Kind
    values: Any
    """Numbers as a NumPy array; everything else as a list of texts."""
    codes: NDArray[Any]
    missing: int
    """How many values are missing."""
    stripped: bool = False
    """Whether white space around texts was taken away."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_numeric(self) -> bool:
        return self.kind in ("integer", "real")

    def labels(self) -> list[str]:
        """Return the values as names of states."""
        if not self.is_numeric:
            return list(self.values)
        if self.kind == "real" and not _all_whole(self.values):
            return [str(value) for value in self.values]
        return [str(int(value)) for value in self.values]

    def counts(self) -> NDArray[np.int64]:
        """Return how often each value occurs."""
        return np.bincount(self.codes, minlength=len(self) + 1)[: len(self)]

    def without(self, rows: NDArray[np.bool_]) -> Distinct:
        """Return the column without some rows, and without the values that occurred only there."""
        codes = self.codes[~rows]
        if self.kind == "declared":
            return replace(self, codes=codes, missing=int(np.count_nonzero(codes == len(self))))
        seen = np.zeros(len(self) + 1, dtype=bool)
        seen[codes] = True
        kept = np.flatnonzero(seen[:-1])
        rank = np.cumsum(seen) - 1
        rank[-1] = len(kept)
        codes = _looked_up(rank, codes, len(kept))
        values = self.values[kept] if self.is_numeric else [self.values[i] for i in kept]
        return replace(self, values=values, codes=codes, missing=int(np.count_nonzero(codes == len(kept))))


def distinct(column: Any, *, from_text: bool, declared: Collection[str] = (), where: str = "") -> Distinct:
    """Return the distinct values of a ``pyarrow.ChunkedArray`` and its codes.

    Parameters
    ----------
    column
        The column; of a text file, a dictionary of texts.
    from_text
        Whether numbers are to be found in the texts.
    declared
        States the user declared: a text among them is kept as it is and never missing.
    where
        Source and column, for error messages.
    """
    column = _supported(column, where)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if coded.num_chunks > 1:
        coded = coded.unify_dictionaries()
    dictionary = coded.chunk(0).dictionary
    stripped = False
    if from_text:
        texts = dictionary.to_pylist()
        clean = [text if text in declared else text.strip() for text in texts]
        kind, values, rank = _read_texts(clean, declared)
        # White space around numbers means nothing and is not worth a word.
        stripped = kind == "text" and clean != texts
    elif pa.types.is_dictionary(column.type):
        kind = "declared"
        values, rank = _ranked(_labels_of_dictionary(dictionary, where), ordered=False)
    elif pa.types.is_boolean(column.type):
        kind = "boolean"
        values, rank = _ranked([_BOOLEANS[value] for value in dictionary.to_pylist()])
    elif _is_text(column.type):
        kind = "text"
        values, rank = _ranked(_without_missing(dictionary.to_pylist(), declared))
    else:
        kind, values, rank = _ranked_numbers(dictionary.to_numpy(zero_copy_only=False))
    codes = _looked_up(np.append(rank, len(values)), _indices(coded, null=len(dictionary)), len(values))
    any_missing = column.null_count > 0 or bool((rank == len(values)).any())
    missing = int(np.count_nonzero(codes == len(values))) if any_missing else 0
    return Distinct(kind, values, codes, missing, stripped)


def number_in_text(text: str) -> float | None:
    """Return the number that a text is, or None.

    >>> number_in_text("2.50"), number_in_text("01"), number_in_text("x")
    (2.5, None, None)
    """
    return float(text) if _ONE_REAL.fullmatch(text) else None


def code_type(cardinality: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds the codes of that many states."""
    return np.uint8 if cardinality <= 256 else np.uint16 if cardinality <= 65_536 else np.uint32


_BOOLEANS = {False: "false", True: "true"}

Rank = NDArray[np.int64]
"""From the position in Arrow's dictionary to the code; missing values get the number of values."""


def _read_texts(texts: list[str], declared: Collection[str]) -> tuple[Kind, Any, Rank]:
    """Find numbers in the texts of a whole column."""
    present = _without_missing(texts, declared)
    joined = "".join(f"{text}\0" for text in present if text is not None)
    if _INTEGERS.fullmatch(joined):
        numbers = np.array([0 if text is None else int(text) for text in present], dtype=np.int64)
    elif _REALS.fullmatch(joined):
        numbers = np.array([np.nan if text is None else float(text) for text in present])
    else:
        return "text", *_ranked(present)
    absent = np.array([text is None for text in present])
    kind, values, rank = _ranked_numbers(numbers[~absent])
    full = np.full(len(texts), len(values), dtype=np.int64)
    full[~absent] = rank
    return kind, values, full


def _without_missing(texts: list[str], declared: Collection[str]) -> list[str | None]:
    absent = MISSING_TEXTS.difference(declared)
    return [None if text in absent else text for text in texts]


def _ranked(texts: list[str | None], *, ordered: bool = True) -> tuple[list[str], Rank]:
    """Return the distinct texts, by code point if ordered is true, and the rank of each; None is missing."""
    values = list(dict.fromkeys(text for text in texts if text is not None))
    if ordered:
        values.sort()
    rank: dict[str | None, int] = {text: i for i, text in enumerate(values)}
    rank[None] = len(values)
    return values, np.array([rank[text] for text in texts], dtype=np.int64)


def _ranked_numbers(numbers: NDArray[Any]) -> tuple[Kind, NDArray[Any], Rank]:
    """Return kind, distinct numbers and ranks; NaN is missing, and -0.0 is 0.0."""
    values, rank = np.unique(numbers, return_inverse=True)
    if numbers.dtype.kind in "iu":
        return "integer", values, rank.astype(np.int64)
    # NaN sorts last, so cutting it off leaves its rank at the number of values.
    return "real", values[~np.isnan(values)] + values.dtype.type(0), rank.astype(np.int64)


def _labels_of_dictionary(dictionary: Any, where: str) -> list[str | None]:
    """Return the labels of a declared dictionary in its own order."""
    kind = dictionary.type
    if _is_text(kind) or pa.types.is_null(kind):
        texts: list[str | None] = dictionary.to_pylist()
        return texts
    if pa.types.is_boolean(kind):
        return [None if value is None else _BOOLEANS[value] for value in dictionary.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = dictionary.to_numpy(zero_copy_only=False)
        present = values == values  # not NaN
        labels = iter(Distinct("real", values[present], values, 0).labels())
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


def _supported(column: Any, where: str) -> Any:
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
    known = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, _is_text)
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


def _unsupported(kind: Any, where: str) -> InputError:
    return InputError(
        f"{where} has type {kind}; a table takes booleans, numbers and texts. Leave the column out,"
        " or turn it into texts first."
    )


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _indices(coded: Any, *, null: int) -> NDArray[Any]:
    """Return the indices of all chunks as one array, with a given index in place of nulls."""
    parts = []
    for chunk in coded.chunks:
        indices = chunk.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(null)
        parts.append(indices.to_numpy(zero_copy_only=False))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _looked_up(rank: NDArray[Any], indices: NDArray[Any], missing_code: int) -> NDArray[Any]:
    codes: NDArray[Any] = rank.astype(code_type(missing_code + 1))[indices]
    return codes


def _all_whole(values: NDArray[Any]) -> bool:
    # Beyond 2^53 not every integer is a float, and its digits would claim a precision it lacks.
    return bool((np.isfinite(values) & (np.trunc(values) == values) & (np.abs(values) <= 2.0**53)).all())
