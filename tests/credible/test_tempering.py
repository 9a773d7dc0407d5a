"""Populations that begin near the best estimate the number of all credible networks."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.credible_sets import estimates
from bayesloom.credible_sets.api import slack
from bayesloom.credible_sets.stages import Run, StageClock
from made.lists import UNIT, cache_of, stepped_lists
from reference.credible import credible_networks, scored_networks

from .test_wide import wide

NEAR = 3.0
FAR = 150.0


def estimate(
    lists: list, *, threads: int = 1, size: int = 400, seed: int = 1
) -> tuple[float, float, int, float]:
    cache = cache_of(lists, unit=UNIT)
    near = wide(cache, NEAR)
    near.count()
    candidates, scores = near.stream().take(10**6)
    found = wide(cache, FAR).tempered_estimate(
        candidates, scores, slack(NEAR, 0.0), size, seed, threads=threads
    )
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(12))
def test_populations_find_the_number_of_the_definition(seed: int) -> None:
    lists = stepped_lists(np.random.default_rng(seed), 5)
    expected = len(credible_networks(scored_networks(lists), slack(FAR, 0.0)))
    count, error, networks, worth = estimate(lists)
    assert networks == 16 * 400
    assert worth > 50
    assert abs(count - expected) <= 6 * error + 0.02 * expected


def test_threads_and_seeds() -> None:
    lists = stepped_lists(np.random.default_rng(5), 5)
    one = estimate(lists, size=50)
    assert estimate(lists, size=50, threads=2) == one
    assert estimate(lists, size=50, seed=2) != one


def test_nothing_is_said_without_a_network_to_begin_with() -> None:
    made = wide(cache_of(stepped_lists(np.random.default_rng(5), 4), unit=UNIT), FAR)
    none = np.array([], dtype=np.uint64), np.array([], dtype=np.int64)
    with pytest.raises(bl.InputError, match="there must be a network near the best"):
        made.tempered_estimate(*none, slack(NEAR, 0.0), 10, 1)
    network = np.array(made.best_network, dtype=np.uint64)
    score = np.array([made.best], dtype=np.int64)
    assert made.tempered_estimate(network, score, 0, 10**6, 1, seconds=0.0) is None


def test_populations_stand_in_where_walks_are_worth_little(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(stepped_lists(np.random.default_rng(2), 5), unit=UNIT)
    expected = wide(cache, FAR).count()["count"]
    monkeypatch.setattr(estimates, "FEW_WALKS", math.inf)
    monkeypatch.setattr(estimates, "SIZES", (60, 400))
    found = estimates.stand_in(wide(cache, FAR), 0, cache, Run(None, 3, 1, None, None), StageClock(None))
    assert found["by"] == "populations"
    assert found["bounds"][1] is None
    assert abs(found["count"] - expected) <= 6 * found["error"] + 0.02 * expected
