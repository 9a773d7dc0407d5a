"""How long order search takes for its steps: a climb by inserts, a look, a shake.

Two random caches: 1,000 variables as in a large survey, 10,000 as in a genome; candidates have up to
five parents from the neighbourhood of their variable, better ones have more.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bayesloom import search
from bayesloom.scoring.cache import ScoreCache

QUICK = {"sizes": ((1_000, 100),)}
"""What `compare.py` measures."""


def random_cache(variables: int, candidates: int, *, reach: int = 60, seed: int = 0) -> ScoreCache:
    """Return a cache whose candidates lie among the `reach` nearest variables on either side."""
    rng = np.random.default_rng(seed)
    lists = {}
    names = [f"X{v}" for v in range(variables)]
    for v, name in enumerate(names):
        low, high = max(0, v - reach), min(variables, v + reach + 1)
        near = np.array([u for u in range(low, high) if u != v])
        found: dict[tuple[int, ...], float] = {(): -1000.0}
        sizes = rng.integers(1, 6, candidates - 1)
        for size in sizes:
            parents = tuple(sorted(rng.choice(near, size, replace=False).tolist()))
            found[parents] = -1000.0 + 60.0 * size * rng.random()
        lists[name] = [(score, [names[p] for p in parents]) for parents, score in found.items()]
    return ScoreCache.from_candidates(names, lists)


def rows(*, sizes: tuple[tuple[int, int], ...] = ((1_000, 200), (10_000, 50))) -> list[dict[str, Any]]:
    """Return one row per measurement: name, seconds, detail."""
    found = []
    for variables, candidates in sizes:
        cache = random_cache(variables, candidates)
        size = f"{variables} variables, {cache.candidate_count} candidates"
        for solver, options, limit in (
            ("obs", {"climbs": 1}, None),
            ("asobs", {"climbs": 1}, None),
            ("inobs", {"climbs": 1}, None),
            ("iinobs", {}, 50 * variables),
            ("minobs", {}, 50 * variables),
        ):
            begin = time.process_time()
            result = search(cache, solver=solver, options=options, work_limit=limit, threads=1)
            seconds = time.process_time() - begin
            per_look = 1e6 * seconds / result.work
            detail = f"{size}, {result.work} looks, {per_look:.2f} us each, score {result.score:.0f}"
            found.append({"name": solver, "seconds": seconds, "detail": detail})
    return found


if __name__ == "__main__":
    for row in rows():
        print(f"{row['name']:<8} {row['seconds']:8.3f} s   {row['detail']}")
