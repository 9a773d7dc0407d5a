"""Small random score caches, as plain lists and as the `ScoreCache` of the same content."""

from __future__ import annotations

import random

from bayesloom.scoring.cache import ScoreCache
from reference.orders import Lists

UNIT = 2**30


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


def cache_of(lists: Lists) -> ScoreCache:
    """The score cache with these candidates."""
    names = [f"X{v}" for v in range(len(lists))]
    candidates = {
        names[v]: [(score, [names[p] for p in sorted(parents)]) for score, parents in found]
        for v, found in enumerate(lists)
    }
    return ScoreCache.from_candidates(names, candidates)
