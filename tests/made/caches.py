"""Hypothesis strategies and helpers for score caches."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from bayesloom.scoring.cache import ScoreCache

# Few scores of a coarse grid, so that ties are common, and some of any size.
SCORES = st.one_of(
    st.integers(-40, 4).map(lambda i: i / 4),
    st.floats(-1e8, 1e8, allow_nan=False),
)
WORDS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0 \t\n\r\v\f"), min_size=1, max_size=6
)
TEXT_NAMES = WORDS.filter(lambda name: not name.startswith("#"))
PLAIN_NAMES = TEXT_NAMES.filter(lambda name: "meta" not in name.lower() and not name.lower().endswith("var"))
ANY_NAMES = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=6
)
INFO = st.fixed_dictionaries(
    {},
    optional={
        "score": st.sampled_from(["bic", "bdeu"]),
        "rows": st.integers(0, 10**6),
        "options": st.dictionaries(st.just("ess"), st.floats(0.1, 10)),
        "max_parents": st.none() | st.integers(0, 9),
        "complete_factor": st.none() | st.floats(1, 100),
        "note": st.text(max_size=9),
    },
)


@st.composite
def caches(
    draw: st.DrawFn, names: st.SearchStrategy[str] = PLAIN_NAMES, max_variables: int = 5, info: bool = True
) -> ScoreCache:
    """Score caches, not necessarily with the empty set among the candidates."""
    chosen = draw(st.lists(names, min_size=1, max_size=max_variables, unique=True))
    candidates: dict[str, Any] = {}
    for name in chosen:
        others = [other for other in chosen if other != name]
        sets = st.frozensets(st.sampled_from(others)) if others else st.just(frozenset())
        parent_sets = draw(st.lists(sets, min_size=1, max_size=6, unique=True))
        candidates[name] = [(draw(SCORES), draw(st.permutations(sorted(s)))) for s in parent_sets]
    cardinalities = draw(st.lists(st.integers(0, 9), min_size=len(chosen), max_size=len(chosen)))
    return ScoreCache.from_candidates(
        chosen,
        candidates,
        cardinalities=cardinalities if info else None,
        info=draw(INFO) if info else None,
    )


def content(core: Any) -> dict[str, dict[frozenset[str], int]]:
    """Return the candidates of a cache of the core in the form of the naive readers."""
    names, first, offsets = core.names, core.first, core.parent_first
    return {
        name: {
            frozenset(names[p] for p in core.parents[int(offsets[c]) : int(offsets[c + 1])]): int(
                core.scores[c]
            )
            for c in range(int(first[v]), int(first[v + 1]))
        }
        for v, name in enumerate(names)
    }


def random_cache(seed: int, variables: int, candidates: int, max_parents: int = 3) -> ScoreCache:
    """A cache with about this many candidates per variable and scores of many digits."""
    rng = np.random.default_rng(seed)
    names = [f"x{v}" for v in range(variables)]
    lists: dict[str, Any] = {}
    for v, name in enumerate(names):
        others = [u for u in range(variables) if u != v]
        sets = {frozenset()} | {
            frozenset(
                rng.choice(
                    others, size=rng.integers(1, min(max_parents, len(others)) + 1), replace=False
                ).tolist()
            )
            for _ in range(candidates - 1)
        }
        lists[name] = [(-rng.exponential(1000.0), [names[p] for p in s]) for s in sorted(sets, key=sorted)]
    return ScoreCache.from_candidates(
        names, lists, cardinalities=[2] * variables, info={"score": "bic", "rows": 1000}
    )


def tied_cache(seed: int) -> ScoreCache:
    """A small cache with scores of a coarse grid, and often without the empty candidate."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 10))
    names = [f"x{v}" for v in range(n)]
    tied, with_empty = rng.random() < 0.5, rng.random() < 0.7
    lists = {}
    for v, name in enumerate(names):
        others = [u for u in range(n) if u != v]
        sets = {frozenset()} if with_empty or not others else set()
        for _ in range(int(rng.integers(1, 30))):
            size = int(
                rng.integers(0 if rng.random() < 0.2 else min(1, len(others)), min(4, len(others)) + 1)
            )
            sets.add(
                frozenset(rng.choice(others, size=size, replace=False).tolist()) if size else frozenset()
            )
        lists[name] = [
            (
                float(-rng.integers(0, 8)) if tied else -rng.exponential(10.0) * (5 - len(s)),
                [names[p] for p in s],
            )
            for s in sorted(sets, key=sorted)
        ]
    return ScoreCache.from_candidates(names, lists)


def joined(*caches: ScoreCache) -> ScoreCache:
    """The caches side by side, none a parent of another's variables."""
    names: list[str] = []
    lists: dict[str, Any] = {}
    for k, one in enumerate(caches):
        renamed = {name: f"{chr(97 + k)}_{name}" for name in one.names}
        names += renamed.values()
        for v, name in enumerate(one.names):
            lists[renamed[name]] = [
                (
                    float(one.scores[c]) / 2**30,
                    [
                        renamed[one.names[p]]
                        for p in one.parents[int(one.parent_first[c]) : int(one.parent_first[c + 1])]
                    ],
                )
                for c in range(int(one.first[v]), int(one.first[v + 1]))
            ]
    return ScoreCache.from_candidates(names, lists)
