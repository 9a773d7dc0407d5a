"""The strength above which an edge counts, estimated from the strengths themselves [scutari2013].

Were the table large enough, each pair of variables would be joined in all replicates or in none, and the
distribution function of the strengths would be a constant t between 0 and 1: the share of pairs that are not
joined.  Let F be the observed one.  The nearest constant in L1,

    t0 = argmin over t of  the integral from 0 to 1 of |F(x) - t| dx,

is a weighted median of the values of F, the weights being the lengths of the intervals on which F has them:
found here exactly, without a search.  The threshold is the t0-quantile of the strengths, and the edges
above it count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["significance_threshold"]


def significance_threshold(strengths: npt.ArrayLike) -> float:
    """Return the threshold; edges whose strength is above it count.

    >>> significance_threshold([0.0, 0.05, 0.1, 0.9, 1.0])
    0.1
    >>> significance_threshold([1.0, 1.0])  # all of them count
    0.0
    """
    ordered = np.sort(np.asarray(strengths, dtype=float))
    if ordered.size == 0:
        return 0.0
    knots = np.unique(np.concatenate([[0.0], ordered, [1.0]]))
    lengths = np.diff(knots)
    values = np.searchsorted(ordered, knots[:-1], side="right") / ordered.size  # F on each interval
    by_value = np.argsort(values, kind="stable")
    reached = np.cumsum(lengths[by_value])
    middle = int(np.searchsorted(reached, reached[-1] / 2))
    nearest = float(values[by_value][min(middle, len(values) - 1)])
    below = round(nearest * ordered.size)  # strengths that do not count
    return float(ordered[below - 1]) if below > 0 else 0.0
