"""The bounds that `learn` tells on its way hold over the parent sets that they are said to be over."""

from __future__ import annotations

import random

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.learning import run as learning_run
from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions
from bayesloom.progress import ProgressEvent
from bayesloom.scoring.constrained_cache import constrain
from made.constraints import kept_by


def best_over(cache: bl.ScoreCache) -> int:
    """The best score over a cache, in units, by search over all sets of variables."""
    return bl.search(cache, solver="dp", threads=1).fixed_score


def dense_table(seed: int, n: int, rows: int) -> bl.Table:
    """Columns that all depend on a hidden one, so that every pair is related."""
    rng = random.Random(seed)
    hidden = [rng.randrange(4) for _ in range(rows)]
    columns = {}
    for v in range(n):
        likely = [rng.random() for _ in range(4)]
        columns[f"v{v}"] = [int(rng.random() < likely[h]) for h in hidden]
    return bl.read_table(columns)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("constrained", [False, True])
def test_every_bound_told_holds_over_the_sets_it_is_over(monkeypatch, seed, constrained):
    table = dense_table(seed, 9, 400)
    rng = random.Random(seed)
    rules = kept_by(rng, bl.learn(table).network) if constrained else None
    events: list[ProgressEvent] = []
    loop = ClosedLoop(
        table,
        rng.choice(["bic", "bdeu"]),
        {},
        constraints=rules,
        loop=LoopOptions(price_work=rng.choice([1, 30, 1000]), shakes=2, widen=8),
        threads=1,
        progress=events.append,
    )
    best: dict[int, int] = {}
    bounds = []
    own = ClosedLoop._bound

    def bounded(self, cache, seconds, end):
        own(self, cache, seconds, end)
        best[cache.candidate_count] = max(best_over(cache), best.get(cache.candidate_count, -(2**63)))
        if self.bound is not None:
            bounds.append((self.bound, cache, self.prices))

    monkeypatch.setattr(ClosedLoop, "_bound", bounded)
    monkeypatch.setattr("bayesloom.learning.closed_loop.TELL_SECONDS", 0.0)
    loop.run(None)
    assert bounds
    for bound, cache, prices in bounds:
        assert bound >= best_over(cache)
        # The kept prices prove it by themselves.
        shown = constrain(cache).shown.core
        assert _core.dual_bound(shown, -(2**55), [prices[0]])[0] <= bound
    told = [event for event in events if event.bound is not None]
    assert told
    for event in told:
        assert event.sets is not None
        assert event.bound >= _core.to_nats(best[event.sets])


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_at_the_end_holds_over_the_cache_it_is_over(monkeypatch, seed):
    """By the prices that the loop hands on, which the search goes on from."""
    table = dense_table(seed, 9, 300)
    seen = []
    own = learning_run.LearningRun.searched

    def searched(self, cache, solver, start):
        result = own(self, cache, solver, start)
        seen.append((cache, list(self.prices), result))
        return result

    monkeypatch.setattr(learning_run.LearningRun, "searched", searched)
    bl.learn(table, method="loop", time_limit=1.0 if seed % 2 else None, threads=1, seed=seed)
    assert seen
    for cache, prices, result in seen:
        best = best_over(cache)
        assert result.fixed_bound >= best
        assert prices
        assert _core.dual_bound(constrain(cache).shown.core, result.fixed_score, prices)[0] >= best


def test_a_run_broken_off_keeps_the_bound_of_its_prices(monkeypatch):
    table = dense_table(7, 9, 300)
    kept = []
    own = learning_run.LearningRun.kept
    monkeypatch.setattr(
        learning_run.LearningRun,
        "kept",
        lambda self, cache, network, bounded: (
            kept.append((cache, own(self, cache, network, bounded))) or kept[-1][1]
        ),
    )
    run = ClosedLoop.run

    def broken_off(self, seconds, start=None):
        run(self, None, start)
        self.interrupted = True

    monkeypatch.setattr(ClosedLoop, "run", broken_off)
    result = bl.learn(table, method="loop", threads=1)
    assert result.interrupted
    cache, found = kept[0]
    free = sum(int(cache.scores[begin]) for begin in cache.first[:-1].astype(int))
    assert best_over(cache) <= found.fixed_bound < free
