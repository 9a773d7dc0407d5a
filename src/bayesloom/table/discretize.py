"""Cut points: columns of numbers become a few intervals.

``mean``         two states around the mean [malone2011]
``quantile:k``   k states with about as many rows each
``width:k``      k states of equal width between the smallest and the largest value
``[2.5, 7.0]``   these cut points, for instance those of another table

Cut points ``c1 < c2 < ...`` make the states ``<= c1``, ``(c1, c2]``, ..., ``> cm``: a value on a cut
point belongs below it.  All states are kept, seen or not, so that equal cut points mean equal states.

Everything is computed from distinct values and their counts.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, option

from .columns import STATE_LIMIT

_HERE = option("discretize", subject=True)


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


def interval_names(cuts: tuple[float, ...]) -> list[str]:
    """Return the names of the states between cut points, with as many digits as keep them apart.

    >>> interval_names((2.5, 7.0))
    ['<= 2.5', '(2.5, 7]', '> 7']
    """
    texts = cut_texts(cuts)
    between = [f"({low}, {high}]" for low, high in itertools.pairwise(texts)]
    return [f"<= {texts[0]}", *between, f"> {texts[-1]}"]


def cut_texts(cuts: tuple[float, ...]) -> list[str]:
    """Return cut points for people: six digits where that is enough to tell them apart.

    >>> cut_texts((5.843333333333334, 7.0))
    ['5.84333', '7']
    """
    for digits in (6, 9, 12):
        texts = [_number(cut, digits) for cut in cuts]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(cut) for cut in cuts]


def _number(value: float, digits: int) -> str:
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}"
