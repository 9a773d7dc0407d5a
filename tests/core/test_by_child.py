"""Enumeration child by child against the definition: never a set lost, never one too many."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from bayesloom import _core
from made.families import Found, all_families, candidates, not_beaten
from made.tables import SmallTable, random_table

SCORES = ["bdeu", "bds", "fnml", "k2", "qnml"]


def small(rng: random.Random) -> tuple[SmallTable, list[int]]:
    """Rows from a chain with noise, some columns copied, some states never seen; and weights."""
    n = rng.randint(2, 6)
    cardinalities = [rng.choice([1, 2, 2, 2, 3, 3, 4]) for _ in range(n)]
    noise = rng.choice([0.0, 0.1, 0.5, 1.0])
    rows = []
    for _ in range(rng.choice([1, 4, 12, 40, 120])):
        row: list[int] = []
        for v, r in enumerate(cardinalities):
            source = row[rng.randrange(v)] if v else 0
            row.append(source % r if v and rng.random() >= noise else rng.randrange(r))
        rows.append(tuple(row))
    weights = [rng.choice([1, 1, 2, 30]) for _ in rows] if rng.random() < 0.3 else [1] * len(rows)
    return SmallTable(rows, cardinalities), weights


def run(
    encoded: _core.EncodedData, n: int, name: str, options: dict[str, float], **more
) -> tuple[Found, dict]:
    out = _core.exhaustive(encoded, [f"X{v}" for v in range(n)], name, options, **more)
    return candidates(out["cache"]), out


@pytest.mark.parametrize("name", SCORES)
def test_finds_exactly_what_the_definition_says(name):
    rng = random.Random(f"by child {name}")
    cut_off = limited = 0
    for _ in range(1000):
        table, weights = small(rng)
        encoded = _core.EncodedData(table.columns, table.cardinalities, np.array(weights, dtype=np.uint32))
        options = {}
        if name in ("bdeu", "bds"):
            options = {"ess": rng.choice([0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0])}
        margin = math.log(rng.choice([1, 1, 3, 20, 1000]))
        limit = rng.choice([None, None, 1, 3])
        most = table.variables - 1 if limit is None else min(limit, table.variables - 1)
        varies = [v for v, r in enumerate(table.cardinalities) if r > 1]
        families = all_families(table.variables, limit=most, varies=varies)
        expected = not_beaten(encoded, name, families, margin, options)
        found, out = run(
            encoded, table.variables, name, options, margin=margin, max_parents=limit, by_child=True
        )
        assert found == expected
        useful = sum(r > 1 for r in table.cardinalities)
        everything = table.variables - useful + useful * 2 ** max(useful - 1, 0)
        cut_off += out["scored"] < everything and limit is None
        limited += not out["exhausted"]
    assert cut_off > 60, "the bounds never cut anything off: the test looked at nothing"
    assert limited > 0


@pytest.mark.parametrize("name", SCORES)
def test_levels_and_children_give_the_same_cache(name):
    table = random_table(31, variables=11, rows=150)
    names = [f"X{v}" for v in range(11)]
    caches = [
        _core.exhaustive(table.encoded, names, name, {}, by_child=by_child, threads=threads)
        for by_child, threads in ((False, 1), (True, 1), (True, 2))
    ]
    assert caches[0]["cache"] == caches[1]["cache"] == caches[2]["cache"]
    assert all(out["exhausted"] for out in caches)
    assert caches[1]["scored"] == caches[2]["scored"] < caches[0]["scored"]


def test_two_words_of_numbers():
    """More than 64 possible parents."""
    table = random_table(32, variables=70, rows=30, cardinalities=[2] * 70)
    names = [f"X{v}" for v in range(70)]
    shard = (3, 70)
    one, other = (
        _core.exhaustive(table.encoded, names, "bds", {}, max_parents=2, shard=shard, by_child=by_child)
        for by_child in (True, False)
    )
    assert one["cache"] == other["cache"]
    assert one["exhausted"] == other["exhausted"]


def test_an_error_in_progress_stops_the_work_and_is_raised():
    table = random_table(33, variables=30, rows=400, cardinalities=[2] * 30)
    names = [f"X{v}" for v in range(30)]

    def stop(work: int, seconds: float) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        _core.exhaustive(table.encoded, names, "bdeu", {}, by_child=True, progress=stop)


def test_stopped_at_once_it_still_has_the_empty_sets():
    table = random_table(35, variables=12, rows=100)
    found, out = run(table.encoded, 12, "bdeu", {}, by_child=True, seconds=0.0)
    assert out["stopped"]
    assert set(found) == {(v, ()) for v in range(12)}
    assert (out["finished_size"], out["exhausted"]) == (0, False)


def test_a_killed_run_goes_on(tmp_path):
    table = random_table(34, variables=12, rows=200)
    names = [f"X{v}" for v in range(12)]
    path = str(tmp_path / "resume").encode()
    whole = _core.exhaustive(
        table.encoded, names, "bdeu", {}, by_child=True, checkpoint=path, checkpoint_interval=0.0
    )
    assert (tmp_path / "resume").exists()
    again = _core.exhaustive(
        table.encoded, names, "bdeu", {}, by_child=True, checkpoint=path, resume=True, checkpoint_interval=0.0
    )
    assert whole["cache"] == again["cache"]
    assert whole["scored"] == again["scored"]
    assert whole["exhausted"]
    assert again["exhausted"]


@pytest.mark.parametrize("name", SCORES)
def test_finds_the_same_as_levels_do_where_cells_are_split_many_times(name):
    # What a cell can add is bounded anew at each split, now and then less sharply than before it.
    rng = np.random.default_rng(5)
    found_by_levels = 0
    for _ in range(150):
        n, rows = int(rng.integers(7, 10)), int(rng.integers(20, 150))
        cardinalities = [int(r) for r in rng.choice([2, 2, 2, 3], n)]
        columns = []
        for v, r in enumerate(cardinalities):
            column = rng.integers(0, r, rows)
            if v > 1:  # the sum of two others, with noise
                a, b = columns[rng.integers(v)], columns[rng.integers(v)]
                column = np.where(rng.random(rows) < rng.random(), (a + b) % r, column)
            columns.append(column.astype(np.uint8))
        encoded = _core.EncodedData(columns, cardinalities)
        by_child, out = run(encoded, n, name, {}, by_child=True)
        by_levels, levels = run(encoded, n, name, {}, by_child=False)
        assert by_child == by_levels
        assert out["exhausted"]
        assert levels["exhausted"]
        found_by_levels += len(by_levels)
    assert found_by_levels > 5000
