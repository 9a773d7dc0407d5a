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
