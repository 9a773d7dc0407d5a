"""The estimator, as scikit-learn checks it and as a user fits it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: run `make interop`")

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import bayesloom as bl
from bayesloom.sklearn import StructureLearner

pytestmark = pytest.mark.filterwarnings("ignore")


@parametrize_with_checks(
    [StructureLearner(time_limit=None), StructureLearner("bdeu", ess=2.0, time_limit=None)]
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
