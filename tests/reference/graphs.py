"""Slow, obvious twins of src/core/graph: definitions, written down.

A network is a tuple of frozensets: the parents of each variable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product

Parents = tuple[frozenset[int], ...]


def is_acyclic(parents: Parents) -> bool:
    """Whether variables without parents can be taken away until none is left."""
    left = set(range(len(parents)))
    while sources := {i for i in left if not parents[i] & left}:
        left -= sources
    return not left


def strong_components(parents: Sequence[Iterable[int]]) -> set[frozenset[int]]:
    """Variables that lead to each other: the definition, by reachability."""
    n = len(parents)
    reach = [{v, *parents[v]} for v in range(n)]
    for middle in range(n):
        for v in range(n):
            if middle in reach[v]:
                reach[v] |= reach[middle]
    return {frozenset(w for w in range(n) if w in reach[v] and v in reach[w]) for v in range(n)}


@cache
def all_networks(n: int) -> tuple[Parents, ...]:
    """Every network over n variables: 1, 3, 25, 543, 29281 for n = 1 .. 5."""

    def choices(i: int) -> list[frozenset[int]]:
        others = [j for j in range(n) if j != i]
        return [frozenset(c) for k in range(n) for c in combinations(others, k)]

    return tuple(p for p in product(*map(choices, range(n))) if is_acyclic(p))


def edges(parents: Parents) -> set[tuple[int, int]]:
    return {(j, i) for i, up in enumerate(parents) for j in up}


def skeleton(parents: Parents) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(e) for e in edges(parents))


def v_structures(parents: Parents) -> frozenset[tuple[frozenset[int], int]]:
    """Pairs of parents that are not adjacent, with their child."""
    joined = skeleton(parents)
    return frozenset(
        (frozenset(pair), child)
        for child, up in enumerate(parents)
        for pair in combinations(up, 2)
        if frozenset(pair) not in joined
    )


@cache
def classes(n: int) -> tuple[tuple[Parents, ...], ...]:
    """All networks over n variables by equivalence class: 1, 2, 11, 185, 8782 classes."""
    groups = defaultdict(list)
    for parents in all_networks(n):
        groups[skeleton(parents), v_structures(parents)].append(parents)
    return tuple(tuple(group) for group in groups.values())


def class_edges(members: tuple[Parents, ...]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Compelled edges, and reversible ones with the smaller index first, over all members."""
    compelled = set.intersection(*map(edges, members))
    reversible = {(min(e), max(e)) for m in members for e in edges(m) if e not in compelled}
    return compelled, reversible


def moral_pairs(parents: Parents) -> set[tuple[int, int]]:
    pairs = set(skeleton(parents))
    for up in parents:
        pairs |= {frozenset(pair) for pair in combinations(up, 2)}
    return {(min(p), max(p)) for p in pairs}


def distance(n: int, a: set[tuple[int, int]], b: set[tuple[int, int]]) -> int:
    """Pairs that are joined differently; an undirected edge is given as both directions."""
    return sum(((i, j) in a, (j, i) in a) != ((i, j) in b, (j, i) in b) for i, j in combinations(range(n), 2))


def smallest_first_order(parents: Parents) -> list[int]:
    """Parents first; among the variables that could come next, the smallest index."""
    order: list[int] = []
    while len(order) < len(parents):
        order.append(next(i for i, up in enumerate(parents) if i not in order and up <= set(order)))
    return order


def pairs(n: int) -> Iterator[tuple[int, int]]:
    """Every pair of variables, smaller index first."""
    return combinations(range(n), 2)


def extensions(n: int, directed: set[tuple[int, int]], undirected: set[tuple[int, int]]) -> set[Parents]:
    """Networks with these edges, these directions, and only those v-structures that are given."""
    joined = {frozenset(e) for e in directed | undirected}
    given = {
        (frozenset((a, b)), c)
        for a, c in directed
        for b, d in directed
        if c == d and a != b and frozenset((a, b)) not in joined
    }
    return {
        p
        for p in all_networks(n)
        if skeleton(p) == joined and directed <= edges(p) and v_structures(p) == given
    }
