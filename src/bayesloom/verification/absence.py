"""Check what a result says about missing values and columns, by independent code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bayesloom.verification.network import weights_of

__all__ = ["allowed_marks", "column_problems"]

CLOSE = 1e-9  # in nats for each row: a gain that is this close to 0 may be called either way
LITTLE = 0.05  # of what an edge gains over all rows, where both ends are present


def allowed_marks(table: Any, a: str, b: str) -> set[bool]:
    """Return what may be said of an edge: that it rests on values missing together, or not, or either."""
    columns = [list(table.names).index(name) for name in (a, b)]
    last = [len(table.states[k]) - 1 for k in columns]
    if any(end < 0 or table.states[k][end] != "missing" for k, end in zip(columns, last, strict=True)):
        return {False}
    pairs = Counter[tuple[int, int]]()
    weights = weights_of(table)
    for row, pair in enumerate(zip(*(table.codes[k].tolist() for k in columns), strict=True)):
        if pair[0] <= last[0] and pair[1] <= last[1]:  # a code beyond the states is no value
            pairs[pair] += 1 if weights is None else int(weights[row])
    present = Counter({pair: n for pair, n in pairs.items() if pair[0] != last[0] and pair[1] != last[1]})
    everywhere = _gain(pairs, last[0] + 1, last[1] + 1)
    where_present = _gain(present, last[0], last[1])
    near = CLOSE * sum(pairs.values())
    left = where_present - LITTLE * max(0.0, everywhere)
    marks = set()
    if everywhere > -near and left <= near:
        marks.add(True)
    if everywhere <= near or left > -near:
        marks.add(False)
    return marks


def _gain(pairs: Mapping[tuple[int, int], int], rows: int, columns: int) -> float:
    """Return what BIC gains from an edge, of how often each pair of states occurs."""
    total = sum(pairs.values())
    if total == 0:
        return 0.0
    left, right = Counter[int](), Counter[int]()
    for (x, y), count in pairs.items():
        left[x] += count
        right[y] += count
    terms = [n * math.log(n * total / (left[x] * right[y])) for (x, y), n in pairs.items()]
    return math.fsum(terms) - (rows - 1) * (columns - 1) * math.log(total) / 2


def column_problems(about: Mapping[str, Any], table: Any) -> list[str]:
    """Return where the records of columns do not fit the table."""
    used = [column for column in about["columns"] if column["used"]]
    names = [column["name"] for column in about["columns"]]
    problems = []
    if len(set(names)) < len(names):
        problems.append("a column of the table is listed twice.")
    if [column["name"] for column in used] != list(table.names):
        problems.append("the columns that are said to be used are not the variables of the table.")
    problems += [
        f"column {column['name']!r} is left out, and has {column['states']} states all the same."
        for column in about["columns"]
        if not column["used"] and column["states"]
    ]
    states = getattr(table, "states", None)
    if problems or states is None:
        return problems
    counts = {name: len(own) for name, own in zip(table.names, states, strict=True)}
    return [
        f"column {column['name']!r} is said to have {column['states']} states, the table has"
        f" {counts[column['name']]}."
        for column in used
        if column["states"] != counts[column["name"]]
    ]
