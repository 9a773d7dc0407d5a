"""Sets of many variables go by diagrams: the same networks as by definition, and answers when time is up."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.credible_sets import options
from bayesloom.credible_sets.api import max_loss
from made.lists import UNIT, cache_of, cyclic_cache, flat_cache, stepped_lists
from reference.credible import credible_networks, scored_networks


def diagram(
    cache: bl.ScoreCache, factor: float, *, around_best: bool = True, pace: _core.Pace = _core.Pace.slow
) -> _core.CredibleSet:
    known = _core.bblp(cache.core)["candidates"] if around_best else []
    made = _core.diagram_set(cache.core, max_loss(factor, 0.0), known=known, pace=pace)["set"]
    assert isinstance(made, _core.CredibleSet)
    assert made.backend == "diagram"
    return made


def tune(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    monkeypatch.setattr(options, "OPTIONS", replace(options.OPTIONS, **changes))


@pytest.mark.parametrize("around_best", [True, False])
@pytest.mark.parametrize("seed", range(60))
def test_diagrams_hold_the_networks_of_the_definition(seed: int, around_best: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    factor = float(rng.choice([1, 3, 20, 150]))
    lists = stepped_lists(rng, n)
    expected = credible_networks(scored_networks(lists), max_loss(factor, 0.0))
    cache = cache_of(lists, unit=UNIT)
    made = diagram(cache, factor, around_best=around_best, pace=_core.Pace(seed % 3))
    counted = made.count()
    assert counted["low"] == counted["high"] == counted["count"] == len(expected)
    assert made.best == max(expected.values())
    assert sum(int(cache.core.scores[c]) for c in made.best_network) == made.best
    best = made.best
    assert counted["weight"] == pytest.approx(
        math.fsum(math.exp((score - best) / UNIT) for score in expected.values())
    )
    candidates, scores = made.stream().take(10**6)
    parents = [
        frozenset(map(int, cache.parents[int(a) : int(b)]))
        for a, b in zip(cache.parent_first[:-1], cache.parent_first[1:], strict=True)
    ]
    listed = [tuple(parents[c] for c in row) for row in candidates.reshape(-1, n).tolist()]
    assert len(set(listed)) == len(listed)
    assert dict(zip(listed, scores.tolist(), strict=True)) == expected
    drawn, _ = made.draw(50, seed, even=bool(seed % 2))
    assert {tuple(parents[c] for c in row) for row in drawn.reshape(-1, n).tolist()} <= set(expected)
    assert made.find_near_best(10**6) == len(expected)


def test_networks_near_the_best_are_listed_where_the_count_did_not_end() -> None:
    cache = cyclic_cache(0, 14)
    made = diagram(cache, 20.0)
    counted = made.count(work=1)
    assert (counted["count"], counted["low"], counted["high"]) == (None, 0, None)
    found = made.find_near_best(100)
    assert 1 < found <= 100
    candidates, scores = made.stream().take(1000)
    near = {tuple(row) for row in candidates.reshape(-1, 14).tolist()}
    assert len(near) == len(scores) == found
    assert tuple(made.best_network) in near
    made.count()
    everything = made.stream().take(10**6)[0].reshape(-1, 14).tolist()
    assert near <= set(map(tuple, everything))


def test_walks_without_a_count_are_unbiased() -> None:
    rng = np.random.default_rng(3)
    lists = stepped_lists(rng, 5)
    expected = len(credible_networks(scored_networks(lists), max_loss(150.0, 0.0)))
    count, error, probes, effective = diagram(cache_of(lists, unit=UNIT), 150.0).estimate(20_000, 1)
    assert probes >= 20_000
    assert effective > 100
    assert abs(count - expected) <= 5 * error  # parts of a few variables are counted, not walked


def test_even_draws_are_even() -> None:
    lists = stepped_lists(np.random.default_rng(11), 4)
    made = diagram(cache_of(lists, unit=UNIT), 20.0)
    number = made.count()["count"]
    drawn, _ = made.draw(200 * number, 5, even=True)
    _, times = np.unique(drawn.reshape(-1, 4), axis=0, return_counts=True)
    assert len(times) == number
    assert abs(times - 200).max() < 6 * math.sqrt(200)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sequential_monte_carlo_is_unbiased(seed: int) -> None:
    cache = cyclic_cache(seed, 14)
    expected = diagram(cache, 20.0).count()["count"]
    found = np.array([diagram(cache, 20.0).estimate(200, walk)[0] for walk in range(12)])
    error = found.std(ddof=1) / math.sqrt(len(found))
    assert error < 0.3 * expected
    assert abs(found.mean() - expected) <= 5 * error + 1e-9 * expected


def test_shares_by_walks_are_those_of_the_networks() -> None:
    cache = cyclic_cache(1, 8)
    shares, worth = diagram(cache, 20.0).estimated_shares(20_000, 1)  # not counted, so by walks
    assert 50 < worth <= 313
    counted = diagram(cache, 20.0)
    counted.count()
    drawn, _ = counted.estimated_shares(20_000, 1)
    np.testing.assert_allclose(shares, drawn, atol=5 * 0.5 / math.sqrt(worth))


@pytest.mark.parametrize(("seed", "factor"), [(0, 20.0), (2, 20.0), (3, 3.0), (3, 20.0)])
def test_diagrams_and_sets_of_variables_agree(seed: int, factor: float) -> None:
    cache = cyclic_cache(seed, 18)
    by_sets = _core.subset_dp_set(cache.core, max_loss(factor, 0.0), threads=1)["set"]
    made = diagram(cache, factor)
    counted = made.count()
    assert counted["low"] == counted["high"] == by_sets.count()["count"]
    assert made.best == by_sets.best
    assert counted["weight"] == pytest.approx(by_sets.count()["weight"])
    both = []
    for stream in (made.stream(), by_sets.stream()):
        candidates, scores = stream.take(10**6)
        both.append(
            {
                (*row, score)
                for row, score in zip(candidates.reshape(-1, 18).tolist(), scores.tolist(), strict=True)
            }
        )
    assert both[0] == both[1]


def test_when_time_is_up_there_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, stepping_clock: Callable[[float], None]
) -> None:
    stepping_clock(0.003)  # a thousand looks
    found = bl.credible(flat_cache(40), 1000, time_limit=3, threads=1)
    assert not found.count_is_exact
    assert not found.complete
    low, high = found.count_bounds
    assert high is None
    assert low >= 1
    assert found.count >= low
    assert "at least" in found.claim
    listed = [found.cache.network_score(network.parents) for network in found.networks]
    assert len(listed) >= 1
    assert min(listed) >= found.best - math.log(1000) - 1e-6
    stepping_clock(1e-6)  # as long as it takes for a few probes
    tune(monkeypatch, share_probes=100)
    assert found.edge_posterior.error > 0


@pytest.mark.slow
def test_ctrl_c_while_counting_leaves_an_answer(
    monkeypatch: pytest.MonkeyPatch, stepping_clock: Callable[[float], None]
) -> None:
    tune(monkeypatch, first_work=1000, second_work=1000, proof_work=1000)
    heard: list[bl.ProgressEvent] = []

    def interrupt(event: bl.ProgressEvent) -> None:
        if event.stage == "count":
            heard.append(event)
            os.kill(os.getpid(), signal.SIGINT)

    stepping_clock(0.01)
    found = bl.credible(flat_cache(40), 1000, threads=1, progress=interrupt)
    assert len(heard) == 1  # it did not go on counting
    assert found.interrupted
    assert found.count_bounds[1] is None
    assert found.count >= found.count_bounds[0] >= 1


DIAGRAMS = {"subset_dp_up_to": 1, "dense_up_to": 1}
WAYS: dict[str, dict[str, int]] = {  # what is allowed to end
    "rough diagrams": {"sparse_candidates": 1000},
    "quick diagrams": {"sparse_candidates": 0},
    "better diagrams": {"sparse_candidates": 1000, "rough_work": 1, "first_work": 1},
    "diagrams around the best": {"sparse_candidates": 0, "first_work": 1, "second_work": 1},
    "sets, or diagrams at last": {
        "sparse_candidates": 0,
        "first_work": 1,
        "second_work": 1,
        "proof_work": 1,
    },
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(8))
def test_every_way_counts_the_same(seed: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tune(monkeypatch, **DIAGRAMS, **WAYS[way])
    rng = np.random.default_rng(seed)
    factor = float(rng.choice([1, 3, 20, 150]))
    lists = stepped_lists(rng, 5)
    expected = credible_networks(scored_networks(lists), max_loss(factor, 0.0))
    found = bl.credible(cache_of(lists, unit=UNIT), factor)
    assert found.count_is_exact
    assert found.count == len(expected)
    assert found._core.best == max(expected.values())


def test_what_hasty_prices_leave_together_better_ones_may_part(monkeypatch: pytest.MonkeyPatch) -> None:
    real = _core.diagram_set

    def parted_by_slow_prices(*given: Any, pace: _core.Pace, **more: Any) -> Any:
        if pace != _core.Pace.slow:
            raise bl.ResourceError("the candidates join 65 variables.")
        return real(*given, pace=pace, **more)

    tune(monkeypatch, **DIAGRAMS, sparse_candidates=1000)
    monkeypatch.setattr(_core, "diagram_set", parted_by_slow_prices)
    lists = stepped_lists(np.random.default_rng(1), 5)
    expected = credible_networks(scored_networks(lists), max_loss(20.0, 0.0))
    assert bl.credible(cache_of(lists, unit=UNIT), 20).count == len(expected)


def test_a_count_by_rounded_losses_is_settled_when_asked_again() -> None:
    rng = np.random.default_rng(5)
    sets = [frozenset(), frozenset({0}), frozenset({1}), frozenset({0, 1})]
    own = [
        [(int(score), up) for score, up in zip(rng.integers(-UNIT, 0, 4), sets, strict=True)]
        for _ in range(9)
    ]
    made = diagram(cache_of([[(0, frozenset())], [(0, frozenset())], *own], unit=UNIT), math.exp(4))
    open_count = made.count(work=1)
    assert made.whole
    assert open_count["low"] < open_count["high"]  # 4^9 different losses are rounded
    settled = made.count()
    assert open_count["low"] <= settled["low"] == settled["high"] <= open_count["high"]
    losses = np.zeros(1, dtype=np.int64)
    for each in own:
        below = max(score for score, _ in each)
        losses = np.add.outer(losses, [below - score for score, _ in each]).ravel()
    within = losses[losses <= max_loss(math.exp(4), 0.0)]
    assert settled["count"] == len(within) < 4**9
    assert settled["weight"] == pytest.approx(np.exp(-within / UNIT).sum())


def test_k_best_keeps_constraints() -> None:
    table = {"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}
    best = bl.k_best(table, 2, constraints={"forbidden": [["wet", "rain"]]})
    assert [entry.network.edges for entry in best.entries] == [[("rain", "wet")], []]
