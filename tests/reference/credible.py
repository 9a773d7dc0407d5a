"""Slow, obvious twins of src/core/credible: all networks, all classes, by definition."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np

from reference.graphs import Parents, all_networks, edges, is_acyclic, skeleton, v_structures
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


def log_total_mass(lists: Lists, unit: int = 1) -> float:
    """ln of the sum of exp(score) over all acyclic choices, listed and summed one by one."""
    scores = list(scored_networks(lists).values())
    best = max(scores)
    return best / unit + math.log(math.fsum(math.exp((score - best) / unit) for score in scores))


def log_total_mass_by_sinks(lists: Lists) -> float:
    """The same by inclusion and exclusion over the variables without children, in exact fractions."""
    n = len(lists)
    top = [max(score for score, _ in found) for found in lists]
    weights = [
        [(Fraction(math.exp(score - top[v])), frozenset(up)) for score, up in found]
        for v, found in enumerate(lists)
    ]

    @cache
    def alpha(v: int, inside: frozenset[int]) -> Fraction:
        return sum((w for w, up in weights[v] if up <= inside), Fraction(0))

    @cache
    def total(left: frozenset[int]) -> Fraction:
        if not left:
            return Fraction(1)
        found = Fraction(0)
        for k in range(1, len(left) + 1):
            for sinks in combinations(sorted(left), k):
                rest = left - frozenset(sinks)
                found += (-1) ** (k + 1) * total(rest) * math.prod(alpha(v, rest) for v in sinks)
        return found

    whole = total(frozenset(range(n)))
    return sum(top) + math.log(whole.numerator) - math.log(whole.denominator)


class AllNetworks:
    """Every network over n variables as an array of parent sets, one bit per variable, and its class."""

    def __init__(self, n: int) -> None:
        networks = all_networks(n)
        self.parents = np.array([[sum(1 << p for p in up) for up in g] for g in networks], dtype=np.int64)
        keys = {}
        self.classes = np.array(
            [keys.setdefault((skeleton(g), v_structures(g)), len(keys)) for g in networks], dtype=np.int64
        )
        self.sizes = np.bincount(self.classes)

    def scores(self, local: np.ndarray) -> np.ndarray:
        """The score of each, from ``local[variable, parent set]`` in fixed point."""
        return local[np.arange(self.parents.shape[1]), self.parents].sum(axis=1)


@cache
def every_network(n: int) -> AllNetworks:
    return AllNetworks(n)
