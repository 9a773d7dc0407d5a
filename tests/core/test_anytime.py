"""Anytime search for parent sets: certificates, order of growth, budgets, determinism."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesloom import _core
from made.scores import of_states
from made.tables import SmallTable, random_table, tables

STRATEGIES = ["independence", "additive independence", "greedy", "sequential"]


def names(table: SmallTable) -> list[str]:
    return [f"X{v}" for v in range(table.variables)]


def run(table: SmallTable, strategy: str, score: str = "bic", **options):
    options.setdefault("threads", 1)
    if strategy == "additive independence":
        strategy, options["conditional"] = "independence", False
    return _core.anytime_parent_sets(table.encoded, names(table), score, {}, strategy, **options)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("score", of_states)
@settings(max_examples=40)
@given(table=tables(), factor=st.sampled_from([1, 20]), limit=st.sampled_from([0, 1, 2, 12]))
def test_a_certified_cache_is_the_exhaustive_one(strategy, score, table, factor, limit):
    margin = math.log(factor)
    found = run(table, strategy, score, margin=margin, max_parents=limit)
    expected, unlimited = (
        _core.exhaustive(table.encoded, names(table), score, {}, margin=margin, max_parents=most)["cache"]
        for most in (limit, 12)
    )
    assert found["certified"] == table.variables
    assert found["cache"] == expected
    assert found["cut"] or expected == unlimited


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_budget_of_sets_is_kept_and_gives_the_same_cache_whatever_the_threads(strategy):
    table = random_table(31, variables=30, rows=300)
    one, two = (run(table, strategy, sets_per_variable=50, threads=threads) for threads in (1, 2))
    assert one["cache"] == two["cache"]
    assert one["scored"] == two["scored"] <= 30 * 29 + 30 + 30 * 50
    assert one["certified"] == 0


def test_scores_of_the_candidates_are_the_scores_of_the_table():
    table = random_table(32, variables=20, rows=200)
    cache = run(table, "independence", sets_per_variable=200)["cache"]
    children = np.repeat(np.arange(20), np.diff(cache.first).astype(int)).astype(np.uint16)
    expected = _core.score_families(
        table.encoded, "bic", {}, children, np.array(cache.parent_first), np.array(cache.parents), 1
    )
    assert expected.tolist() == cache.scores.tolist()


def test_independence_finds_the_true_parents_before_sequence_does():
    """The last two columns explain the child; in sequence their pair comes last, by estimate early."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, size=(2, 500))
    noise = rng.integers(0, 2, size=(500, 30))
    child = np.where(rng.random(500) < 0.1, 1 - (a | b), a | b)
    rows = np.column_stack([child, noise, a, b]).astype(int)
    table = SmallTable([tuple(row) for row in rows.tolist()], [2] * 33)
    best = {}
    for strategy in STRATEGIES:
        cache = run(table, strategy, sets_per_variable=20)["cache"]
        begin = int(cache.parent_first[0])
        best[strategy] = cache.parents[begin : int(cache.parent_first[1])].tolist()
    assert best["independence"] == [31, 32]
    assert best["greedy"] == [31, 32]
    assert best["sequential"] != [31, 32]


def test_sets_grow_from_the_best_parents_only_and_say_so():
    table = random_table(33, variables=40, rows=100)
    found = run(table, "independence", parents_considered=5, sets_per_variable=1000)
    assert found["capped_parents"]
    assert found["certified"] == 0
    cache = found["cache"]
    for v in range(40):
        begin, end = (int(cache.parent_first[int(cache.first[u])]) for u in (v, v + 1))
        assert len(set(cache.parents[begin:end].tolist())) <= 5


def test_time_is_divided_among_the_variables_and_kept():
    """Work stands in for the clock: with no time at all only single parents are left."""
    table = random_table(34, variables=25, rows=200)
    found = run(table, "independence", seconds_per_variable=1e-9, adaptive=False)
    assert found["scored"] <= 25 * 24 + 25 + 25 * 32


def test_the_memory_limit_stops_a_child_and_is_reported():
    table = random_table(35, variables=25, rows=200)
    found = run(table, "sequential", "k2", memory_bytes=192 * 100)
    assert found["out_of_memory"] == 25
    assert found["certified"] == 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_stopped_at_once_every_variable_has_its_empty_set(strategy):
    table = random_table(36, variables=200, rows=50)
    found = run(table, strategy, seconds=0.0)
    cache = found["cache"]
    assert found["stopped"]
    for v in range(200):
        sizes = np.diff(cache.parent_first[int(cache.first[v]) : int(cache.first[v + 1]) + 1])
        assert 0 in sizes


def test_more_than_64_states_and_weights_are_counted_in_pairs():
    rng = np.random.default_rng(6)
    columns = [rng.integers(0, r, size=400).astype(np.uint8) for r in (100, 3, 2)]
    columns = [np.repeat(column, 3) for column in columns]
    data = _core.EncodedData(columns, [100, 3, 2])
    found = _core.anytime_parent_sets(data, ["a", "b", "c"], "bic", {}, "independence", threads=1)
    expected = _core.exhaustive(data, ["a", "b", "c"], "bic", {})
    assert found["cache"] == expected["cache"]


@pytest.mark.parametrize("score", ["bic", "bdeu", "qnml"])
@pytest.mark.parametrize("count", [1, 3])
def test_pairs_of_several_tiles_are_those_of_the_enumeration(score, count):
    """Rows of weight, one state, more than 64 states; the enumeration counts in another way."""
    rng = np.random.default_rng(8)
    states = [*rng.integers(2, 7, size=148).tolist(), 100, 1]
    rng.shuffle(states)
    hidden = rng.integers(0, 60, size=300)
    columns = [
        (np.where(rng.random(300) < 0.5, hidden, rng.integers(0, 60, size=300)) % r).astype(np.uint8)
        for r in states
    ]
    data = _core.EncodedData([np.repeat(column, 1 + np.arange(300) % 5) for column in columns], states)
    labels = [f"X{v}" for v in range(len(states))]
    whole = _core.exhaustive(data, labels, score, {}, max_parents=1)["cache"]

    def singles(cache, v):
        offsets = np.array(cache.parent_first)
        return {
            (cache.parents[int(offsets[c])], cache.scores[c])
            for c in range(int(cache.first[v]), int(cache.first[v + 1]))
            if offsets[c + 1] - offsets[c] == 1
        }

    seen = 0
    for part in range(count):
        options = {"sets_per_variable": 1, "threads": 2, "shard": (part, count), "max_parents": 1}
        cache = _core.anytime_parent_sets(data, labels, score, {}, "greedy", **options)["cache"]
        for v in range(part, len(states), count):
            assert singles(cache, v) == singles(whole, v)
            seen += len(singles(whole, v))
    assert seen > 3000


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_parts_of_the_children_get_what_they_get_in_one_run(strategy):
    table = random_table(37, variables=12, rows=150)
    whole = run(table, strategy, sets_per_variable=40)["cache"]
    for part in range(3):
        cache = run(table, strategy, sets_per_variable=40, shard=(part, 3))["cache"]
        for v in range(12):
            a, b = (slice(int(c.first[v]), int(c.first[v + 1])) for c in (whole, cache))
            if v % 3 == part:
                assert cache.scores[b].tolist() == whole.scores[a].tolist()
            else:
                assert b.stop - b.start == 1
