"""Which limits cut equivalence classes: one for all variables does not, one for a single variable does."""

from __future__ import annotations

import random

import pytest

import bayesloom as bl
from made.tables import tied_table
from reference.graphs import classes


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_equivalent_networks_have_the_same_numbers_of_parents(n: int) -> None:
    for members in classes(n):
        assert len({tuple(sorted(map(len, parents))) for parents in members}) == 1


@pytest.mark.parametrize("seed", range(12))
def test_classes_under_a_common_limit_are_whole(seed: int) -> None:
    rng = random.Random(seed)
    table = tied_table(rng, rng.choice([3, 4, 5]))
    limit = rng.choice([1, 2])
    common = bl.credible(table, 20, max_parents=limit)
    said = bl.credible(table, 20, constraints={"max_parents": limit})
    for found in (common, said):
        assert all(entry.members == entry.size for entry in found.classes)
        assert found._classes_are_whole()
    assert common.count == said.count
    assert common.classes.count == said.classes.count
    number, error = common._class_estimate()
    assert number == pytest.approx(common.classes.count, abs=5 * error + 1e-9)


def test_a_limit_on_one_variable_cuts_a_class() -> None:
    found = bl.credible(
        {"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}, 3, constraints={"max_parents": {"a": 0}}
    )
    [entry] = found.classes
    assert (entry.members, entry.size, found.count) == (1, 2, 1)
    assert entry.posterior == pytest.approx(1.0)
    assert not found._classes_are_whole()
    assert entry.network.cpdag_under({"max_parents": {"a": 0}}).compelled == (("a", "b"),)


def test_members_are_the_networks_of_the_class_that_keep_the_constraints() -> None:
    rng = random.Random(4)
    compared = smaller = 0
    for _ in range(20):
        table = tied_table(rng, 4)
        names = list(table.names)
        rules = bl.Constraints(before=[tuple(rng.sample(names, 2))], tiers=[names[:1], names[1:]])
        if rules.problems(names):
            continue
        found = bl.credible(table, 5, constraints=rules)
        for entry in found.classes:
            index = {name: v for v, name in enumerate(names)}
            key = tuple(frozenset(index[p] for p in entry.network.parents[name]) for name in names)
            [members] = [group for group in classes(4) if key in group]
            kept = [
                g
                for g in members
                if not rules.broken_by({names[v]: [names[p] for p in g[v]] for v in range(4)})
            ]
            assert (entry.members, entry.size) == (len(kept), len(members))
            compared += 1
            smaller += len(kept) < len(members)
    assert compared > 20
    assert smaller > 5
