"""Expectation maximisation as the textbooks write it: every way to fill in a row, one after the other.

A discrete row is a tuple of states with None where a value is missing; tables of a network are dictionaries
from the states of the parents to the shares of the states.  For numbers the joint normal distribution is
written out and conditioned with the formula for partitioned covariances.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from math import exp, fsum, log, pi, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[int | None, ...]
Shares = dict[tuple[int, ...], list[float]]


def ways(row: Row, cardinalities: Sequence[int]) -> list[tuple[int, ...]]:
    """All complete rows that agree with what is known."""
    return list(product(*(range(r) if x is None else [x] for x, r in zip(row, cardinalities, strict=True))))


def probability(row: tuple[int, ...], parents: Sequence[Sequence[int]], tables: Sequence[Shares]) -> float:
    return prod(
        tables[v].get(tuple(row[p] for p in up), [1 / len(next(iter(tables[v].values())))] * 99)[row[v]]
        for v, up in enumerate(parents)
    )


def completions(
    rows: Sequence[Row],
    cardinalities: Sequence[int],
    parents: Sequence[Sequence[int]],
    tables: Sequence[Shares],
) -> tuple[dict[tuple[int, ...], float], float]:
    """Expected count of every complete row, and the log-likelihood of what is known."""
    counts: dict[tuple[int, ...], float] = defaultdict(float)
    logs = []
    for row in rows:
        each = {one: probability(one, parents, tables) for one in ways(row, cardinalities)}
        total = fsum(each.values())
        logs.append(log(total))
        for one, share in each.items():
            counts[one] += share / total
    return counts, fsum(logs)


def maximised(
    counts: dict[tuple[int, ...], float], cardinalities: Sequence[int], child: int, up: Sequence[int]
) -> tuple[float, Shares]:
    """Expected log-likelihood of a family, and the shares that maximise it."""
    cells: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0] * cardinalities[child])
    for row, count in counts.items():
        cells[tuple(row[p] for p in up)][row[child]] += count
    value = fsum(n * log(n / fsum(own)) for own in cells.values() for n in own if n > 0)
    return value, {cell: [n / fsum(own) for n in own] for cell, own in cells.items() if fsum(own) > 0}


def acyclic(parents: Sequence[Sequence[int]]) -> bool:
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not set(parents[v]) & left}
        if not free:
            return False
        left -= free
    return True


def best_network(
    counts: dict[tuple[int, ...], float], cardinalities: Sequence[int], charge: float
) -> tuple[float, list[tuple[int, ...]]]:
    """The network of highest expected log-likelihood less charge for each parameter, of all networks."""
    n = len(cardinalities)
    scores: list[dict[tuple[int, ...], float]] = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        own = {}
        for mask in range(2 ** len(others)):
            up = tuple(v for k, v in enumerate(others) if mask >> k & 1)
            q = prod(cardinalities[p] for p in up)
            own[up] = maximised(counts, cardinalities, child, up)[0] - charge * q * (cardinalities[child] - 1)
        scores.append(own)
    return max(
        (fsum(own[up] for own, up in zip(scores, chosen, strict=True)), list(chosen))
        for chosen in product(*scores)
        if acyclic(chosen)
    )


def joint_normal(
    intercepts: Sequence[float], slopes: NDArray[Any], variances: Sequence[float]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mean and covariance of x = intercepts + slopes x + noise."""
    away = np.linalg.inv(np.eye(len(variances)) - slopes)
    return away @ np.asarray(intercepts), away @ np.diag(variances) @ away.T


def conditioned(
    row: NDArray[Any], mean: NDArray[Any], cov: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], float]:
    """The row with expected values in its gaps, their covariance (0 elsewhere), and the log-density of"
    " the rest."""
    gone = np.isnan(row)
    there = ~gone
    whole = row.copy()
    extra = np.zeros_like(cov)
    density = 0.0
    away = row[there] - mean[there]
    if there.any():
        inner = cov[np.ix_(there, there)]
        density = -0.5 * (
            away @ np.linalg.solve(inner, away) + np.linalg.slogdet(inner)[1] + there.sum() * log(2 * pi)
        )
        pull = np.linalg.solve(inner, cov[np.ix_(there, gone)]).T
        whole[gone] = mean[gone] + pull @ away
        extra[np.ix_(gone, gone)] = cov[np.ix_(gone, gone)] - pull @ cov[np.ix_(there, gone)]
    else:
        whole, extra = mean.copy(), cov.copy()
    return whole, extra, float(density)


def expected_moments(
    rows: NDArray[Any], mean: NDArray[Any], cov: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Expected mean and covariance (divided by N) of the completed rows, and the log-likelihood."""
    found = [conditioned(row, mean, cov) for row in rows]
    whole = np.array([one for one, _, _ in found])
    centre = whole.mean(axis=0)
    second = (whole - centre).T @ (whole - centre) / len(rows) + sum(extra for _, extra, _ in found) / len(
        rows
    )
    return centre, second, fsum(log_density for _, _, log_density in found)


def of_mixture(logs: Sequence[float]) -> tuple[list[float], float]:
    """Shares of parts whose log-densities are given, and the logarithm of their sum."""
    top = max(logs)
    total = fsum(exp(one - top) for one in logs)
    return [exp(one - top) / total for one in logs], top + log(total)
