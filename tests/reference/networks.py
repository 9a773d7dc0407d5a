"""The best network over a score cache, by trying every order."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

Candidates = Mapping[str, Mapping[frozenset[str], int]]


def best_score(candidates: Candidates) -> int | None:
    """Return the best score over all networks, or None if the candidates allow none (n <= 6)."""
    best = None
    for order in permutations(candidates):
        total = 0
        for position, name in enumerate(order):
            before = set(order[:position])
            allowed = [score for parents, score in candidates[name].items() if parents <= before]
            if not allowed:
                break
            total += max(allowed)
        else:
            best = total if best is None else max(best, total)
    return best
