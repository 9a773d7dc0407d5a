"""Slow, obvious twins of src/core/order_search: definitions, written down.

A cache here is a list per variable of (score, parents) with whole scores and frozensets; an order is
a list of variables.  ``None`` stands for "no network".
"""

from __future__ import annotations

from itertools import permutations

Lists = list[list[tuple[int, frozenset[int]]]]


def best_in_order(lists: Lists, order: list[int]) -> int | None:
    """The score of the best network all of whose edges go forward in the order."""
    total = 0
    for position, v in enumerate(order):
        before = set(order[:position])
        open_scores = [score for score, parents in lists[v] if parents <= before]
        if not open_scores:
            return None
        total += max(open_scores)
    return total


def inserted(order: list[int], x: int, position: int) -> list[int]:
    """The order with x moved to a position, counted in the result."""
    rest = [v for v in order if v != x]
    return [*rest[:position], x, *rest[position:]]


def insert_gains(lists: Lists, order: list[int], x: int) -> list[int | None]:
    """What moving x to each position gains."""
    here = best_in_order(lists, order)
    assert here is not None
    scores = [best_in_order(lists, inserted(order, x, p)) for p in range(len(order))]
    return [None if score is None else score - here for score in scores]


def is_local_optimum(lists: Lists, order: list[int]) -> bool:
    """Whether no insert of any variable gains."""
    return all(gain is None or gain <= 0 for x in order for gain in insert_gains(lists, order, x))


def best_score(lists: Lists) -> int | None:
    """The best score of any network: the best over all orders."""
    scores = [best_in_order(lists, list(order)) for order in permutations(range(len(lists)))]
    return max((score for score in scores if score is not None), default=None)


def acyclic_selection(lists: Lists, order: list[int]) -> int | None:
    """The score when each variable, from the last to the first, takes its best candidate that
    closes no cycle with those already taken."""
    taken: dict[int, frozenset[int]] = {}
    total = 0
    for v in reversed(order):
        below = {v}
        while more := {w for w, parents in taken.items() if parents & below} - below:
            below |= more
        open_candidates = [(score, parents) for score, parents in lists[v] if not parents & below]
        if not open_candidates:
            return None
        score = max(score for score, _ in open_candidates)
        taken[v] = next(parents for s, parents in open_candidates if s == score)
        total += score
    return total
