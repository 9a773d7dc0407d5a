"""New rows get the states that the table has, by every way to ask, also after a file; kinds, holes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bayesloom as bl
from reference import inference as obvious


def ties(seed):
    """Columns of numbers with many ties on values that six digits do not tell from their neighbours."""
    draw = np.random.default_rng(seed)
    n = 240
    thirds = draw.integers(-6, 7, n) / 3
    return pd.DataFrame(
        {
            "thirds": thirds,
            "tiny": 1e-9 * draw.integers(1, 30, n) / 7,
            "near": 1 + draw.integers(0, 40, n) * 2.0**-50,
            "money": 2709599.92 + draw.integers(0, 50, n) * 0.01,
            "single": (draw.integers(0, 40, n) / 7).astype(np.float32),
            "large": draw.integers(10**15, 10**15 + 40, n),
            "y": (thirds > 0) ^ (draw.random(n) < 0.2),
        }
    )


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("rule", [None, "mean", "width:4", "quantile:5", "given"])
@pytest.mark.parametrize("ending", [None, "bif", "json"])
def test_every_value_gets_the_state_that_its_row_has(seed, rule, ending, tmp_path):
    frame = ties(seed)
    names = [name for name in frame if name != "y"]
    if rule == "given":
        rule = {name: sorted(set(frame[name].astype(float)))[3:20:5] for name in names}
    table = bl.read_table(frame, discretize=rule)
    fitted = bl.Network(table.names, {"y": ["thirds"]}).fit(table, method="dirichlet")
    if ending is not None:
        fitted.write(tmp_path / f"net.{ending}")
        fitted = bl.read_network(tmp_path / f"net.{ending}")
    assert set(table.cut_points) == set(names)
    assert sum(len(table.cut_points[name]) for name in names) >= len(names)
    given = [dict(zip(table.names, row, strict=True)) for row in frame.itertuples(index=False)]
    for name in names:
        c, states = table.index(name), fitted.states[fitted.names.index(name)]
        marginal = fitted.query(name)
        for value, code in dict(zip(frame[name], table.codes[c].tolist(), strict=True)).items():
            # The slow obvious twin: count the cut points below the value.
            assert code == sum(float(value) > cut for cut in table.cut_points[name])
            if states == table.states[c]:  # else plain names of a format
                assert fitted.log_probability({name: value}) == pytest.approx(
                    math.log(marginal[states[code]])
                )
        filled = fitted.impute({name: frame[name]})
        assert filled.column(name).tolist() == table.codes[c].tolist()
    assert fitted.log_likelihood(frame) == pytest.approx(fitted.log_likelihood(table))
    for r in range(0, 240, 17):
        expected = fitted.query("y", {"thirds": states_in(fitted, table, "thirds", r)})
        assert fitted.query("y", given[r] | {"y": None}) == pytest.approx(expected)
        assert list(fitted.predict_proba(frame, "y")[r]) == pytest.approx(list(expected.values()))
    assert table.like(frame) == table
    assert bl.read_table(frame, discretize=table.cut_points).states == table.states


def states_in(fitted, table, name, r):
    return fitted.states[fitted.names.index(name)][table.column(name)[r]]


@pytest.mark.parametrize("seed", range(3))
def test_short_cut_points_part_the_rows_as_the_rule_says(seed):
    """The rule as it stands in its description, by sorting; the cut point itself may be any between."""
    frame = ties(seed)
    table = bl.read_table(frame, discretize="quantile:4")
    for name in table.cut_points:
        values = sorted(frame[name].astype(float))
        exact = sorted({values[math.ceil(j * len(values) / 4) - 1] for j in (1, 2, 3)})
        if exact[-1] == values[-1]:
            continue
        codes = [sum(value > cut for cut in exact) for value in frame[name].astype(float)]
        assert table.column(name).tolist() == codes


def test_the_row_on_a_cut_point_of_a_learned_network():
    x = np.r_[np.full(25, 1 / 3), np.linspace(0, 0.3, 100), np.linspace(0.34, 1, 200)]
    result = bl.learn({"x": x, "y": (x <= 1 / 3).astype(int)}, score="bic")
    fitted = result.fit()
    assert fitted.query("y", {"x": 1 / 3})["1"] > 0.9
    assert fitted.log_probability({"x": 1 / 3, "y": 1}) == pytest.approx(
        result.log_likelihood({"x": [1 / 3], "y": [1]})
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_missing_value_is_summed_out_of_the_likelihood(seed):
    fitted = bl.random_network(5, states=(2, 3), max_parents=3, seed=seed)
    draw = np.random.default_rng(seed)
    whole = fitted.sample(40, seed=seed)
    gone = draw.random((40, 5)) < 0.3
    frame = {
        name: [None if gone[r, v] else fitted.states[v][k] for r, k in enumerate(whole.codes[v])]
        for v, name in enumerate(fitted.names)
    }
    each = []
    for r in range(40):
        known = {name: column[r] for name, column in frame.items() if column[r] is not None}
        each.append(math.log(obvious.probability(fitted, known)))
    assert fitted.log_likelihood(frame) == pytest.approx(sum(each))
    kept = bl.read_table(frame, missing="keep", states=dict(zip(fitted.names, fitted.states, strict=True)))
    assert fitted.log_likelihood(kept) == pytest.approx(sum(each))
    weights = draw.integers(1, 5, 40)
    weighted = bl.read_table({**frame, "n": weights}, missing="keep", weights="n")
    assert fitted.log_likelihood(weighted) == pytest.approx(float(np.dot(each, weights)))


@pytest.mark.parametrize("kind", ["discrete", "mixed"])
def test_a_row_with_holes_and_a_variable_that_was_set(kind):
    draw = np.random.default_rng(3)
    a = draw.integers(0, 2, 200)
    b = a ^ (draw.random(200) < 0.2)
    c = b + draw.normal(size=200)
    frame = {"a": a, "b": b, "c": c if kind == "mixed" else (c > 0.5).astype(int)}
    table = bl.read_table(frame, continuous=["c"] if kind == "mixed" else None)
    fitted = bl.Network("abc", {"b": ["a"], "c": ["b"]}).fit(table, method="dirichlet")
    rows = {"a": [1, None, 0], "b": [1, 1, None], "c": [float(c[0]), 1.0, 0.0]}
    if kind == "discrete":
        rows["c"] = [1, 1, 0]
    given = bl.read_table(
        {**rows, "set": ["", "b", "c"]},
        interventions="set",
        missing="keep",
        continuous=["c"] if kind == "mixed" else None,
    )
    expected = fitted.log_probability({"a": 1, "b": 1, "c": rows["c"][0]})
    done = fitted.do({"b": 1})
    expected += done.log_probability({"c": rows["c"][1], "b": 1})
    expected += fitted.log_probability({"a": 0})
    assert fitted.log_likelihood(given) == pytest.approx(expected)


def test_a_continuous_network_reads_new_rows_by_itself():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"s": draw.integers(0, 2, 300), "x": draw.normal(size=300)})
    frame["y"] = frame.x + frame.s + draw.normal(size=300)
    result = bl.learn(frame, score="bic-cg")
    fitted = result.fit()
    assert fitted.log_likelihood(frame) == pytest.approx(fitted.log_likelihood(result.table))
    holes = frame.astype(object)
    holes.loc[::7, "x"] = None
    holes.loc[::11, "s"] = None
    expected = sum(
        fitted.log_probability({name: row[name] for name in frame if row[name] is not None})
        for row in holes.to_dict("records")
    )
    assert fitted.log_likelihood(holes) == pytest.approx(expected)
    assert result.log_likelihood(holes) == pytest.approx(expected)
    assert result.log_likelihood(holes, missing="drop") == pytest.approx(
        fitted.log_likelihood(holes.dropna())
    )


def test_rows_that_were_left_out_of_learning_count_in_the_likelihood():
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"a": draw.integers(0, 2, 400), "x": draw.normal(size=400)})
    frame.loc[7, "x"] = np.nan
    result = bl.learn(frame)
    assert result.table.row_count == 399
    fitted = result.fit()
    expected = fitted.log_likelihood(result.table) + fitted.log_probability({"a": int(frame.a[7])})
    assert result.log_likelihood(frame) == pytest.approx(expected)
    assert fitted.log_likelihood(frame) == pytest.approx(expected)
    assert result.log_likelihood(frame, missing="drop") == pytest.approx(result.log_likelihood())
    kept = result.table.like(frame, missing="keep")
    assert kept.gaps
    assert kept.lacking("x").nonzero()[0].tolist() == [7]
    with pytest.raises(bl.InputError, match="variable 'a' has state '7'"):
        result.log_likelihood(frame.assign(a=7))


def test_no_rows():
    frame = pd.DataFrame({"a": [0, 1] * 40, "b": ["u", "v"] * 40, "c": np.arange(80) / 7})
    for score in ("bic", "bic-cg"):
        result = bl.learn(frame, score=score)
        fitted = result.fit()
        none = frame.head(0)
        assert fitted.log_likelihood(none) == 0
        assert fitted.predict(none, "a").tolist() == []
        assert fitted.predict_proba(none, "a").shape == (0, 2)
        for ask in (fitted.impute, result.table.like, result.log_likelihood):
            with pytest.raises(bl.InputError, match="the table has no rows"):
                ask(none)


@pytest.mark.parametrize("score", ["bic", "bic-cg"])
def test_predicted_values_are_those_of_the_column(score):
    draw = np.random.default_rng(4)
    a = draw.integers(0, 3, 200)
    frame = pd.DataFrame(
        {
            "a": a,
            "flag": a > 0,
            "half": a / 2,
            "text": [str(k) for k in a],
            "named": pd.Categorical.from_codes(a, ["0", "1", "2"]),
            "kind": pd.Categorical(a),
            "x": draw.normal(size=200),
        }
    )
    result = bl.learn(frame, score=score)
    fitted = result.fit()
    for name in ("a", "flag", "half", "text", "named", "kind"):
        found = fitted.predict(frame, name)
        assert (found == np.asarray(frame[name])).mean() > 0.9, name
        alone = fitted.predict(frame.drop(columns=name), name)
        assert alone.dtype.kind == {"a": "i", "flag": "b", "half": "f"}.get(name, "i")
    assert fitted.predict(frame, "a").dtype.kind == "i"
    assert fitted.predict(result.table, "a").dtype.kind == "U"
    assert fitted.predict(pa.table({"text": frame.text}), "flag").dtype.kind == "b"


def test_a_missing_state_is_nan_among_numbers():
    frame = {"a": [0, 1, None] * 40, "b": ["u", "v", "w"] * 40}
    fitted = bl.learn(frame).fit()
    found = fitted.predict({"b": ["u", "v", "w"]}, "a")
    assert found[:2].tolist() == [0, 1]
    assert np.isnan(found[2])


def test_true_and_false_are_one_and_zero():
    frame = {"a": [0, 1] * 40, "t": [False, True] * 40}
    fitted = bl.learn(frame).fit()
    assert fitted.query("t", {"a": True}) == fitted.query("t", {"a": 1})
    for one in (1, 1.0, True, np.True_, np.int64(1), "true"):
        assert fitted.query("a", {"t": one}) == fitted.query("a", {"t": "true"})
    assert fitted.predict({"a": [False, True]}, "t").tolist() == [False, True]
    assert fitted.predict({"t": [0, 1]}, "a").tolist() == [0, 1]
    table = bl.read_table(frame)
    assert table.like({"a": [True, False], "t": [1, 0]}) == table.like({"a": [1, 0], "t": [True, False]})


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_missing_evidence_is_not_known(nothing):
    draw = np.random.default_rng(5)
    frame = {"a": draw.integers(0, 2, 90), "x": draw.normal(size=90), "b": draw.integers(0, 2, 90)}
    for score in ("bic", "bic-cg"):
        fitted = bl.learn(frame, score=score).fit()
        assert fitted.query("b", {"a": nothing, "x": 0.5}) == fitted.query("b", {"x": 0.5})
        assert fitted.query("b", {"x": nothing}) == fitted.query("b")
        with pytest.raises(bl.InputError, match="'a' is to be set, and no value is given"):
            fitted.do({"a": nothing})
    fitted = bl.learn({"a": [0, None] * 40, "b": ["u", "v"] * 40}).fit()
    assert fitted.query("b", {"a": nothing}) == fitted.query("b", {"a": "missing"})


def test_states_are_listed_in_their_order_and_the_nearest_number_is_named():
    fitted = bl.Network("xy", {}).fit(
        bl.read_table({"x": [0.5, 2.5, 6.0], "y": [0.1 + 0.2, 0.4, 0.5]}, discretize={"x": [1.9, 4.9]})
    )
    with pytest.raises(bl.InputError, match=r"Known: <= 1\.9, \(1\.9, 4\.9\], > 4\.9\.$"):
        fitted.query("y", {"x": "middle"})
    with pytest.raises(bl.InputError, match=r"Did you mean '0\.30000000000000004'\?"):
        fitted.query("x", {"y": 0.3})


def test_edges_parents_and_frames():
    draw = np.random.default_rng(6)
    s = draw.integers(0, 2, 200)
    frame = {"s": s, "x": draw.normal(size=200), "y": s + draw.normal(size=200)}
    table = bl.read_table(frame, continuous=["x", "y"])
    network = bl.Network("sxy", {"y": ["s", "x"]})
    for fitted in (network.fit(table), network.fit(bl.read_table(frame))):
        assert fitted.edges == network.edges
        assert fitted.parents == network.parents
    fitted = network.fit(table)
    shown = fitted.frame("y")
    found = fitted.regression("y")
    assert shown.index.tolist() == ["0", "1"]
    assert shown.columns.tolist() == ["intercept", "x", "variance"]
    assert shown["intercept"].tolist() == found.intercept.tolist()
    assert shown["x"].tolist() == found.coefficients[:, 0].tolist()
    assert shown["variance"].tolist() == found.variance.tolist()
    assert fitted.frame("x").shape == (1, 2)
    assert fitted.frame("s").loc[""].tolist() == fitted.cpt("s").tolist()
