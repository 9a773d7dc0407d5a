"""How near a column is to a normal distribution, and what is said where such a column is cut."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.table.columns import code_type
from bayesloom.table.distinct import Distinct
from bayesloom.table.normality import NEAR_NORMAL, normality


def column(numbers: np.ndarray, weights: np.ndarray | None = None) -> Distinct:
    values, codes = np.unique(numbers, return_inverse=True)
    return Distinct("real", values, codes.astype(code_type(len(values) + 1)), 0, weights=weights)


def slowly(numbers: list[float]) -> float:
    """The same by ranks, one number at a time."""
    n = len(numbers)
    scores = []
    for x in numbers:
        below = sum(y < x for y in numbers)
        equal = sum(y == x for y in numbers)
        scores.append(NormalDist().inv_cdf((below + equal / 2) / n))
    return float(np.corrcoef(numbers, scores)[0, 1] ** 2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", ["normal", "exponential", "lognormal", "rounded"])
def test_it_is_the_correlation_with_normal_scores(seed: int, shape: str) -> None:
    draw = np.random.default_rng(seed)
    numbers = {
        "normal": draw.normal(5, 2, 300),
        "exponential": draw.exponential(1, 300),
        "lognormal": draw.lognormal(0, 1.5, 300) * 1e150,
        "rounded": draw.normal(0, 3, 300).round(),
    }[shape]
    scaled = numbers / np.abs(numbers).max()
    assert normality(column(numbers)) == pytest.approx(slowly(list(scaled)), abs=1e-5)


def test_weights_count_as_repeated_rows() -> None:
    draw = np.random.default_rng(3)
    numbers = draw.gamma(2, 1, 60)
    weights = draw.integers(0, 4, 60).astype(np.uint32)
    repeated = normality(column(np.repeat(numbers, weights)))
    assert normality(column(numbers, weights)) == pytest.approx(repeated, abs=1e-12)


def test_without_spread_or_with_infinite_numbers_it_is_0() -> None:
    assert normality(column(np.array([3.0, 3.0]))) == 0.0
    assert normality(column(np.array([1.0, 2.0, np.inf]))) == 0.0
    losses = np.append(np.zeros(950), np.random.default_rng(1).normal(1900, 300, 50))
    assert normality(column(losses)) == 0.0
    assert normality(column(losses[600:])) == 0.0
    assert normality(column(losses[905:])) > 0


def test_columns_near_normal_that_are_cut_are_named() -> None:
    draw = np.random.default_rng(1)
    rows = {"height": draw.normal(170, 9, 200), "income": draw.lognormal(0, 2, 200), "sex": ["m", "f"] * 100}
    said = [note for note in bl.read_table(rows).notes if "near normal" in note]
    assert len(said) == 1
    assert "'height'" in said[0]
    assert "'income'" not in said[0]
    assert "continuous='normal' (--continuous normal)" in said[0]
    assert normality(column(rows["height"])) >= NEAR_NORMAL > normality(column(rows["income"]))
    for asked in ({"discretize": "quantile:3"}, {"discretize": {"height": [170]}}, {"continuous": "auto"}):
        assert not [note for note in bl.read_table(rows, **asked).notes if "near normal" in note]


def test_the_column_stays_as_it_is() -> None:
    one = column(np.array([1.5, 2.5, 4.0]))
    normality(one)
    assert one.values.tolist() == [1.5, 2.5, 4.0]
