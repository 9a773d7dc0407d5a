"""Regressions from a table: least squares in each joint state of the discrete parents.

    a, b  minimise the sum of squares,    s = sum of squares / rows

which is maximum likelihood; R's bnlearn divides by rows - p - 1 instead, with p continuous parents.  A state
that fewer than p + 2 rows have says too little of p + 1 coefficients and a variance: there the regression of
all rows, whatever the state, is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError
from bayesloom.networks.gaussian import Floats, GaussianNetwork, Regression
from bayesloom.networks.joint import TableLike, joint_index, rows_that_count, weights_of
from bayesloom.networks.network import Network

__all__ = ["fit_gaussian"]

EXACT = 1e-13  # of the variance that is left, from which on it is taken for rounding


def fit_gaussian(
    network: Network, table: TableLike, columns: Sequence[int], tables: Sequence[Floats | None]
) -> GaussianNetwork:
    """Return the network with regressions of its continuous variables, and the tables of the others."""
    states = [table.states[c] for c in columns]
    weights = weights_of(table)
    counts = np.ones(table.row_count) if weights is None else weights.astype(np.float64)
    families: list[object] = []
    for v, up in enumerate(network.parent_indices):
        if states[v]:
            families.append(tables[v])
            continue
        discrete = [p for p in up if states[p]]
        continuous = [p for p in up if not states[p]]
        here = rows_that_count(table, [columns[p] for p in (*up, v)], columns[v])
        rows = slice(None) if here is None else here
        y = np.asarray(table.codes[columns[v]], dtype=np.float64)[rows]
        if not y.size:
            raise InputError(
                f"no row has a value of {network.names[v]!r} and of all its parents: it cannot be fitted."
            )
        x = np.column_stack([np.ones(y.size), *(table.codes[columns[p]][rows] for p in continuous)])
        shape = tuple(len(states[p]) for p in discrete)
        cell = joint_index([table.codes[columns[p]][rows] for p in discrete], shape)
        families.append(
            _regression(
                tuple(network.names[p] for p in discrete),
                tuple(network.names[p] for p in continuous),
                x,
                y,
                counts[rows],
                np.broadcast_to(cell, y.size),
                shape,
            )
        )
    return GaussianNetwork(network, states, families, missing_values=getattr(table, "missing_values", None))


def _regression(
    discrete: tuple[str, ...],
    continuous: tuple[str, ...],
    x: Floats,
    y: Floats,
    counts: Floats,
    cell: NDArray[np.int64],
    shape: tuple[int, ...],
) -> Regression:
    cells, width = math.prod(shape), x.shape[1]
    slopes, variance = _least_squares(x, y, counts)
    every = np.tile(slopes, (cells, 1))
    variances = np.full(cells, variance)
    if shape:
        order = np.argsort(cell, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
            if counts[group].sum() >= width + 1:
                at = cell[group[0]]
                every[at], variances[at] = _least_squares(x[group], y[group], counts[group])
    return Regression(
        discrete,
        continuous,
        every[:, 0].reshape(shape),
        every[:, 1:].reshape(*shape, width - 1),
        variances.reshape(shape),
    )


def _least_squares(x: Floats, y: Floats, counts: Floats) -> tuple[Floats, float]:
    """Return intercept and slopes, and the mean of the squares that are left."""
    total = counts.sum()
    centre = counts @ x / total
    middle = float(counts @ y / total)
    root = np.sqrt(counts)
    away = (x[:, 1:] - centre[1:]) * root[:, None]
    rest = (y - middle) * root
    slopes = np.linalg.lstsq(away, rest, rcond=None)[0] if x.shape[1] > 1 else np.zeros(0)
    left = rest - away @ slopes
    variance = float(left @ left / total)
    if variance <= EXACT * max(float(rest @ rest) / total, 1e-300):
        variance = 0.0
    return np.r_[middle - centre[1:] @ slopes, slopes], variance
