"""`bayesloom.score`: what the cache says about itself, and what is refused."""

from __future__ import annotations

import pytest

import bayesloom as bl
from bayesloom.errors import InputError


@pytest.fixture(scope="module")
def table():
    return bl.random_network(9, states=(2, 3), max_parents=3, concentration=0.5, seed=4).sample(300, seed=4)


def test_exhaustive_is_complete_for_the_factor_asked_for(table):
    assert bl.score(table).complete_factor == 1
    within = bl.score(table, bayes_factor=20)
    assert within.complete_factor == 20
    assert within.candidate_count > bl.score(table).candidate_count


def test_a_parent_limit_is_told_only_if_it_matters(table):
    assert bl.score(table, max_parents=1).info["max_parents"] == 1
    assert bl.score(table, max_parents=8).info["max_parents"] is None


@pytest.mark.parametrize("method", ["independence", "greedy", "sequential"])
def test_an_anytime_method_that_runs_to_its_end_is_complete(table, method):
    cache = bl.score(table, method=method, sets_per_variable=10**6)
    everything = bl.score(table)
    assert cache.complete
    assert cache.info["certified"] == 9
    assert [cache.candidates(name) for name in table.names] == [
        everything.candidates(name) for name in table.names
    ]


@pytest.mark.parametrize("method", ["independence", "greedy", "sequential"])
def test_one_that_is_stopped_is_not_and_says_what_it_was_given(table, method):
    cache = bl.score(table, method=method, sets_per_variable=3, max_parents=2)
    assert not cache.complete
    assert cache.info["method"] == method
    assert cache.info["sets_per_variable"] == 3
    assert bl.search(cache).claim.startswith("optimal over the candidates scored")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "independance"}, "unknown method 'independance'. Did you mean 'independence'"),
        ({"bayes_factor": 0.5}, "bayes_factor must be a number of at least 1 and .*, got 0.5"),
        ({"max_parents": -1}, "max_parents must be a whole number of at least 0, got -1"),
        ({"time_per_variable": 1}, "takes no budget per variable"),
        ({"method": "greedy", "time_per_variable": 0}, "time_per_variable must be a positive number"),
        ({"method": "greedy", "sets_per_variable": 0}, "sets_per_variable must be a whole number"),
        ({"method": "greedy", "max_parents": 13}, "grows parent sets to 12 parents at most, got 13"),
        ({"method": "greedy", "parents_considered": 2000}, "can be 1023 at most, got 2000"),
        ({"score": "bdeu", "options": {"ess": 0}}, "option 'ess' of score 'bdeu' must lie between"),
        ({"threads": 1.5}, "threads must be a whole number of at least 1, got 1.5"),
    ],
)
def test_what_makes_no_sense_is_refused(table, options, message):
    with pytest.raises(InputError, match=message):
        bl.score(table, **options)


def test_progress_is_told_by_stage(table, stepping_clock):
    big = bl.random_network(40, max_parents=3, seed=1).sample(1000, seed=1)
    heard = []
    stepping_clock(0.01)
    bl.score(big, method="independence", time_limit=0.5, progress=heard.append)
    assert heard
    assert {event.stage for event in heard} == {"score"}
