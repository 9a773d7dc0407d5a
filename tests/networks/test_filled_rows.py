"""`fill`: the data frame as it was with its holes filled in, for networks of states and of numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import bayesloom as bl
from bayesloom.errors import InputError


def drawn(seed=1, n=400):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.4
    return pd.DataFrame(
        {
            "age": np.round(np.where(ill, 60, 30) + rng.normal(0, 6, n)).astype(int),
            "dose": np.where(ill, 2.0, 5.0) + rng.gumbel(0, 0.4, n),
            "ill": np.where(ill, "yes", "no"),
            "visits": 1 + ill + (rng.random(n) < 0.1),
            "name": [f"row {k}" for k in range(n)],
        }
    )


def with_holes(frame, seed=2):
    rng = np.random.default_rng(seed)
    holes = {name: rng.random(len(frame)) < 0.1 for name in ("age", "dose", "ill", "visits")}
    return frame.assign(**{name: frame[name].mask(here) for name, here in holes.items()}), holes


@pytest.mark.parametrize("score", ["bic", "bic-cg"])
@pytest.mark.parametrize("method", ["mode", "draw"])
def test_only_the_holes_change(score, method):
    whole = drawn()
    frame, holes = with_holes(whole)
    given = frame.copy()
    filled = bl.learn(whole, score=score).fit().fill(frame, method, seed=3)
    pd.testing.assert_frame_equal(frame, given)
    assert list(filled.columns) == list(frame.columns)
    assert filled["name"].equals(frame["name"])
    assert not filled.isna().any().any()
    for name, here in holes.items():
        assert here.any()
        assert filled[name][~here].tolist() == whole[name][~here].tolist()
    assert (filled["ill"] == whole["ill"])[holes["ill"]].mean() > 0.9
    for name in ("age", "dose"):
        assert np.issubdtype(filled[name].dtype, np.floating)
        own = np.abs(filled[name] - whole[name])[holes[name]].mean()
        assert (
            own
            < (0.6 if method == "mode" else 0.8)
            * np.abs(whole[name].mean() - whole[name])[holes[name]].mean()
        )
    if score == "bic":  # a range is filled in by a number that occurs
        assert set(filled["age"]) <= set(whole["age"])
    assert set(filled["visits"]) <= {1, 2, 3}


def test_a_range_is_its_middle_number_by_the_rows_themselves():
    ages = [31, 35, 38, 62, 64]
    frame = pd.DataFrame({"age": [*ages, None] * 30, "old": (["no"] * 3 + ["yes"] * 3) * 30})
    fitted = bl.learn(frame, discretize={"age": [40, 50]}, missing="drop").fit()
    assert fitted.fill(frame)["age"].tolist()[:6] == [*ages, 62]  # the lower of the middle two
    few = pd.DataFrame({"age": [None, None, 33.0, 39.0, 34.0], "old": ["yes", "no", "no", "no", "no"]})
    assert fitted.fill(few)["age"].tolist() == [50.0, 34.0, 33.0, 39.0, 34.0]  # > 50: no row has one


def test_types_are_kept_where_they_hold_the_values():
    n = 90
    frame = pd.DataFrame({"a": ["x", "y", "z"] * (n // 3)})
    frame["kind"] = pd.Categorical(frame["a"], ["z", "y", "x"])
    frame["whole"] = frame["a"].map({"x": 1, "y": 2, "z": 3}).astype("Int64")
    frame["flag"] = pd.array((frame["a"] == "x").to_numpy(), dtype="boolean")
    frame["real"] = frame["a"].map({"x": 0.5, "y": 1.5, "z": 2.5})
    whole = frame.copy()
    for name in ("kind", "whole", "flag", "real"):
        frame.loc[frame.index % 10 == 3, name] = None
    filled = bl.learn(whole).fit().fill(frame.set_index(frame.index + 7))
    assert filled.index.tolist() == (frame.index + 7).tolist()
    pd.testing.assert_frame_equal(filled.reset_index(drop=True), whole)


def test_other_sources_and_tables(tmp_path):
    frame, _ = with_holes(drawn())
    fitted = bl.learn(drawn(), score="bic").fit()
    expected = fitted.fill(frame)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for source in (tmp_path / "rows.csv", {name: frame[name].tolist() for name in frame}):
        found = fitted.fill(source)
        assert found["ill"].tolist() == expected["ill"].tolist()
        assert found["age"].tolist() == expected["age"].tolist()
    with pytest.raises(InputError, match="a Table holds states; impute fills a Table"):
        fitted.fill(bl.read_table(frame))


@pytest.mark.parametrize("score", ["bic", "bic-g"])
def test_what_was_read_as_missing_is_so_in_new_rows(score):
    rng = np.random.default_rng(5)
    x = rng.normal(50, 10, 500)
    frame = pd.DataFrame({"x": np.round(x, 1), "y": np.round(x + rng.normal(0, 3, 500), 1)})
    result = bl.learn(
        frame.assign(x=frame["x"].where(rng.random(500) < 0.97, -99)), missing_values=-99, score=score
    )
    fitted = pickle.loads(pickle.dumps(result.fit()))
    assert fitted.missing_values == {"*": ["-99"]}
    coded, plain = frame.copy(), frame.copy()
    coded.loc[:50, "x"], plain.loc[:50, "x"] = -99, None
    assert fitted.log_likelihood(coded) == fitted.log_likelihood(plain)
    assert fitted.predict(coded, "y").tolist() == fitted.predict(plain, "y").tolist()
    assert fitted.predict(coded, "y").tolist() != fitted.predict(frame, "y").tolist()
    assert fitted.impute(coded) == fitted.impute(plain)
    pd.testing.assert_frame_equal(fitted.fill(coded), fitted.fill(plain))
    assert (fitted.fill(coded)["x"] > 0).all()
    known = {"y": 50.0}
    assert fitted.do(known).missing_values == fitted.missing_values
    assert result.network.fit(frame).missing_values == {}


def test_a_state_of_missing_values_is_filled_in_too():
    """Of a mixed network, as of one of states; the regressions under it are not looked at any more."""
    whole = drawn()
    frame, holes = with_holes(whole)
    result = bl.learn(frame, score="bic-cg", only=["ill", "visits", "dose", "age"], discretize={"age": [45]})
    fitted = result.fit()
    states = fitted.states[fitted.network.index("ill")]
    assert states == ("no", "yes", "missing")
    assert set(fitted.continuous) == {"dose"}
    for method in ("mode", "draw"):
        filled = fitted.fill(frame, method)
        assert not filled[["ill", "visits", "age"]].isna().any().any()
        assert set(filled["ill"]) == {"no", "yes"}
        assert set(fitted.impute(frame, method).to_pandas()["ill"]) == {"no", "yes"}
    kept = ~(holes["ill"] | holes["visits"] | holes["age"] | holes["dose"])
    assert (fitted.fill(frame)["ill"] == whole["ill"])[holes["ill"]].mean() > 0.9
    complete = bl.learn(
        whole[kept], score="bic-cg", only=["ill", "visits", "dose", "age"], discretize={"age": [45]}
    )
    assert complete.fit().impute(whole[kept]) == fitted.impute(whole[kept])


def test_a_fitted_network_finds_no_new_row_impossible_by_default():
    rows = {"a": ["x", "y"] * 20, "b": ["u", "v"] * 20}
    network = bl.Network(["a", "b"], {"b": ["a"]})
    new = {"a": ["x"], "b": ["v"]}
    assert np.isfinite(network.fit(rows).log_likelihood(new))
    assert network.fit(rows, method="ml").log_likelihood(new) == -np.inf
    result = bl.learn(rows)
    assert result.network.fit(rows) == result.fit()
