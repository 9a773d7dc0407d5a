"""Slow, obvious twins of the exact solvers: best over all orders, and the paper's search as printed.

Lists are one list of ``(score, parents)`` per variable with ``parents`` a frozenset of variables.
"""

from __future__ import annotations

import math
from itertools import combinations, permutations


def best_score(lists):
    """Best score over all networks: the best over all orders (n <= 7); None if there is no network."""
    best = None
    for order in permutations(range(len(lists))):
        before, total = set(), 0
        for x in order:
            scores = [score for score, parents in lists[x] if parents <= before]
            if not scores:
                break
            total += max(scores)
            before.add(x)
        else:
            best = total if best is None else max(best, total)
    return best


def printed_search(lists, upper, *, prune_parent_graphs=True):
    """The layered search of malone2011 in its own terms: costs, lower is better.

    Its harmless slips are repaired (see docs/papers/malone2011.md); what is left as printed is section
    5.1: the parent graphs are pruned together with the order graph.  Returns the least cost found,
    infinity if none is at most `upper`.
    """
    n = len(lists)
    costs = [{parents: -score for score, parents in entries} for entries in lists]
    least = [min(entries.values()) for entries in costs]
    # best_within[x][U]: built from the sets one smaller, as the parent graphs are
    best_within = [{frozenset(): costs[x].get(frozenset(), math.inf)} for x in range(n)]
    layer = {frozenset(): 0.0}
    for size in range(n):
        successors = {}
        for placed, cost in layer.items():
            for x in set(range(n)) - placed:
                total = cost + best_within[x].get(placed, math.inf)
                after = placed | {x}
                bound = total + sum(least[y] for y in range(n) if y not in after)
                if bound <= upper:
                    successors[after] = min(total, successors.get(after, math.inf))
        for x in range(n):
            larger = {}
            for chosen in combinations([y for y in range(n) if y != x], size + 1):
                parents = frozenset(chosen)
                if prune_parent_graphs and parents not in successors:
                    continue
                inherited = [best_within[x].get(parents - {p}, math.inf) for p in parents]
                larger[parents] = min(costs[x].get(parents, math.inf), *inherited)
            best_within[x] = larger
        layer = successors
    return layer.get(frozenset(range(n)), math.inf)
