"""Enumerate networks: find the best score, and all networks near it.

The code is simple on purpose, and shares nothing with the solvers. The best score comes from the recurrence
over sinks in ``src/core/check``; networks near the best are found by trying each parent set of one variable
after the other, as long as there is no cycle and the best of the rest could still reach the limit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification.checks import OF_NUMBERS, UNIT
from bayesloom.verification.network import AnyTable, family_scores

__all__ = [
    "Allowed",
    "Lists",
    "Recount",
    "TooMany",
    "best_of",
    "class_key",
    "lists_of_cache",
    "lists_of_table",
    "networks_above",
    "recount",
]

MOST_OF_TABLE = 10  # variables: 5,120 parent sets, each counted row by row
MOST_STEPS = 2_000_000  # of a recount: some seconds

Lists = list[list[tuple[int, tuple[int, ...]]]]
"""For each variable its candidates: score in units of 2^-30 nat, and parents."""


class Allowed:
    """What constraints say about an edge, or a parent set, by itself."""

    def __init__(self, rules: Constraints, max_parents: int | None = None) -> None:
        self._most = max_parents
        self._limits = rules.max_parents
        # Whatever forbids an edge from a to b by itself, as one set, made once: a cache has millions.
        self._not = {*rules.forbidden, *((b, a) for a, b in (*rules.required, *rules.before))}
        self._roots, self._leaves = set(rules.roots), set(rules.leaves)
        self._needed: dict[str, set[str]] = {}
        for a, b in rules.required:
            self._needed.setdefault(b, set()).add(a)
        self._tier = {name: k for k, tier in enumerate(rules.tiers) for name in tier}

    def edge(self, a: str, b: str) -> bool:
        """Whether an edge from a to b may be there."""
        if (a, b) in self._not or b in self._roots or a in self._leaves:
            return False
        earlier, later = self._tier.get(a), self._tier.get(b)
        return earlier is None or later is None or earlier <= later

    def most(self, child: str) -> int | None:
        """How many parents a variable may have."""
        limits = [self._most, self._limits.get(child, self._limits.get("*"))]
        return min((limit for limit in limits if limit is not None), default=None)

    def family(self, child: str, parents: Sequence[str]) -> bool:
        """Whether a variable may have exactly these parents."""
        most = self.most(child)
        return (
            (most is None or len(parents) <= most)
            and self._needed.get(child, set()).issubset(parents)
            and all(self.edge(a, child) for a in parents)
        )


def lists_of_cache(
    cache: ScoreCache, rules: Constraints | None = None, max_parents: int | None = None
) -> Lists:
    """Return the candidates of a cache that constraints and limit allow."""
    allowed = Allowed(rules or Constraints(), max_parents) if rules or max_parents is not None else None
    names, flat = cache.names, cache.parents.tolist()
    edges, scores = cache.parent_first.tolist(), cache.scores.tolist()
    lists: Lists = []
    for v, name in enumerate(names):
        own = []
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            parents = tuple(flat[edges[c] : edges[c + 1]])
            if allowed is None or allowed.family(name, [names[p] for p in parents]):
                own.append((scores[c], parents))
        lists.append(own)
    return lists


def lists_of_table(
    table: AnyTable,
    score: str,
    options: Mapping[str, float] | None,
    rules: Constraints | None = None,
    max_parents: int | None = None,
) -> Lists:
    """Return every parent set of every variable of a small table that constraints and limit allow."""
    names = tuple(table.names)
    if len(names) > MOST_OF_TABLE:
        raise InputError(
            f"the check of all networks of a table is limited to {MOST_OF_TABLE} variables; "
            f"this one has {len(names):,}."
        )
    allowed = Allowed(rules or Constraints(), max_parents)
    sets = [
        (v, parents)
        for v, name in enumerate(names)
        for size in range(len(names))
        for parents in itertools.combinations([u for u in range(len(names)) if u != v], size)
        if allowed.family(name, [names[p] for p in parents])
    ]
    families = [(names[v], [names[p] for p in parents]) for v, parents in sets]
    lists: Lists = [[] for _ in names]
    for (v, parents), value in zip(sets, _values(table, families, score, options), strict=True):
        if value is not None:
            lists[v].append((round(value / UNIT), parents))
    return lists


def _values(
    table: AnyTable,
    families: Sequence[tuple[str, Sequence[str]]],
    score: str,
    options: Mapping[str, float] | None,
) -> Sequence[float | None]:
    """Return the score of each family; None where a score of numbers has none."""
    try:
        return family_scores(table, families, score, options)
    except InputError:
        if score not in OF_NUMBERS:
            raise
    found: list[float | None] = []
    for family in families:
        try:
            found += family_scores(table, [family], score, options)
        except InputError:
            if not family[1]:
                raise
            found.append(None)
    return found


def best_of(lists: Lists, orders: Sequence[tuple[int, int]] = ()) -> int:
    """Return the best score of all networks, in units.

    Of those that some order fits in which the first of each pair of `orders` comes before the second.
    """
    import numpy as np

    own = [len(part) for part in lists]
    scores = [value for part in lists for value, _ in part]
    sizes = [len(parents) for part in lists for _, parents in part]
    flat = [p for part in lists for _, parents in part for p in parents]
    return _core.check_best_score(
        np.array([0, *itertools.accumulate(own)], dtype=np.uint64),
        np.array(scores, dtype=np.int64),
        np.array([0, *itertools.accumulate(sizes)], dtype=np.uint64),
        np.array(flat, dtype=np.uint32),
        list(orders),
    )


@dataclass
class Recount:
    """All networks with a score of at least a limit.

    Attributes
    ----------
    count
        How many there are.
    near
        How many are so near the limit that rounding decides.
    mass
        The sum of their probabilities, that of the best being 1.
    edges
        The part of it that has each edge.
    classes
        How many equivalence classes they belong to.
    """

    count: int = 0
    near: int = 0
    mass: float = 0.0
    edges: dict[tuple[int, int], float] = field(default_factory=dict)
    classes: int = 0


def recount(
    lists: Lists, best: int, loss: int, orders: Sequence[tuple[int, int]] = (), unsure: int = 0
) -> Recount | None:
    """Return all networks that score at least `best - loss` units, or None if that takes too many steps.

    `unsure` is how far rounding may have moved a score.
    """
    found, keys = Recount(), set()
    try:
        for score, chosen in networks_above(lists, best - loss - unsure, orders):
            found.count += 1
            found.near += abs(score - (best - loss)) <= unsure
            weight = math.exp((score - best) * UNIT)
            found.mass += weight
            for child, parents in enumerate(chosen):
                for parent in parents:
                    found.edges[parent, child] = found.edges.get((parent, child), 0.0) + weight
            keys.add(class_key(chosen))
    except TooMany:
        return None
    found.classes = len(keys)
    return found


class TooMany(Exception):
    """There are too many networks to look at."""


def networks_above(
    lists: Lists, least: int, orders: Sequence[tuple[int, int]] = ()
) -> Iterator[tuple[int, tuple[tuple[int, ...], ...]]]:
    """Yield all networks that score at least `least` units, with their scores; raise TooMany."""
    n = len(lists)
    ranked = [sorted(part, reverse=True) for part in lists]
    rest = [0] * (n + 1)  # the best that the variables from v on can add
    for v in reversed(range(n)):
        rest[v] = rest[v + 1] + ranked[v][0][0]
    above = [0] * n  # ancestors, as bits; a variable that must come before counts as one
    for a, b in orders:
        above = _with_edges(above, b, 1 << a)
    steps = 0
    stack: list[tuple[int, int, list[int], tuple[tuple[int, ...], ...]]] = [(0, 0, above, ())]
    while stack:
        v, score, above, chosen = stack.pop()
        if v == n:
            yield score, chosen
            continue
        for value, parents in ranked[v]:
            steps += 1
            if steps > MOST_STEPS:
                raise TooMany
            if score + value + rest[v + 1] < least:
                break
            if not any(p == v or above[p] >> v & 1 for p in parents):
                mask = sum(1 << p for p in parents)
                stack.append((v + 1, score + value, _with_edges(above, v, mask), (*chosen, parents)))


def _with_edges(above: list[int], child: int, parents: int) -> list[int]:
    """Return the ancestors of each variable once `child` has these parents."""
    new = parents
    for p, mask in enumerate(above):
        if parents >> p & 1:
            new |= mask
    return [mask | new if v == child or mask >> child & 1 else mask for v, mask in enumerate(above)]


def class_key(chosen: Sequence[Sequence[int]]) -> tuple[frozenset[object], frozenset[object]]:
    """Return what all equivalent networks share: adjacencies, and parents that meet without being joined."""
    joined = frozenset(frozenset((p, v)) for v, parents in enumerate(chosen) for p in parents)
    meets = frozenset(
        (v, pair)
        for v, parents in enumerate(chosen)
        for pair in map(frozenset, itertools.combinations(parents, 2))
        if pair not in joined
    )
    return joined, meets
