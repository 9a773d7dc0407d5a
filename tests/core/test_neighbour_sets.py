"""Scoring around a network and hill climbing, against slow twins."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.networks.generate import random_network
from bayesloom.scoring.cache import ScoreCache
from bayesloom.table import read_table
from made.lists import UNIT, cache_of, random_lists
from made.scores import of_states
from made.tables import random_table, tables
from reference.climbing import acyclic, best_neighbour, supersets_that_matter, total
from reference.credible import scored_networks


def local_score(table, score="bic"):
    known: dict[tuple[int, frozenset[int]], int] = {}

    def look_up(child: int, parents: frozenset[int]) -> int:
        if (child, parents) not in known:
            flat = np.array(sorted(parents), dtype=np.uint16)
            ends = np.array([0, len(flat)], dtype=np.uint64)
            known[child, parents] = int(
                _core.score_families(
                    table.encoded, score, {}, np.array([child], dtype=np.uint16), ends, flat, 1
                )[0]
            )
        return known[child, parents]

    return look_up


def neighbour_sets(table, score="bic", **options):
    options.setdefault("threads", 1)
    return _core.NeighbourSets(table.encoded, score, {}, **options)


@pytest.mark.parametrize("score", of_states)
@settings(max_examples=25)
@given(table=tables())
def test_a_climb_ends_where_no_move_gains(score, table):
    look_up = local_score(table, score)
    out = neighbour_sets(table, score).climb(tabu=0, stall=0)
    parents = [set(chosen) for chosen in out["parents"]]
    assert acyclic(parents)
    assert out["score"] == sum(look_up(v, frozenset(chosen)) for v, chosen in enumerate(parents))
    informative = lambda other: all(  # noqa: E731
        table.cardinalities[p] > 1 and table.cardinalities[v] > 1 for v, ps in enumerate(other) for p in ps
    )
    assert best_neighbour(parents, look_up, informative) <= out["score"]


@pytest.mark.parametrize("seed", range(12))
def test_a_climb_from_a_bad_start_ends_where_no_move_gains(seed):
    """Edges come and go, so what is remembered of cycles must be forgotten in time."""
    rng = random.Random(seed)
    n = 12
    table = random_table(seed, variables=n, rows=200)
    order = rng.sample(range(n), n)
    start = [set[int]() for _ in range(n)]
    for k, v in enumerate(order):
        start[v] = set(rng.sample(order[:k], min(k, rng.randint(1, 3))))
    look_up = local_score(table)
    out = neighbour_sets(table).climb([sorted(chosen) for chosen in start], tabu=0, stall=0)
    found = [set(chosen) for chosen in out["parents"]]
    assert acyclic(found)
    assert out["score"] == total(found, look_up)
    assert any(chosen - found[v] for v, chosen in enumerate(start))  # some edge is gone
    assert best_neighbour(found, look_up, lambda other: True) <= out["score"]


def test_tabu_never_ends_lower_and_the_threads_do_not_matter():
    table = random_table(7, variables=25, rows=400)
    plain = neighbour_sets(table).climb(tabu=0, stall=0)
    one = neighbour_sets(table).climb(tabu=10, stall=60)
    two = neighbour_sets(table, threads=2).climb(tabu=10, stall=60)
    assert one["score"] >= plain["score"]
    assert one["steps"] > plain["steps"]
    assert (one["parents"], one["score"]) == (two["parents"], two["score"])


@pytest.mark.parametrize("together", [2, 5, 40])
@pytest.mark.parametrize("seed", range(4))
def test_steps_taken_together_end_where_no_move_gains(seed, together):
    table = random_table(seed, variables=12, rows=200)
    look_up = local_score(table)
    options = {"tabu": 0, "stall": 0, "together": together, "seed": seed}
    out = neighbour_sets(table).climb(**options)
    found = [set(chosen) for chosen in out["parents"]]
    assert acyclic(found)
    assert out["score"] == total(found, look_up)
    assert best_neighbour(found, look_up, lambda other: True) <= out["score"]
    again = neighbour_sets(table, threads=3).climb(**options)
    assert (again["parents"], again["score"], again["steps"]) == (out["parents"], out["score"], out["steps"])


def test_other_members_of_the_class_lead_on():
    """Where no move gains, turning covered edges, which costs nothing, opens others."""
    gained = 0
    for seed in range(6):
        table = random_network(40, max_parents=3, concentration=0.3, seed=seed).sample(500, seed=seed)
        options = {"tabu": 0, "stall": 0, "together": 4}
        plain = neighbour_sets(table).climb(members=0, **options)
        led = neighbour_sets(table).climb(members=3, **options)
        assert led["score"] >= plain["score"]
        gained += led["score"] > plain["score"]
    assert gained >= 3


@pytest.mark.parametrize("together", [1, 3])
def test_rules_and_orders_hold_in_every_climb(together):
    rng = random.Random(3)
    for seed in range(12):
        n = 8
        table = random_table(seed, variables=n, rows=150)
        order = rng.sample(range(n), n)
        required = [tuple(order[k] for k in sorted(rng.sample(range(n), 2))) for _ in range(2)]
        before = [tuple(order[k] for k in sorted(rng.sample(range(n), 2))) for _ in range(3)]
        rules = []
        for v in range(n):
            must = sorted({a for a, b in required if b == v})
            never = {b for a, b in required + before if a == v} | set(rng.sample(range(n), 2)) - {v}
            rules.append((must, sorted(never - set(must)), max(len(must), rng.choice([1, 2, 3]))))
        sets = neighbour_sets(table, rules=rules, before=before)
        out = sets.climb(tabu=5, stall=30, together=together)
        sets.around(out["parents"])
        sets.widen(5)
        parents = [set(chosen) for chosen in out["parents"]]
        assert acyclic(parents, before)
        cache = ScoreCache(sets.cache([f"X{v}" for v in range(n)]))
        for v, (must, never, most) in enumerate(rules):
            lists = [{int(p[1:]) for p in chosen} for _, chosen in cache.candidates(v)]
            for chosen in (parents[v], *lists):
                assert set(must) <= chosen
                assert not chosen & set(never)
                assert len(chosen) <= most


def test_all_sets_next_to_a_network_are_scored():
    table = random_table(5, variables=9, rows=200)
    look_up = local_score(table)
    sets = neighbour_sets(table)
    parents = sets.climb()["parents"]
    sets.around(parents)
    cache = ScoreCache(sets.cache([f"X{v}" for v in range(9)]))
    for v, own in enumerate(map(set, parents)):
        kept = {frozenset(int(p[1:]) for p in chosen): score for score, chosen in cache.candidates(v)}
        others = set(range(9)) - own - {v}
        around = [own | {y} for y in others] + [own - {u} for u in own]
        around += [own - {u} | {y} for u in own for y in others]
        for chosen in map(frozenset, around):
            score = look_up(v, chosen)
            if chosen in kept:
                assert _core.to_fixed(kept[chosen]) == score
            else:  # left out only where a subset scores higher
                assert any(smaller < chosen and _core.to_fixed(s) >= score for smaller, s in kept.items())


def test_growing_along_an_order_adds_what_greedy_growing_finds():
    table = random_table(6, variables=10, rows=300)
    look_up = local_score(table)
    sets = neighbour_sets(table)
    order = random.Random(1).sample(range(10), 10)
    sets.grow(order, [[] for _ in range(10)])
    cache = ScoreCache(sets.cache([f"X{v}" for v in range(10)]))
    for k, v in enumerate(order):
        chosen: frozenset[int] = frozenset()
        while True:
            more = [chosen | {y} for y in order[:k] if y not in chosen]
            better = max(more, key=lambda s: (look_up(v, s), [-y for y in sorted(s)]), default=chosen)
            if look_up(v, better) <= look_up(v, chosen):
                break
            chosen = better
        found = cache.best_within(v, order[:k])
        assert found is not None
        assert _core.to_fixed(found[0]) >= look_up(v, chosen)


def test_an_early_stop_still_gives_a_network():
    table = random_table(8, variables=20, rows=200)
    look_up = local_score(table)
    for work in (1, 40, 500, 3000):
        out = neighbour_sets(table).climb(work=work)
        assert out["score"] == sum(look_up(v, frozenset(p)) for v, p in enumerate(out["parents"]))


def test_the_start_is_checked():
    table = random_table(9, variables=4, rows=50)
    sets = neighbour_sets(table, rules=[([], [1], None), ([], [], None), ([1], [], 2), ([], [], None)])
    with pytest.raises(InputError, match="cycle"):
        sets.climb([[], [2], [1], []])
    with pytest.raises(InputError, match="variable 0 in the start break a rule"):
        sets.climb([[1], [], [1], []])
    with pytest.raises(InputError, match="one parent set per variable"):
        sets.climb([[1]])
    with pytest.raises(InputError, match="variable 1 contradict"):
        neighbour_sets(table, rules=[([], [], None), ([0], [0], None), ([], [], None), ([], [], None)])
    with pytest.raises(InputError, match="every variable once"):
        sets.grow([0, 1, 2, 2], [[], [], [1], []])


def test_candidates_of_a_cache_can_be_added():
    table = random_table(10, variables=8, rows=100)
    full = _core.exhaustive(table.encoded, [f"X{v}" for v in range(8)], "bic", {})["cache"]
    sets = neighbour_sets(table)
    sets.add(full)
    assert sets.cache([f"X{v}" for v in range(8)]) == full


@pytest.mark.parametrize("score", of_states)
@settings(max_examples=25)
@given(table=tables(), factor=st.sampled_from([1, 20]), seed=st.integers(0, 99))
def test_supersets_are_all_that_matter(score, table, factor, seed):
    rng = random.Random(seed)
    n = table.variables
    child = rng.randrange(n)
    others = [v for v in range(n) if v != child]
    required = sorted(rng.sample(others, min(len(others), rng.randint(0, 2))))
    forbidden = [v for v in others if v not in required and rng.random() < 0.2]
    most = rng.choice([len(required), len(required) + 1, None])
    out = _core.supersets(
        table.encoded, score, {}, child, [(required, forbidden, most)], margin=math.log(factor)
    )
    look_up = local_score(table, score)
    # A variable with one state has no edges that are not required.
    states = [min(table.cardinalities[v], table.cardinalities[child]) for v in range(n)]
    free = [v for v in others if v not in required + forbidden and states[v] > 1]
    margin = math.ceil(math.log(factor) * 2**30)
    expected = supersets_that_matter(
        lambda chosen: look_up(child, chosen), frozenset(required), free, n if most is None else most, margin
    )
    edges = [0, *out["ends"]]
    sets = [frozenset(out["parents"][a:b]) for a, b in itertools.pairwise(edges)]
    assert out["complete"]
    assert dict(zip(sets, out["scores"], strict=True)) == expected


def test_beside_candidates_are_all_sets_with_one_parent_added_removed_or_exchanged():
    table = random_network(8, max_parents=4, concentration=0.3, seed=5).sample(500, seed=5)
    look_up = local_score(table)
    names = [f"X{v}" for v in range(8)]
    sets = neighbour_sets(table)
    sets.around([[] for _ in names])
    cache = ScoreCache(sets.cache(names))
    first = cache.first.astype(np.int64)
    chosen = np.arange(0, cache.candidate_count, 2, dtype=np.uint64)
    assert sets.beside(cache.core, chosen)["steps"] > 0
    assert sets.beside(cache.core, chosen)["steps"] == 0  # all is known
    now = ScoreCache(sets.cache(names))
    found = {
        (v, frozenset(names.index(p) for p in up))
        for v, name in enumerate(names)
        for _, up in now.candidates(name)
    }
    assert now.candidate_count > cache.candidate_count
    for c in chosen.tolist():
        v = int(np.searchsorted(first, c, side="right")) - 1
        here = frozenset(cache.parents[int(cache.parent_first[c]) : int(cache.parent_first[c + 1])].tolist())
        for base in [here, *(here - {p} for p in here)]:
            for y in set(range(8)) - base - {v}:
                subsets = itertools.chain.from_iterable(
                    itertools.combinations(sorted(base | {y}), k) for k in range(len(base) + 1)
                )
                worth = all(look_up(v, frozenset(s)) < look_up(v, base | {y}) for s in subsets)
                assert not worth or (v, base | {y}) in found
    with pytest.raises(InputError, match="no such candidate"):
        sets.beside(cache.core, np.array([cache.candidate_count], dtype=np.uint64))
    other = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-1, [])]})
    with pytest.raises(InputError, match="not over the variables"):
        sets.beside(other.core, np.array([0], dtype=np.uint64))


@pytest.mark.parametrize("seed", range(10))
def test_reduced_costs_bound_the_networks_with_each_candidate(seed):
    """By definition: all networks with a candidate score at most bound - excess."""
    rng = random.Random(seed)
    lists = random_lists(rng, 4)
    cache = cache_of(lists)
    best: dict[tuple[int, frozenset[int]], int] = {}
    for parents, score in scored_networks(lists).items():
        for v, up in enumerate(parents):
            best[v, up] = max(best.get((v, up), score), score)
    known = max(best.values()) * UNIT
    for work in (1, 50, None):
        out = _core.reduced_costs(cache.core, known, work=work)
        assert out["gap"] >= 0
        for v in range(4):
            for c in range(int(cache.first[v]), int(cache.first[v + 1])):
                up = frozenset(
                    cache.parents[int(cache.parent_first[c]) : int(cache.parent_first[c + 1])].tolist()
                )
                if (v, up) in best:
                    assert best[v, up] * UNIT <= known + out["gap"] - int(out["reduced_cost"][c])


def test_parents_that_are_not_considered_are_tried_beside_a_network():
    """Against the definition: every y that gains beside a parent set, or beside a single child, is found."""
    for seed in range(5):
        n = 9
        table = random_table(seed, variables=n, rows=300)
        look_up = local_score(table)
        sets = neighbour_sets(table, parents_considered=2, threads=2)
        parents = sets.climb()["parents"]
        gains = sets.look_beyond(parents)["steps"]
        cache = ScoreCache(sets.cache([f"X{v}" for v in range(n)]))
        tried, missed = 0, 0
        for v in range(n):
            kept = {frozenset(int(p[1:]) for p in chosen): score for score, chosen in cache.candidates(v)}
            beside = [frozenset(parents[v]), *(frozenset({c}) for c in range(n) if v in parents[c])]
            for own in beside:
                for y in set(range(n)) - own - {v}:
                    if look_up(v, own | {y}) > look_up(v, own):
                        tried += 1
                        subset = max(s for chosen, s in kept.items() if chosen <= own | {y})
                        missed += _core.to_fixed(subset) < look_up(v, own | {y})
        assert missed == 0
        assert gains <= tried
        assert sets.look_beyond(parents)["steps"] == 0  # once is enough


def test_a_parent_that_says_nothing_alone_is_found_beside_another():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 2000))
    a[:1000] = 0  # so that it shows a little alone
    columns = {"a": a, "b": b, "c": np.where(rng.random(2000) < 0.05, 1 - (a ^ b), a ^ b)}
    for k in range(20):
        columns[f"n{k}"] = rng.integers(0, 2, 2000)
    table = read_table({name: [f"s{x}" for x in column] for name, column in columns.items()})
    names = list(table.names)
    child, pair = names.index("c"), {names.index("a"), names.index("b")}
    sets = neighbour_sets(table, parents_considered=1)
    start = [list[int]() for _ in names]
    start[child] = [names.index("a")]
    assert sets.look_beyond(start)["steps"] > 0
    assert set(sets.climb(start)["parents"][child]) == pair


def test_single_children_are_expanded_both_ways():
    table = random_table(4, variables=9, rows=300)
    look_up = local_score(table)
    sets = neighbour_sets(table)
    parents = sets.climb()["parents"]
    sets.around(parents, both_ways=True)
    cache = ScoreCache(sets.cache([f"X{v}" for v in range(9)]))
    pairs = 0
    for v in range(9):
        kept = {frozenset(int(p[1:]) for p in chosen): score for score, chosen in cache.candidates(v)}
        for c in (c for c in range(9) if v in parents[c]):
            for y in set(range(9)) - {v, c}:
                pairs += 1
                best = max(score for chosen, score in kept.items() if chosen <= {c, y})
                assert _core.to_fixed(best) >= look_up(v, frozenset({c, y}))
    assert pairs > 0


@pytest.mark.parametrize("threads", [1, 3])
def test_parents_chosen_by_a_sample_of_the_rows_are_scored_by_all(threads):
    table = random_network(80, max_parents=2, concentration=0.2, seed=3).sample(3000, seed=3)
    look_up = local_score(table)
    whole = neighbour_sets(table, parents_considered=8)
    few = neighbour_sets(table, parents_considered=8, threads=threads)
    few.prepare(sample=300)
    assert 300 <= few.rows_compared < 600
    found = few.climb(tabu=0, stall=0)
    parents = [set(chosen) for chosen in found["parents"]]
    assert acyclic(parents)
    assert found["score"] == total(parents, look_up)
    # The edges are strong, so that a tenth of the rows shows most of them.
    best = whole.climb(tabu=0, stall=0)["score"]
    none = sum(look_up(v, frozenset()) for v in range(80))
    assert best - found["score"] < 0.1 * (best - none)
    cache = few.cache(list(table.names))
    assert all(
        score == look_up(v, frozenset(chosen))
        for v in range(80)
        for score, chosen in zip(
            cache.scores[cache.first[v] : cache.first[v + 1]].tolist(),
            [
                cache.parents[cache.parent_first[c] : cache.parent_first[c + 1]].tolist()
                for c in range(cache.first[v], cache.first[v + 1])
            ],
            strict=True,
        )
    )


def test_pairs_that_do_not_fit_into_their_time_are_those_of_a_sample():
    table = random_network(300, max_parents=2, concentration=0.2, seed=4).sample(3000, seed=4)
    short = neighbour_sets(table)
    short.prepare(within=0.0)
    assert 256 <= short.rows_compared < 512
    parents = [set(chosen) for chosen in short.climb(tabu=0, stall=0)["parents"]]
    assert acyclic(parents)
    assert any(parents)
    long, plain = neighbour_sets(table), neighbour_sets(table)
    long.prepare(within=1e6)
    assert long.rows_compared == 3000
    one, other = long.climb(), plain.climb()
    assert (one["parents"], one["score"], one["steps"]) == (other["parents"], other["score"], other["steps"])


def test_what_a_sample_must_not_choose_stays_out():
    table = random_network(40, max_parents=2, concentration=0.2, seed=5).sample(2000, seed=5)
    rules = [([], [], None) for _ in range(40)]
    rules[3] = ([7], [5], 2)
    rules[4] = ([], [], 0)
    sets = neighbour_sets(table, rules=rules)
    sets.prepare(sample=300)
    parents = sets.climb()["parents"]
    assert 7 in parents[3]
    assert 5 not in parents[3]
    assert len(parents[3]) <= 2
    assert parents[4] == []
