"""Columns that are copies of each other, up to the names of their states."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import option_in_note

from .columns import listed
from .distinct import Distinct

__all__ = ["copies_in_words"]

FEWEST_ROWS = 20
"""Rows below which nothing is said."""


def copies_in_words(names: Sequence[str], found: Sequence[Distinct]) -> list[str]:
    """Return a note on columns of which each tells the others, if there are any.

    >>> a = np.array([0, 1, 1, 2] * 5)
    >>> columns = [Distinct("text", ["x", "y", "z"], a, 0), Distinct("text", ["u", "v", "w"], 2 - a, 0)]
    >>> copies_in_words(["a", "b"], columns)[0][:44]
    "Columns that say the same in every row: 'b' "
    """
    if found and found[0].codes.size < FEWEST_ROWS:
        return []  # few rows agree by accident
    first: dict[bytes, int] = {}  # by what the rows say, whatever the names
    same = []
    for i, one in enumerate(found):
        if not 2 <= len(one) + bool(one.missing) < one.codes.size:
            continue  # of columns that have another value in every row, each tells all others
        twin = first.setdefault(_by_appearance(one.codes), i)
        if twin != i:
            same.append(f"{names[i]!r} as {names[twin]!r}")
    if not same:
        return []
    leave_out = option_in_note("exclude", metavar="NAME")
    return [f"Columns that say the same in every row: {listed(same)}. {leave_out} leaves one out."]


def _by_appearance(codes: NDArray[np.integer[Any]]) -> bytes:
    """Return a digest of codes numbered anew, in the order in which they appear.

    >>> _by_appearance(np.array([2, 0, 2, 1])) == _by_appearance(np.array([0, 1, 0, 2]))
    True
    """
    rows = codes.size
    seen_at = np.full(int(codes.max(initial=0)) + 1, rows)
    seen_at[codes[::-1]] = np.arange(rows - 1, -1, -1)  # of equal codes the first row is written last
    number = np.empty(seen_at.size, dtype=np.int32)
    number[np.argsort(seen_at)] = np.arange(seen_at.size)
    return hashlib.blake2b(number[codes].tobytes(), digest_size=16).digest()
