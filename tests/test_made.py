"""The generators give what tests need: who never meets a cache without a network proves nothing of it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import find

import bayesloom as bl
from made import caches, damage, lists, tables
from made.constraints import along_an_order, any_constraints, kept_by
from reference import orders
from reference.networks import best_score


@pytest.mark.parametrize("network", [True, False])
def test_caches_with_a_network_and_without_are_drawn(network: bool) -> None:
    found = find(
        caches.caches(info=False), lambda c: (best_score(caches.content(c.core)) is not None) == network
    )
    assert (best_score(caches.content(found.core)) is not None) == network


def test_tied_caches_have_ties_and_some_no_network() -> None:
    without = tied = 0
    for seed in range(100, 300):
        cache = caches.tied_cache(seed)
        tied += len(set(cache.scores.tolist())) < cache.candidate_count
        try:
            bl.search(cache, solver="dp", threads=1)
        except bl.InfeasibleError:
            without += 1
    assert without > 3
    assert tied > 60


def test_lists_without_the_empty_set_have_no_network_now_and_then() -> None:
    best = [
        orders.best_score(lists.random_lists(random.Random(seed), 1 + seed % 6, empty=0.5))
        for seed in range(120)
    ]
    assert 10 < best.count(None) < 110
    assert None not in [orders.best_score(lists.random_lists(random.Random(s), 5)) for s in range(20)]


def test_tangled_and_cyclic_caches_leave_a_gap_to_simple_bounds() -> None:
    for cache in (
        lists.tangled_cache(random.Random(1), 10),
        lists.cyclic_cache(1, 10),
        lists.crowded_cache(1),
    ):
        simple = sum(cache.candidates(name)[0][0] for name in cache.names)
        assert simple > bl.search(cache, solver="dp", threads=1).score + 1


def test_tied_tables_have_copies_and_constants() -> None:
    made = [tables.tied_table(random.Random(seed), 5) for seed in range(40)]
    assert any(1 in table.cardinalities for table in made)
    assert any(
        np.array_equal(table.codes[a], table.codes[b]) for table in made for a in range(5) for b in range(a)
    )


def test_constraints_are_kept_by_what_they_were_made_from_and_any_may_contradict() -> None:
    network = bl.random_network(5, max_parents=2, seed=3).network
    names = list(network.names)
    kinds: set[str] = set()
    for seed in range(60):
        rules = kept_by(random.Random(seed), network)
        assert rules.broken_by(network) == []
        kinds |= {kind for kind, value in rules.to_json().items() if value}
        assert along_an_order(random.Random(seed), names).problems(names) == []
    assert kinds == {"required", "forbidden", "tiers", "roots", "leaves", "max_parents", "before"}
    contradictory = sum(bool(any_constraints(random.Random(s), names).problems(names)) for s in range(100))
    assert 10 < contradictory < 90


def test_every_kind_of_damage_changes_most_files() -> None:
    original = b"first line 12.5\nsecond line 7e-3\nthird\n" * 4
    for kind in damage.KINDS:
        rng = random.Random(kind.__name__)
        assert sum(kind(original, rng) != original for _ in range(50)) > 30, kind.__name__
    assert len(set(damage.damages(original, 1, 200))) > 150
