"""What must hold of every solver in the table; a new solver is tested without a line here."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bayesloom import verify
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.solvers.api import SOLVERS, search
from made.caches import caches, content, random_cache
from reference.networks import best_score

every_solver = pytest.mark.parametrize("solver", [*sorted(SOLVERS), "auto"])
LIMIT = 20_000  # work, for solvers that would go on for ever


def run(cache, solver, **options):
    options.setdefault("work_limit", None if solver == "auto" or SOLVERS[solver].exact else LIMIT)
    return search(cache, solver=solver, threads=1, memory=1, **options)


@every_solver
@settings(max_examples=150)
@given(cache=caches(info=False))
def test_score_best_and_bound_are_in_order_and_exact_means_exact(solver, cache):
    best = best_score(content(cache.core))
    if best is None:
        with pytest.raises(InfeasibleError):
            run(cache, solver)
        return
    result = run(cache, solver)
    assert result.fixed_score <= best <= result.fixed_bound
    assert verify(result.network, cache=cache, claimed_score=result.score, bound=result.bound).ok
    if solver == "auto" or SOLVERS[solver].exact:
        assert result.status == "optimal"
    if result.status == "optimal":
        assert result.gap == 0
        assert result.fixed_score == best


@every_solver
def test_same_seed_same_result_whatever_the_number_of_threads(solver):
    cache = random_cache(1, variables=12, candidates=40)
    first = run(cache, solver, seed=5)
    limit = None if solver == "auto" or SOLVERS[solver].exact else LIMIT
    again = search(cache, solver=solver, threads=2, memory=1, seed=5, work_limit=limit)
    assert (first.network, first.score, first.bound) == (again.network, again.score, again.bound)


@every_solver
@pytest.mark.parametrize("work", [1, 10, 100, 1000])
@pytest.mark.parametrize("given", [False, True])
def test_a_stopped_search_leaves_no_parents_that_should_go(solver, work, given):
    """Of the candidates inside of a parent set that is chosen, none is better."""
    first = 1000 * work + 100 * given  # no two runs on the same cache: a solver may leave files behind
    for seed in range(first, first + 3):
        cache = random_cache(seed, variables=13, candidates=60)
        start = run(cache, "inobs", work_limit=1, seed=seed).network if given else None
        result = run(cache, solver, work_limit=work, seed=seed, start=start)
        for name, parents in result.network.parents.items():
            inside = [score for score, up in cache.candidates(name) if set(up) <= set(parents)]
            assert result.local_scores[name] == max(inside)


@every_solver
def test_a_work_limit_of_one_still_gives_a_network_and_a_bound(solver):
    cache = random_cache(2, variables=14, candidates=40)
    best = run(cache, "auto").score
    result = run(cache, solver, work_limit=1)
    assert result.score <= best + 1e-9 <= result.bound + 2e-9
    assert set(result.network.names) == set(cache.names)


@every_solver
def test_one_variable_and_one_candidate_each(solver):
    assert run(random_cache(3, variables=1, candidates=1), solver).network.edges == []
    result = run(random_cache(4, variables=8, candidates=1, max_parents=0), solver)
    assert (result.status, result.network.edges) == ("optimal", [])


@every_solver
def test_the_cache_is_not_changed(solver):
    cache = random_cache(5, variables=8, candidates=20)
    before = content(cache.core)
    run(cache, solver)
    assert content(cache.core) == before


@every_solver
def test_an_error_in_progress_stops_the_search_and_is_raised(solver, stepping_clock):
    cache = random_cache(6, variables=25, candidates=60)
    heard = []

    def progress(event):
        heard.append(event)
        raise KeyError("mine")

    stepping_clock(0.1)  # every look is a poll
    with pytest.raises(KeyError, match="mine"):
        search(cache, solver=solver, progress=progress, memory=4, work_limit=10**7)
    assert len(heard) == 1


def test_an_unknown_solver_is_named_with_the_known_ones():
    with pytest.raises(InputError, match=r"unknown solver 'dpp'. Did you mean 'dp'\? Known: .*dp"):
        search(random_cache(7, variables=2, candidates=2), solver="dpp")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "threads must be a whole number of at least 1, got 0"),
        ({"time_limit": -1}, "time_limit must be a positive number of seconds up to .*, got -1"),
        ({"work_limit": 0}, "work_limit must be a whole number of at least 1, got 0"),
        ({"memory": 0}, "memory must be a positive number of gigabytes up to .*, got 0"),
        ({"seed": -3}, "seed must be a whole number of at least 0, got -3"),
    ],
)
def test_limits_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        search(random_cache(8, variables=2, candidates=2), **options)
