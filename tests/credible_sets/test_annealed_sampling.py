"""Annealed sampling estimates the number of all credible networks from a smaller set."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.credible_sets import estimates
from bayesloom.credible_sets.api import max_loss
from bayesloom.credible_sets.stages import Run, StageClock
from made.lists import UNIT, cache_of, stepped_lists
from reference.credible import credible_networks, scored_networks

from .test_diagram import diagram, tune

NEAR = 3.0
FAR = 150.0


def near_set(cache: bl.ScoreCache, backend: str) -> _core.CredibleSet:
    if backend == "diagram":
        near = diagram(cache, NEAR)
    else:
        near = _core.subset_dp_set(cache.core, max_loss(NEAR, 0.0), threads=1)["set"]
    assert near.backend == backend
    near.count()
    return near


def estimate(
    lists: list, *, backend: str = "diagram", threads: int = 1, particles: int = 400, seed: int = 1
) -> tuple[float, float, int, float]:
    cache = cache_of(lists, unit=UNIT)
    near = near_set(cache, backend)
    found = diagram(cache, FAR).annealed_estimate(near, particles, seed, threads=threads)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("backend", ["diagram", "subset DP"])
def test_the_number_is_that_of_the_definition(seed: int, backend: str) -> None:
    lists = stepped_lists(np.random.default_rng(seed), 5)
    expected = len(credible_networks(scored_networks(lists), max_loss(FAR, 0.0)))
    count, error, networks, worth = estimate(lists, backend=backend)
    assert networks == 16 * 400
    assert worth > 50
    assert abs(count - expected) <= 6 * error + 0.02 * expected


def test_threads_and_seeds() -> None:
    lists = stepped_lists(np.random.default_rng(5), 5)
    one = estimate(lists, particles=50)
    assert estimate(lists, particles=50, threads=2) == one
    assert estimate(lists, particles=50, seed=2) != one


def test_a_smaller_set_must_be_counted() -> None:
    cache = cache_of(stepped_lists(np.random.default_rng(5), 4), unit=UNIT)
    made = diagram(cache, FAR)
    with pytest.raises(bl.InputError, match="the smaller set must be counted"):
        made.annealed_estimate(diagram(cache, NEAR), 10, 1)
    assert made.annealed_estimate(near_set(cache, "diagram"), 10**6, 1, seconds=0.0) is None


def test_it_stands_in_where_walks_are_worth_little(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(stepped_lists(np.random.default_rng(2), 5), unit=UNIT)
    expected = diagram(cache, FAR).count()["count"]
    tune(monkeypatch, least_effective=math.inf, particles=(60, 400))
    found = estimates.estimate_count(
        diagram(cache, FAR), 0, cache, Run(None, 3, 1, None, None), StageClock(None)
    )
    assert found["by"] == "populations"
    assert found["bounds"][1] is None
    assert abs(found["count"] - expected) <= 6 * found["error"] + 0.02 * expected
