"""Columns that are copies of each other, up to the names of their states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
    first: dict[tuple[int, ...], list[int]] = {}  # by how often the states occur, one of each kind
    same = []
    if found and found[0].codes.size < FEWEST_ROWS:
        return []  # few rows agree by accident
    for i, one in enumerate(found):
        if len(one) + bool(one.missing) < 2:
            continue
        key = tuple(sorted(np.bincount(one.codes).tolist()))
        alike = first.setdefault(key, [])
        twin = next((j for j in alike if _tell_each_other(found[j], one)), None)
        if twin is None:
            alike.append(i)
        else:
            same.append(f"{names[i]!r} as {names[twin]!r}")
    if not same:
        return []
    leave_out = option_in_note("exclude", metavar="NAME")
    return [f"Columns that say the same in every row: {listed(same)}. {leave_out} leaves one out."]


def _tell_each_other(a: Distinct, b: Distinct) -> bool:
    """Whether the states of two columns with the same numbers of rows go together."""
    pairs = a.codes.astype(np.int64) * (len(b) + 1) + b.codes
    return int(np.unique(pairs).size) == int(np.unique(a.codes).size)
