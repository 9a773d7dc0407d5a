"""Columns that lack their values in the same rows.

If missing values are a separate state, "missing" in one such column predicts it in all others: strong edges
that say nothing about what the columns hold.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .forms import spread

COINCIDES = 0.9
"""Columns are named together if of the rows that lack one of the two, at least this share lacks both."""

FEWEST_ROWS = 5
"""Columns that lack fewer values are not looked at."""

COLUMNS_COMPARED = 1_000
ROWS_COMPARED = 10_000
"""Most columns (those that lack most) and rows (of those that lack a value) compared: at most a second."""


def missing_together(absent: Mapping[str, NDArray[np.bool_]]) -> list[tuple[list[str], int]]:
    """Return groups of columns that are missing in largely the same rows, and in how many all of them are.

    >>> gone = np.arange(40) < 10
    >>> missing_together({"a": gone, "b": np.arange(40) > 30, "c": gone})
    [(['a', 'c'], 10)]
    """
    counts = {name: int(np.count_nonzero(mask)) for name, mask in absent.items()}
    names = [name for name in absent if counts[name] >= FEWEST_ROWS]
    if len(names) > COLUMNS_COMPARED:
        most = set(sorted(names, key=lambda name: -counts[name])[:COLUMNS_COMPARED])
        names = [name for name in names if name in most]
    if len(names) < 2:
        return []
    some = np.zeros_like(absent[names[0]])
    for name in names:
        some |= absent[name]
    rows = np.flatnonzero(some)
    rows = rows[spread(ROWS_COMPARED, rows.size)]
    masks = np.stack([absent[name][rows] for name in names]).astype(np.float32)
    both = masks @ masks.T
    own = np.diag(both)
    alike = both >= COINCIDES * np.maximum(own[:, None] + own[None, :] - both, 1.0)
    groups = []
    free = np.ones(len(names), dtype=bool)
    for i in range(len(names)):
        members = np.flatnonzero(alike[i] & free) if free[i] else np.zeros(0, dtype=int)
        if members.size > 1:
            free[members] = False
            group = [names[k] for k in members]
            groups.append((group, int(np.count_nonzero(np.logical_and.reduce([absent[n] for n in group])))))
    return groups
