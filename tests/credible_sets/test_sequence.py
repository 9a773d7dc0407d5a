"""A credible set and its parts as sequences, and what is left of them after pickling."""

from __future__ import annotations

import copy
import itertools
import pickle

import pytest

import bayesloom as bl


@pytest.fixture(scope="module", params=[5, 33])  # by subset DP, by diagrams
def found(request) -> bl.CredibleSet:
    table = bl.random_network(request.param, states=(2, 2), max_parents=2, seed=4).sample(2000, seed=4)
    return bl.credible(table, bayes_factor=20, max_parents=2)


def test_networks_by_place(found):
    listed = list(itertools.islice(found, 100))
    assert len(found) == found.count
    assert found[0] == listed[0]
    assert found[:3] == listed[:3] == found.networks[:3]
    assert found[1:40:3] == listed[1:40:3]
    if len(found) <= 100:
        assert found[-1] == listed[-1]
        for part in (slice(-2, None), slice(None, None, -1), slice(3, 1), slice(-1, 0, -2), slice(0, -1)):
            assert found[part] == listed[part]
    with pytest.raises(IndexError):
        found[len(found)]
    with pytest.raises(IndexError):
        found[-len(found) - 1]


def test_the_limit_holds_for_places_too():
    table = bl.random_network(5, seed=4).sample(200, seed=4)
    found = bl.credible(table, bayes_factor=20, limit=2)
    assert found.count > 2
    assert len(found.networks) == len(found[:]) == 2
    with pytest.raises(IndexError):
        found[2]


def test_an_estimated_number_is_no_length(found):
    guessed = copy.copy(found)
    guessed.count_is_exact = False
    with pytest.raises(TypeError, match="not known exactly"):
        len(guessed)
    assert guessed[:2] == found[:2]


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_a_copy_holds_the_same(found, again):
    one = again(found)
    assert one.to_json() == found.to_json()
    assert one[:20] == found[:20]
    assert one.classes.count == found.classes.count
    assert (one.edge_posterior.matrix == found.edge_posterior.matrix).all()
    assert again(found.networks)[:5] == found[:5]
    assert again(found.classes).count == found.classes.count


def test_the_k_best_by_place():
    best = bl.k_best({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, 3)
    assert len(best) == 3
    assert best[0] is best.entries[0]
    assert best[1:] == best.entries[1:]
    assert [entry.score for entry in best] == [entry.score for entry in best.entries]
    assert pickle.loads(pickle.dumps(best)) == best
