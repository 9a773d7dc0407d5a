"""Scores of continuous variables as the textbooks write them: covariance matrices and determinants by NumPy.

``values`` has a row for each row of the table.  The formulas are those of ``docs/continuous.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log, pi

import numpy as np
from numpy.typing import NDArray

from reference.missing_scores import node_average

Values = NDArray[np.float64]


def moved(values: Values) -> Values:
    """The columns less their means."""
    return values - values.mean(axis=0)


def local_score(
    values: Values, child: int, parents: Sequence[int], score: str, options: dict[str, float] | None = None
) -> float:
    """s(child, parents); a constant column scores 0 and is no parent."""
    if np.ptp(values[:, child]) == 0:
        return 0.0
    chosen = [p for p in parents if np.ptp(values[:, p]) > 0]
    return {"bic-g": bic_g, "bge": bge}[score](values, child, chosen, **(options or {}))


def bic_g(values: Values, child: int, parents: Sequence[int], *, penalty: float = 1.0) -> float:
    """Maximised log-likelihood of a regression less penalty (ln N)/2 for each of its p + 2 parameters."""
    n = len(values)
    x = moved(values)
    left = x[:, child]
    if parents:
        coefficients = np.linalg.lstsq(x[:, list(parents)], left, rcond=None)[0]
        left = left - x[:, list(parents)] @ coefficients
    variance = float(left @ left) / n
    return -n / 2 * (1 + log(2 * pi) + log(variance)) - penalty * log(n) / 2 * (len(parents) + 2)


def bge(
    values: Values, child: int, parents: Sequence[int], *, alpha_mu: float = 1.0, degrees: float = 2.0
) -> float:
    """The marginal likelihood of the family over that of the parents."""
    family = [*parents, child]
    return _bge(values[:, family], alpha_mu, degrees) - _bge(values[:, list(parents)], alpha_mu, degrees)


def _bge(values: Values, m: float, a: float) -> float:
    n, k = values.shape
    if k == 0:
        return 0.0
    t = m * (a - 1) / (m + 1)
    x = moved(values)
    _, log_det = np.linalg.slogdet(t * np.eye(k) + x.T @ x)
    ratios = sum(lgamma((n + a + j) / 2) - lgamma((a + j) / 2) for j in range(1, k + 1))
    return (
        k / 2 * log(m / (n + m))
        - k * n / 2 * log(pi)
        + ratios
        + k / 2 * (a + k) * log(t)
        - (n + a + k) / 2 * float(log_det)
    )


def predictive(values: Values, m: float = 1.0, a: float = 2.0) -> float:
    """ln of the density of all rows, each given those before: a chain of t densities.

    The prior: normal-Wishart, mean weight m, k + a degrees of freedom, scale t I, the mean of the table.
    """
    k = values.shape[1]
    t = m * (a - 1) / (m + 1)
    mean = values.mean(axis=0)
    weight, freedom, scale = m, k + a, t * np.eye(k)
    total = 0.0
    for x in values:
        degrees = freedom - k + 1
        spread = scale * (weight + 1) / (weight * degrees)
        off = x - mean
        _, log_det = np.linalg.slogdet(spread)
        total += (
            lgamma((degrees + k) / 2)
            - lgamma(degrees / 2)
            - k / 2 * log(degrees * pi)
            - float(log_det) / 2
            - (degrees + k) / 2 * log(1 + float(off @ np.linalg.solve(spread, off)) / degrees)
        )
        scale = scale + weight / (weight + 1) * np.outer(off, off)
        mean = mean + off / (weight + 1)
        weight, freedom = weight + 1, freedom + 1
    return total


def mixed_score(
    columns: Sequence[NDArray[np.generic]],
    cardinalities: Sequence[int],
    child: int,
    parents: Sequence[int],
    score: str,
    least: float = 5,
    penalty: float = 1,
) -> float | None:
    """s(child, parents); a discrete column has a cardinality, a continuous one 0; None if there is none."""
    if score == "pnal":
        return node_average(columns, cardinalities, child, parents, least=least)
    if score == "dg":
        return _bic_of(columns, cardinalities, [*parents, child]) - _bic_of(columns, cardinalities, parents)
    if cardinalities[child] and any(not cardinalities[p] for p in parents):
        return None
    both = _cells_of(columns, cardinalities, [*parents, child], least, penalty)
    without = _cells_of(columns, cardinalities, parents, least, penalty)
    return None if both is None or without is None else both - without


def _bic_of(
    columns: Sequence[NDArray[np.generic]], cardinalities: Sequence[int], chosen: Sequence[int]
) -> float:
    """f of `dg`: indicators of all seen states but the first."""
    n = len(columns[0])
    wide = [
        one
        for v in chosen
        for one in (
            [columns[v] == k for k in np.unique(columns[v])[1:]] if cardinalities[v] else [columns[v]]
        )
    ]
    k = len(wide)
    if k == 0:
        return 0.0
    _, log_det = np.linalg.slogdet(np.atleast_2d(np.cov(np.array(wide, dtype=float), bias=True)))
    return -n / 2 * (k * (1 + log(2 * pi)) + float(log_det)) - log(n) / 2 * k * (k + 3) / 2


def _cells_of(
    columns: Sequence[NDArray[np.generic]],
    cardinalities: Sequence[int],
    chosen: Sequence[int],
    least: float,
    penalty: float,
) -> float | None:
    """f of `bic-cg`, cell by cell."""
    n = len(columns[0])
    discrete = [v for v in chosen if cardinalities[v]]
    continuous = [v for v in chosen if not cardinalities[v]]
    c = len(continuous)
    cells: dict[tuple[int, ...], list[int]] = {}
    for row in range(n):
        cells.setdefault(tuple(int(columns[v][row]) for v in discrete), []).append(row)
    q = int(np.prod([cardinalities[v] for v in discrete])) if discrete else 1
    total = -penalty * log(n) / 2 * (q * c * (c + 3) / 2 + q - 1)
    for rows in cells.values():
        size = len(rows)
        total += size * log(size / n)
        if c == 0:
            continue
        if size < max(c + 2, least):
            return None
        values = np.array([columns[v][rows] for v in continuous], dtype=float)
        _, log_det = np.linalg.slogdet(np.atleast_2d(np.cov(values, bias=True)))
        total -= size / 2 * (c * (1 + log(2 * pi)) + float(log_det))
    return total
