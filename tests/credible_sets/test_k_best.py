"""The k best say what they are the best of: limits and incomplete caches are never passed over."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import bayesloom as bl


@pytest.fixture(scope="module")
def table() -> bl.Table:
    """Four variables: 543 networks, none further than 690 nats from the best."""
    return bl.random_network(4, states=(2, 2), seed=1).sample(60, seed=1)


@pytest.fixture
def cut_scoring(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Scoring that a limit ends after single parents, as `score` tells it; the factors it was asked for."""
    module = sys.modules["bayesloom.credible_sets.api"]
    score = module.score_parent_sets
    asked: list[float] = []

    def cut(table: bl.Table, *, max_parents: int | None, **how: Any) -> bl.ScoreCache:
        asked.append(how["bayes_factor"])
        cache = score(table, max_parents=1, **how)
        info = {**cache.info, "max_parents": max_parents, "complete_factor": None, "stopped": True}
        return cache.with_info(info)

    monkeypatch.setattr(module, "score_parent_sets", cut)
    return asked


def test_fewer_over_a_narrow_cache_are_not_called_all_there_are(table: bl.Table) -> None:
    found = bl.k_best(bl.score(table), 1000)
    number = len(found.entries)
    assert number < 543
    assert found.note is not None
    assert f"there are {number} networks over the candidates of this cache, not 1,000" in found.note
    assert "the cache is not complete that far, so there may be others" in found.note
    assert not found.complete


def test_better_ones_are_ruled_out_as_far_as_the_cache_is_complete(table: bl.Table) -> None:
    cache = bl.score(table, bayes_factor=1e6)
    far = bl.k_best(cache, 1000)
    assert far.bayes_factor > 1e6
    assert far.note is not None
    assert "also better ones" in far.note
    near = bl.k_best(bl.ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-1, [])]}), 2)
    assert near.note is not None
    assert "also better ones" in near.note  # nothing is known of what it lacks
    one = {name: [(score, up) for score, up in cache.candidates(name) if not up] for name in cache.names}
    alone = bl.ScoreCache.from_candidates(cache.names, one).with_info({"complete_factor": 3.0})
    found = bl.k_best(alone, 2)
    assert found.note is not None
    assert found.note.endswith("so there may be others.")


@pytest.mark.parametrize("by", ["network", "class"])
def test_fewer_of_a_table_are_all_there_are(table: bl.Table, by: Any) -> None:
    found = bl.k_best(table, 1000, by=by)
    number, what = (543, "networks") if by == "network" else (185, "classes")
    assert len(found.entries) == number
    assert found.note is not None
    assert found.note.startswith(f"there are {number} {what}, not 1,000, within 690 nats of the best; worse")


def test_fewer_under_a_limit_and_constraints_are_said_to_be_of_those(table: bl.Table) -> None:
    name = table.names[0]
    found = bl.k_best(table, 1000, by="class", max_parents=1, constraints={"roots": [name]})
    assert found.note is not None
    assert (
        f"there are {len(found.entries)} classes of networks with at most 1 parent each that keep the"
        " constraints, not 1,000" in found.note
    )


def test_classes_are_looked_for_among_all_networks_before_they_are_called_too_few() -> None:
    """Six networks of three edges tie; three colliders are 620 nats below, nine other paths 640."""
    subsets = {v: [[], *([p] for p in "abc" if p != v), [p for p in "abc" if p != v]] for v in "abc"}
    lists = {v: [((-2000, -1380, -740)[len(up)], up) for up in subsets[v]] for v in "abc"}
    cache = bl.ScoreCache.from_candidates("abc", lists)
    found = bl.k_best(cache, 7, by="class")
    assert len(found.entries) == 1 + 3 + 3
    assert found.note is None
    fewer = bl.k_best(cache, 8, by="class")
    assert len(fewer.entries) == 7
    assert fewer.note is not None


def test_a_limit_that_ends_the_scoring_is_told(table: bl.Table, cut_scoring: list[float]) -> None:
    found = bl.k_best(table, 2)
    assert found.stopped
    assert not found.complete
    assert found.note == (
        "the time limit ended the scoring: these are the best over the parent sets scored by then."
    )
    over = bl.score(table, max_parents=1, bayes_factor=20)
    assert [entry.score for entry in found.entries] == [entry.score for entry in bl.k_best(over, 2).entries]


def test_what_was_scored_in_time_is_gone_on_with(table: bl.Table, cut_scoring: list[float]) -> None:
    found = bl.k_best(table, 1000)
    assert cut_scoring == [pytest.approx(20)]  # once, not anew for every wider factor
    assert found.stopped
    assert found.note is not None
    assert found.note.startswith("the time limit ended the scoring")
    assert f"there are {len(found.entries)} networks over the candidates of this cache" in found.note


def test_a_cache_that_was_cut_by_another_command_is_what_was_asked_for(table: bl.Table) -> None:
    cache = bl.score(table, max_parents=1, bayes_factor=20)
    cut = cache.with_info({**cache.info, "complete_factor": None, "stopped": True})
    found = bl.k_best(cut, 2)
    assert (found.stopped, found.complete, found.note) == (False, False, None)


@pytest.mark.parametrize("score", ["fnml", "k2", "bds", "bic"])
def test_a_class_is_shown_by_its_best_member(score: str) -> None:
    """Of scores that are not equivalent the members differ: network and score must be of the same one."""
    for seed in range(6):
        table = bl.random_network(4, states=(2, 3), seed=seed).sample(30, seed=seed)
        cache = bl.score(table, score=score, bayes_factor=1e6)
        for entry in bl.k_best(cache, 8, by="class").entries:
            assert bl.verify(entry.network, cache=cache, claimed_score=entry.score).ok
