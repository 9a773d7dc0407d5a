"""`solver="auto"`: several solvers that tell each other what they have."""

from __future__ import annotations

import dataclasses
import threading

import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.api import search
from bayesloom.solvers.auto import Auto
from bayesloom.solvers.relaxation import Bblp
from made.caches import random_cache, tied_cache


def blocks(seeds: list[int], variables: int = 8, candidates: int = 25) -> tuple[ScoreCache, int]:
    """Independent random caches side by side, and the best score of the whole by dynamic programming."""
    lists: dict[str, list[tuple[float, list[str]]]] = {}
    best = 0
    for seed in seeds:
        part = random_cache(seed, variables=variables, candidates=candidates)
        best += _core.subset_dp(part.core, threads=1)["score"]
        first, pf, flat = part.first, part.parent_first, part.parents
        for v in range(variables):
            lists[f"b{seed}_{v}"] = [
                (
                    _core.to_nats(int(part.scores[c])),
                    [f"b{seed}_{int(p)}" for p in flat[int(pf[c]) : int(pf[c + 1])]],
                )
                for c in range(int(first[v]), int(first[v + 1]))
            ]
    return ScoreCache.from_candidates(list(lists), lists), best


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_it_proves_the_score_of_dynamic_programming(seed, threads):
    cache, best = blocks([seed, seed + 1, seed + 2, seed + 3])
    assert cache.variable_count > Auto.dp_later
    result = search(cache, solver="auto", threads=threads, seed=seed)
    assert (result.status, result.fixed_score, result.fixed_bound) == ("optimal", best, best)
    assert result.solver == "minobs+bblp"


@pytest.mark.parametrize("threads", [1, 2])
def test_on_many_small_caches_it_agrees_with_dynamic_programming(threads):
    no_dp = {"dp_first": 0, "dp_later": 0}  # otherwise it would be dynamic programming itself
    infeasible = 0
    for seed in range(threads - 1, 1000, 2):
        cache = tied_cache(seed)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            infeasible += 1
            with pytest.raises(InfeasibleError):
                search(cache, solver="auto", threads=threads, options=no_dp)
            continue
        result = search(cache, solver="auto", threads=threads, seed=seed, options=no_dp)
        assert result.solver == "minobs+bblp"
        assert (result.status, result.fixed_score, result.fixed_bound) == ("optimal", best, best), seed
    assert 0 < infeasible < 250


def test_up_to_twenty_variables_it_is_dynamic_programming():
    result = search(random_cache(1, variables=Auto.dp_first, candidates=20), solver="auto", threads=1)
    assert (result.solver, result.status) == ("dp", "optimal")


def test_more_variables_than_a_power_of_two_has_room_for():
    names = [f"x{v}" for v in range(1100)]
    lists = {name: [(0.0, []), (1.0, [names[v - 1]])] for v, name in enumerate(names)}
    result = search(ScoreCache.from_candidates(names, lists), solver="auto", threads=2)
    assert (result.status, result.score) == ("optimal", 1099.0)


def test_dynamic_programming_takes_over_where_the_others_are_slow(monkeypatch):
    cache, best = blocks([1, 2, 3])
    solve = Bblp.solve

    def stopped_at_once(self, cache, limits):
        return solve(Bblp(moves=0), cache, dataclasses.replace(limits, work=1))

    monkeypatch.setattr(Bblp, "solve", stopped_at_once)
    result = search(cache, solver="auto", threads=2)
    assert (result.status, result.fixed_score, result.solver) == ("optimal", best, "minobs+bblp+dp")
    assert (result.trace[-1].score, result.trace[-1].bound) == (result.score, result.bound)
    # With too little time for it, it is not begun.
    late = {"dp_seconds": 1.0}
    assert search(cache, solver="auto", threads=2, time_limit=5, options=late).solver == "minobs+bblp"


def test_under_a_work_limit_the_same_seed_gives_the_same_result():
    cache = random_cache(4, variables=30, candidates=80)
    runs = [search(cache, solver="auto", threads=threads, seed=3, work_limit=40_000) for threads in (1, 2, 1)]
    assert len({(r.network, r.fixed_score, r.fixed_bound, r.work) for r in runs}) == 1


def test_a_time_limit_leaves_score_and_bound_in_order_with_a_trace(stepping_clock):
    cache = random_cache(5, variables=60, candidates=200)
    for threads in (1, 2):
        stepping_clock(0.001)
        result = search(cache, solver="auto", threads=threads, time_limit=0.5)
        assert result.status == "stopped"
        assert result.fixed_score <= result.fixed_bound
        scores, bounds = [p.score for p in result.trace], [p.bound for p in result.trace]
        assert scores == sorted(scores)
        assert bounds == sorted(bounds, reverse=True)
        assert (scores[-1], bounds[-1]) == (result.score, result.bound)


@pytest.mark.parametrize("threads", [1, 2])
def test_without_any_network_it_says_so_and_leaves_no_thread_behind(threads):
    names = [f"x{v}" for v in range(30)]
    lists = {name: [(0.0, [names[v - 1]])] for v, name in enumerate(names)}
    cache = ScoreCache.from_candidates(names, lists)
    with pytest.raises(InfeasibleError):
        search(cache, solver="auto", threads=threads)
    assert "minobs" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_progress_ends_both(threads, stepping_clock):
    def progress(event):
        raise KeyError("mine")

    cache = random_cache(6, variables=60, candidates=300)
    stepping_clock(0.01)
    with pytest.raises(KeyError, match="mine"):
        search(cache, solver="auto", threads=threads, progress=progress)
    assert "minobs" not in [thread.name for thread in threading.enumerate()]


def test_the_exchange_keeps_the_best_and_knows_when_they_meet():
    exchange = _core.Exchange(turns=False)
    cache = random_cache(7, variables=12, candidates=30)
    limits = _core.OrderSearchLimits()
    limits.exchange = exchange
    limits.work = 5000
    found = _core.minobs(cache.core, _core.MinobsOptions(), limits)
    assert exchange.score == found["score"]
    # The other one takes the network over, though it makes no move of its own.
    out = _core.bblp(cache.core, moves=0, work=1, exchange=exchange)
    assert out["score"] >= found["score"]
    done = _core.bblp(cache.core, exchange=exchange)
    assert exchange.score == exchange.bound == done["score"] == done["bound"]
