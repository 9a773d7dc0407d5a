"""Cut points: columns of numbers become a few intervals.

``mean``         two states around the mean [malone2011]
``quantile:k``   k states with about as many rows each
``width:k``      k states of equal width between the smallest and the largest value
``[2.5, 7.0]``   these cut points, for instance those of another table

Cut points ``c1 < c2 < ...`` make the states ``<= c1``, ``(c1, c2]``, ..., ``> cm``: a value on a cut
point belongs below it.  All states are kept, seen or not, so that equal cut points mean equal states.

Of all numbers between the same two neighbouring values a rule takes a short one, and the names of the states
say it exactly; cut points that are given stay as they are.

Everything is computed from distinct values and their counts.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, option

from .columns import STATE_LIMIT

_HERE = option("discretize", subject=True)

DIGITS = 6
"""Of a cut point, where so many are enough to part the values as they were to be parted."""
WHOLE_BELOW = 1e15
"""Whole numbers below are written in full."""


@dataclass(frozen=True)
class Rule:
    """How to find cut points: by a method with a number of states, or as they are given."""

    method: Literal["mean", "quantile", "width", "given"]
    states: int
    given: tuple[float, ...] = ()

    def __str__(self) -> str:
        if self.method == "given":
            return "the given cut points"
        return self.method if self.method == "mean" else f"{self.method}:{self.states}"

    def cut_points(self, values: NDArray[Any], counts: NDArray[np.int64]) -> tuple[float, ...]:
        """Return increasing cut points for sorted distinct values, of which there are two or more.

        Fewer than asked for if some coincide.

        >>> parse_rule("quantile:2").cut_points(np.array([1.0, 2.0, 9.0]), np.array([1, 1, 1]))
        (2.0,)
        """
        if self.method == "given":
            return self.given
        values = values.astype(np.float64)
        if self.method == "mean":
            with np.errstate(over="ignore", invalid="ignore"):
                mean = (values * counts).sum() / counts.sum()
            # The sum of very large values overflows where their mean does not.
            cuts = np.array([mean if np.isfinite(mean) else (values * (counts / counts.sum())).sum()])
        elif self.method == "quantile":
            # The smallest value with at least a share j/k of the rows at or below it.
            below = np.cumsum(counts)
            wanted = -(-np.arange(1, self.states) * below[-1] // self.states)
            cuts = values[np.searchsorted(below, wanted)]
        else:
            share = np.arange(1, self.states) / self.states
            cuts = values[0] * (1 - share) + values[-1] * share
        if not np.isfinite(cuts).all():  # of infinite values the nearest finite one stands for the cut
            finite = values[np.isfinite(values)]
            if not finite.size:
                finite = np.zeros(1)
            cuts = np.clip(cuts, finite[0], finite[-1])
            return tuple(float(cut) for cut in np.unique(cuts))
        # A cut point on the largest value, or by rounding below the smallest, would cut nothing off.
        cuts = np.maximum(np.where(cuts >= values[-1], values[-2], cuts), values[0])
        return tuple(float(cut) for cut in np.unique(cuts))


def parse_rule(rule: object) -> Rule:
    """Return the rule that a string or a sequence of cut points describes.

    >>> str(parse_rule("quantile:3"))
    'quantile:3'
    """
    if isinstance(rule, str):
        match = re.fullmatch(r"mean|(quantile|width):([0-9]{1,9})", rule)
        if match is None:
            raise InputError(
                f"{_HERE}: unknown rule {rule!r}. Known: mean, quantile:k, width:k (k states, k >= 2),"
                " or a list of cut points."
            )
        if match[1] is None:
            return Rule("mean", 2)
        states = int(match[2])
        if not 2 <= states <= STATE_LIMIT:
            raise InputError(f"{_HERE}: {rule!r} asks for {states} states; expected 2 to {STATE_LIMIT}.")
        return Rule("quantile" if match[1] == "quantile" else "width", states)
    if isinstance(rule, Iterable):
        try:
            cuts = tuple(float(cut) for cut in rule)
        except (TypeError, ValueError):
            cuts = ()
        increasing = all(a < b for a, b in itertools.pairwise(cuts))
        if cuts and increasing and all(map(math.isfinite, cuts)) and len(cuts) < STATE_LIMIT:
            return Rule("given", len(cuts) + 1, cuts)
    raise InputError(f"{_HERE}: expected a rule or a list of increasing cut points, got {rule!r}.")


def shortened(cuts: tuple[float, ...], values: NDArray[Any]) -> tuple[float, ...]:
    """Return cut points of few digits that part sorted distinct values as these do: six if that is enough.

    Which number between two neighbouring values the cut point is makes no difference to the table; a short
    one can be read, and typed again.  Whole numbers stay as they are.

    >>> shortened((5.843333333333334, 7.0), np.array([5.8, 5.9, 7.0, 7.1]))
    (5.84333, 7.0)
    >>> shortened((1 / 3,), np.array([0.0, 1 / 3, 0.34]))
    (0.333334,)
    """
    apart = np.asarray(values, dtype=np.float64)
    short = tuple(_shortened(cut, apart) for cut in cuts)
    increasing = all(a < b for a, b in itertools.pairwise(short))
    return short if increasing else cuts


def _shortened(cut: float, values: NDArray[Any]) -> float:
    above = int(np.searchsorted(values, cut, side="right"))
    if above == 0 or (cut.is_integer() and abs(cut) < WHOLE_BELOW):
        return cut
    low, high = float(values[above - 1]), float(values[above]) if above < len(values) else math.inf
    for digits in range(DIGITS, 17):
        near = Decimal(f"{cut:.{digits - 1}e}")
        unit = Decimal(1).scaleb(near.adjusted() - digits + 1)
        for number in map(float, (near, near + unit, near - unit)):
            if low <= number < high and math.isfinite(number):
                return number
    return cut


def interval_names(cuts: tuple[float, ...]) -> list[str]:
    """Return the names of the states between cut points.

    >>> interval_names((2.5, 7.0))
    ['<= 2.5', '(2.5, 7]', '> 7']
    """
    texts = cut_texts(cuts)
    between = [f"({low}, {high}]" for low, high in itertools.pairwise(texts)]
    return [f"<= {texts[0]}", *between, f"> {texts[-1]}"]


def cut_texts(cuts: tuple[float, ...]) -> list[str]:
    """Return cut points as texts that read back as exactly these numbers, as short as that can be.

    So whoever has the names of the states alone, as a fitted network or its file has, puts every value where
    the table put it.

    >>> cut_texts((5.84333, 7.0, 7.000000000000001))
    ['5.84333', '7', '7.000000000000001']
    """
    return [_number(cut) for cut in cuts]


def _number(value: float) -> str:
    if value.is_integer() and abs(value) < WHOLE_BELOW:
        return str(int(value))
    short = f"{value:.{DIGITS}g}"
    return short if float(short) == value else repr(value)
