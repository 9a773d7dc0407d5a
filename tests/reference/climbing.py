"""Hill climbing and scoring on demand, slow and obvious: every move is tried on the whole network."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

Parents = list[set[int]]
Score = Callable[[int, frozenset[int]], int]


def acyclic(parents: Parents, before: list[tuple[int, int]] = []) -> bool:  # noqa: B006
    """Whether all variables can be taken away one by one, parents first."""
    left = {v: set(chosen) for v, chosen in enumerate(parents)}
    for a, b in before:
        left[b].add(a)
    while ready := [v for v, chosen in left.items() if not chosen]:
        for v in ready:
            del left[v]
        for chosen in left.values():
            chosen -= set(ready)
    return not left


def moves(parents: Parents) -> Iterator[Parents]:
    """All networks, cyclic ones too, with one edge added, removed or reversed."""
    for a, b in itertools.permutations(range(len(parents)), 2):
        other = [set(chosen) for chosen in parents]
        if a in parents[b]:
            other[b].discard(a)
            yield [set(chosen) for chosen in other]
            other[a].add(b)
            yield other
        else:
            other[b].add(a)
            yield other


def total(parents: Parents, score: Score) -> int:
    return sum(score(v, frozenset(chosen)) for v, chosen in enumerate(parents))


def best_neighbour(parents: Parents, score: Score, allowed: Callable[[Parents], bool]) -> int:
    """The best score of all networks that are one move away and allowed."""
    return max(
        (total(other, score) for other in moves(parents) if acyclic(other) and allowed(other)),
        default=-(2**62),
    )


def supersets_that_matter(
    score: Callable[[frozenset[int]], int], required: frozenset[int], free: list[int], most: int, margin: int
) -> dict[frozenset[int], int]:
    """Every set between required and all that no smaller such set beats by more than the margin."""
    sets = {
        required | set(extra): 0
        for size in range(min(len(free), most - len(required)) + 1)
        for extra in itertools.combinations(free, size)
    }
    sets = {chosen: score(frozenset(chosen)) for chosen in map(frozenset, sets)}
    return {
        chosen: own
        for chosen, own in sets.items()
        if all(sets[smaller] - margin <= own for smaller in sets if smaller < chosen)
    }
