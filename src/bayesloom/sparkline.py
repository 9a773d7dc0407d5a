"""A chart of score and bound over time, in a few lines of a terminal.

Each character is two by four dots (Braille), so that 48 by 4 characters are 96 by 16 dots. Time runs from
left to right; above is the bound, below the best score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["History", "closing_in"]

WIDE, TALL = 48, 4  # characters
KEPT = 2000  # points of a history; with more, every second one is dropped
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # by column and row within a character

Point = tuple[float, float, float | None]
"""Seconds, best score, bound if it is known."""


class History:
    """What was heard of score and bound, thinned out when it grows long.

    >>> history = History()
    >>> for k in range(5000):
    ...     history.add(k, -100.0, None)
    >>> len(history.points) <= KEPT, history.points[-1][0]
    (True, 4999.0)
    """

    def __init__(self) -> None:
        self.points: list[Point] = []

    def add(self, seconds: float, score: float | None, bound: float | None) -> None:
        """Add what is known now; without a score there is nothing to draw."""
        if score is None or not math.isfinite(score):
            return
        if self.points and seconds < self.points[-1][0]:  # another stage, with a clock of its own
            seconds = self.points[-1][0]
        known = bound if bound is not None and math.isfinite(bound) else None
        self.points.append((float(seconds), score, known))
        if len(self.points) > KEPT:
            self.points = [*self.points[:-1:2], self.points[-1]]


def closing_in(points: Sequence[Point], wide: int = WIDE, tall: int = TALL) -> list[list[tuple[str, str]]]:
    """Return lines of characters, each with what it shows: ``"score"``, ``"bound"``, ``"both"`` or nothing.

    Nothing is returned while there is nothing to compare: fewer than two points, or all at one height.

    >>> lines = closing_in([(0.0, -9.0, -1.0), (1.0, -5.0, -4.0)], wide=4, tall=2)
    >>> ["".join(kind[:1] or "." for _, kind in line) for line in lines]
    ['bbbb', 'ssss']
    """
    if len(points) < 2 or points[-1][0] <= points[0][0]:
        return []
    low, high = _range(points)
    if not high > low:
        return []
    cells = [[[0, 0] for _ in range(wide)] for _ in range(tall)]
    begin, end = points[0][0], points[-1][0]
    at = 0
    for column in range(2 * wide):
        now = begin + (end - begin) * column / (2 * wide - 1)
        while at + 1 < len(points) and points[at + 1][0] <= now:
            at += 1
        for kind, value in enumerate(points[at][1:]):
            if value is None:
                continue
            share = min(max((value - low) / (high - low), 0.0), 1.0)
            row = round((1 - share) * (4 * tall - 1))
            cells[row // 4][column // 2][kind] |= _DOTS[column % 2][row % 4]
    names = {(False, False): "", (True, False): "score", (False, True): "bound", (True, True): "both"}
    return [
        [(chr(0x2800 + (score | bound)), names[bool(score), bool(bound)]) for score, bound in line]
        for line in cells
    ]


def _range(points: Sequence[Point]) -> tuple[float, float]:
    """Return what is drawn: all scores, and the lower three quarters of the bounds, which begin far above."""
    scores = [score for _, score, _ in points]
    bounds = sorted(bound for _, _, bound in points if bound is not None)
    top = bounds[3 * (len(bounds) - 1) // 4] if bounds else max(scores)
    return min(scores), max(top, max(scores))
