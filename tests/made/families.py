"""Families (a child with its parents), their local scores, and the candidates that a definition keeps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from bayesloom import _core

Family = tuple[int, tuple[int, ...]]
Found = dict[Family, int]
NO_SCORE = -(2**61)  # below it in fixed point: a family without a score


def all_families(n: int, *, limit: int | None = None, varies: Iterable[int] | None = None) -> list[Family]:
    """Return every family of n variables; constant variables, not in `varies`, are in none but their own."""
    useful = set(range(n) if varies is None else varies)
    return [
        (child, parents)
        for child in range(n)
        for size in range(n if limit is None else limit + 1)
        for parents in itertools.combinations(sorted(useful - {child}) if child in useful else (), size)
    ]


def local_scores(data, name: str, families: list[Family], options=None, threads=1) -> list[int]:
    """Return local scores in fixed point, of a table or of what the core counts."""
    return _core.score_families(
        getattr(data, "encoded", data),
        name,
        options or {},
        np.array([child for child, _ in families], dtype=np.uint16),
        np.cumsum([0] + [len(parents) for _, parents in families]).astype(np.uint64),
        np.array([p for _, parents in families for p in parents], dtype=np.uint16),
        threads,
    ).tolist()


def not_beaten(data, name: str, families: list[Family], margin: float, options=None) -> Found:
    """Return the families with a score that no proper subset of the parents beats by more than the margin."""
    score = dict(zip(families, local_scores(data, name, families, options), strict=True))
    slack = math.ceil(margin * 2**30)
    return {
        (child, parents): value
        for (child, parents), value in score.items()
        if value > NO_SCORE
        and all(
            value >= score[child, subset] - slack
            for size in range(len(parents))
            for subset in itertools.combinations(parents, size)
        )
    }


def candidates(cache) -> Found:
    """Return what a cache of the core holds."""
    found = {}
    for v in range(len(cache.names)):
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            begin, end = int(cache.parent_first[c]), int(cache.parent_first[c + 1])
            found[v, tuple(cache.parents[begin:end].tolist())] = int(cache.scores[c])
    return found
