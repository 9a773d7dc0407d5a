"""Sets of regressions child by child against the definition and levels: none lost, none too many."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from made.continuous import linear_gaussian, numbers, tied_numbers
from made.families import all_families, candidates, not_beaten


def run(table: bl.Table, name: str, options=None, **limits):
    out = _core.exhaustive(table.encoded, list(table.names), name, options or {}, **limits)
    return candidates(out["cache"]), out


def drawn(rng: random.Random) -> bl.Table:
    """Linear networks of few and many rows, some with near copies of columns, constants and weights."""
    seed, n = rng.randrange(10**6), rng.randint(2, 6)
    rows = rng.choice([n + 1, 12, 40, 300, 5000])
    if rng.random() < 0.2:
        return tied_numbers(seed, variables=max(n, 4), rows=rows)
    table, _ = linear_gaussian(seed, variables=n, rows=rows, degree=rng.choice([1, 2, n - 1]))
    values = np.stack([table.values(name) for name in table.names], axis=1)
    if rng.random() < 0.4:
        values[:, -1] = values[:, 0] + rng.choice([1e-3, 0.05, 0.5]) * values[:, -1]
    if rng.random() < 0.2:
        values[:, 0] = 1.0
    weights = [rng.choice([1, 1, 2, 30]) for _ in values] if rng.random() < 0.3 else None
    return numbers(values, weights=weights)


@pytest.mark.parametrize("part", range(4))
def test_finds_exactly_what_the_definition_says(part):
    rng = random.Random(f"regressions {part}")
    saved = limited = 0
    for _ in range(120):
        table = drawn(rng)
        n = len(table.names)
        options = {"penalty": rng.choice([1.0, 1.0, 0.2, 2.0, 6.0])}
        margin = math.log(rng.choice([1, 1, 3, 20, 1000]))
        limit = rng.choice([None, None, 1, 3])
        varies = [v for v, column in enumerate(table.codes) if np.ptp(column) > 0]
        families = all_families(n, limit=n - 1 if limit is None else min(limit, n - 1), varies=varies)
        expected = not_beaten(table, "bic-g", families, margin, options)
        found, out = run(table, "bic-g", options, margin=margin, max_parents=limit, by_child=True)
        assert found == expected
        everything = n - len(varies) + len(varies) * 2 ** max(len(varies) - 1, 0)
        saved += limit is None and out["scored"] < everything
        limited += not out["exhausted"]
        _, by_levels = run(table, "bic-g", options, margin=margin, max_parents=limit, by_child=False)
        # One may know that nothing was cut off where the other does not, but only where it is so.
        if out["exhausted"] and limit is not None:
            whole, _ = run(table, "bic-g", options, margin=margin, by_child=False)
            assert whole == found
        assert by_levels["cache"] == out["cache"]
    assert saved > 20
    assert limited > 5


@pytest.mark.parametrize("name", ["bic-g", "dg"])
@pytest.mark.parametrize("margin", [0.0, 3.0])
def test_levels_and_children_give_the_same_cache_on_any_number_of_threads(name, margin):
    table, _ = linear_gaussian(7, variables=13, rows=400, degree=3)
    levels, one, two = (
        run(table, name, margin=margin, by_child=by_child, threads=threads)[1]
        for by_child, threads in ((False, 1), (True, 1), (True, 2))
    )
    assert levels["cache"] == one["cache"] == two["cache"]
    assert all(out["exhausted"] for out in (levels, one, two))
    assert one["scored"] == two["scored"] < levels["scored"] / 2
    assert one["finished_size"] == two["finished_size"]


def test_sums_and_copies_are_left_to_the_levels():
    """Rounding would raise the bounds by more than a small part of the charge, and the result is the same."""
    draw = np.random.default_rng(3)
    values = draw.normal(size=(200, 5))
    values[:, 4] = values[:, 0] + values[:, 1] + 1e-6 * draw.normal(size=200)
    table = numbers(values)
    assert run(table, "bic-g", by_child=True)[0] == run(table, "bic-g", prune=False)[0]


def test_a_killed_run_goes_on(tmp_path):
    table, _ = linear_gaussian(8, variables=10, rows=200, degree=3)
    given = {"by_child": True, "checkpoint": str(tmp_path / "resume").encode(), "checkpoint_interval": 0.0}
    whole, out = run(table, "bic-g", **given)
    assert (tmp_path / "resume").exists()
    again, resumed = run(table, "bic-g", **given, resume=True)
    assert again == whole
    assert resumed["scored"] == out["scored"]
    assert resumed["exhausted"]


def test_stopped_at_once_it_still_has_the_empty_sets():
    table, _ = linear_gaussian(8, variables=10, rows=200, degree=3)
    found, out = run(table, "bic-g", by_child=True, seconds=0.0)
    assert out["stopped"]
    assert set(found) == {(v, ()) for v in range(10)}
    assert (out["finished_size"], out["exhausted"]) == (0, False)


def test_without_a_limit_on_parents_it_is_what_large_tables_get():
    """Thirty columns: by levels all sets of ten parents stay alive."""
    table, _ = linear_gaussian(1, variables=30, rows=1000, degree=1)
    out = run(table, "bic-g", threads=1)[1]
    assert out["exhausted"]
    assert out["scored"] < 2_000_000
