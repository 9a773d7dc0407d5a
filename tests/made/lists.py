"""Candidates as plain lists, as the twins in `reference` read them, and the `ScoreCache` of the same content.

Every generator names what is special about its caches: ties, no network at all, cycles of wishes, a gap.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from bayesloom import ScoreCache
from reference.orders import Lists

UNIT = 2**30
"""What a nat is in the fixed-point numbers of the core."""

RealLists = list[list[tuple[float, frozenset[int]]]]


def cache_of(lists: Sequence[Sequence[tuple[float, frozenset[int]]]], *, unit: int = 1) -> ScoreCache:
    """The score cache with these candidates, over X0, X1, ...; `unit` is what the lists call a nat."""
    names = [f"X{v}" for v in range(len(lists))]
    candidates = {
        names[v]: [(score / unit, [names[p] for p in sorted(parents)]) for score, parents in found]
        for v, found in enumerate(lists)
    }
    return ScoreCache.from_candidates(names, candidates)


def random_lists(
    rng: random.Random, n: int, *, empty: float = 1.0, most: int = 12, worst: int | None = None
) -> Lists:
    """Up to `most` candidates a variable with whole scores down to -`worst`: by default so few
    different ones that there are ties.

    `empty` is the chance that a variable has the empty candidate; below 1 there may be no network.
    """
    lists: Lists = []
    worst = worst or rng.choice([4, 30])
    for v in range(n):
        others = [u for u in range(n) if u != v]
        found: dict[frozenset[int], int] = {}
        if rng.random() < empty or n == 1:
            found[frozenset()] = -rng.randint(worst // 2, worst)
        for _ in range(rng.randint(0 if found else 1, most) if n > 1 else 0):
            parents = frozenset(rng.sample(others, rng.randint(1, min(3, n - 1))))
            found.setdefault(parents, -rng.randint(0, worst))
        lists.append([(score, parents) for parents, score in found.items()])
    return lists


def real_lists(
    rng: random.Random,
    n: int,
    *,
    max_parents: int = 3,
    candidates: int = 8,
    empty: bool = True,
    ties: bool = False,
) -> RealLists:
    """Scores of many digits; `ties` draws them from a few values, so that many are equal."""
    lists: RealLists = []
    for x in range(n):
        others = [y for y in range(n) if y != x]
        sets = {frozenset[int]()} if empty else set()
        for _ in range(candidates):
            sets.add(frozenset(rng.sample(others, rng.randint(0, min(max_parents, n - 1)))))
        lists.append(
            [
                ((rng.randint(-8, 0) / 4 if ties else rng.uniform(-8, 0)) - 4 * (not parents), parents)
                for parents in sorted(sets, key=sorted)
            ]
        )
    return lists


def stepped_lists(rng: np.random.Generator, n: int, *, sets: int = 7) -> Lists:
    """In units: scores of a few steps of a quarter nat, so that ties are common, and sets of any size."""
    lists: Lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        chosen = {frozenset[int]()} | {
            frozenset(rng.choice(others, size=rng.integers(1, n), replace=False).tolist())
            for _ in range(sets)
        }
        lists.append([(int(rng.integers(-12, 0)) * (UNIT // 4), up) for up in sorted(chosen, key=sorted)])
    return lists


def tangled_cache(rng: random.Random, n: int, *, candidates: int = 12) -> ScoreCache:
    """A cache that simple bounds hardly help with: every variable wants several others, differently much."""
    lists: RealLists = []
    for x in range(n):
        others = [y for y in range(n) if y != x]
        sets = {frozenset(rng.sample(others, rng.randint(2, 4))) for _ in range(candidates)}
        lists.append([(rng.uniform(-30, 0), s) for s in sorted(sets, key=sorted)])
        lists[-1].append((-60.0, frozenset()))
    return cache_of(lists)


def cyclic_cache(seed: int, n: int) -> ScoreCache:
    """Everybody's best parents close cycles with everybody else's, so that bounds leave a gap."""
    rng = np.random.default_rng(seed)
    lists: Lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        sets = {
            frozenset(rng.choice(others, int(rng.integers(1, 4)), replace=False).tolist()) for _ in range(9)
        }
        lists.append(
            [(-int(rng.integers(3 * UNIT, 5 * UNIT)), frozenset())]
            + [(-int(rng.integers(0, 4 * UNIT)), up) for up in sorted(sets, key=sorted)]
        )
    return cache_of(lists, unit=UNIT)


def flat_cache(n: int) -> ScoreCache:
    """No edges are best, and very many networks are nearly as good."""
    rng = np.random.default_rng(1)
    lists: Lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        sets = {frozenset(rng.choice(others, 2, replace=False).tolist()) for _ in range(30)}
        near = [(-int(rng.integers(1, 2**29)), up) for up in sorted(sets, key=sorted)]
        lists.append([(0, frozenset()), *near])
    return cache_of(lists, unit=UNIT)


def crowded_cache(seed: int, variables: int = 12, candidates: int = 60) -> ScoreCache:
    """Every variable wants many parents, candidates of a size score much alike: a gap is left at the root."""
    rng = np.random.default_rng(seed)
    lists: RealLists = []
    for v in range(variables):
        others = [u for u in range(variables) if u != v]
        sets = {frozenset[int]()} | {
            frozenset(rng.choice(others, size=int(rng.integers(1, 4)), replace=False).tolist())
            for _ in range(candidates)
        }
        lists.append([(10 * len(s) ** 0.7 + float(rng.normal()), s) for s in sorted(sets, key=sorted)])
    return cache_of(lists)
