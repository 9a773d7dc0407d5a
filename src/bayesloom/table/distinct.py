"""The distinct values of a column, in natural order, and its codes.

All decisions use the distinct values, of which there are few.  The column itself is read once: Arrow codes it
against a dictionary in C++, and one table look-up maps Arrow's indices to our codes.

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

from .arrow_types import BOOLEANS, all_indices, dictionary_labels, is_text, number_labels, supported
from .columns import code_type

Kind = Literal["boolean", "integer", "real", "text", "declared"]

MISSING_TEXTS = frozenset(["", "?", "NA", "na", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL"])
"""Texts that stand for a missing value, unless declared as a state; in capitals or small letters."""

# All texts of a column, each ended by NUL, are matched at once.  At most 18 digits: fits in int64.
_INTEGER = r"(?:0|-?[1-9][0-9]{0,17}+)"
_REAL = (
    r"(?:[+-]?(?:(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)"
    r"|\.[0-9]++(?:[eE][+-]?[0-9]++)?|0|[1-9][0-9]{0,17}+|[iI]nf(?:inity)?)))"
)
_INTEGERS = re.compile(rf"(?:{_INTEGER}\0)++")
_REALS = re.compile(rf"(?:{_REAL}\0)++")
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
    weights: NDArray[np.uint32] | None = None
    """How often each row counts, if not once."""
    regimes: NDArray[np.int32] | None = None
    """Which variables were set in each row; see `Columns.regimes`."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_numeric(self) -> bool:
        return self.kind in ("integer", "real")

    def labels(self) -> list[str]:
        """Return the values as names of states."""
        return number_labels(self.values) if self.is_numeric else list(self.values)

    def counts(self) -> NDArray[np.int64]:
        """Return how often each value occurs."""
        # Sums of whole numbers below 2^53 are exact as floats.
        counts = np.bincount(self.codes, self.weights, minlength=len(self) + 1)[: len(self)]
        return counts.astype(np.int64, copy=False)

    def numbers(self) -> NDArray[np.float64]:
        """Return the number of every row; NaN where it is missing, or where the values are no numbers."""
        if self.is_numeric:
            each = np.asarray(self.values, dtype=np.float64)
        else:
            found = [number_in_text(text) for text in self.values]
            each = np.array([np.nan if x is None else x for x in found], dtype=np.float64)
        numbers: NDArray[np.float64] = np.append(each, np.nan)[self.codes]
        return numbers

    def without(self, rows: NDArray[np.bool_]) -> Distinct:
        """Return the column without some rows, and without the values that occurred only there."""
        codes = self.codes[~rows]
        weights = None if self.weights is None else self.weights[~rows]
        regimes = None if self.regimes is None else self.regimes[~rows]
        if self.kind == "declared":
            missing = int(np.count_nonzero(codes == len(self)))
            return replace(self, codes=codes, missing=missing, weights=weights, regimes=regimes)
        return replace(self, codes=codes, weights=weights, regimes=regimes).only_seen()

    def only_seen(self) -> Distinct:
        """Return the column without the values that do not occur."""
        seen = np.zeros(len(self) + 1, dtype=bool)
        seen[self.codes] = True
        kept = np.flatnonzero(seen[:-1])
        rank = np.cumsum(seen) - 1
        rank[-1] = len(kept)
        codes = _looked_up(rank, self.codes, len(kept))
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
    column = supported(column, where)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if coded.num_chunks > 1:
        coded = coded.unify_dictionaries()
    elif not coded.num_chunks:  # no rows
        coded = pa.chunked_array([pa.array([], coded.type)])
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
        values, rank = _ranked(dictionary_labels(dictionary, where), ordered=False)
    elif pa.types.is_boolean(column.type):
        kind = "boolean"
        values, rank = _ranked([BOOLEANS[value] for value in dictionary.to_pylist()])
    elif is_text(column.type):
        kind = "text"
        values, rank = _ranked(_without_missing(dictionary.to_pylist(), declared))
    else:
        kind, values, rank = _ranked_numbers(dictionary.to_numpy(zero_copy_only=False))
    codes = _looked_up(np.append(rank, len(values)), all_indices(coded, null=len(dictionary)), len(values))
    any_missing = column.null_count > 0 or bool((rank == len(values)).any())
    missing = int(np.count_nonzero(codes == len(values))) if any_missing else 0
    return Distinct(kind, values, codes, missing, stripped)


def number_in_text(text: str) -> float | None:
    """Return the number that a text is, or None.

    >>> number_in_text("2.50"), number_in_text("01"), number_in_text("x")
    (2.5, None, None)
    """
    return float(text) if _ONE_REAL.fullmatch(text) else None


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


def _looked_up(rank: NDArray[Any], indices: NDArray[Any], missing_code: int) -> NDArray[Any]:
    codes: NDArray[Any] = rank.astype(code_type(missing_code + 1))[indices]
    return codes
