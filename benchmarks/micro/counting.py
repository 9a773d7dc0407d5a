"""Nanoseconds per counted set, by size of the set, number of states, rows, and counting form.

Sets are walked as an enumeration walks them: prefixes on the stack, last variables as leaves.
``by_cost`` should never be far from the better of the other two: that is what its cost model is for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesloom import _core

FORMS = ("by_cost", "bits", "groups")
QUICK = {"forms": ("by_cost",), "sets": 2_000}
"""What `compare.py` measures: the form that is used, of fewer sets."""


def encoded(rows: int, states: int, variables: int = 24, seed: int = 1) -> _core.EncodedData:
    """A chain of dependent variables, so that cells are as uneven as in real tables."""
    rng = np.random.default_rng(seed)
    column = rng.integers(0, states, size=rows)
    columns = []
    for _ in range(variables):
        column = np.where(rng.random(rows) < 0.5, column, rng.integers(0, states, size=rows))
        columns.append(column.astype(np.uint8))
    return _core.EncodedData(columns, [states] * variables)


def rows(*, forms: tuple[str, ...] = FORMS, sets: int = 20_000) -> list[dict[str, Any]]:
    """Measure every combination over so many sets; a few seconds each with all forms and 20,000 sets."""
    measured = []
    for row_count in (1000, 5000):
        for states in (2, 3, 4, 10):
            data = encoded(row_count, states)
            for size in (2, 3, 4, 5, 6):
                best = {form: min(_time(data, size, form, sets) for _ in range(3)) for form in forms}
                measured.append(
                    {
                        "name": f"count {size} variables of {states} states, {row_count:,} rows",
                        "seconds": best["by_cost"] * 1e-9,
                        "detail": ", ".join(f"{form} {ns:,.0f} ns" for form, ns in best.items()),
                    }
                )
    return measured


def _time(data: _core.EncodedData, size: int, form: str, sets: int) -> float:
    nanoseconds, _ = _core.time_counting(data, size, sets, form)
    return nanoseconds


if __name__ == "__main__":
    for row in rows():
        print(f"{row['name']:50}  {row['detail']}")
