"""Texts and categories with very many values: the rare ones become one state, or the column is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .columns import code_type
from .distinct import Distinct

MANY_VALUES = 50
"""Texts with more values than this are looked at; up to it every value is a state."""

SHARE_KEPT = 0.01
"""Share of the rows that a value needs to stay a state of its own."""

ROWS_KEPT = 3
"""Rows that it needs in any case: in small tables a share is less than a row."""

MOST_OTHER = 0.5
"""Share of the rows beyond which "(other)" says too little: the column is left out then."""

OTHER = "(other)"


@dataclass(frozen=True)
class Collapsed:
    """A column whose rare values are one state."""

    column: Distinct
    values: int
    """How many values it had."""
    kept: int
    """How many of them are states of their own."""
    share: float
    """Share of the rows that hold one of the others."""

    @property
    def says_too_little(self) -> bool:
        return self.share > MOST_OTHER


def collapsed(one: Distinct) -> Collapsed | None:
    """Return a column with its rare values as one state; None if there is nothing to put together.

    >>> many = Distinct("text", [f"s{k}" for k in range(60)], np.repeat(np.arange(60), [940, *[1] * 59]), 0)
    >>> collapsed(many).column.labels(), round(collapsed(many).share, 3)
    (['s0', '(other)'], 0.059)
    """
    if one.kind not in ("text", "declared") or len(one) <= MANY_VALUES:
        return None
    counts = one.counts()
    rows = one.codes.size if one.weights is None else int(one.weights.sum(dtype=np.int64))
    stays = (counts >= max(SHARE_KEPT * rows, ROWS_KEPT)) & np.array([value != OTHER for value in one.values])
    if stays.all():
        return None
    kept = np.flatnonzero(stays)
    rank = np.full(len(one) + 1, len(kept))
    rank[kept] = np.arange(len(kept))
    rank[-1] = len(kept) + 1
    codes = rank.astype(code_type(len(kept) + 2))[one.codes]
    column = replace(one, values=[*(one.values[k] for k in kept), OTHER], codes=codes)
    return Collapsed(column, len(one), len(kept), float(counts[~stays].sum() / rows))
