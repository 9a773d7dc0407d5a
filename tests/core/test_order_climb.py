"""Climbing over orders: its network is a local optimum, and the best of small tables."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from made.continuous import conditional_gaussian, linear_gaussian, tied_numbers
from made.families import NO_SCORE, local_scores
from made.scores import of_numbers

every_score = pytest.mark.parametrize("name", of_numbers)
SLACK = 2048  # units of 2^-30 nat: gains below half of it are rounding


def sets_of(table, name, **more):
    return _core.NeighbourSets(table.encoded, name, {}, threads=1, **more)


def total(table, name, parents):
    return sum(local_scores(table, name, [(v, tuple(up)) for v, up in enumerate(parents)]))


def ancestors(parents):
    found = [set() for _ in parents]
    for _ in parents:
        for v, up in enumerate(parents):
            found[v] |= set(up).union(*(found[u] for u in up))
    return found


@every_score
@pytest.mark.parametrize("seed", range(6))
def test_parents_are_a_local_optimum_and_scores_those_of_any_network(name, seed):
    table, _ = linear_gaussian(seed, variables=12, rows=[40, 200, 1000][seed % 3], degree=3 + seed % 3)
    found = sets_of(table, name).climb_orders(seed=seed)
    parents = found["parents"]
    assert found["score"] == total(table, name, parents)
    assert not found["stopped"]
    above = ancestors(parents)
    looked = 0
    for v, up in enumerate(parents):
        assert v not in above[v]
        [own] = local_scores(table, name, [(v, tuple(up))])
        others = [[u for u in up if u != gone] for gone in up]
        others += [sorted([*up, u]) for u in above[v] - set(up)]
        for score in local_scores(table, name, [(v, tuple(other)) for other in others]):
            assert score <= own + SLACK
            looked += 1
    assert looked > 12


@every_score
@pytest.mark.parametrize("seed", range(10))
def test_it_finds_the_best_network_of_a_small_table(name, seed):
    table, _ = linear_gaussian(seed, variables=7, rows=300, degree=4)
    best = bl.search(bl.score(table, score=name), solver="dp").fixed_score
    assert sets_of(table, name).climb_orders(seed=seed, patience=200)["score"] == best


@every_score
def test_under_a_limit_on_parents_it_finds_nearly_always_the_best(name):
    found = 0
    for seed in range(6):
        table, _ = linear_gaussian(seed, variables=7, rows=300, degree=5)
        limit = 1 + seed % 3
        free = bl.search(bl.score(table, score=name), solver="dp").network.parents
        assert max(map(len, free.values())) > limit
        best = bl.search(bl.score(table, score=name, max_parents=limit), solver="dp").fixed_score
        climbed = sets_of(table, name, rules=[([], [], limit)] * 7).climb_orders(seed=seed, patience=200)
        assert max(map(len, climbed["parents"])) <= limit
        assert climbed["score"] <= best
        found += climbed["score"] == best
    assert found >= 5


@every_score
@pytest.mark.parametrize("seed", range(3))
def test_a_limit_on_parents_does_not_keep_whom_it_met_first(name, seed):
    table, _ = linear_gaussian(seed, variables=40, rows=500, degree=8)
    sets = sets_of(table, name, rules=[([], [], 4)] * 40)
    assert sets.climb_orders(seed=seed)["score"] > sets.climb()["score"]


@every_score
def test_rounds_never_lose_and_the_same_seed_gives_the_same(name):
    table, _ = linear_gaussian(3, variables=25, rows=300, degree=6)
    first = sets_of(table, name).climb_orders(seed=4)
    start = first["parents"]
    again = sets_of(table, name).climb_orders(start, seed=5, patience=30)
    assert again["score"] >= first["score"] - SLACK
    assert again == sets_of(table, name).climb_orders(start, seed=5, patience=30)
    stopped = sets_of(table, name).climb_orders(start, seed=5, patience=1000, work=5000)
    assert stopped["stopped"]
    assert stopped["score"] == total(table, name, stopped["parents"])


@every_score
@pytest.mark.parametrize("seed", range(8))
def test_copies_constants_and_sums(name, seed):
    table = tied_numbers(seed, variables=9, rows=60)
    found = sets_of(table, name).climb_orders(seed=seed, patience=20)
    assert found["score"] == total(table, name, found["parents"])
    result = bl.learn(table, score=name, method="loop", time_limit=None, threads=1)
    assert result.verify().ok


@every_score
def test_a_limit_on_parents_is_kept_and_other_rules_leave_it_out(name):
    table, _ = linear_gaussian(2, variables=10, rows=400, degree=6)
    limited = sets_of(table, name, rules=[([], [], 2)] * 10)
    assert limited.climbs_orders
    assert max(map(len, limited.climb_orders(patience=20)["parents"])) == 2
    forbidden = sets_of(table, name, rules=[([], [9], None)] + [([], [], None)] * 9)
    assert not forbidden.climbs_orders
    with pytest.raises(InputError, match="without rules"):
        forbidden.climb_orders()
    assert not sets_of(table, name, before=[(0, 1)]).climbs_orders


def test_scores_of_states_and_of_cells_leave_it_out():
    mixed, _ = conditional_gaussian(1, variables=5, rows=200)
    assert not sets_of(mixed, "bic-cg").climbs_orders
    assert not sets_of(bl.random_network(4, seed=1).sample(50, seed=1), "bic").climbs_orders
    assert sets_of(linear_gaussian(1, variables=4, rows=50)[0], "dg").climbs_orders


@every_score
@pytest.mark.parametrize("work", [1, 30, 1000, None])
def test_an_impossible_start_has_no_false_score_however_soon_it_ends(name, work):
    """Sums of what is below every score came round, and stood for the best that there is."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 12))
    rows[:, 1] = rows[:, 0]
    if name == "bge":
        rows[:, :2] *= 1e9
    table = bl.read_table({f"v{i}": rows[:, i].tolist() for i in range(12)}, continuous="all")
    start = [[0, 1] if 2 <= v < 6 else [] for v in range(12)]
    found = sets_of(table, name).climb_orders(start, seed=1, work=work)
    assert found["score"] == pytest.approx(total(table, name, found["parents"]), abs=12)
    if local_scores(table, name, [(2, (0, 1))])[0] < NO_SCORE:
        with pytest.raises(InputError, match="not possible under score"):
            sets_of(table, name).climb(start, work=work)
