"""Decide, for numbers with a few values, whether each value is a state or ranges of values are.

Numbers such as years of school, stars or grey levels are ordered, and as 6 to 20 separate states they need
very many rows before a score finds that they matter; codes of a category (0 to 7 for eight colours) are not
ordered, and ranges of them mean nothing.  The data tell the two apart.  For a column X and another one Y, an
edge between them gains under BIC

    rows * I(X; Y) - (states of X - 1) * (states of Y - 1) * ln(rows) / 2        nats

where I is the mutual information, over the rows that have a value of X.  This gain is computed for X as
states and for X as ranges, each time with the better form of Y, and positive gains are summed over the other
columns.  X is grouped if ranges have the larger sum, and a larger one than ranges of shuffled values;
otherwise the order of the values does not matter (this second test is skipped for numbers that are not whole,
which are surely ordered).  If both sums are equal, mostly 0, X is grouped only if values have less than
`ROWS_PER_STATE` rows on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST_VALUES = 6
"""Numbers with fewer values are states: there is little to gain by grouping five into three."""

ROWS_PER_STATE = 10
"""Rows that a value needs on average to show anything; a usual rule for tables of counts."""

ROWS_LOOKED_AT = 10_000
"""Most rows looked at: 20 states beside 20 have 25 rows for each pair of them then."""

FEWEST_ROWS_LOOKED_AT = 2_000
"""Least rows looked at in tables of very many columns, if there are as many."""

OTHERS_LOOKED_AT = 32
"""Least other columns looked at for a column, if there are as many."""

VALUES_LOOKED_AT = 200_000_000
"""Pairs of values to look at in all: some seconds. Beyond, fewer other columns are seen, then fewer rows."""

MOST_STATES = 256
"""Columns with more states are not looked at: no pair with them gains."""

VALUES_AT_ONCE = 250_000
"""Pairs of values counted at once: bounds the memory."""

SHUFFLES = 99
SHUFFLES_AHEAD = 4
"""Ways to shuffle values, and how many may show more than the order does: one in twenty by chance."""

NEAREST = 8
"""Other columns that shuffled values are held against: those that the values as states tell most about."""

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Shown:
    """A column to compare: its codes and, if it could be grouped, the range of each code."""

    codes: NDArray[Any]
    states: int
    ranges: Codes | None = None
    missing: bool = False
    """Whether the last state stands for missing values."""
    ordered: bool = False
    """Whether the values have an order for sure, as numbers that are not whole have."""

    @property
    def values(self) -> int:
        return self.states - self.missing

    @property
    def range_count(self) -> int:
        return self.states if self.ranges is None else int(self.ranges.max()) + 1


@dataclass(frozen=True)
class Verdict:
    """Whether a column is to be grouped, and what either form shows in nats."""

    grouped: bool
    as_states: float
    as_ranges: float
    rows: int
    others: int

    @property
    def looked_at(self) -> str:
        """What was compared, in words."""
        others = f"{self.others} other column{'s' if self.others != 1 else ''}"
        return f"seen in {self.rows:,} rows and {others}"


def judge(columns: Sequence[Shown], weights: NDArray[Any] | None = None) -> dict[int, Verdict]:
    """Return a verdict for each column that could be grouped; a row counts as often as its weight says.

    >>> draw = np.random.default_rng(1)
    >>> x = draw.integers(0, 12, 300)
    >>> y = np.clip(x + draw.integers(-1, 2, 300), 0, 11)
    >>> ranges = np.arange(12) // 4
    >>> [one.grouped for one in judge([Shown(x, 12, ranges), Shown(y, 12, ranges)]).values()]
    [True, True]
    """
    asked = [i for i, one in enumerate(columns) if one.ranges is not None]
    others = [i for i, one in enumerate(columns) if one.states <= MOST_STATES]
    if not asked:
        return {}
    total = columns[0].codes.size if weights is None else int(weights.sum(dtype=np.int64))
    others_each, row_count = how_much(len(asked), len(others), total)
    rows = spread(row_count, total)
    if weights is not None:
        rows = np.searchsorted(np.cumsum(weights, dtype=np.int64), rows, side="right")
    sampled = np.stack([columns[i].codes[rows].astype(np.uint16) for i in others])
    place = {i: k for k, i in enumerate(others)}
    verdicts = {}
    for i in asked:
        beside = np.delete(np.arange(len(others)), place[i])
        beside = beside[spread(others_each, beside.size)]
        own = sampled[place[i]].astype(np.int64)
        here = own < columns[i].values  # values missing together are no reason to group those that are there
        codes = sampled[beside] if here.all() else sampled[beside][:, here]
        seen = own[here], [columns[others[k]] for k in beside], codes
        verdicts[i] = _verdict(columns[i], _rows_with_a_value(columns[i], weights), *seen)
    return verdicts


def _rows_with_a_value(column: Shown, weights: NDArray[Any] | None) -> int:
    present = column.codes < column.values
    return int(np.count_nonzero(present) if weights is None else weights[present].sum(dtype=np.int64))


def _verdict(
    column: Shown, present: int, own: Codes, others: Sequence[Shown], codes: NDArray[Any]
) -> Verdict:
    assert column.ranges is not None
    states, ranges = np.arange(column.values), column.ranges[: column.values]
    as_states, as_ranges = _gains([states, ranges], own, others, codes)
    by_states, by_ranges = (float(np.maximum(gains, 0.0).sum()) for gains in (as_states, as_ranges))
    grouped = by_ranges >= by_states and present < ROWS_PER_STATE * column.values
    if by_ranges > by_states and not grouped:
        nearest = np.argsort(-as_states, kind="stable")[:NEAREST]
        grouped = column.ordered or _order_shows(ranges, own, [others[k] for k in nearest], codes[nearest])
    return Verdict(grouped, by_states, by_ranges, own.size, len(others))


def _order_shows(ranges: Codes, own: Codes, others: Sequence[Shown], codes: NDArray[Any]) -> bool:
    """Whether ranges show more of a few other columns than the same ranges of shuffled values do."""
    shown = np.maximum(_gains([ranges, *shuffled(ranges)], own, others, codes), 0.0).sum(axis=1)
    return int(np.count_nonzero(shown[1:] > shown[0])) <= SHUFFLES_AHEAD


def how_much(asked: int, columns: int, rows: int) -> tuple[int, int]:
    """Return how many other columns are looked at for each column asked about, and how many rows.

    >>> how_much(64, 64, 1797), how_much(5000, 5000, 1_000_000)
    ((63, 1797), (32, 2000))
    """
    most_rows = min(rows, ROWS_LOOKED_AT)
    others = VALUES_LOOKED_AT // (asked * most_rows)
    others = max(0, min(columns - 1, max(others, OTHERS_LOOKED_AT)))
    fitting = VALUES_LOOKED_AT // (asked * max(others, 1))
    return others, min(most_rows, max(fitting, FEWEST_ROWS_LOOKED_AT))


def spread(count: int, total: int) -> Codes:
    """Return so many of the first whole numbers, spread evenly but with no period, always the same.

    >>> spread(3, 3), spread(3, 30)
    (array([0, 1, 2]), array([ 0, 16, 22]))
    """
    if count >= total:
        return np.arange(total)
    steps = np.arange(count)
    jitter = (steps * 0.6180339887498949) % 1.0  # the golden ratio: no two steps fall into the same rhythm
    found: Codes = ((steps + jitter) * (total / count)).astype(np.int64)
    return np.minimum(found, total - 1)


def _gains(
    forms: Sequence[Codes], own: Codes, others: Sequence[Shown], codes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return what each form of a column gains beside each of other columns in its better form."""
    at_once = max(1, VALUES_AT_ONCE // max(own.size, 1))
    parts = [slice(begin, begin + at_once) for begin in range(0, len(others), at_once)]
    gains = [_gains_of_some(forms, own, others[part], codes[part]) for part in parts]
    return np.concatenate(gains, axis=1) if gains else np.zeros((len(forms), 0))


def _gains_of_some(
    forms: Sequence[Codes], own: Codes, others: Sequence[Shown], codes: NDArray[Any]
) -> NDArray[np.float64]:
    states = forms[0].size
    width = max(one.states for one in others)
    cells = states * width
    flat = codes.astype(np.int64)
    flat += own * width
    flat += (np.arange(len(others)) * cells)[:, None]
    counts = np.bincount(flat.ravel(), minlength=cells * len(others)).astype(np.float64)
    counts = counts.reshape(len(others), states, width)
    narrow = max(one.range_count for one in others)
    in_ranges = counts @ np.stack([_grouping(_ranges(one), width, narrow) for one in others])
    fine = np.array([one.states for one in others])
    coarse = np.array([one.range_count for one in others])
    gains = np.empty((len(forms), len(others)))
    for k, form in enumerate(forms):
        size = int(form.max()) + 1
        grouping = _grouping(form, states, size).T
        gains[k] = np.maximum(_gain(grouping @ counts, size, fine), _gain(grouping @ in_ranges, size, coarse))
    return gains


def shuffled(ranges: Codes) -> list[Codes]:
    """Return the ranges with the values dealt out anew, in some ways that are always the same."""
    draw = np.random.RandomState(0)  # its numbers are the same in all versions of NumPy
    return [draw.permutation(ranges) for _ in range(SHUFFLES)]


def _ranges(one: Shown) -> Codes:
    return np.arange(one.states) if one.ranges is None else one.ranges


def _grouping(ranges: Codes, states: int, groups: int) -> NDArray[np.float64]:
    """Return the matrix that sums counts of states into ranges."""
    matrix = np.zeros((states, groups))
    matrix[np.arange(ranges.size), ranges] = 1.0
    return matrix


def _gain(counts: NDArray[np.float64], own: int, other: Codes) -> NDArray[np.float64]:
    """Return what BIC gains from an edge, for a stack of tables of counts."""
    rows = max(float(counts[0].sum()), 1.0)
    shared = _n_ln_n(counts).sum(axis=(1, 2)) - _n_ln_n(counts.sum(axis=2)).sum(axis=1)
    shared += _n_ln_n(np.array(rows)) - _n_ln_n(counts.sum(axis=1)).sum(axis=1)
    penalty: NDArray[np.float64] = (own - 1) * (other - 1) * np.log(rows) / 2
    gain: NDArray[np.float64] = shared - penalty
    return gain


def _n_ln_n(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    terms: NDArray[np.float64] = counts * np.log(np.maximum(counts, 1.0))
    return terms
