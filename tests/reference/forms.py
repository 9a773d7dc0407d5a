"""Twin of `bayesloom.table.forms`: what two forms of a column show, one pair of columns after the other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def pair_gain(x: Sequence[int], y: Sequence[int], kx: int, ky: int) -> float:
    """What BIC gains from an edge between two columns."""
    rows = len(x)
    both, left, right = Counter(zip(x, y, strict=True)), Counter(x), Counter(y)
    information = sum(n * math.log(n * rows / (left[a] * right[b])) for (a, b), n in both.items())
    return information - (kx - 1) * (ky - 1) * math.log(rows) / 2


Form = tuple[Sequence[int], int]
"""Codes, and how many of them there are."""


def shown(form: Form, others: Sequence[Sequence[Form]]) -> float:
    """What a form shows: the gains above 0, each beside the better form of the other column."""
    x, kx = form
    gains = (max(pair_gain(x, y, kx, ky) for y, ky in forms) for forms in others)
    return sum(max(0.0, gain) for gain in gains)
