"""Dual prices that a loop hands on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["fits"]

MOST_PRICES = 2**60  # units that prices may add up to, to be gone on from


def fits(prices: Iterable[tuple[Sequence[int], int, int, Sequence[int]]]) -> bool:
    """Return whether a list of prices is one that a kernel takes: their sum has to fit.

    >>> fits([((0, 1), 1, 2**59, ())]), fits([((0, 1, 2), 2, 2**60, ())])
    (True, False)
    """
    return sum(need * price for _, need, price, _ in prices) <= MOST_PRICES
