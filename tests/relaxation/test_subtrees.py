"""Parts of a proof: each by itself, whatever the limits, they make up the whole."""

from __future__ import annotations

import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError
from bayesloom.scoring.cache import ScoreCache
from made.caches import joined, random_cache, tied_cache

NONE = -(2**61)  # below any score


def everything(cache):
    """All candidates of a cache as a part."""
    count = cache.candidate_count
    return (2**count - 1).to_bytes((count + 7) // 8, "little")


def scores_of(cache, candidates):
    return sum(int(cache.scores[c]) for c in candidates)


def owners(cache, candidates):
    first = [int(f) for f in cache.first]
    return sorted(next(v for v in range(len(first) - 1) if first[v] <= c < first[v + 1]) for c in candidates)


def acyclic(cache, candidates):
    parents = {v: set() for v in range(cache.variable_count)}
    for v, c in zip(owners(cache, candidates), sorted(candidates), strict=True):
        parents[v] = {
            int(p) for p in cache.parents[int(cache.parent_first[c]) : int(cache.parent_first[c + 1])]
        }
    placed = set()
    while len(placed) < len(parents):
        free = {v for v in parents if v not in placed and parents[v] <= placed}
        if not free:
            return False
        placed |= free
    return True


def best_of_parts(cache, floor, work, subtrees, options=None):
    """Search all parts; return the best score, its network, and how many parts there were."""
    best, network, done, waiting = floor, None, 0, [(everything(cache), [], [], 2**62, work)]
    while waiting:
        kept, decided, prices, bound, work = waiting.pop()
        own = scores_of(cache, decided)
        if bound <= best:
            continue
        done += 1
        out = _core.bblp_part(
            cache.core,
            kept,
            prices,
            best - own,
            moves=0,
            work=work,
            subtrees=subtrees,
            **(options or {}),
        )
        if out["candidates"] and own + out["score"] > best:
            best, network = own + out["score"], sorted([*decided, *out["candidates"]])
            assert scores_of(cache, network) == best
        if not out["open"]:
            assert own + out["bound"] <= best
        for candidates, more, prices_there, bound_there in out["open"]:
            assert int.from_bytes(candidates, "little") & ~int.from_bytes(kept, "little") == 0
            waiting.append(
                (candidates, [*decided, *more], prices_there, min(bound, own + bound_there), 2 * work)
            )
    return best, network, done


def made(kind, seed):
    if kind == "joined":
        return joined(*(random_cache(3 * seed + k, 7 + (seed + k) % 4, 40) for k in range(2)))
    return tied_cache(seed) if kind == "tied" else random_cache(seed, 8 + seed % 3, 30)


@pytest.mark.parametrize("sets", ["in turns", "never"])
@pytest.mark.parametrize(("kind", "least"), [("random", 5), ("tied", 1), ("joined", 5)])
def test_parts_of_parts_lead_to_the_best_network(kind, least, sets):
    divided = 0
    for seed in range(25):
        cache = made(kind, seed)
        expected = _core.subset_dp(cache.core, threads=1)["score"]
        best, network, done = best_of_parts(cache, NONE, 1 + 40 * (seed % 5), 2 + seed % 7, {"sets": sets})
        assert best == expected
        assert owners(cache, network) == list(range(cache.variable_count))
        assert acyclic(cache, network)
        divided += done > 3
    assert divided >= least


@pytest.mark.parametrize("kind", ["random", "tied", "joined"])
def test_nothing_is_found_at_the_floor_and_everything_above(kind):
    for seed in range(25):
        cache = made(kind, seed)
        expected = _core.subset_dp(cache.core, threads=1)["score"]
        at, network, _ = best_of_parts(cache, expected, 1 + 40 * (seed % 5), 4)
        assert (at, network) == (expected, None)
        assert best_of_parts(cache, expected - 1, 1 + 40 * (seed % 5), 4)[0] == expected


def test_the_same_work_gives_the_same_parts():
    cache = random_cache(5, 16, 100)
    runs = [
        _core.bblp_part(cache.core, everything(cache), [], NONE, moves=0, work=200, subtrees=4)
        for _ in range(2)
    ]
    assert runs[0]["open"] == runs[1]["open"] != []


def test_what_prices_and_a_floor_leave_of_components_goes_together():
    """They take out candidates of the network begun with: the parts left need not go with the rest of it."""
    for seed in range(300):
        cache = random_cache(seed, 6 + seed % 9, 3 + seed % 6) if seed % 2 else tied_cache(seed)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            continue
        prices = _core.bblp(cache.core, branch=False, moves=1000, seed=seed)["clusters"]
        for below in (2**29, 2**34, 2**61):
            for sets in ("in turns", "never"):
                out = _core.bblp_part(
                    cache.core, everything(cache), prices, best - below, seed=seed, moves=0, sets=sets
                )
                assert (out["score"], out["bound"], out["open"]) == (best, best, []), seed
                assert acyclic(cache, out["candidates"])
                assert scores_of(cache, out["candidates"]) == best


def test_given_prices_do_not_keep_it_from_a_gap_that_is_allowed():
    """As above: what is left then is proved without them, up to the gap."""
    unit = 2.0**-30
    lists = {
        "a": [(-12 * unit, []), (-3 * unit, ["b"])],
        "b": [(-8 * unit, []), (0.0, ["a"])],
        "c": [(-1 * unit, ["d"])],
        "d": [(-3 * unit, []), (-2 * unit, ["c"])],
    }
    cache = ScoreCache.from_candidates("abcd", lists)
    prices = [([2, 3], 1, 16, []), ([0, 1], 1, 16, [])]
    for gap in (0, 1, 3):
        out = _core.bblp(
            cache.core, prices=[prices], seed=250, moves=0, sets="never", cuts=0, target_gap=gap * unit
        )
        assert out["bound"] - out["score"] <= gap
