"""Cluster prices with branch and bound, against dynamic programming and against definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.scoring.cache import ScoreCache
from made.caches import content, random_cache, tied_cache
from reference.cluster_relaxation import relaxation_value


def parity() -> ScoreCache:
    """Three variables, each of which gains 1 from the pair of the others: clusters alone give 3/2."""
    names = ["a", "b", "c"]
    return ScoreCache.from_candidates(
        names, {v: [(0.0, []), (1.0, [u for u in names if u != v])] for v in names}
    )


FIRST = {"a": ["bc"], "b": ["ac", "ad"], "c": ["ab", "ad"], "d": ["b", "c"]}
SECOND = {"a": ["bc", "bd"], "b": ["ac", "ad"], "c": ["ab", "d"], "d": ["ab", "c"]}


def four(inequality: dict[str, list[str]], names: str) -> ScoreCache:
    """Each of four variables gains 1 from the parents that block it; no network gains more than 2."""
    name = dict(zip("abcd", names, strict=True))
    return ScoreCache.from_candidates(
        sorted(names),
        {
            name[v]: [(0.0, [])] + [(1.0, [name[p] for p in parents]) for parents in sets]
            for v, sets in inequality.items()
        },
    )


def is_network(cache: ScoreCache, chosen: list[int]) -> bool:
    first, flat = cache.parent_first, cache.parents
    left = {v: {int(p) for p in flat[int(first[c]) : int(first[c + 1])]} for v, c in enumerate(chosen)}
    while ready := [v for v, parents in left.items() if not parents & left.keys()]:
        for v in ready:
            del left[v]
    return not left


@pytest.mark.parametrize("block", range(8))
def test_it_agrees_with_dynamic_programming_and_a_stop_brackets_the_optimum(block):
    infeasible = 0
    for seed in range(50 * block, 50 * block + 50):
        cache = tied_cache(seed)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            infeasible += 1
            with pytest.raises(InfeasibleError):
                _core.bblp(cache.core)
            continue
        done = _core.bblp(cache.core, seed=seed)
        assert done["score"] == done["bound"] == best, seed
        assert is_network(cache, done["candidates"])
        assert sum(int(cache.scores[c]) for c in done["candidates"]) == best
        stopped = _core.bblp(cache.core, seed=seed, work=1 + 7 * (seed % 60), moves=5)
        assert stopped["score"] <= best <= stopped["bound"], seed
        root = _core.bblp(cache.core, seed=seed, branch=False, moves=0)
        assert root["score"] <= best <= root["bound"] == root["root_bound"], seed
    assert infeasible < 50


@pytest.mark.parametrize("block", range(8))
def test_search_over_sets_agrees_with_dynamic_programming_and_a_stop_brackets_the_optimum(block):
    for seed in range(100 * block, 100 * block + 100):
        cache = tied_cache(seed)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            continue
        # Without moves the first network is poor, so there is something to find.
        done = _core.bblp(cache.core, seed=seed, sets="only", moves=0)
        assert done["score"] == done["bound"] == best, seed
        assert is_network(cache, done["candidates"])
        assert done["nodes"] == 0
        stopped = _core.bblp(cache.core, seed=seed, sets="only", moves=0, work=1 + 7 * (seed % 60))
        assert stopped["score"] <= best <= stopped["bound"], seed


def test_search_over_sets_goes_on_with_fewer_candidates_and_a_higher_floor():
    """What is above the last floor is found, and nothing else; candidates went while it was under way."""
    found, nothing = 0, 0
    for seed in range(60):
        cache = random_cache(seed, variables=11, candidates=30)
        best = _core.subset_dp(cache.core, threads=1)["score"]
        prices = [_core.bblp(cache.core, branch=False, moves=0)["clusters"]] if seed % 2 else []
        # Floors a few hundred nats below the best, then nearer and nearer, the last at it or below by a unit.
        for last in (best, best - 1):
            floors = [best - (step << 37) for step in (12, 9, 6, 4, 3, 2, 1)] + [last]
            for work, threads in ((60, 1), (400, 1), (400, 3)):
                steps = [(work, floor) for floor in floors[:-1]] + [(10**9, last)]
                out = _core.set_search(cache.core, prices, steps, threads)
                assert out["proved"]
                bound, chosen = out["bound"], out["candidates"]
                if last == best:
                    nothing += 1
                    assert bound == best
                    assert not chosen or sum(int(cache.scores[c]) for c in chosen) == best
                else:
                    found += 1
                    assert bound == best
                    assert is_network(cache, chosen)
                    assert sum(int(cache.scores[c]) for c in chosen) == best
    assert found == nothing == 180


@pytest.mark.parametrize("sets", ["only", "in turns"])
def test_turns_of_any_length_agree_with_dynamic_programming(sets):
    for seed in range(60):
        cache = tied_cache(seed) if seed % 3 else random_cache(seed, variables=12, candidates=40)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            continue
        for turn, threads in ((1, 1), (7, 1), (7, 3)):
            given = {"seed": seed, "sets": sets, "moves": 0, "first_turn": turn}
            done = _core.bblp(cache.core, **given, threads=threads, least_shared=1)
            assert done["score"] == done["bound"] == best, seed
            assert is_network(cache, done["candidates"])
        stopped = _core.bblp(cache.core, **given, work=200)
        assert stopped["score"] <= best <= stopped["bound"], seed


def test_out_of_memory_for_sets_the_rest_is_branched():
    for seed in range(10):
        cache = random_cache(seed, variables=14, candidates=60)
        best = _core.subset_dp(cache.core, threads=1)["score"]
        out = _core.bblp(cache.core, sets="only", memory_bytes=1.0)
        assert out["score"] == out["bound"] == best


def test_a_rule_of_need_two_closes_parity_at_the_root():
    out = _core.bblp(parity().core, branch=False)
    assert _core.to_nats(out["score"]) == 1.0
    assert _core.to_nats(out["bound"]) == pytest.approx(1.0, abs=0.02)
    assert _core.bblp(parity().core)["bound"] == out["score"]


@pytest.mark.parametrize("inequality", [FIRST, SECOND])
def test_inequalities_of_four_close_at_the_root_what_plain_ones_leave_open(inequality):
    for names in permutations("wxyz"):
        cache = four(inequality, "".join(names))
        assert _core.to_nats(_core.subset_dp(cache.core, threads=1)["score"]) == 2.0
        assert relaxation_value(content(cache.core), most_need=3) > 2.3 * 2**30
        out = _core.bblp(cache.core, branch=False)
        assert _core.to_nats(out["bound"]) == pytest.approx(2.0, abs=0.05)


def test_a_rule_of_four_holds_in_every_order():
    """Monotone, so it is enough to give every variable all those before it."""
    for inequality in (FIRST, SECOND):
        for order in permutations("abcd"):
            before = {v: set(order[: order.index(v)]) for v in order}
            assert sum(any(set(s) <= before[v] for s in sets) for v, sets in inequality.items()) <= 2


@pytest.mark.parametrize("target", [0.5, 5.0, 1e12])
def test_a_target_gap_is_kept_and_not_undercut_for_nothing(target):
    for seed in range(20):
        cache = random_cache(seed, variables=9, candidates=25)
        best = _core.subset_dp(cache.core, threads=1)["score"]
        out = _core.bblp(cache.core, target_gap=target, moves=0)
        assert out["score"] <= best <= out["bound"]
        assert _core.to_nats(out["bound"] - out["score"]) <= target


def test_more_than_64_variables_use_the_same_inequalities():
    """Seventy variables: masks are relative to each variable's own parents."""
    names = [f"x{v}" for v in range(70)]
    rng = np.random.default_rng(3)
    lists = {}
    for block in range(0, 70, 7):
        for v in range(block, block + 7):
            others = [u for u in range(block, block + 7) if u != v]
            sets = {
                frozenset(rng.choice(others, size=int(rng.integers(0, 4)), replace=False).tolist())
                for _ in range(20)
            }
            lists[names[v]] = [
                (-rng.exponential(10.0), [names[p] for p in s])
                for s in sorted(sets | {frozenset()}, key=sorted)
            ]
    whole = _core.bblp(ScoreCache.from_candidates(names, lists).core)
    parts = 0
    for block in range(0, 70, 7):
        part = names[block : block + 7]
        parts += _core.subset_dp(
            ScoreCache.from_candidates(part, {v: lists[v] for v in part}).core, threads=1
        )["score"]
    assert whole["score"] == whole["bound"] == parts


