"""The verifier against plain Python: local scores, normaliser, cycles, candidates, best score."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.verification.checks import OF_NUMBERS
from made.caches import caches, content
from reference.local_scores import local_score, log_fraction, normalizer, normalizer_by_recurrence

SCORES = [name for name in _core.check_score_names() if name not in OF_NUMBERS]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], list[int]]:
    cardinalities = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    row = st.tuples(*(st.integers(0, r - 1) for r in cardinalities))
    return draw(st.lists(row, min_size=1, max_size=25)), cardinalities


def columns_of(rows: list[tuple[int, ...]], dtype: Any = np.uint8) -> list[np.ndarray]:
    return [np.array(column, dtype=dtype) for column in zip(*rows, strict=True)]


def test_the_verifier_knows_all_scores() -> None:
    assert sorted(SCORES) == ["aic", "bdeu", "bds", "bic", "ebic", "fnml", "k2", "qnml"]


@pytest.mark.parametrize("score", SCORES)
@settings(max_examples=60)
@given(table=tables(), ess=st.floats(0.01, 50), data=st.data())
def test_local_scores_are_those_of_the_textbook(
    score: str, table: tuple[list[tuple[int, ...]], list[int]], ess: float, data: st.DataObject
) -> None:
    rows, cardinalities = table
    n = len(cardinalities)
    variable = data.draw(st.integers(0, n - 1))
    others = [v for v in range(n) if v != variable]
    parents = data.draw(st.permutations(others))[: data.draw(st.integers(0, len(others)))]
    dtype = data.draw(st.sampled_from([np.uint8, np.uint16]))
    expected = local_score(rows, cardinalities, variable, parents, score, ess)
    (found,) = _core.check_local_scores(
        columns_of(rows, dtype), cardinalities, [variable], [parents], score, ess
    )
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "qnml"])
@settings(max_examples=40)
@given(table=tables().filter(lambda table: len(table[1]) >= 3))
def test_equivalent_networks_have_equal_scores(
    score: str, table: tuple[list[tuple[int, ...]], list[int]]
) -> None:
    """Turning the covered edge a -> b round, with c a parent of both, changes nothing."""
    rows, cardinalities = table
    columns = columns_of(rows)
    one = _core.check_local_scores(columns, cardinalities, [0, 1], [[2], [0, 2]], score, 2.0)
    two = _core.check_local_scores(columns, cardinalities, [0, 1], [[1, 2], [2]], score, 2.0)
    assert sum(one) == pytest.approx(sum(two), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 10])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_normalizer_is_the_sum_over_all_counts(n: int, k: int) -> None:
    expected = 0.0 if n == 0 else log_fraction(normalizer(n, k))
    assert _core.check_log_normalizer(n, k) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("n", "k"), [(60, 1000), (200, 300), (31, 5), (32, 5), (33, 5), (64, 2), (65, 2)])
def test_the_normalizer_is_exact_by_the_recurrence(n: int, k: int) -> None:
    assert _core.check_log_normalizer(n, k) == pytest.approx(
        log_fraction(normalizer_by_recurrence(n, k)), rel=1e-13
    )


@pytest.mark.parametrize("n", [1, 2, 10, 100, 1000, 10_000, 200_000])
def test_the_approximation_for_many_states_joins_the_exact_value(n: int) -> None:
    last, next_one = 65_536, 65_537
    exact = _core.check_log_normalizer(n, last)
    approximate = _core.check_log_normalizer(n, last, approximate=True)
    assert exact <= approximate <= exact + 3e-6
    assert _core.check_log_normalizer(n, next_one) == _core.check_log_normalizer(
        n, next_one, approximate=True
    )
    assert _core.check_log_normalizer(n, next_one) > exact


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_the_approximation_has_the_right_limit(n: int) -> None:
    """Among very many states all rows differ, so C(n, k) tends to (k/n)^n."""
    expected = n * (np.log(1e30) - np.log(n))
    assert _core.check_log_normalizer(n, 1e30) == pytest.approx(expected, rel=1e-12)


def test_large_counts_do_not_overflow() -> None:
    assert 3000 < _core.check_log_normalizer(10**6, 1000) < 5000


@pytest.mark.parametrize(
    ("columns", "cardinalities", "parents", "score", "ess", "message"),
    [
        ([[0, 1]], [2], [[]], "bdue", 1.0, "unknown score 'bdue'"),
        ([[0, 1]], [2], [[]], "bdeu", 0.0, "ess must be a positive number, got 0"),
        ([[0, 1]], [2], [[]], "bdeu", float("nan"), "ess must be a positive number"),
        ([[0, 2]], [2], [[]], "bic", 1.0, "column 0, row 1: state 2 is not below the cardinality 2"),
        ([[0, 1], [0]], [2, 2], [[], []], "bic", 1.0, "column 1 has 1 rows, column 0 has 2"),
        ([[]], [2], [[]], "bic", 1.0, "at least one row and one column"),
        ([[0, 1]], [2, 2], [[]], "bic", 1.0, "there are 1 columns, but 2 cardinalities"),
        ([[0, 1]], [2], [[1]], "bic", 1.0, "is not a column of the table"),
        ([[0, 1]], [2], [[], []], "bic", 1.0, "one parent list for each variable"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    columns: Any, cardinalities: Any, parents: Any, score: str, ess: float, message: str
) -> None:
    arrays = [np.array(column, dtype=np.uint8) for column in columns]
    with pytest.raises(InputError, match=message):
        _core.check_local_scores(arrays, cardinalities, list(range(len(arrays))), parents, score, ess)


def test_more_joint_states_than_any_number_are_refused() -> None:
    n = 80
    columns = [np.zeros(2, dtype=np.uint16)] * n
    with pytest.raises(InputError, match="too many joint states"):
        _core.check_local_scores(columns, [60000] * n, [0], [list(range(1, n))], "bic", 1.0)


@given(edges=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_a_cycle_is_found_exactly_where_there_is_no_order(edges: list[tuple[int, int]]) -> None:
    parents = [sorted({a for a, b in edges if b == v}) for v in range(6)]
    cycle = _core.check_cycle(parents)
    acyclic = any(
        all(order.index(p) < order.index(v) for v in range(6) for p in parents[v])
        for order in permutations(range(6))
    )
    assert (cycle == []) == acyclic
    for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert a in parents[b]


def test_a_parent_that_is_no_variable_is_refused() -> None:
    with pytest.raises(InputError, match="parent 2 of variable 0 is not among the 1 variables"):
        _core.check_cycle([[2]])


def arrays_of(cache: Any) -> tuple[Any, Any, Any, Any]:
    return cache.first, cache.scores, cache.parent_first, cache.parents


@given(cache=caches(), data=st.data())
def test_candidates_are_found_by_their_parents(cache: Any, data: st.DataObject) -> None:
    lists, names = content(cache.core), cache.names
    chosen = [data.draw(st.lists(st.integers(0, len(names) - 1), unique=True)) for _ in names]
    found = _core.check_candidates(*arrays_of(cache), chosen)
    expected = [
        lists[name].get(frozenset(names[p] for p in parents))
        for name, parents in zip(names, chosen, strict=True)
    ]
    assert found == expected


@given(cache=caches(max_variables=4))
def test_the_best_score_is_the_best_over_all_orders(cache: Any) -> None:
    lists = content(cache.core)
    totals = []
    for order in permutations(cache.names):
        within = [
            [score for parents, score in lists[name].items() if parents <= set(order[:i])]
            for i, name in enumerate(order)
        ]
        if all(within):
            totals.append(sum(map(max, within)))
    if totals:
        assert _core.check_best_score(*arrays_of(cache)) == max(totals)
    else:
        with pytest.raises(InputError, match="no choice of candidates from this score cache is acyclic"):
            _core.check_best_score(*arrays_of(cache))


def test_raw_arrays_that_are_no_cache_are_refused() -> None:
    good = [np.array([0, 1], np.uint64), np.array([-1]), np.array([0, 0], np.uint64), np.zeros(0, np.uint16)]
    assert _core.check_best_score(*good) == -1
    for position, wrong in ((0, [0, 2]), (0, []), (2, [0, 1]), (2, [0])):
        damaged = [*good]
        damaged[position] = np.array(wrong, np.uint64)
        with pytest.raises(InputError, match="not those of a score cache"):
            _core.check_best_score(*damaged)
    with pytest.raises(InputError, match="not those of a score cache"):
        _core.check_best_score(good[0], good[1], np.array([0, 1], np.uint64), np.array([5], np.uint16))
    with pytest.raises(InputError, match="variable 1 is not in the score cache"):
        _core.check_candidates(*good, [[], []])


def test_the_check_of_all_networks_has_a_limit_and_says_so() -> None:
    n = 17
    first = np.arange(n + 1, dtype=np.uint64)
    zeros = np.zeros(n + 1, dtype=np.uint64)
    with pytest.raises(InputError, match="limited to 16 variables; this score cache has 17"):
        _core.check_best_score(first, np.zeros(n, np.int64), zeros, np.zeros(0, np.uint16))
