"""The node-average likelihood of tables with missing values, row by row in plain Python.

A discrete column has a cardinality and the code `cardinality` where a value is missing; a continuous one has
the cardinality 0 and NaN there.  The formula is that of ``docs/missing.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isnan, log, pi
from typing import Any

import numpy as np


def charge(rows: float, variables: int, power: float = 0.25) -> float:
    """Nats for each parameter."""
    return max(rows ** (1 - power) / variables, log(rows) / 2)


def node_average(
    columns: Sequence[Any],
    cardinalities: Sequence[int],
    child: int,
    parents: Sequence[int],
    *,
    least: float = 5,
    power: float = 0.25,
    weights: Sequence[int] | None = None,
) -> float | None:
    """s(child, parents), or None if there is none."""
    all_rows = len(columns[0])
    weight = [1] * all_rows if weights is None else list(map(int, weights))
    total = sum(weight)

    def there(v: int, row: int) -> bool:
        return columns[v][row] < cardinalities[v] if cardinalities[v] else not isnan(columns[v][row])

    def varies(v: int) -> bool:
        return len({float(columns[v][row]) for row in range(all_rows) if there(v, row)}) > 1

    if not cardinalities[child] and not varies(child):
        return 0.0
    if cardinalities[child] and any(not cardinalities[p] for p in parents):
        return None
    discrete = [p for p in parents if cardinalities[p]]
    numbers = [p for p in parents if not cardinalities[p] and varies(p)]
    rows = [row for row in range(all_rows) if all(there(v, row) for v in (*parents, child))]
    own = sum(weight[row] for row in rows)
    each = charge(total, len(columns), power)
    if not own:
        return None if parents else 0.0
    if parents and 2 * each * own < total:
        return None
    cells: dict[tuple[int, ...], list[int]] = {}
    for row in rows:
        cells.setdefault(tuple(int(columns[p][row]) for p in discrete), []).append(row)
    q = int(np.prod([cardinalities[p] for p in discrete])) if discrete else 1
    likelihood = 0.0
    for cell in cells.values():
        count = sum(weight[row] for row in cell)
        if cardinalities[child]:
            seen: Counter[int] = Counter()
            for row in cell:
                seen[int(columns[child][row])] += weight[row]
            likelihood += sum(k * log(k / count) for k in seen.values())
            continue
        if count < max(len(numbers) + 3, least):
            return None if parents else 0.0
        roots = np.sqrt([weight[row] for row in cell])
        x = np.array([[1.0, *(columns[p][row] for p in numbers)] for row in cell]) * roots[:, None]
        y = np.array([columns[child][row] for row in cell]) * roots
        left = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        likelihood -= count / 2 * (1 + log(2 * pi) + log(float(left @ left) / count))
    parameters = q * (cardinalities[child] - 1 if cardinalities[child] else len(numbers) + 2)
    return total * likelihood / own - each * parameters