def test_one_component_of_more_than_64_variables_and_wide_masks():
    """Every variable may have any other as a parent: two words per candidate."""
    n = 80
    names = [f"x{v}" for v in range(n)]
    # x0 is the best parent of all; the rest is a ring of poor parents. Optimum: x0 first, then all others.
    lists = {"x0": [(-1.0, []), (-0.5, ["x1"])]}
    for v in range(1, n):
        lists[names[v]] = [(-9.0, []), (0.0, ["x0"])] + [(-8.0, [names[u]]) for u in range(1, n) if u != v]
    out = _core.bblp(ScoreCache.from_candidates(names, lists).core, moves=100)
    assert out["score"] == out["bound"]
    assert _core.to_nats(out["score"]) == -1.0


def rings(size: int, arms: int) -> tuple[ScoreCache, float]:
    """Rings of best parents that meet in x0, and the best score: one is left where that costs least."""
    rng = np.random.default_rng(size + arms)
    lists: dict[str, list[tuple[float, list[str]]]] = {"x0": [(-20.0, [])]}
    best = []
    for arm in range(arms):
        inside = [f"x{arm}_{k}" for k in range(size)]
        costs = rng.uniform(5, 9, size=size)
        for k, name in enumerate(inside):
            lists[name] = [(-costs[k], []), (0.0, [inside[k - 1] if k else "x0"])]
        lists["x0"].append((-arm / 8, [inside[-1]]))
        best.append(-arm / 8 - min(costs))
    return ScoreCache.from_candidates(list(lists), lists), max(best)


