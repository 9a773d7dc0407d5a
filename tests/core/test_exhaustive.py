"""Exhaustive enumeration against its definition, with pruning on and off."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesloom import _core
from bayesloom.errors import ResourceError
from made.families import Found, all_families, candidates, not_beaten
from made.scores import of_states
from made.tables import SmallTable, random_table, tables


def run(table: SmallTable, name: str, **options) -> tuple[Found, dict]:
    out = _core.exhaustive(table.encoded, [f"X{v}" for v in range(table.variables)], name, {}, **options)
    return candidates(out["cache"]), out


def by_definition(table: SmallTable, name: str, margin: float, limit: int) -> Found:
    """Every parent set that no proper subset beats by more than the margin."""
    varies = [v for v, r in enumerate(table.cardinalities) if r > 1]
    families = all_families(table.variables, limit=limit, varies=varies)
    return not_beaten(table, name, families, margin)


@pytest.mark.parametrize("name", of_states)
@settings(max_examples=60)
@given(
    table=tables(),
    factor=st.sampled_from([1, 3, 20, 150]),
    limit=st.integers(0, 5),
    threads=st.integers(1, 2),
)
def test_finds_exactly_what_the_definition_says(name, table, factor, limit, threads):
    expected = by_definition(table, name, math.log(factor), min(limit, table.variables - 1))
    for prune in (True, False):
        found, out = run(
            table, name, margin=math.log(factor), max_parents=limit, prune=prune, threads=threads
        )
        assert found == expected
        assert not out["stopped"]


@pytest.mark.parametrize("name", ["bic", "aic", "bdeu"])
def test_pruning_saves_work_and_changes_nothing(name):
    table = random_table(21, variables=10, rows=120)
    found, out = run(table, name)
    everything, full = run(table, name, prune=False)
    assert found == everything
    assert out["exhausted"]
    assert out["scored"] < full["scored"] == 10 * 2**9


@pytest.mark.parametrize("name", of_states)
def test_the_number_of_threads_does_not_matter(name):
    table = random_table(22, variables=9, rows=200)
    one, two = (run(table, name, threads=threads)[1] for threads in (1, 2))
    assert one["cache"] == two["cache"]
    assert (one["scored"], one["counted"]) == (two["scored"], two["counted"])


def test_more_than_64_variables_need_masks_of_several_words():
    table = random_table(23, variables=130, rows=40)
    found, out = run(table, "bic", max_parents=1)
    assert found == by_definition(table, "bic", 0.0, 1)
    assert out["finished_size"] == 1


def test_parity_needs_a_set_none_of_whose_subsets_helps():
    """The child is the parity of seven fair coins: only all of them together explain it."""
    rows = [(*bits, sum(bits) % 2) for bits in itertools.product((0, 1), repeat=7)] * 8
    found, out = run(SmallTable(rows, [2] * 8), "bic")
    assert (7, tuple(range(7))) in found
    assert out["exhausted"]


def test_a_parent_limit_that_cuts_nothing_off_is_no_limit():
    table = random_table(24, variables=6, rows=20)
    unlimited, out = run(table, "bic")
    limited, same = run(table, "bic", max_parents=out["finished_size"])
    assert (unlimited, out["exhausted"], same["exhausted"]) == (limited, True, True)


def test_stopped_at_once_it_still_has_the_empty_sets():
    table = random_table(25, variables=12, rows=100)
    found, out = run(table, "bic", seconds=0.0)
    assert out["stopped"]
    assert set(found) == {(v, ()) for v in range(12)}
    assert (out["finished_size"], out["exhausted"]) == (0, False)


def test_an_error_in_progress_stops_the_work_and_is_raised():
    table = random_table(26, variables=24, rows=2000, cardinalities=[2] * 24)

    def progress(work: int, seconds: float) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(table, "k2", progress=progress)


def test_out_of_reach_is_said_with_the_way_out():
    table = random_table(27, variables=30, rows=100)
    with pytest.raises(
        ResourceError, match=r"more than 1000 sets of 3 out of 30 .* Set max_parents to 1, or"
    ):
        run(table, "bic", max_sets=1000)
    with pytest.raises(
        ResourceError, match=r"parent sets of 2 out of 30 .* the 0 MB allowed. Set max_parents to 1"
    ):
        run(table, "bic", memory_bytes=70_000)


def test_variables_with_one_state_stay_alone_and_cost_nothing():
    table = random_table(28, variables=4, rows=50)
    padded = SmallTable([(0, *row, 0) for row in table.rows], [1, *table.cardinalities, 1])
    found, out = run(padded, "bic", max_sets=10)  # as many sets as four variables have
    assert out["exhausted"]
    assert {(c, p): s for (c, p), s in found.items() if c in (0, 5)} == {(0, ()): 0, (5, ()): 0}
    moved = {
        (c - 1, tuple(p - 1 for p in parents)): s for (c, parents), s in found.items() if c not in (0, 5)
    }
    assert moved == run(table, "bic")[0]


@pytest.mark.parametrize("name", of_states)
@given(table=tables(), factor=st.sampled_from([1, 20]), limit=st.sampled_from([None, 1, 3]))
def test_the_estimate_is_never_too_low(name, table, factor, limit):
    margin = math.log(factor)
    most, largest = _core.estimate_exhaustive(table.encoded, name, {}, limit, margin)
    found, out = run(table, name, margin=margin, max_parents=limit)
    constant = table.cardinalities.count(1)
    assert out["scored"] <= most * (1 + 1e-9) + constant
    assert all(len(parents) <= largest for _, parents in found)


def test_without_bounds_the_estimate_is_the_number_of_all_sets():
    table = random_table(29, variables=8, rows=30)
    assert _core.estimate_exhaustive(table.encoded, "k2", {}) == (pytest.approx(8 * 2**7), 7)
    assert _core.estimate_exhaustive(table.encoded, "k2", {}, 2) == (pytest.approx(8 * (1 + 7 + 21)), 2)
