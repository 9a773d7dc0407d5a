"""The verifier's own labels of edges: against the core, and against all networks of a class."""

from __future__ import annotations

import itertools
import random

import pytest

import bayesloom as bl
from bayesloom.verification import labels
from bayesloom.verification.labels import compelled_edges
from made.networks import named
from reference import graphs

Parents = dict[str, list[str]]
NAMES = ["a", "b", "c", "d"]


def random_parents(draw: random.Random, names: list[str]) -> Parents:
    place = {name: k for k, name in enumerate(draw.sample(names, len(names)))}
    density = draw.random()
    return {
        child: [name for name in names if place[name] < place[child] and draw.random() < density]
        for child in names
    }


@pytest.mark.parametrize("seed", range(300))
def test_without_constraints_they_are_those_of_the_core(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"v{k}" for k in range(draw.randint(2, 12))]
    parents = random_parents(draw, names)
    found = {edge for edge, compelled in compelled_edges(parents).items() if compelled}
    assert found == set(bl.Network(names, parents).cpdag.compelled)


CLASSES = [[named(member, NAMES) for member in members] for members in graphs.classes(4)]


def test_there_are_as_many_classes_as_known() -> None:
    assert len(CLASSES) == 185
    assert sum(map(len, CLASSES)) == 543


def random_rules(draw: random.Random, parents: Parents) -> bl.Constraints:
    edges = [(a, b) for b, up in parents.items() for a in up]
    others = [(a, b) for a, b in itertools.permutations(NAMES, 2) if (a, b) not in edges]
    order = draw.sample(NAMES, 4)
    return bl.Constraints(
        required=[draw.choice(edges)] if edges and draw.random() < 0.4 else [],
        forbidden=[draw.choice(others)] if others and draw.random() < 0.4 else [],
        tiers=[order[:2], order[2:]] if draw.random() < 0.3 else [],
        roots=[draw.choice(NAMES)] if draw.random() < 0.2 else [],
        leaves=[draw.choice(NAMES)] if draw.random() < 0.2 else [],
        max_parents={draw.choice(NAMES): draw.randint(1, 2)} if draw.random() < 0.3 else None,
        before=[(order[0], order[3])] if draw.random() < 0.3 else [],
    )


def test_under_constraints_an_edge_is_compelled_if_no_network_that_keeps_them_turns_it() -> None:
    draw = random.Random(5)
    compared = turned = 0
    while compared < 1500:
        members = draw.choice(CLASSES)
        parents = draw.choice(members)
        rules = random_rules(draw, parents)
        if rules.problems(NAMES) or rules.broken_by(parents):
            continue
        keeping = [member for member in members if not rules.broken_by(member)]
        for (a, b), compelled in compelled_edges(parents, rules).items():
            expected = all(a in member[b] for member in keeping)
            assert compelled == expected, (parents, rules, a, b)
            compared += 1
            turned += not expected
    assert turned > 200


def test_a_search_that_would_take_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "MOST_STEPS", 0)
    parents: Parents = {"a": [], "b": ["a"], "c": []}
    assert compelled_edges(parents, bl.Constraints(before=[("a", "c")])) == {("a", "b"): None}
