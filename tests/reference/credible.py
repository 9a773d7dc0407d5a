"""Slow, obvious twins of src/core/credible: all networks, all classes, by definition."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from reference.graphs import Parents, edges, is_acyclic
from reference.orders import Lists


def scored_networks(lists: Lists) -> dict[Parents, int]:
    """Every acyclic choice of one candidate per variable, with its score."""
    found = {}
    for choice in product(*lists):
        parents = tuple(frozenset(up) for _, up in choice)
        if is_acyclic(parents):
            found[parents] = sum(score for score, _ in choice)
    return found


def credible_networks(scores: dict[Parents, int], slack: int) -> dict[Parents, int]:
    """The networks at most `slack` below the best."""
    best = max(scores.values())
    return {parents: score for parents, score in scores.items() if score >= best - slack}


def covered_edges(parents: Parents) -> Iterable[tuple[int, int]]:
    return ((a, b) for a, b in edges(parents) if parents[b] == parents[a] | {a})


def equivalence_class(parents: Parents) -> set[Parents]:
    """Everything that is reached by turning covered edges."""
    seen, front = {parents}, [parents]
    while front:
        here = front.pop()
        for a, b in covered_edges(here):
            turned = list(here)
            turned[b] = here[b] - {a}
            turned[a] = here[a] | {b}
            there = tuple(turned)
            if there not in seen:
                seen.add(there)
                front.append(there)
    return seen


def directed_posterior(scores: dict[Parents, int], n: int, unit: int) -> list[list[float]]:
    """The weight of each edge among networks with these scores, exactly summed."""
    best = max(scores.values())
    weights = {g: Fraction(math.exp((s - best) / unit)) for g, s in scores.items()}
    total = sum(weights.values())
    return [
        [float(sum((w for g, w in weights.items() if i in g[j]), Fraction(0)) / total) for j in range(n)]
        for i in range(n)
    ]
