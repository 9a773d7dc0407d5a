"""The estimator, as scikit-learn checks it and as a user fits it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: run `make interop`")

import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import bayesloom as bl
from bayesloom.sklearn import StructureLearner

pytestmark = pytest.mark.filterwarnings("ignore")


@parametrize_with_checks(
    [
        StructureLearner(time_limit=None),
        StructureLearner("bdeu", ess=2.0, time_limit=None),
        StructureLearner(time_limit=None, target=0),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def frame():
    pandas = pytest.importorskip("pandas")
    table = bl.random_network(6, states=(2, 3), max_parents=2, concentration=0.4, seed=5).sample(400, seed=5)
    return pandas.DataFrame({name: table.column(name) for name in table.names})


def test_it_finds_what_learn_finds(frame):
    learner = StructureLearner(random_state=3, n_jobs=2).fit(frame)
    result = bl.learn(bl.read_table(frame))
    assert learner.score_ == pytest.approx(result.score)
    assert (learner.gap_, learner.status_) == (0.0, "optimal")
    assert list(learner.feature_names_in_) == list(frame.columns)
    edges = {
        (frame.columns[i], frame.columns[j])
        for i, j in zip(*np.nonzero(learner.adjacency_matrix_), strict=True)
    }
    assert edges == set(learner.network_.edges) == set(learner.dag_.edges)


def test_credible_networks_and_edge_posteriors(frame):
    learner = StructureLearner(bayes_factor=20).fit(frame)
    assert learner.network_ in list(learner.credible_networks_)
    assert ((learner.edge_posterior_ >= 0) & (learner.edge_posterior_ <= 1)).all()
    assert learner.edge_posterior_[learner.adjacency_matrix_ == 1].min() > 0


def test_constraints_and_missing_values(frame):
    columns = list(frame.columns)
    holes = frame.astype(object)
    holes.iloc[::7, 0] = None
    learner = StructureLearner(constraints={"roots": [columns[1]]}, max_parents=1).fit(holes)
    assert learner.adjacency_matrix_[:, 1].sum() == 0
    assert learner.adjacency_matrix_.sum(axis=0).max() <= 1


def test_it_clones_and_pipes(frame):
    learner = clone(StructureLearner("aic", time_limit=7))
    assert learner.get_params()["scoring"] == "aic"
    assert make_pipeline(learner).fit(frame.to_numpy()).steps[0][1].n_features_in_ == 6


def test_a_limit_on_parents_that_required_edges_contradict_is_refused(frame):
    a, b, c = frame.columns[:3]
    rules = {"required": [(a, c), (b, c)]}
    with pytest.raises(bl.InfeasibleError, match="no variable may have more than 1 parent"):
        StructureLearner(max_parents=1, constraints=rules, time_limit=5).fit(frame)


def test_rows_are_scored_by_their_likelihood(frame):
    learner = StructureLearner().fit(frame[:300])
    fitted = learner.result_.fit()
    assert learner.score(frame[300:]) == pytest.approx(
        fitted.log_likelihood(learner.result_.table.like(frame[300:])) / 100
    )
    assert learner.score_samples(frame[300:]).sum() == pytest.approx(100 * learner.score(frame[300:]))
    never_seen = frame[:1].replace({frame.columns[0]: {frame.iloc[0, 0]: 77}})
    known = {name: frame[name].iloc[0] for name in frame.columns[1:]}
    assert learner.score(never_seen) == pytest.approx(fitted.log_probability(known))


def test_options_are_chosen_by_cross_validation(frame):
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(StructureLearner(), {"max_parents": [0, 2]}, cv=2).fit(frame)
    assert search.best_params_ == {"max_parents": 2}


def test_missing_values_are_filled_in(frame):
    values = frame.to_numpy(dtype=float)
    learner = StructureLearner().fit(values)
    holes = values.copy()
    lost = np.random.default_rng(1).random(values.shape) < 0.1
    holes[lost] = np.nan
    filled = learner.transform(holes)
    assert (filled[~lost] == values[~lost]).all()
    columns = {
        name: [None if np.isnan(x) else x for x in holes[:, v]]
        for v, name in enumerate(learner.fitted_.names)
    }
    expected = learner.fitted_.impute(columns)
    for v in range(values.shape[1]):
        states = np.array(expected.states[v], dtype=float)
        assert (filled[:, v] == states[expected.codes[v]]).all()
    assert (learner.transform(values) == values).all()
    text = frame.astype(str).astype(object)
    text.iloc[3, 2] = None
    assert learner.fit(text).transform(text)[3, 2] in set(text.iloc[:, 2].dropna())


def test_ranges_are_filled_in_by_their_mean():
    draw = np.random.default_rng(1)
    x = draw.normal(size=400)
    values = np.column_stack([x, x + 0.1 * draw.normal(size=400)])
    learner = StructureLearner().fit(values)
    found = learner.transform(np.array([[np.nan, 2.5], [np.nan, -2.5]]))
    assert found[0, 0] == pytest.approx(values[values[:, 0] > np.quantile(x, 2 / 3), 0].mean(), abs=0.1)
    assert found[0, 0] > 0.5 > -0.5 > found[1, 0]


def test_a_target_is_predicted(frame):
    learner = StructureLearner(target=frame.columns[-1]).fit(frame)
    found = learner.predict_proba(frame)
    expected = learner.fitted_.predict_proba(learner.result_.table, frame.columns[-1])
    assert found == pytest.approx(expected)
    assert (learner.predict(frame) == learner.classes_[found.argmax(axis=1)]).all()
    assert (learner.predict(frame) == frame.iloc[:, -1]).mean() > 0.5
    assert not hasattr(StructureLearner().fit(frame), "predict")
    with pytest.raises(ValueError, match="target must be"):
        StructureLearner(target=6).fit(frame)


def test_a_target_by_name_may_be_y_and_makes_a_classifier():
    draw = np.random.default_rng(3)
    kind = np.repeat([0, 1, 2], 60)  # sorted: folds that are not stratified lack a kind
    frame = pd.DataFrame({"a": kind * 2 + draw.integers(0, 2, 180), "b": draw.integers(0, 3, 180)})
    whole = frame.assign(kind=kind)
    apart = StructureLearner(target="kind").fit(frame, kind)
    inside = StructureLearner(target="kind").fit(whole)
    assert apart.network_ == inside.network_
    assert (apart.predict(frame) == kind).all()
    assert (inside.predict(frame) == inside.predict(whole)).all()
    assert apart.score(frame, kind) == pytest.approx(inside.score(whole))
    assert (StructureLearner(target=2).fit(whole.to_numpy()).predict(frame.to_numpy()) == kind).all()
    text = StructureLearner(target="kind").fit(frame, np.array(["x", "y", "z"])[kind])
    assert text.predict(frame).tolist() == np.array(["x", "y", "z"])[kind].tolist()
    assert is_classifier(apart)
    assert not is_classifier(StructureLearner())
    for X in (frame, whole):
        found = cross_val_score(StructureLearner(target="kind"), X, kind, cv=3, scoring="accuracy")
        assert found.min() > 0.9


def test_numbers_in_a_pipeline_are_scored_by_their_density():
    draw = np.random.default_rng(3)
    x = draw.normal(size=300)
    values = np.column_stack([x, x + draw.normal(size=300), draw.normal(size=300)])
    learner = StructureLearner("bic-g").fit(values)
    assert learner.score(values) * 300 == pytest.approx(learner.result_.log_likelihood())
    assert np.isfinite(make_pipeline(StandardScaler(), StructureLearner("bic-g")).fit(values).score(values))
    holes = values.copy()
    holes[0, 1] = np.nan
    assert learner.score_samples(holes)[0] > learner.score_samples(values)[0] - 10


def test_an_interrupt_ends_a_search_over_options(monkeypatch, frame):
    import bayesloom.sklearn as module

    real = module.learn
    monkeypatch.setattr(module, "learn", lambda *a, **k: dataclasses.replace(real(*a, **k), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        StructureLearner().fit(frame)
