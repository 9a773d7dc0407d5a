"""Tables: as the core sees them, by Hypothesis or by seed; with ties of every kind; one known by heart."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import bayesloom as bl
from bayesloom import _core

RAIN = "rain,wet,cold\n" + "no,no,yes\nyes,yes,yes\nno,no,no\nyes,yes,no\n" * 10
"""Rain makes wet, always; cold has nothing to do with it."""


@dataclass(frozen=True)
class SmallTable:
    """Rows of states with the cardinalities; a state may be declared and never seen."""

    rows: list[tuple[int, ...]]
    cardinalities: list[int]

    @property
    def variables(self) -> int:
        return len(self.cardinalities)

    @property
    def columns(self) -> list[np.ndarray]:
        matrix = np.array(self.rows, dtype=np.uint8).reshape(len(self.rows), self.variables)
        return [np.ascontiguousarray(matrix[:, v]) for v in range(self.variables)]

    @property
    def encoded(self) -> _core.EncodedData:
        return _core.EncodedData(self.columns, self.cardinalities)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    min_variables: int = 1,
    max_variables: int = 5,
    max_rows: int = 40,
    max_states: int = 4,
) -> SmallTable:
    """Draw a table: few different rows repeated, copied and constant columns are all likely."""
    n = draw(st.integers(min_variables, max_variables))
    cardinalities = draw(st.lists(st.integers(1, max_states), min_size=n, max_size=n))
    row = st.tuples(*(st.integers(0, r - 1) for r in cardinalities))
    different = draw(st.lists(row, min_size=1, max_size=max_rows // 2))
    repeated = draw(st.lists(st.sampled_from(different), max_size=max_rows // 2))
    rows = different + repeated
    if n >= 2 and cardinalities[0] == cardinalities[1] and draw(st.booleans()):
        rows = [(row[0], row[0], *row[2:]) for row in rows]
    return SmallTable(rows, cardinalities)


def random_table(
    seed: int, *, variables: int, rows: int, cardinalities: list[int] | None = None
) -> SmallTable:
    """A larger table with real dependence between neighbours; the same for the same seed."""
    rng = np.random.default_rng(seed)
    r = cardinalities or [int(x) for x in rng.integers(2, 5, size=variables)]
    columns = [rng.integers(0, r[0], size=rows)]
    for v in range(1, variables):
        noise = rng.integers(0, r[v], size=rows)
        keep = rng.random(rows) < 0.6
        columns.append(np.where(keep, columns[v - 1] % r[v], noise))
    return SmallTable([tuple(int(x) for x in row) for row in np.stack(columns, axis=1)], r)


def tied_table(rng: random.Random, n: int) -> bl.Table:
    """Few rows, two or three states, some columns copies or constants: ties of every kind."""
    rows = rng.choice([3, 8, 20, 60])
    columns = {}
    for v in range(n):
        kind = rng.random()
        if v and kind < 0.15:
            column = list(columns[f"X{rng.randrange(v)}"])
        elif kind < 0.2:
            column = [0] * rows
        elif v and kind < 0.6:
            base = columns[f"X{rng.randrange(v)}"]
            column = [x if rng.random() < 0.8 else rng.randrange(2) for x in base]
        else:
            column = [rng.randrange(rng.choice([2, 3])) for _ in range(rows)]
        columns[f"X{v}"] = column
    return bl.read_table(columns, discrete=True)


def coins() -> bl.Table:
    """Forty throws of three coins, a, b and c."""
    rng = random.Random(1)
    return bl.read_table({name: [rng.randrange(2) for _ in range(40)] for name in "abc"}, discrete=True)
