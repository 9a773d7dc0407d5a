"""Random score caches for the solvers, as lists and as `bayesloom.ScoreCache`."""

from __future__ import annotations

from bayesloom import ScoreCache


def random_lists(rng, n, *, max_parents=3, candidates=8, empty=True, ties=False):
    """Candidates of n variables; `ties` draws scores from a few values, so that many are equal."""
    lists = []
    for x in range(n):
        others = [y for y in range(n) if y != x]
        sets = {frozenset()} if empty else set()
        for _ in range(candidates):
            sets.add(frozenset(rng.sample(others, rng.randint(0, min(max_parents, n - 1)))))
        lists.append(
            [
                ((rng.randint(-8, 0) / 4 if ties else rng.uniform(-8, 0)) - 4 * (not parents), parents)
                for parents in sorted(sets, key=sorted)
            ]
        )
    return lists


def to_cache(lists):
    names = [f"v{x}" for x in range(len(lists))]
    return ScoreCache.from_candidates(
        names,
        {
            names[x]: [(score, [names[p] for p in sorted(parents)]) for score, parents in entries]
            for x, entries in enumerate(lists)
        },
    )


def tangled_cache(rng, n, *, candidates=12):
    """A cache that simple bounds hardly help with: every variable wants several others, differently much."""
    lists = []
    for x in range(n):
        others = [y for y in range(n) if y != x]
        sets = {frozenset(rng.sample(others, rng.randint(2, 4))) for _ in range(candidates)}
        lists.append([(rng.uniform(-30, 0), s) for s in sorted(sets, key=sorted)])
        lists[-1].append((-60.0, frozenset()))
    return to_cache(lists)
