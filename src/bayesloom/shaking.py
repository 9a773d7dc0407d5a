"""Shaking a network: which of its edges are taken away, and in which turns of the loop that pays.

A climber stands on a local best.  Without some of its edges the network is climbed again, often to a better
one; see `bayesloom.closed_loop`.
"""

from __future__ import annotations

import math
import random

__all__ = ["Pace", "edges_to_take"]

Edge = tuple[int, int]
Moment = tuple[float, int | None]
"""Seconds, and the score then."""


def edges_to_take(edges: list[Edge], most: int, draw: random.Random, *, close: bool) -> set[Edge]:
    """Return some of the edges, few more often than many, at most a third; if `close`, such as hang together.

    >>> sorted(edges_to_take([(0, 1), (1, 2), (2, 3), (8, 9)], 2, random.Random(1), close=True))
    [(0, 1)]
    """
    count = int(min(most, len(edges) // 3) ** draw.random())
    return _hanging_together(edges, count, draw) if close else set(draw.sample(edges, count))


def _hanging_together(edges: list[Edge], count: int, draw: random.Random) -> set[Edge]:
    at: dict[int, list[Edge]] = {}
    for edge in edges:
        for end in edge:
            at.setdefault(end, []).append(edge)
    found: dict[Edge, None] = {}
    reached = [draw.choice(edges)[0]]
    seen = set(reached)
    for variable in reached:  # which grows
        for edge in at[variable]:
            if len(found) == count:
                return set(found)
            found[edge] = None
            for end in edge:
                if end not in seen:
                    seen.add(end)
                    reached.append(end)
    return set(found)


class Pace:
    """What shaking, and the rest of a turn, gained per second the last time.

    While the rest gains more, the network is shaken in every second turn only, and never in the first: on
    large tables the first search gains more than all shakes.

    >>> pace = Pace()
    >>> pace.shake_now()
    False
    >>> pace.note((0.0, -100), None, (4.0, -60))  # 10 a second
    >>> pace.shake_now()  # left out before
    True
    >>> pace.note((4.0, -60), (5.0, -40), (9.0, -36))  # 20 a second, then 1
    >>> pace.shake_now(), pace.shake_now()
    (True, True)
    """

    def __init__(self) -> None:
        self._by_shaking, self._by_rest = 0.0, math.inf
        self._left_out = False

    def shake_now(self) -> bool:
        """Return whether the turn that begins should begin with shakes."""
        self._left_out = not self._left_out and self._by_shaking < self._by_rest
        return not self._left_out

    def note(self, begin: Moment, shaken: Moment | None, end: Moment) -> None:
        """Note a turn: its beginning, the end of its shakes if there were any, and its end."""
        if shaken is not None:
            self._by_shaking = _rate(begin, shaken)
        self._by_rest = _rate(begin if shaken is None else shaken, end)


def _rate(begin: Moment, end: Moment) -> float:
    return ((end[1] or 0) - (begin[1] or 0)) / max(1e-9, end[0] - begin[0])
