"""Cut points: the rules, the names of the intervals, the same cuts for another table."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesloom.errors import InputError
from bayesloom.networks.intervals import bounds_of
from bayesloom.table import read_table
from bayesloom.table.discretize import cut_texts, interval_names, parse_rule

VALUES = [float(value) for value in range(1, 31)]


def test_mean_makes_two_states_around_the_mean():
    table = read_table({"x": VALUES}, discretize="mean")
    assert table.states == (("<= 15.5", "> 15.5"),)
    assert table.cut_points == {"x": (15.5,)}
    assert table.codes[0].tolist() == [0] * 15 + [1] * 15
    assert table.notes == ("'x' is discretised by mean: cut at 15.5.",)


def test_quantile_makes_states_of_equal_share():
    table = read_table({"x": VALUES}, discretize="quantile:3")
    assert table.states == (("<= 10", "(10, 20]", "> 20"),)
    assert np.bincount(table.codes[0]).tolist() == [10, 10, 10]


def test_width_makes_states_of_equal_width_and_keeps_empty_ones():
    values = [*range(25), 100]
    table = read_table({"x": values}, discretize="width:4")
    assert table.cut_points == {"x": (25.0, 50.0, 75.0)}
    assert np.bincount(table.codes[0], minlength=4).tolist() == [25, 0, 0, 1]
    assert table.cardinalities == (4,)


def test_given_cut_points_make_the_same_states_for_every_table():
    first = read_table({"x": VALUES}, discretize="quantile:3")
    again = read_table({"x": [0, 10, 99]}, discretize=first.cut_points)
    assert again.states == first.states
    assert again.codes[0].tolist() == [0, 0, 2]


def test_a_value_on_a_cut_point_belongs_below():
    assert read_table({"x": [2.5, 2.6, 7, 8]}, discretize={"x": [2.5, 7]}).codes[0].tolist() == [0, 1, 1, 2]


def test_rules_for_columns_and_for_all():
    values = {"x": VALUES, "y": VALUES, "few": [1, 2, 3] * 10}
    table = read_table(values, discretize={"x": "mean", "y": "width:3", "few": "mean"})
    assert table.cardinalities == (2, 3, 2)
    # For all means: for all that are continuous.
    assert read_table(values, discretize="mean").states[2] == ("1", "2", "3")
    assert read_table(values, discretize="mean", discrete=["y"]).cardinalities == (2, 30, 3)


def test_numbers_of_a_text_file_are_discretised(file):
    path = file("t.csv", "x\n" + "\n".join(map(str, VALUES)))
    assert read_table(path, discretize="mean").codes[0].sum() == 15


def test_cut_points_that_coincide_are_merged_and_told():
    table = read_table({"x": [0.0] * 70 + VALUES}, discretize="quantile:4")
    assert table.cut_points == {"x": (0.0, 5.0)}
    assert table.notes[0].endswith("Some cut points coincide, so it has 3 states, not 4.")


def test_a_quantile_on_the_largest_value_moves_below_it():
    table = read_table({"x": [0] + [1] * 99}, discretize={"x": "quantile:2"})
    assert table.cut_points == {"x": (0.0,)}
    assert table.states == (("<= 0", "> 0"),)


def test_a_single_value_is_not_cut():
    table = read_table({"x": [3, 3]}, discretize={"x": "mean"})
    assert table.states == (("3",),)
    assert table.cut_points == {}
    assert table.notes[0] == "'x' is not discretised: it has a single value."


def test_missing_values_get_their_state_after_the_intervals():
    table = read_table({"x": [*VALUES, None]}, discretize="mean", missing="state")
    assert table.states == (("<= 15.5", "> 15.5", "missing"),)
    assert table.codes[0][-1] == 2


def test_names_of_intervals_have_as_many_digits_as_they_need():
    assert interval_names((1 / 3,)) == ["<= 0.3333333333333333", "> 0.3333333333333333"]
    assert interval_names((1.00000001, 1.00000002))[1] == "(1.00000001, 1.00000002]"
    assert interval_names((1.0, 1.0 + 2**-52))[1] == "(1, 1.0000000000000002]"
    assert interval_names((1e20,)) == ["<= 1e+20", "> 1e+20"]


@pytest.mark.parametrize(
    "rule", ["median", "quantile", "quantile:", "quantile:-2", "width:2.5", "mean:2", ""]
)
def test_unknown_rules_list_the_known_ones(rule):
    message = (
        r"discretize: unknown rule .*\. Known: mean, quantile:k, width:k \(k states, k >= 2\), or a list"
    )
    with pytest.raises(InputError, match=message):
        read_table({"x": VALUES}, discretize=rule)


@pytest.mark.parametrize("rule", ["quantile:0", "width:1", "width:65536"])
def test_the_number_of_states_has_a_range(rule):
    with pytest.raises(InputError, match=r"asks for \d+ states; expected 2 to 65535\."):
        parse_rule(rule)


@pytest.mark.parametrize(
    "cuts", [[], [2, 1], [1, 1], [float("nan")], [float("inf")], ["a"], 3, [[1]], range(70_000)]
)
def test_cut_points_must_be_finite_and_increasing(cuts):
    with pytest.raises(
        InputError, match="discretize: expected a rule or a list of increasing cut points, got"
    ):
        read_table({"x": VALUES}, discretize={"x": cuts})


def test_what_cannot_be_discretised():
    with pytest.raises(
        InputError, match=r"column 's' cannot be discretised: it holds text values, not numbers\."
    ):
        read_table({"s": ["a", "b"]}, discretize={"s": "mean"})
    with pytest.raises(InputError, match=r"column 'b' cannot be discretised: it holds boolean values"):
        read_table({"b": [True, False]}, discretize={"b": "mean"})
    with pytest.raises(
        InputError, match=r"discretize: the table has no column 'agee'\. Did you mean 'age'\?"
    ):
        read_table({"age": VALUES}, discretize={"agee": "mean"})
    message = r"column 'x' has infinite values, which width:2 cannot cut\. Use quantile:k"
    with pytest.raises(InputError, match=message):
        read_table({"x": [*VALUES, float("inf")]}, discretize="width:2")
    with pytest.raises(
        InputError, match=r"discretize: expected a rule, or a mapping from columns to rules, got 3"
    ):
        read_table({"x": VALUES}, discretize=3)


def test_infinite_values_take_given_cut_points():
    table = read_table({"x": [float("-inf"), 0.0, float("inf")]}, discretize={"x": [0]})
    assert table.codes[0].tolist() == [0, 0, 1]


numbers = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=40)
rules = st.one_of(
    st.just("mean"), st.builds("{}:{}".format, st.sampled_from(["quantile", "width"]), st.integers(2, 9))
)


@given(values=numbers, rule=rules)
def test_every_value_lies_in_its_interval(values, rule):
    table = read_table({"x": values}, discretize={"x": rule})
    if "x" not in table.cut_points:
        assert len(set(values)) == 1
        return
    cuts = table.cut_points["x"]
    assert list(cuts) == sorted(set(cuts))
    for value, code in zip(values, table.codes[0].tolist(), strict=True):
        assert code == sum(value > cut for cut in cuts)
    # No first or last state is empty.
    assert {0, len(cuts)} <= set(table.codes[0].tolist())


@given(values=numbers, rule=rules)
def test_short_cut_points_part_the_values_as_the_long_ones_and_their_names_say_them(values, rule):
    seen, counts = np.unique(np.array(values) + 0.0, return_counts=True)
    if len(seen) < 2:
        return
    table = read_table({"x": values}, discretize={"x": rule})
    long, short = parse_rule(rule).cut_points(seen, counts), table.cut_points["x"]
    assert len(short) == len(long)
    for value, code in zip(values, table.codes[0].tolist(), strict=True):
        assert code == sum(value > cut for cut in long) == sum(value > cut for cut in short)
    said = [bounds_of(state) for state in table.states[0]]
    assert said == list(itertools.pairwise([-math.inf, *short, math.inf]))
    assert sum(map(len, cut_texts(short))) <= sum(map(len, cut_texts(long)))


def test_ranges_without_rows_are_told_of():
    rows = {"x": [0.5 * k for k in range(30)], "y": [k % 2 for k in range(30)]}
    table = read_table(rows, discretize={"x": [20.0, 30.0]})
    assert "No row lies in '(20, 30]', '> 30': states that count all the same." in table.notes[0]
    assert "No row" not in read_table(rows, discretize={"x": [5.0]}).notes[0]
