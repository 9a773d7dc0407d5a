"""Classes of a set by diagrams, also of parts that hang together only by choices that no network uses."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.credible_sets.api import max_loss

FACTOR = 1.5
ROWS = 30


def counted(seed: int) -> tuple[bl.ScoreCache, _core.CredibleSet]:
    """A table of two or three groups of variables that have hardly anything to do with each other."""
    rng = np.random.default_rng(seed)
    columns = {}
    for group in range(int(rng.integers(2, 4))):
        hidden = rng.integers(0, 2, ROWS)
        for member in range(int(rng.integers(2, 5))):
            columns[f"g{group}m{member}"] = np.where(rng.random(ROWS) < 0.8, hidden, rng.integers(0, 2, ROWS))
    cache = bl.score(columns, bayes_factor=FACTOR)
    known = _core.bblp(cache.core)["candidates"]
    # Rough prices leave choices that no network within the limit uses.
    made = _core.diagram_set(cache.core, max_loss(FACTOR, 0.0), known=known, pace=_core.Pace.rough)["set"]
    made.count()
    assert made.whole
    return cache, made


def classes_by_listing(cache: bl.ScoreCache, made: _core.CredibleSet) -> int:
    candidates, scores = made.stream().take(10**7)
    parents = [up for name in cache.names for _, up in cache.candidates(name)]
    rows = candidates.reshape(len(scores), -1).tolist()
    taken = [{name: parents[c] for name, c in zip(cache.names, row, strict=True)} for row in rows]
    return len({bl.Network(cache.names, each).cpdag for each in taken})


@pytest.mark.parametrize("seed", range(25))
def test_classes_are_those_of_the_networks_listed(seed: int) -> None:
    cache, made = counted(seed)
    expected = classes_by_listing(cache, made)
    whole = made.classes()
    assert whole.whole
    assert whole.count == expected
    for most in (1, 5, 50, 500):
        some = made.classes(most=most)
        assert some.count == expected if some.whole else some.count <= expected


@pytest.mark.parametrize("seed", range(25))
def test_classes_come_best_first_with_their_members(seed: int) -> None:
    cache, made = counted(seed)
    candidates, scores, members = made.classes().stream().take(10**6)
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)
    assert sum(members) == made.count()["count"]
    for row, score in zip(candidates.reshape(len(scores), -1).tolist(), scores.tolist(), strict=True):
        assert sum(int(cache.core.scores[c]) for c in row) == score


def test_parts_are_listed_where_the_whole_is_too_much() -> None:
    parted = 0
    for seed in range(60):
        _, made = counted(seed)
        one = sum(size > 1 for size in made.component_sizes) == 1
        parted += one and made.classes(most=max(1, made.count()["low"] - 1)).whole
    assert parted > 2
