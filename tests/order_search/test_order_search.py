"""The solvers as users meet them: options, start, target, limits."""

from __future__ import annotations

import random
from dataclasses import fields

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.solvers import order_search
from bayesloom.solvers.api import SOLVERS
from made.lists import cache_of, random_lists

NAMES = ["obs", "asobs", "inobs", "iinobs", "minobs"]


@pytest.fixture(scope="module")
def cache():
    return cache_of(random_lists(random.Random(3), 30, most=40, worst=10**6))


@pytest.fixture(scope="module")
def small():
    return cache_of(random_lists(random.Random(4), 12, most=30, worst=10**6))


def test_every_solver_is_registered():
    for name in NAMES:
        solver = SOLVERS[name]
        assert issubclass(solver, order_search.OrderSearchSolver)
        assert (solver.name, solver.exact, solver.takes_target) == (name, False, True)


def test_minobs_finds_what_dynamic_programming_proves(small):
    best = bl.search(small, solver="dp")
    found = bl.search(small, solver="minobs", work_limit=20_000)
    assert found.score == best.score
    assert found.bound >= best.score


@pytest.mark.parametrize("name", NAMES)
def test_without_limits_a_search_ends_by_itself(name, cache):
    result = bl.search(cache, solver=name)
    assert result.status == "stopped"
    assert result.trace[-1].score == result.score
    assert result.trace[-1].bound == result.bound


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_threads_does_not_change_the_result(name, cache):
    def answer(threads, **options):
        result = bl.search(
            cache, solver=name, work_limit=3000, seed=7, threads=threads, options=options or None
        )
        return result.network, result.score, result.work

    assert answer(1) == answer(3)
    assert answer(1, islands=4) == answer(3, islands=4)


def test_a_network_or_an_order_can_be_the_start(cache):
    good = bl.search(cache, solver="minobs", work_limit=20_000)
    for start in (good.network, good.network.order):
        assert bl.search(cache, solver="inobs", start=start, options={"climbs": 1}).score >= good.score


def test_a_target_ends_the_search(cache):
    good = bl.search(cache, solver="minobs", work_limit=20_000)
    result = bl.search(cache, solver="minobs", target=good.trace[0].score)
    assert result.score >= good.trace[0].score
    assert result.work <= good.work


def test_options_come_as_a_dictionary_or_an_instance(cache):
    given = {"selection": "best", "climbs": 2}
    one = bl.search(cache, solver="inobs", options=given)
    two = bl.search(cache, solver="inobs", options=order_search.Inobs(**given))
    assert (one.network, one.work) == (two.network, two.work)


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_those_of_the_core(name):
    ours = SOLVERS[name]()
    made = ours._core_options(bounded=False)
    plain = type(made)()
    shared = {entry.name for entry in fields(order_search.OrderSearchSolver)}
    for entry in fields(ours):
        if entry.name not in shared:
            assert getattr(made, entry.name) == getattr(plain, entry.name), entry.name


def test_published_options_run(cache):
    for name, options in (
        ("iinobs", order_search.Iinobs.published()),
        ("minobs", order_search.Minobs.published()),
    ):
        assert bl.search(cache, solver=name, work_limit=5000, options=options).work >= 5000


def test_a_time_limit_is_kept(cache, stepping_clock):
    work = []
    for limit in (0.05, 0.1, 0.1):
        stepping_clock(0.001)
        result = bl.search(cache, solver="minobs", time_limit=limit, threads=1)
        assert result.status == "stopped"
        assert result.score <= result.bound
        work.append(result.work)
    assert 0 < work[0] < work[1] == work[2]


@pytest.mark.parametrize(
    ("solver", "arguments", "message"),
    [
        ("inobs", {"options": {"selction": "best"}}, "Did you mean 'selection'"),
        ("inobs", {"options": {"selection": "worst"}}, "unknown selection 'worst'"),
        ("inobs", {"options": {"climbs": 0}}, "climbs must be a whole number of at least 1"),
        ("inobs", {"options": 3}, "options must be a dictionary or an instance of Inobs, got int"),
        ("inobs", {"options": order_search.Obs()}, "instance of Inobs, got Obs"),
        ("obs", {"options": {"tabu": -1}}, "tabu must be a whole number of at least 0"),
        ("asobs", {"options": {"moves": "jumps"}}, "unknown moves 'jumps'"),
        ("asobs", {"options": {"stall": 1.5}}, "stall must be a whole number"),
        ("iinobs", {"options": {"shake": "hard"}}, "unknown shake 'hard'"),
        ("iinobs", {"options": {"strength": 2}}, "strength must be a number of at least 0 and at most 1"),
        ("iinobs", {"options": {"leeway": -1}}, "leeway must be a number of at least 0, got -1"),
        ("iinobs", {"options": {"soft_restart_share": -1}}, "soft_restart_share must be a number"),
        ("iinobs", {"options": {"neutral": 0}}, "neutral must be a whole number of at least 1"),
        ("minobs", {"options": {"crossover": "xx"}}, "unknown crossover 'xx'"),
        ("minobs", {"options": {"population": 0}}, "population must be a whole number of at least 1"),
        ("minobs", {"options": {"crossovers": 0, "mutations": 0}}, "there would be no offspring"),
        ("minobs", {"options": {"polish": float("inf")}}, "polish must be finite"),
        ("minobs", {"options": {"islands": 0}}, "islands must be a whole number of at least 1"),
        ("minobs", {"options": {"patience": 0.5}}, "patience must be a number of at least 1"),
        ("minobs", {"options": {"islands": 3}, "threads": 2, "time_limit": 1}, "cannot run side by side"),
        ("minobs", {"target": float("nan")}, "target must be a score or None"),
        ("minobs", {"start": ["X0"]}, "variable 'X1' of the score cache is missing from start"),
        ("minobs", {"start": ["Y"]}, "variable 'Y' of start is not in the score cache"),
        ("minobs", {"start": ["X0", "X0"]}, "variable 'X0' occurs twice in start"),
        ("dp", {"target": 0.0}, "solver 'dp' takes no target"),
        ("dp", {"options": {"polish": 1}}, "unknown option of solver 'dp'"),
    ],
)
def test_what_cannot_be_used_is_refused(solver, arguments, message, small):
    with pytest.raises(InputError, match=message):
        bl.search(small, solver=solver, **arguments)


def test_the_core_has_one_enumerator_for_every_choice():
    assert set(_core.Selection.__members__) == {"best", "first", "hybrid"}
    assert set(_core.Crossover.__members__) == {"cx", "rx", "ob"}
