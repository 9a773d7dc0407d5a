"""Tables with continuous variables: linear Gaussian, conditional linear Gaussian, and the awkward ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import bayesloom as bl


def random_dag(rng: np.random.Generator, n: int, degree: float) -> list[list[int]]:
    """Parents of each variable of a random network in which a variable has about `degree` neighbours."""
    place = rng.permutation(n)
    share = min(1.0, degree / max(1, n - 1))
    return [[u for u in range(n) if place[u] < place[v] and rng.random() < share] for v in range(n)]


def linear_gaussian(
    seed: int, *, variables: int, rows: int, degree: float = 3, scale: float = 1
) -> tuple[bl.Table, list[list[int]]]:
    """Rows of a random linear Gaussian network, and its parents; coefficients 0.3 to 1 of either sign.

    `scale` spreads the units of the columns over so many powers of ten.
    """
    rng = np.random.default_rng(seed)
    parents = random_dag(rng, variables, degree)
    values = np.zeros((rows, variables))
    for v in _order(parents):
        weights = rng.uniform(0.3, 1, len(parents[v])) * rng.choice([-1, 1], len(parents[v]))
        values[:, v] = values[:, parents[v]] @ weights + rng.normal(rng.normal(), 1, rows)
    values *= 10 ** (rng.uniform(-1, 1, variables) * np.log10(scale)) if scale != 1 else 1
    return numbers(values), parents


def conditional_gaussian(
    seed: int, *, variables: int, rows: int, degree: float = 2.5, states: int = 3
) -> tuple[bl.Table, list[list[int]]]:
    """Rows of a random conditional linear Gaussian network, half of it discrete, and its parents.

    No discrete variable has a continuous parent; a continuous one has a regression for each cell of its
    discrete parents.
    """
    rng = np.random.default_rng(seed)
    discrete = rng.permutation(variables) < (variables + 1) // 2
    parents = [
        [u for u in own if discrete[u] or not discrete[v]]
        for v, own in enumerate(random_dag(rng, variables, degree))
    ]
    arity = [int(rng.integers(2, states + 1)) if discrete[v] else 0 for v in range(variables)]
    columns: list[NDArray[np.float64] | NDArray[np.int64]] = [np.zeros(0)] * variables
    for v in _order(parents):
        cell: NDArray[np.int64] = np.zeros(rows, dtype=np.int64)
        cells = 1
        for u in (u for u in parents[v] if discrete[u]):
            cell = cell * arity[u] + columns[u].astype(np.int64)
            cells *= arity[u]
        if discrete[v]:
            table = rng.dirichlet(np.full(arity[v], 0.7), cells)
            columns[v] = (
                (rng.random(rows)[:, None] > table.cumsum(axis=1)[cell]).sum(axis=1).clip(0, arity[v] - 1)
            )
            continue
        mean = rng.normal(0, 1.5, cells)[cell]
        for u in (u for u in parents[v] if not discrete[u]):
            mean = mean + rng.uniform(-1, 1, cells)[cell] * columns[u]
        columns[v] = mean + rng.uniform(0.4, 1.2, cells)[cell] * rng.normal(size=rows)
    return (
        bl.Table.from_codes(
            [f"X{v}" for v in range(variables)],
            [[f"s{k}" for k in range(r)] for r in arity],
            columns,
        ),
        parents,
    )


def numbers(values: NDArray[np.float64], weights: list[int] | None = None) -> bl.Table:
    """A table of continuous variables X0, X1 and so on, a column each."""
    n = values.shape[1]
    return bl.Table.from_codes(
        [f"X{v}" for v in range(n)], [[] for _ in range(n)], list(values.T.astype(float)), weights=weights
    )


def tied_numbers(seed: int, *, variables: int, rows: int) -> bl.Table:
    """Few different numbers, some columns copies, near copies, sums of others or constants."""
    rng = np.random.default_rng(seed)
    columns: list[NDArray[np.float64]] = []
    for v in range(variables):
        kind = rng.random()
        column = rng.integers(-2, 3, rows).astype(float)
        if v and kind < 0.15:
            column = columns[rng.integers(v)].copy()
        elif v and kind < 0.25:
            column = columns[rng.integers(v)] + 1e-6 * column
        elif v > 1 and kind < 0.35:
            column = columns[0] + columns[1]
        elif kind < 0.4:
            column = np.full(rows, 3.25)
        elif v and kind < 0.75:
            column = columns[rng.integers(v)] + column
        columns.append(column)
    return numbers(np.stack(columns, axis=1))


def _order(parents: list[list[int]]) -> list[int]:
    order: list[int] = []
    left = set(range(len(parents)))
    while left:
        ready = sorted(v for v in left if not left.intersection(parents[v]))
        order += ready
        left.difference_update(ready)
    return order
