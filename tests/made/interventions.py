"""Tables in which some variables were set from outside in some rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import bayesloom as bl
from bayesloom.table.interventions import Interventions, made
from made.continuous import conditional_gaussian, linear_gaussian
from made.missing import with_gaps

KINDS = ("discrete", "continuous", "mixed")


def targets_at_random(rng: np.random.Generator, names: tuple[str, ...], rows: int) -> Interventions | None:
    """Up to three sets of targets at random, not in all rows."""
    sets: list[tuple[str, ...]] = []
    for _ in range(int(rng.integers(1, 4))):
        size = int(rng.integers(1, max(2, len(names))))
        sets.append(tuple(str(name) for name in rng.choice(names, size, replace=False)))
    number = rng.integers(-1 - len(sets) // 2, len(sets), rows)
    number[: min(rows, 5)] = -1
    return made(sets, np.maximum(number, -1), "set")


def intervened(table: bl.Table, seed: int) -> bl.Table:
    """The table with targets at random, whose values are drawn anew."""
    rng = np.random.default_rng([seed, 29])
    own = targets_at_random(rng, table.names, table.row_count)
    codes: list[Any] = []
    for name, states, column in zip(table.names, table.states, table.codes, strict=True):
        here = np.zeros(column.size, dtype=bool) if own is None else own.was_set(name)
        drawn = rng.integers(0, len(states), column.size) if states else rng.normal(size=column.size)
        codes.append(np.where(here, drawn, column).astype(column.dtype))
    return replace(table, codes=tuple(codes), interventions=own)


def experiment(kind: str, seed: int, *, variables: int = 4, rows: int = 150, share: float = 0.0) -> bl.Table:
    """A random table of one kind with interventions, and with this share of its values missing."""
    if kind == "discrete":
        whole = bl.random_network(variables, states=(2, 3), seed=seed).sample(rows, seed=seed)
    elif kind == "continuous":
        whole = linear_gaussian(seed, variables=variables, rows=rows)[0]
    else:
        whole = conditional_gaussian(seed, variables=variables, rows=rows)[0]
    found = intervened(whole, seed)
    if share:
        found = replace(with_gaps(found, share, seed), interventions=found.interventions)
    return found


def chain(rows: int, seed: int, target: str | None = "b") -> bl.Table:
    """Rows of a -> b -> c, and as many in which one of the three was set."""
    rng = np.random.default_rng(seed)
    every = 2 * rows
    was_set = np.arange(every) >= rows if target else np.zeros(every, dtype=bool)
    free = rng.integers(0, 2, (every, 3))
    noise = rng.random((every, 3)) < 0.1
    a = free[:, 0]
    b = np.where(was_set & (target == "b"), free[:, 1], a ^ noise[:, 1])
    c = np.where(was_set & (target == "c"), free[:, 2], b ^ noise[:, 2])
    names = [target if one else None for one in was_set]
    return bl.read_table({"a": a, "b": b, "c": c}, interventions=names)
