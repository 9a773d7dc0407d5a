"""Complete and anytime scoring of tables with numbers against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from made.continuous import conditional_gaussian, linear_gaussian, numbers, tied_numbers
from made.families import Found, all_families, candidates, not_beaten
from made.scores import of_numbers


def run(table: bl.Table, name: str, options=None, **limits) -> tuple[Found, dict]:
    out = _core.exhaustive(table.encoded, list(table.names), name, options or {}, **limits)
    return candidates(out["cache"]), out


def by_definition(table: bl.Table, name: str, margin: float, limit: int, options=None) -> Found:
    """Every parent set with a score that no proper subset beats by more than the margin."""
    varies = [
        v
        for v, (states, column) in enumerate(zip(table.states, table.codes, strict=True))
        if len(states) > 1 or (not states and np.ptp(column) > 0)
    ]
    families = all_families(len(table.names), limit=limit, varies=varies)
    return not_beaten(table, name, families, margin, options)


every_score = pytest.mark.parametrize("name", of_numbers)


@every_score
@pytest.mark.parametrize("seed", range(16))
def test_finds_exactly_what_the_definition_says(name, seed):
    """With bounds and without, on tables with copies, near copies, sums and constants, and few rows."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([4, 9, 40, 300]))
    table = (
        tied_numbers(seed, variables=5, rows=rows)
        if seed % 2
        else linear_gaussian(seed, variables=6, rows=rows, scale=1e3)[0]
    )
    n = len(table.names)
    for factor, limit in [(1, n - 1), (20, n - 1), (3, 2)]:
        expected = by_definition(table, name, math.log(factor), limit)
        for prune in (True, False):
            found, out = run(table, name, margin=math.log(factor), max_parents=limit, prune=prune, threads=2)
            assert found == expected
            assert out["exhausted"] or limit < n - 1


@pytest.mark.parametrize("penalty", [0.3, 2.0, 7.0])
@pytest.mark.parametrize("seed", range(4))
def test_so_it_does_with_another_penalty(penalty, seed):
    options = {"penalty": penalty}
    rows = [20, 60, 300, 1000][seed]
    table = (
        linear_gaussian(seed, variables=6, rows=rows)[0]
        if seed % 2
        else tied_numbers(seed, variables=6, rows=rows)
    )
    for factor in (1, 20):
        expected = by_definition(table, "bic-g", math.log(factor), 5, options)
        for prune in (True, False):
            found, out = run(table, "bic-g", options, margin=math.log(factor), prune=prune)
            assert found == expected
            assert out["exhausted"]


@every_score
def test_bounds_save_work_and_change_nothing(name):
    table, _ = linear_gaussian(5, variables=10, rows=60, degree=2)
    found, out = run(table, name)
    everything, full = run(table, name, prune=False)
    assert found == everything
    assert out["exhausted"]
    assert out["scored"] < full["scored"] == 10 * 2**9


@every_score
def test_a_limit_that_cuts_something_off_is_said(name):
    table, _ = linear_gaussian(6, variables=8, rows=400, degree=5)
    whole, out = run(table, name)
    assert out["exhausted"]
    largest = max(len(parents) for _, parents in whole)
    assert largest > 1
    _, cut = run(table, name, max_parents=largest - 1)
    assert not cut["exhausted"]


@every_score
def test_sets_have_one_value_on_every_way(name):
    """The Schur complements of the enumeration and the elimination on demand agree to the last bit."""
    table, _ = linear_gaussian(7, variables=9, rows=50, degree=6, scale=1e4)
    found, _ = run(table, name, margin=1e6)
    assert found == by_definition(table, name, 1e6, 8)
    assert len(found) == 9 * 2**8


@every_score
@pytest.mark.parametrize("method", ["independence", "greedy", "sequential"])
def test_anytime_methods_find_all_if_they_may(name, method):
    table, _ = linear_gaussian(8, variables=7, rows=100)
    whole = bl.score(table, score=name)
    grown = bl.score(table, score=name, method=method, sets_per_variable=10_000)
    assert candidates(grown.core) == candidates(whole.core)
    few = bl.score(table, score=name, method=method, sets_per_variable=5)
    assert not few.complete


@every_score
def test_threads_parts_and_checkpoints_do_not_matter(name, tmp_path):
    table, _ = linear_gaussian(9, variables=9, rows=200)
    one = bl.score(table, score=name, threads=1)
    assert bl.score(table, score=name, threads=2) == one
    parts = [bl.score(table, score=name, shard=(i, 3)) for i in (1, 2, 3)]
    assert bl.merge(parts) == one
    path = tmp_path / "scores.checkpoint"
    assert bl.score(table, score=name, checkpoint=path) == one
    assert bl.score(table, score=name, checkpoint=path, resume=True) == one


def test_too_few_rows_need_a_limit():
    table, _ = linear_gaussian(3, variables=6, rows=6)
    message = "with 6 rows and 6 variables, score 'bic-g' has no best network"
    with pytest.raises(InputError, match=message):
        bl.score(table, score="bic-g")
    with pytest.raises(InputError, match=message):
        bl.learn(table, score="bic-g")
    assert bl.score(table, score="bic-g", max_parents=2).complete
    assert bl.score(table, score="bge").complete


def test_a_copy_is_never_beside_its_original():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(50, 3))
    table = numbers(np.column_stack([x, x[:, 0]]))
    found, out = run(table, "bic-g")
    assert out["exhausted"]
    assert not any({0, 3} <= {child, *parents} for child, parents in found)
    assert any(0 in parents for _, parents in found) == any(3 in parents for _, parents in found)


@pytest.mark.parametrize("seed", range(6))
def test_mixed_scores_find_exactly_what_the_definition_says(seed):
    table, _ = conditional_gaussian(seed, variables=6, rows=150)
    for name in ("dg", "bic-cg"):
        for factor in (1, 20):
            expected = by_definition(table, name, math.log(factor), 5)
            for prune in (True, False):
                found, out = run(table, name, margin=math.log(factor), prune=prune, threads=2)
                assert found == expected
                assert out["exhausted"]
    discrete = [table.states[v] != () for v in range(6)]
    found, _ = run(table, "bic-cg")
    assert not any(discrete[v] and not all(discrete[p] for p in parents) for v, parents in found)