@pytest.mark.parametrize(("size", "arms"), [(30, 1), (150, 1), (60, 3), (300, 2)])
def test_clusters_as_large_as_a_ring_close_it_at_the_root(size, arms):
    cache, best = rings(size, arms)
    out = _core.bblp(cache.core, branch=False)
    assert _core.to_nats(out["score"]) == pytest.approx(best, abs=1e-6)
    assert _core.to_nats(out["bound"]) == pytest.approx(best, abs=0.02)


def test_an_unknown_way_to_search_sets_is_refused():
    with pytest.raises(InputError, match="sets must be 'in turns', 'never' or 'only'"):
        _core.bblp(parity().core, sets="sometimes")


def test_the_same_seed_and_work_give_the_same_result():
    cache = random_cache(11, variables=16, candidates=60)
    for work in (50, 3000, None):
        runs = [_core.bblp(cache.core, seed=4, work=work) for _ in range(2)]
        assert runs[0]["candidates"] == runs[1]["candidates"]
        assert (runs[0]["score"], runs[0]["bound"], runs[0]["work"]) == (
            runs[1]["score"],
            runs[1]["bound"],
            runs[1]["work"],
        )


def test_the_trace_only_ever_improves_and_ends_with_the_result():
    out = _core.bblp(random_cache(12, variables=14, candidates=60).core)
    seconds, work, score, bound = zip(*out["trace"], strict=True)
    assert list(seconds) == sorted(seconds)
    assert list(work) == sorted(work)
    assert list(score) == sorted(score)
    assert list(bound) == sorted(bound, reverse=True)
    assert (score[-1], bound[-1]) == (_core.to_nats(out["score"]), _core.to_nats(out["bound"]))


def test_a_start_is_used_and_a_wrong_one_is_refused():
    cache = random_cache(13, variables=8, candidates=20)
    best = _core.subset_dp(cache.core, threads=1)
    out = _core.bblp(cache.core, start=best["candidates"], moves=0, work=1)
    assert out["score"] == best["score"]
    message = "start must name one candidate of each variable, in order, without a cycle"
    for start in ([0], [0] * 8, [*best["candidates"][1:], best["candidates"][0]]):
        with pytest.raises(InputError, match=message):
            _core.bblp(cache.core, start=start)


def test_scores_of_any_size_do_not_overflow():
    rng = np.random.default_rng(5)
    for scale in (1e-9, 1e6, 2e8):
        for _ in range(10):
            names = ["a", "b", "c", "d", "e"]
            lists = {
                v: [
                    (float(rng.uniform(-scale, scale)), [u for u in names if u != v and rng.random() < p])
                    for p in (0, 0.4, 0.7)
                ]
                for v in names
            }
            lists = {v: list({tuple(p): (s, p) for s, p in sets}.values()) for v, sets in lists.items()}
            cache = ScoreCache.from_candidates(names, lists)
            assert _core.bblp(cache.core)["score"] == _core.subset_dp(cache.core, threads=1)["score"]
