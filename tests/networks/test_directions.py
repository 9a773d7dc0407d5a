"""Which edges can turn under constraints: against all networks of the class that keep them, one by one."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.networks.cpdag import Cpdag, direction_of
from made.constraints import kept_by
from made.networks import clique_parents, named
from reference import graphs
from reference.credible import equivalence_class

CASES = int(os.environ.get("BAYESLOOM_CASES", "300"))
NAMES = [f"v{i}" for i in range(8)]


def expected(members: Iterable[graphs.Parents], rules: bl.Constraints) -> tuple[set, set]:
    """Compelled and reversible edges of those members that keep the constraints."""
    kept = tuple(m for m in members if not rules.broken_by(named(m, NAMES)))
    return graphs.class_edges(kept)


def numbers(edges: Iterable[tuple[str, str]]) -> set[tuple[int, int]]:
    return {(NAMES.index(a), NAMES.index(b)) for a, b in edges}


def network_of(parents: graphs.Parents) -> bl.Network:
    return bl.Network(NAMES[: len(parents)], [sorted(up) for up in parents])


def check(parents: graphs.Parents, members: Iterable[graphs.Parents], rules: bl.Constraints) -> Cpdag:
    network = network_of(parents)
    picture = network.cpdag_under(rules)
    compelled, reversible = expected(members, rules)
    case = f"{network.parents} under {rules.to_json()}"
    assert numbers(picture.compelled) == compelled, case
    assert numbers(picture.reversible) == reversible, case
    assert picture.undecided == (), case
    assert set(picture.constrained) == set(picture.compelled) - set(network.cpdag.compelled), case
    return picture


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_class_of_up_to_four_variables(n: int) -> None:
    rng = random.Random(n)
    constrained = 0
    for members in graphs.classes(n):
        for _ in range(4):
            parents = rng.choice(members)
            rules = kept_by(rng, network_of(parents))
            constrained += len(check(parents, members, rules).constrained)
    assert constrained > 0


@pytest.mark.parametrize("n", [5, 6])
def test_random_networks(n: int) -> None:
    rng = random.Random(10 + n)
    for _ in range(CASES):
        parents = clique_parents(rng, n)
        check(parents, equivalence_class(parents), kept_by(rng, network_of(parents)))


def test_what_is_not_found_out_is_said_and_the_rest_is_right() -> None:
    rng = random.Random(5)
    undecided = 0
    for _ in range(CASES):
        parents = clique_parents(rng, 6)
        network = network_of(parents)
        rules = kept_by(rng, network)
        picture = network.cpdag_under(rules, work_limit=rng.randint(0, 1500))
        compelled, reversible = expected(equivalence_class(parents), rules)
        assert numbers(picture.compelled) <= compelled
        assert numbers(picture.reversible) <= reversible
        every = [*picture.compelled, *picture.reversible, *picture.undecided]
        assert len(every) == len(network.edges)
        undecided += len(picture.undecided)
    assert undecided > 0


def test_tiers_direct_edges_and_what_follows_from_them() -> None:
    chain = bl.Network("ABCD", {"B": ["A"], "C": ["B"], "D": ["C"]})
    assert chain.cpdag.compelled == ()
    picture = chain.cpdag_under({"tiers": [["A"], ["B"], ["C"], ["D"]]})
    assert picture.compelled == picture.constrained == (("A", "B"), ("B", "C"), ("C", "D"))
    half = chain.cpdag_under({"tiers": [["A", "B"], ["C", "D"]]})
    assert half.reversible == (("A", "B"),)
    assert half.constrained == (("B", "C"), ("C", "D"))
    assert direction_of(half)["B", "A"] == "reversible"
    assert half.network().is_equivalent(chain)


def test_a_common_limit_on_parents_turns_nothing_and_a_single_one_does() -> None:
    pair = bl.Network("AB", {"B": ["A"]})
    assert pair.cpdag_under({"max_parents": 1}).reversible == (("A", "B"),)
    assert pair.cpdag_under({"max_parents": {"A": 0}}).compelled == (("A", "B"),)
    assert pair.cpdag_under({"max_parents": {"A": 1, "*": 1}}).reversible == (("A", "B"),)


def test_an_order_speaks_of_paths() -> None:
    chain = bl.Network("ABC", {"B": ["A"], "C": ["B"]})
    assert chain.cpdag_under({"before": [("A", "C")]}).compelled == (("B", "C"),)
    assert chain.cpdag_under({"before": [("A", "B"), ("B", "C")]}).reversible == ()


def test_a_network_that_breaks_the_constraints_is_refused() -> None:
    pair = bl.Network("AB", {"B": ["A"]})
    with pytest.raises(bl.InputError, match="the network breaks the constraints: forbidden edge 'A' -> 'B'"):
        pair.cpdag_under({"forbidden": [("A", "B")]})
    for bad in (
        {"most": [0, 0]},
        {"most": [1]},
        {"orders": [(1, 0)]},
        {"orders": [(0, 0)]},
        {"known": [(1, 0)]},
    ):
        given = {"known": [], "most": [], "orders": [], "work_limit": 10, **bad}
        with pytest.raises(bl.InputError):
            _core.directions_under(pair._core, **given)


@pytest.mark.parametrize("shape", ["tree", "sparse", "dense"])
def test_a_thousand_variables_with_tiers_take_few_steps(shape: str) -> None:
    rng = random.Random(1)
    n = 1000
    parents: list[list[int]] = [[]]
    for v in range(1, n):
        near = rng.randrange(max(0, v - 30), v)
        if shape == "sparse":
            parents.append(sorted(rng.sample(range(max(0, v - 50), v), min(v, rng.randint(0, 3)))))
        else:
            more = rng.sample(parents[near], min(len(parents[near]), 4)) if shape == "dense" else []
            parents.append(sorted({near, *more}))
    network = bl.Network([f"x{v}" for v in range(n)], parents)
    known = [(p, v) for v, up in enumerate(parents) for p in up if p * 4 // n < v * 4 // n]
    labels, work = _core.directions_under(network._core, known, [], [], 10**8)
    assert 3 not in labels
    assert work < 5_000_000
