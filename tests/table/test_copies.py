"""Columns that say the same in every row are named."""

from __future__ import annotations

import numpy as np

import bayesloom as bl


def noted(columns):
    return [note for note in bl.read_table(columns).notes if "say the same" in note]


def test_copies_under_other_names_and_scales():
    draw = np.random.default_rng(1)
    x, y = draw.normal(size=300), draw.integers(0, 3, 300)
    [note] = noted({"x": x, "y": y, "log": np.exp(x), "word": np.array(["c", "a", "b"])[y]})
    assert note == (
        "Columns that say the same in every row: 'log' as 'x', 'word' as 'y'."
        " exclude= (--exclude NAME) leaves one out."
    )


def test_columns_that_merely_have_as_many_of_each_are_none():
    a = np.array([0, 0, 1, 1] * 10)
    assert noted({"a": a, "b": np.roll(a, 1)}) == []
    assert noted({"a": a, "b": 1 - a})
    assert noted({"a": a, "constant": np.zeros(40, int), "other": np.ones(40, int)}) == []


def test_gaps_count_as_a_value():
    a = ["x", "y", None, "x", None, "y"] * 5
    b = ["u", "v", None, "u", None, "v"] * 5
    assert noted({"a": a, "b": b})
    assert noted({"a": a, "b": [*b[:-1], None]}) == []


def test_copies_are_those_of_the_definition():
    """Beside every pair looked at: states go together, whatever they are called."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        kinds = [rng.integers(0, 3, 20) for _ in range(4)]
        kinds[1] = np.roll(kinds[0], 1)  # occur as often, but elsewhere
        columns = {
            f"c{k}": np.array([f"s{s}" for s in rng.permutation(5)])[kinds[rng.integers(4)]] for k in range(7)
        }
        told = []
        for name, column in columns.items():
            twin = next(other for other in columns if alike(columns[other], column))
            if twin != name:
                told.append(f"{name!r} as {twin!r}")
        found = noted(columns)
        assert bool(found) == bool(told)
        assert not told or all(text in found[0] for text in told[:3])


def alike(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def test_columns_that_are_new_in_every_row_are_no_copies():
    """Of two of them each tells the other, and says nothing of it."""
    rows = {"id": [f"a{k}" for k in range(30)], "pay": [1000 + 7 * k % 31 for k in range(30)]}
    assert not noted(rows)
    assert noted({"a": list("xyz") * 10, "b": list("uvw") * 10})
