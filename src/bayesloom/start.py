"""Where a search begins: from an order to one candidate per variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayesloom.cache import ScoreCache

__all__ = ["start_candidates"]


def start_candidates(cache: ScoreCache, order: Sequence[int] | None) -> list[int]:
    """Return the best candidate of each variable with parents before it in the order.

    An order that leaves a variable without a candidate is no start: the list is then empty.
    """
    if order is None:
        return []
    chosen = [0] * len(order)
    before: list[int] = []
    for v in order:
        candidate = cache.core.best_within(v, before)
        if candidate is None:
            return []
        chosen[v] = candidate
        before.append(v)
    return chosen
