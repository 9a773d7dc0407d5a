"""Numbers with 6 to 20 values: states or ranges, as the data say."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.table import forms, read_table
from bayesloom.table.forms import Shown, how_much, judge, spread
from reference.forms import shown


def normal_pair(correlation: float, rows: int, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return draw.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], rows).T


def in_steps(values: np.ndarray, count: int) -> np.ndarray:
    """As whole numbers from 0 to count - 1, all of which occur."""
    edges = np.linspace(values.min(), values.max(), count + 1)[1:-1]
    steps = np.searchsorted(edges, values)
    steps[:count] = np.arange(count)
    return steps


def records(table: bl.Table) -> dict[str, object]:
    return {column.name: column for column in table.columns}


def random_columns(seed: int, rows: int) -> list[Shown]:
    draw = np.random.default_rng(seed)
    base = draw.integers(0, 12, rows)
    columns = []
    for k in range(5):
        states = int(draw.integers(6, 13))
        codes = (base * (draw.random(rows) < 0.7) + draw.integers(0, 3, rows)) % states
        codes[:states] = np.arange(states)
        missing = k == 2
        ranges = np.sort(draw.integers(0, 3, states - missing))
        ranges = np.unique(ranges, return_inverse=True)[1]
        ranges = np.append(ranges, ranges.max() + 1) if missing else ranges
        columns.append(Shown(codes, states, ranges if k < 3 else None, missing and k < 3))
    return columns


@pytest.mark.parametrize("seed", range(12))
def test_both_forms_show_what_the_twin_computes(seed):
    columns = random_columns(seed, rows=150 + 40 * seed)
    as_forms = [
        [(one.codes.tolist(), one.states)]
        + ([] if one.ranges is None else [(one.ranges[one.codes].tolist(), int(one.ranges.max()) + 1)])
        for one in columns
    ]
    verdicts = judge(columns)
    assert sorted(verdicts) == [0, 1, 2]
    for i, verdict in verdicts.items():
        here = [k for k, code in enumerate(columns[i].codes) if code < columns[i].values]
        only_here = [[([codes[k] for k in here], most) for codes, most in forms] for forms in as_forms]
        others = only_here[:i] + only_here[i + 1 :]
        for form, found in zip(only_here[i], (verdict.as_states, verdict.as_ranges), strict=True):
            codes, most = form
            assert found == pytest.approx(shown((codes, most - columns[i].missing), others), abs=1e-7)
        assert (verdict.rows, verdict.others) == (len(here), 4)
        if verdict.grouped:
            assert verdict.as_ranges >= verdict.as_states


def test_parts_of_the_work_give_the_same(monkeypatch):
    columns = random_columns(3, rows=400)
    whole = judge(columns)
    monkeypatch.setattr(forms, "VALUES_AT_ONCE", 500)
    for i, verdict in judge(columns).items():
        assert verdict.as_ranges == pytest.approx(whole[i].as_ranges)
        assert verdict.grouped == whole[i].grouped


def test_the_work_is_bounded():
    for asked, columns, rows in [(1, 2, 10), (64, 64, 1797), (1000, 1000, 10**6), (60_000, 60_000, 10**5)]:
        others, looked = how_much(asked, columns, rows)
        assert 0 < others <= columns - 1
        assert 0 < looked <= rows
        fewest = forms.FEWEST_ROWS_LOOKED_AT * forms.OTHERS_LOOKED_AT
        assert asked * others * looked <= max(forms.VALUES_LOOKED_AT, asked * fewest)
    some = spread(1000, 10**6)
    assert len(set(some.tolist())) == 1000
    for period in (2, 7, 24, 50):  # rows that take turns are all seen
        shares = np.bincount(some % period) / (1000 / period)
        assert shares.min() > 0.5
        assert shares.max() < 2
    assert (spread(5, 5) == np.arange(5)).all()


def test_rows_and_columns_that_were_not_looked_at_are_told(monkeypatch):
    monkeypatch.setattr(forms, "ROWS_LOOKED_AT", 200)
    monkeypatch.setattr(forms, "OTHERS_LOOKED_AT", 2)
    monkeypatch.setattr(forms, "VALUES_LOOKED_AT", 1)
    monkeypatch.setattr(forms, "FEWEST_ROWS_LOOKED_AT", 100)
    draw = np.random.default_rng(0)
    table = read_table(draw.integers(0, 8, (300, 5)))
    assert "seen in 100 rows and 2 other columns" in table.columns[0].why


def test_numbers_that_are_not_whole_are_ordered():
    """Grouped wherever that shows more; codes of a category, which are whole, must show their order."""
    draw = np.random.default_rng(2)
    codes = draw.permutation(12)
    x = draw.integers(0, 12, 130)
    y = np.isin(x, codes[:6]) ^ (draw.random(130) < 0.2)
    for seed in range(30):
        values = np.random.default_rng(seed).permutation(12)[x]
        one, other = (read_table({"x": given, "y": y}) for given in (values, values + 0.5))
        verdict = other.columns[0]
        assert verdict.kind == "numbers"
        assert ("which show more" in verdict.why) == (verdict.states == 3)
        if one.columns[0].states == 12 and other.columns[0].states == 3:
            assert "ranges of shuffled values show as much" in one.columns[0].why
            return
    raise AssertionError("no case of this kind was drawn")


def test_values_missing_together_are_no_reason_to_group():
    draw = np.random.default_rng(4)
    gone = draw.random(600) < 0.3
    codes = draw.integers(0, 10, (600, 3)).astype(float)
    codes[gone] = np.nan
    table = read_table(codes)
    assert table.cardinalities == (11, 11, 11)
    assert all("ranges show no more" in column.why for column in table.columns)


@pytest.mark.parametrize("values", [20, 21])
def test_two_columns_that_go_together_are_joined_whether_20_values_or_21(values):
    x, y = (in_steps(column, values) for column in normal_pair(0.97, 500, seed=1))
    table = read_table({"x": x, "y": y})
    assert table.cardinalities == (3, 3)
    assert len(bl.learn(table).network.edges) == 1
    assert read_table({"x": x, "y": y}, discrete=["x"]).cardinalities == (values, 3)
    for both in (True, ["x", "y"]):
        assert read_table({"x": x, "y": y}, discrete=both).cardinalities == (values, values)


def test_years_of_school_of_couples_are_joined():
    """In the image of Mroz: 753 rows, 5 to 17 years, correlated by 0.6."""
    wife, husband = normal_pair(0.6, 753, seed=5)
    columns = {
        "educw": np.clip(np.round(12.3 + 2.3 * wife), 5, 17).astype(int),
        "educh": np.clip(np.round(12.5 + 3.0 * husband), 3, 17).astype(int),
        "city": np.random.default_rng(1).integers(0, 2, 753),
    }
    table = read_table(columns)
    told = records(table)["educw"]
    assert (told.kind, told.states, told.used, len(told.cut_points)) == ("whole numbers", 3, True, 2)
    assert "values in 3 ranges, which show more" in told.why
    [note] = [note for note in table.notes if "discrete= (--discrete NAME) keeps the values" in note]
    assert "'educw' (" in note
    edges = {frozenset(edge) for edge in bl.learn(table).network.edges}
    assert frozenset(("educw", "educh")) in edges


def test_one_column_that_is_grouped_is_told_in_a_sentence():
    x, y = normal_pair(0.6, 753, seed=5)
    table = read_table({"educw": in_steps(x, 13), "high": (y > 0).astype(int)})
    assert table.notes == (
        "'educw' (13 values) is grouped into 3 ranges, cut at 4, 6: as 13 separate states its dependences"
        " would show less or not at all. discrete='educw' (--discrete educw) keeps the values.",
    )
    assert len(bl.learn(table).network.edges) == 1


def digits() -> np.ndarray:
    """In the image of the digits of scikit-learn: 64 grey levels from 0 to 16, many of them 0."""
    draw = np.random.default_rng(1)
    loadings = draw.normal(size=(10, 64)) * (draw.random((10, 64)) < 0.35)
    grey = draw.normal(size=(1797, 10)) @ loadings + draw.normal(size=(1797, 64)) * 0.5
    return np.clip(np.round(4 * grey + draw.normal(0, 4, 64)), 0, 16).astype(int)


def test_grey_levels_of_a_picture_give_a_dense_network_and_a_note():
    table = read_table(digits())
    assert min(table.cardinalities) >= 2
    assert sum(column.cut_points != () for column in table.columns) > 55
    assert any("columns of numbers are grouped into ranges: 'X0'" in note for note in table.notes)
    assert len(bl.learn(table, max_parents=1, time_limit=None).network.edges) > 55  # a tree of all
    states = read_table(digits(), discrete=True)
    assert len(bl.learn(states, max_parents=1, time_limit=None).network.edges) == 0


@pytest.mark.parametrize("seed", [1, 3])
def test_codes_without_an_order_stay_states(seed):
    sampled = bl.random_network(12, states=(8, 12), seed=seed).sample(5000, seed=1)
    codes = np.column_stack(sampled.codes)
    table = read_table(codes)
    assert table.cardinalities == tuple(len(set(column)) for column in codes.T)
    assert not any("grouped" in note for note in table.notes)


def test_up_to_5_values_are_states_and_few_rows_make_ranges():
    draw = np.random.default_rng(2)
    five, nine = draw.integers(0, 5, 40), draw.integers(0, 9, 40)
    table = read_table({"five": five, "nine": nine, "y": draw.integers(0, 2, 40)})
    assert table.cardinalities == (5, 3, 2)
    assert records(table)["nine"].why == "9 values in 3 ranges: less than 10 rows for each value"
    assert records(table)["five"].why == "each of its 5 values is a state"
    alone = read_table({"x": list(range(9)) * 20})
    assert alone.cardinalities == (9,)


def test_declared_states_are_not_asked_about(tmp_path):
    x, y = (in_steps(column, 12) for column in normal_pair(0.97, 300, seed=1))
    rows = "".join(f"{a} {b}\n" for a, b in zip(x, y, strict=True))
    (tmp_path / "t.dat").write_text(f"x y\n12 12\n{rows}")
    assert read_table(tmp_path / "t.dat").cardinalities == (12, 12)
    given = [str(k) for k in range(12)]
    assert read_table({"x": x, "y": y}, states={"x": given, "y": given}).cardinalities == (12, 12)
    assert read_table({"x": x, "y": y}).cardinalities == (3, 3)
    assert bl.read_table({"x": x, "y": y}, strict=True).cardinalities == (12, 12)


def test_a_value_that_most_rows_have_gets_a_state_of_its_own():
    draw = np.random.default_rng(7)
    zeros = np.where(draw.random(400) < 0.9, 0, draw.integers(1, 60, 400))
    middle = np.where(draw.random(400) < 0.9, 50, draw.integers(0, 100, 400))
    table = read_table({"zeros": zeros, "middle": middle})
    for name, value in (("zeros", 0), ("middle", 50)):
        cuts = table.cut_points[name]
        assert value in cuts
        own = table.column(name)[({"zeros": zeros, "middle": middle}[name]) == value]
        assert len(set(own.tolist())) == 1
        assert np.count_nonzero(table.column(name) == own[0]) == own.size
