"""src/core/order_search against the definitions in tests/reference/orders.py."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.scoring.cache import ScoreCache
from made.lists import UNIT, cache_of, random_lists
from reference import orders

SOLVERS = {
    "obs": _core.ObsOptions,
    "asobs": _core.AsobsOptions,
    "inobs": _core.InobsOptions,
    "iinobs": _core.IinobsOptions,
    "minobs": _core.MinobsOptions,
}


def instances(count, *, largest=7):
    """Every other one may have variables without the empty candidate, or no network at all."""
    for seed in range(count):
        rng = random.Random(seed)
        lists = random_lists(rng, rng.randint(1, largest), empty=1.0 if seed % 2 else 0.5)
        yield seed, rng, lists, cache_of(lists)


def limits(seed=0, **values):
    made = _core.OrderSearchLimits()
    made.seed = seed
    for name, value in values.items():
        setattr(made, name, value)
    return made


def options(name, **values):
    made = SOLVERS[name]()
    for key, value in values.items():
        setattr(made, key, value)
    return made


def solve(name, cache, options_, limits_):
    return getattr(_core, name)(cache.core, options_, limits_)


def network(cache, out):
    first, parents = cache.parent_first, cache.parents
    return [frozenset(map(int, parents[int(first[c]) : int(first[c + 1])])) for c in out["candidates"]]


def total(cache, candidates):
    return sum(int(cache.scores[c]) for c in candidates)


def test_the_best_network_for_an_order_is_the_one_of_the_definition():
    for _, rng, lists, cache in instances(300):
        order = rng.sample(range(len(lists)), len(lists))
        expected = orders.best_in_order(lists, order)
        if expected is None:
            with pytest.raises(InfeasibleError, match="this order leaves variable"):
                _core.best_for_order(cache.core, order)
        else:
            assert total(cache, _core.best_for_order(cache.core, order)) == expected * UNIT


def test_the_insert_kernel_values_every_place_as_the_definition_does():
    looked_at = 0
    for _, rng, lists, cache in instances(400):
        order = rng.sample(range(len(lists)), len(lists))
        if orders.best_in_order(lists, order) is None:
            continue
        for x in order:
            gains, position, gain = _core.insert_gains(cache.core, order, x)
            expected = [None if g is None else g * UNIT for g in orders.insert_gains(lists, order, x)]
            assert gains == expected
            assert gain == max(g for g in expected if g is not None)
            assert gains[position] == gain
            looked_at += 1
    assert looked_at > 1000


@pytest.mark.parametrize("padding", [0, 60], ids=["words", "places"])
def test_long_lists_are_valued_as_the_definition_does(padding):
    """Up to 64 variables choices from long lists are remembered; with 60 lone variables more, not."""
    for seed in range(12):
        rng = random.Random(seed)
        lists = random_lists(rng, 11, most=220, worst=rng.choice([40, 10**6]))
        lists += [[(-1, frozenset())] for _ in range(padding)]
        assert max(map(len, lists)) > 64
        cache = cache_of(lists)
        order = rng.sample(range(len(lists)), len(lists))
        for x in range(11):
            gains, position, gain = _core.insert_gains(cache.core, order, x)
            expected = [g * UNIT for g in orders.insert_gains(lists, order, x)]
            assert gains == expected
            assert gain == gains[position] == max(expected)
        for name in ("inobs", "minobs"):
            out = solve(name, cache, options(name), limits(seed, work=3000))
            assert out["score"] == orders.best_in_order(lists, out["order"]) * UNIT
            gaining = [_core.insert_gains(cache.core, out["order"], x)[2] for x in range(11)]
            assert name == "minobs" or max(gaining) == 0


@pytest.mark.parametrize("selection", ["hybrid", "first", "best"])
def test_a_climb_by_inserts_ends_in_a_local_optimum(selection):
    """Also a proof of the dirty set: a variable wrongly taken for clean would show here."""
    for seed, _, lists, cache in instances(250):
        chosen = options("inobs", selection=_core.Selection[selection])
        try:
            out = solve("inobs", cache, chosen, limits(seed))
        except InfeasibleError:
            continue
        assert out["score"] == orders.best_in_order(lists, out["order"]) * UNIT
        assert orders.is_local_optimum(lists, out["order"])


def test_shaken_orders_are_local_optima_too():
    """After forced inserts and swaps only part of the variables is looked at again."""
    for shake in _core.Shake:
        for seed, _, lists, cache in instances(120, largest=6):
            chosen = options("iinobs", shake=shake, neutral=5, hard_restart=20)
            try:
                out = solve("iinobs", cache, chosen, limits(seed, work=2000))
            except InfeasibleError:
                continue
            assert out["score"] == orders.best_in_order(lists, out["order"]) * UNIT
            assert orders.is_local_optimum(lists, out["order"])


def test_a_large_local_optimum_has_no_gaining_insert():
    """The dirty set at scale: the kernel itself, checked above, looks at every variable once more."""
    cache = cache_of(random_lists(random.Random(9), 300, most=60, worst=10**6))
    for shake in (False, True):
        name = "iinobs" if shake else "inobs"
        out = solve(name, cache, options(name), limits(work=60_000))
        for x in range(300):
            assert _core.insert_gains(cache.core, out["order"], x)[2] == 0


def test_acyclic_selection_is_the_one_of_the_definition_and_never_below_the_order():
    """Theorem 3 of scanagatta2015."""
    better = 0
    for _, rng, lists, cache in instances(400):
        order = rng.sample(range(len(lists)), len(lists))
        forward = orders.best_in_order(lists, order)
        if forward is None:
            continue
        chosen = _core.acyclic_selection(cache.core, order)
        assert not _core.find_cycle([sorted(up) for up in network(cache, {"candidates": chosen})])
        assert total(cache, chosen) >= forward * UNIT
        better += total(cache, chosen) > forward * UNIT
        if len({score for found in lists for score, _ in found}) == sum(map(len, lists)):
            assert total(cache, chosen) == orders.acyclic_selection(lists, order) * UNIT
    assert better > 50


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_returns_a_network_of_its_claimed_score(name):
    """A thousand random caches: acyclic, the claimed score, below the bound, or proved impossible."""
    for seed, _, lists, cache in instances(1000, largest=6):
        try:
            out = solve(name, cache, options(name), limits(seed, work=300))
        except InfeasibleError:
            assert orders.best_score(lists) is None
            continue
        assert out["score"] == total(cache, out["candidates"]) <= out["bound"]
        assert out["bound"] == sum(max(score for score, _ in found) for found in lists) * UNIT
        chosen = network(cache, out)
        assert not _core.find_cycle([sorted(up) for up in chosen])
        for v, c in enumerate(out["candidates"]):
            assert int(cache.first[v]) <= c < int(cache.first[v + 1])
        place = {v: i for i, v in enumerate(out["order"])}
        assert all(place[p] < place[v] for v, up in enumerate(chosen) for p in up)
        scores = [score for _, _, score, _ in out["trace"]]
        assert scores == sorted(set(scores))
        assert scores[-1] == out["score"] / UNIT


@pytest.mark.parametrize("name", ["iinobs", "minobs"])
def test_small_optima_are_found(name):
    for seed, _, lists, cache in instances(60, largest=6):
        best = orders.best_score(lists)
        if best is not None:
            assert solve(name, cache, options(name), limits(seed, work=5000))["score"] == best * UNIT


@pytest.mark.parametrize("crossover", ["cx", "rx", "ob"])
def test_every_crossover_gives_orders(crossover):
    for seed, _, lists, cache in instances(40):
        chosen = options("minobs", crossover=_core.Crossover[crossover], polish=0, population=4)
        try:
            out = solve("minobs", cache, chosen, limits(seed, work=3000))
        except InfeasibleError:
            continue
        assert sorted(out["order"]) == list(range(len(lists)))
        assert out["score"] == orders.best_in_order(lists, out["order"]) * UNIT


@pytest.fixture(scope="module")
def middling():
    """Forty variables: large enough that a thousand units of work decide nothing."""
    return cache_of(random_lists(random.Random(5), 40, most=60, worst=10**6))


@pytest.mark.parametrize("name", SOLVERS)
def test_equal_seed_and_work_limit_give_equal_results(name, middling):
    def answer(seed, **values):
        out = solve(name, middling, options(name), limits(seed, work=4000, **values))
        return out["candidates"], out["order"], out["work"], [point[1:] for point in out["trace"]]

    assert answer(1) == answer(1)
    assert answer(1, islands=3, threads=1)[:3] == answer(1, islands=3, threads=3)[:3]


@pytest.mark.parametrize("name", SOLVERS)
def test_a_work_limit_of_one_still_gives_a_network(name, middling):
    out = solve(name, middling, options(name), limits(work=1))
    assert out["score"] == total(middling, out["candidates"])
    assert len(out["trace"]) == 1


@pytest.mark.parametrize("name", SOLVERS)
def test_a_start_is_never_made_worse(name, middling):
    good = solve("minobs", middling, options("minobs"), limits(work=20000))
    out = solve(name, middling, options(name), limits(start=good["order"], work=2000))
    assert out["score"] >= good["score"]


@pytest.mark.parametrize("name", SOLVERS)
def test_a_search_ends_at_its_target(name, middling):
    first = solve(name, middling, options(name), limits(work=4000))
    target = int(first["trace"][0][2] * UNIT)
    out = solve(name, middling, options(name), limits(target=target, work=10**9))
    assert out["score"] >= target
    assert out["work"] < 10**6


def test_a_hundred_thousand_variables():
    """In a cycle of best candidates: places take more than sixteen bits."""
    n = 100_000
    first = np.arange(0, 2 * n + 1, 2, dtype=np.uint64)
    parent_first = np.repeat(np.arange(n + 1, dtype=np.uint64), 2)[: 2 * n + 1]
    parents = ((np.arange(n) + 1) % n).astype(np.uint32)
    scores = np.tile([-2.0, -1.0], n)
    cache = ScoreCache.from_arrays([f"X{v}" for v in range(n)], first, scores, parent_first, parents)
    out = solve("inobs", cache, options("inobs"), limits(work=3 * n))
    assert out["score"] == total(cache, out["candidates"]) > -1.4 * n * UNIT
    assert sorted(out["order"]) == list(range(n))


def test_a_search_ends_when_every_variable_has_its_best_candidate():
    cache = cache_of([[(-1, frozenset())], [(-5, frozenset()), (-2, frozenset({0}))]])
    out = solve("minobs", cache, options("minobs"), limits())
    assert out["score"] == out["bound"] == -3 * UNIT


def test_patience_ends_a_search(middling):
    out = solve("iinobs", middling, options("iinobs"), limits(patience=2))
    assert out["trace"][-1][1] <= out["work"] / 2


def test_candidates_that_need_one_another_are_refused():
    lists = [[(-1, frozenset({1}))], [(-1, frozenset({0}))], [(-1, frozenset())]]
    cache = cache_of(lists)
    for name in SOLVERS:
        with pytest.raises(InfeasibleError, match="2 variables, 'X0' among them, have only candidates"):
            solve(name, cache, options(name), limits())


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [0, 1, 1]])
def test_an_order_names_every_variable_once(order):
    cache = cache_of([[(-1, frozenset())], [(-1, frozenset())]])
    for call in (_core.best_for_order, _core.acyclic_selection, lambda c, o: _core.insert_gains(c, o, 0)):
        with pytest.raises(InputError, match="an order must name every variable once"):
            call(cache.core, order)
    with pytest.raises(InputError, match="an order must name every variable once"):
        solve("inobs", cache, options("inobs"), limits(start=order))
    with pytest.raises(InputError, match="there is no such variable"):
        _core.insert_gains(cache.core, [0, 1], 2)


def test_an_error_in_progress_stops_the_search_and_is_raised(middling):
    def progress(work, seconds):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        _core.minobs(middling.core, options("minobs"), limits(), progress=progress)
