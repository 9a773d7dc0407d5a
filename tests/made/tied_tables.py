"""Small random tables with ties of every kind."""

from __future__ import annotations

import random

import bayesloom as bl


def random_table(rng: random.Random, n: int) -> bl.Table:
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
