"""How near a column of numbers is to a normal distribution."""

from __future__ import annotations

import functools
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from .distinct import Distinct

NEAR_NORMAL = 0.95
"""From here on, up to 1, a column is called near normal, so that scores of continuous variables suit it:
`benchmarks/tables/scores/cut_or_kept`."""


def normality(one: Distinct) -> float:
    """Return the squared correlation of the numbers with the normal scores of their ranks: 1 if normal.

    It is the statistic of Shapiro and Francia (1972), for any number of rows; equal numbers share the mean of
    their ranks.  0 for a column with infinite numbers, or of which one value fills half of the rows or more.
    """
    values = np.asarray(one.values, dtype=np.float64)
    if len(values) < 2 or not np.isfinite(values).all():
        return 0.0
    values = values / np.abs(values).max()  # squares of large numbers would not fit
    counts = one.counts()
    values, counts = values[counts > 0], counts[counts > 0]  # rows of weight 0 are none
    shares = counts / counts.sum()
    if not len(shares) or 2 * shares.max() >= 1:  # most are zeros, say: two points lie on any line
        return 0.0
    scores = _normal_quantiles(np.cumsum(shares) - shares / 2)
    x, y = values - values @ shares, scores - scores @ shares
    spread = (shares @ (x * x)) * (shares @ (y * y))
    return float((shares @ (x * y)) ** 2 / spread) if spread > 0 else 0.0


def _normal_quantiles(below: NDArray[np.float64]) -> NDArray[np.float64]:
    log_odds, quantiles = _grid()
    found: NDArray[np.float64] = np.interp(np.log(below) - np.log1p(-below), log_odds, quantiles)
    return found


@functools.cache
def _grid() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quantiles at even steps of the logarithm of odds, of which they are nearly straight lines."""
    log_odds = np.linspace(-34, 34, 6801)
    normal = NormalDist()
    return log_odds, np.array([normal.inv_cdf(p) for p in 1 / (1 + np.exp(-log_odds))])
