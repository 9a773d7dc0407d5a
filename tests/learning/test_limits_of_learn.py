"""`learn` within time and memory: what it says where one of them ends early, and what it keeps."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core as core
from bayesloom.errors import ResourceError
from bayesloom.learning import api as learning
from bayesloom.learning import run as learning_run
from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions
from bayesloom.table import Table


@pytest.fixture(scope="module")
def noise() -> Table:
    draw = np.random.default_rng(5)
    names = [f"x{v}" for v in range(8)]
    return Table.from_codes(names, [["a", "b"]] * 8, [draw.integers(0, 2, 200) for _ in names])


def test_what_chance_gives_is_not_measured_by_a_run_without_time(noise, monkeypatch):
    """A shuffled table that there was no time for has no edges, and says nothing."""
    run = ClosedLoop._run

    def cut_short(self, step, stage, end):
        out = run(self, step, stage, end)
        return {**out, "stopped": True}

    found = bl.learn(noise, score="aic", method="loop", null=True, time_limit=None)
    assert found.null is not None
    assert found.null.edges > 0
    assert learning.NOT_MEASURED not in found.notes
    assert learning.ENDED_EARLY not in found.notes
    monkeypatch.setattr(ClosedLoop, "_run", cut_short)
    found = bl.learn(noise, score="aic", method="loop", null=True, time_limit=None)
    assert found.null is None
    assert learning.NOT_MEASURED in found.notes
    assert learning.ENDED_EARLY in found.notes


def test_edges_without_strengths_are_not_compared_with_chance(noise, monkeypatch):
    def too_late(*arguments, **options):
        raise ResourceError("the time is over.")

    monkeypatch.setattr(learning_run, "edge_strengths", too_late)
    found = bl.learn(noise, score="aic", method="greedy", null=True, time_limit=None)
    assert found.null is None
    assert learning.NOT_MEASURED in found.notes


@pytest.mark.parametrize("method", ["loop", "exhaustive"])
def test_too_little_memory_for_all_sets_leaves_the_network_of_the_loop(noise, monkeypatch, method):
    """Scoring all sets, first or after the loop, may take more memory than there is."""

    def too_large(*arguments, **options):
        raise ResourceError("parent sets of 3 take more than 5 MB.")

    plan = learning.plan
    monkeypatch.setattr(learning_run, "score_parent_sets", too_large)
    monkeypatch.setattr(learning_run, "SCORES", ())  # nor do they fit for a bound over all networks
    monkeypatch.setattr(
        learning_run,
        "plan",
        lambda *args, **options: learning.Plan(method, plan(*args, **options).local_scores, ""),
    )
    monkeypatch.setattr(
        ClosedLoop, "idle", property(lambda self: True, lambda self, value: None), raising=False
    )
    found = bl.learn(noise, score="aic", time_limit=2)
    assert found.solver.startswith("loop")
    assert len(found.network.edges) > 0
    assert found.proof != "all networks"
    with pytest.raises(ResourceError, match="5 MB"):
        bl.learn(noise, method="exhaustive")


def test_dual_prices_that_would_not_fit_the_memory_are_left_out(monkeypatch):
    """Sets are widened all the same, and nothing is said of a bound."""
    asked = []
    kernel = core.reduced_costs
    monkeypatch.setattr(core, "reduced_costs", lambda *a, **k: asked.append(1) or kernel(*a, **k))
    table = bl.random_network(20, max_parents=2, concentration=0.3, seed=2).sample(300, seed=2)
    pair = LoopOptions().price_bytes * 20**2
    enough = ClosedLoop(table, "bic", {}, threads=1, memory_bytes=2 * pair)
    enough.run(None)
    assert asked
    assert enough.bound is not None
    asked.clear()
    less = ClosedLoop(table, "bic", {}, threads=1, memory_bytes=2 * pair - 1)
    less.run(None)
    assert not asked
    assert less.bound is None
    assert less.network.edges
    assert less.idle
