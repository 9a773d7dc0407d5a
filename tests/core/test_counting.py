"""Counting: every kernel against counts in a dictionary."""

from __future__ import annotations

import itertools
from collections import Counter
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesloom import _core
from bayesloom.errors import InputError
from made.tables import SmallTable, random_table, tables

FORMS = ["by_cost", "bits", "groups"]


def count_by_definition(table: SmallTable, variables: list[int]) -> list[int]:
    return sorted(Counter(tuple(row[v] for v in variables) for row in table.rows).values())


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("form", FORMS)
@given(table=tables(), data=st.data())
def test_every_form_counts_the_cells_of_any_set(form, merge, table, data):
    order = data.draw(st.permutations(range(table.variables)))
    variables = order[: data.draw(st.integers(0, table.variables))]
    counts, states = _core.cell_counts(table.encoded, variables, form, merge)
    assert sorted(counts.tolist()) == count_by_definition(table, variables)
    assert states == prod(table.cardinalities[v] for v in variables)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 63, 64, 65, 1000])
def test_word_borders_and_many_rows(form, rows, merge):
    table = random_table(rows, variables=6, rows=rows)
    for size in range(7):
        for variables in itertools.combinations(range(6), size):
            counts, _ = _core.cell_counts(table.encoded, list(variables), form, merge)
            assert sorted(counts.tolist()) == count_by_definition(table, list(variables))


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_heavy_rows_are_counted_with_their_weight(form, merge):
    """Weights up to a thousand exercise every binary digit of the weighted bit count."""
    rng = np.random.default_rng(3)
    different = random_table(5, variables=4, rows=90)
    rows = [row for row in different.rows for _ in range(int(rng.integers(1, 1000)))]
    table = SmallTable(rows, different.cardinalities)
    assert table.encoded.unique_row_count < 90 < table.encoded.row_count == len(rows)
    for variables in ([0], [1, 2], [3, 0, 2], [0, 1, 2, 3]):
        counts, _ = _core.cell_counts(table.encoded, variables, form, merge)
        assert sorted(counts.tolist()) == count_by_definition(table, variables)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_deep_binary_sets_split_whole_blocks_of_cells(form, merge):
    """From eight cells on, bit sets are split eight at a time, empty ones included."""
    rng = np.random.default_rng(8)
    hidden = rng.integers(0, 4, size=400)
    columns = [((hidden >> (v % 2)) ^ (rng.random(400) < 0.1 * (v % 4))) & 1 for v in range(9)]
    columns.append(rng.integers(0, 3, size=400))
    data = _core.EncodedData([column.astype(np.uint8) for column in columns], [2] * 9 + [3])
    for variables in ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [9, 3, 1, 4, 8, 2], [8, 7, 9, 5, 4, 3, 2, 1]):
        expected = Counter(zip(*(columns[v].tolist() for v in variables), strict=True))
        counts, _ = _core.cell_counts(data, variables, form, merge)
        assert sorted(counts.tolist()) == sorted(expected.values())


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_more_states_than_bit_planes_and_than_a_byte(form, merge):
    rng = np.random.default_rng(4)
    columns = [
        rng.integers(0, 300, size=500).astype(np.uint16),
        rng.integers(0, 100, size=500).astype(np.uint8),
        rng.integers(0, 2, size=500).astype(np.uint8),
    ]
    data = _core.EncodedData(columns, [300, 100, 2])
    for variables in ([0], [2, 0], [0, 2], [1, 2], [2, 1, 0]):
        expected = Counter(zip(*(columns[v].tolist() for v in variables), strict=True))
        counts, _ = _core.cell_counts(data, variables, form, merge)
        assert sorted(counts.tolist()) == sorted(expected.values())


@given(
    blocks=st.integers(1, 3), words=st.integers(1, 5), shift=st.integers(0, 7), seed=st.integers(0, 2**32 - 1)
)
def test_all_bit_kernels_of_this_processor_agree(blocks, words, shift, seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 2**64, size=blocks * words * 8, dtype=np.uint64)
    plane = rng.integers(0, 2**64, size=words, dtype=np.uint64)
    expected = [
        sum(int(cells[(b * words + w) * 8 + lane] & plane[w]).bit_count() for w in range(words)) << shift
        for b in range(blocks)
        for lane in range(8)
    ]
    results = _core.count_with_every_kernel(cells, plane, shift)
    assert results[-1][0] == "plain"
    for name, counts in results:
        assert counts == expected, name


@given(
    sizes=st.tuples(st.integers(0, 7), st.integers(0, 9)),
    words=st.integers(1, 19),
    shift=st.integers(0, 7),
    seed=st.integers(0, 2**32 - 1),
)
def test_all_kernels_count_the_same_tables(sizes, words, shift, seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, 2**64, size=(size, words), dtype=np.uint64) for size in sizes)
    expected = [sum(int(word).bit_count() for word in own & other) << shift for own in a for other in b]
    results = _core.count_tables_with_every_kernel(a.ravel(), b.ravel(), words, shift)
    assert results[-1][0] == "plain"
    for name, counts in results:
        assert counts == expected, name


def test_equal_rows_are_merged_heaviest_first():
    data = _core.EncodedData([np.array([0, 1, 1, 0, 1], dtype=np.uint8)], [2])
    assert (data.row_count, data.unique_row_count) == (5, 2)
    assert data.weights.tolist() == [3, 2]


@pytest.mark.parametrize(
    ("columns", "cardinalities", "message"),
    [
        ([], [], "no variables"),
        ([np.array([], dtype=np.uint8)], [2], "no rows"),
        (
            [np.zeros(2, np.uint8), np.zeros(3, np.uint8)],
            [2, 2],
            "variable 1 has 3 rows, the first one has 2",
        ),
        ([np.array([0, 2], np.uint8)], [2], "variable 0, row 1: state 2 is not below the 2 states"),
        ([np.zeros(2, np.uint8)], [0], "variable 0 has 0 states; 1 to 65,535 are possible"),
        ([np.zeros(2, np.uint8)], [1, 1], "1 variables but 2 cardinalities"),
        (
            [np.zeros(2, np.float32)],
            [1],
            "column 0 must hold uint8 or uint16 states, or numbers of type float64",
        ),
    ],
)
def test_data_that_cannot_be_is_refused(columns, cardinalities, message):
    with pytest.raises(InputError, match=message):
        _core.EncodedData(columns, cardinalities)
