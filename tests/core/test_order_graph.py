"""src/core/order_graph: three solvers, one answer, the one of the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError, ResourceError
from made.lists import cache_of, real_lists, tangled_cache
from reference import block_kernel
from reference.order_graph import best_score, printed_search

BARE = {"cluster_rounds": 0}
"""No preparation: the search itself has to do the work."""
SIMPLE = {**BARE, "pattern_size": 1}
"""The weakest bounds as well: nearly all sets have to be looked at."""


def solvers(scratch, rng):
    """Every solver in every mode, each as a function of the core's cache."""
    pattern = rng.choice([1, 2, 16])
    tiny = {"scratch": scratch, "memory_bytes": 2000.0, "pattern_size": pattern}
    return {
        "dp": lambda c: _core.subset_dp(c, threads=1),
        "dp, 2 threads": lambda c: _core.subset_dp(c, threads=2),
        "astar": lambda c: _core.astar(c),
        "astar, bare": lambda c: _core.astar(c, pattern_size=pattern, **BARE),
        "bfbnb": lambda c: _core.bfbnb(c, threads=1, **tiny),
        "bfbnb, bare": lambda c: _core.bfbnb(c, threads=1, dense=False, **tiny, **BARE),
        "bfbnb, bare, 2 threads": lambda c: _core.bfbnb(c, threads=2, dense=False, **tiny, **BARE),
    }


def assert_all_agree(cache, wanted, scratch, rng):
    for name, solve in solvers(scratch, rng).items():
        if wanted is None:
            with pytest.raises(InfeasibleError):
                solve(cache.core)
            continue
        answer = solve(cache.core)
        assert answer["score"] == wanted, name
        assert answer["bound"] == wanted, name
        assert sum(int(cache.scores[c]) for c in answer["candidates"]) == wanted, name
        chosen = [
            cache.parents[cache.parent_first[c] : cache.parent_first[c + 1]] for c in answer["candidates"]
        ]
        assert not _core.check_cycle([[int(p) for p in parents] for parents in chosen]), name


def fixed(lists):
    return [[(_core.to_fixed(score), parents) for score, parents in entries] for entries in lists]


@pytest.mark.parametrize("seed", range(40))
def test_all_solvers_find_the_best_over_all_orders(tmp_path, seed):
    """Ties, missing empty candidates and caches without any network included."""
    rng = random.Random(seed)
    for _ in range(6):
        lists = real_lists(
            rng,
            rng.choice([1, 2, 3, 4, 5, 5]),
            max_parents=rng.randint(1, 4),
            candidates=rng.randint(1, 10),
            empty=rng.random() < 0.7,
            ties=rng.random() < 0.5,
        )
        assert_all_agree(cache_of(lists), best_score(fixed(lists)), str(tmp_path), rng)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", range(12))
def test_all_solvers_agree_with_the_verifier_on_more_variables(tmp_path, seed):
    rng = random.Random(seed)
    cache = cache_of(
        real_lists(rng, rng.randint(8, 14), max_parents=4, candidates=rng.randint(2, 30), ties=seed % 2 == 0)
    )
    wanted = _core.check_best_score(cache.first, cache.scores, cache.parent_first, cache.parents)
    assert_all_agree(cache, wanted, str(tmp_path), rng)


@pytest.mark.parametrize("n", [14, 15])
def test_dense_search_on_disk_finds_the_same(tmp_path, n):
    """Memory for one block and its tables only, so that every other block comes from disk."""
    cache = tangled_cache(random.Random(n), n)
    wanted = _core.subset_dp(cache.core)["score"]
    for threads, memory in [(1, 500_000.0), (2, 960_000.0)]:
        answer = _core.bfbnb(
            cache.core, scratch=str(tmp_path), memory_bytes=memory, threads=threads, dense=True, **SIMPLE
        )
        assert answer["score"] == answer["bound"] == wanted
        assert answer["disk_bytes"] > 0
    assert list(tmp_path.iterdir()) == []


def test_layers_larger_than_memory_go_through_many_runs(tmp_path):
    cache = tangled_cache(random.Random(3), 12)
    wanted = _core.subset_dp(cache.core)["score"]
    for threads in (1, 3):
        answer = _core.bfbnb(
            cache.core, scratch=str(tmp_path), memory_bytes=1000.0, threads=threads, dense=False, **SIMPLE
        )
        assert answer["score"] == answer["bound"] == wanted
        assert answer["disk_bytes"] > 20 * 1000


@pytest.mark.parametrize("copies", [2, 3])
def test_variables_that_are_copies_of_each_other(tmp_path, copies):
    """Duplicate columns: each copy explains the others perfectly, and all orders tie."""
    n = 2 * copies
    lists = []
    for x in range(n):
        twins = [y for y in range(n) if y % 2 == x % 2 and y != x]
        lists.append([(-10.0, frozenset())] + [(-1.0, frozenset([y])) for y in twins])
    cache = cache_of(lists)
    wanted = _core.to_fixed(2 * -10.0 + (n - 2) * -1.0)
    assert_all_agree(cache, wanted, str(tmp_path), random.Random(0))


def test_one_candidate_per_variable(tmp_path):
    chain = cache_of([[(-1.0, frozenset([x - 1] if x else []))] for x in range(5)])
    assert_all_agree(chain, _core.to_fixed(-5.0), str(tmp_path), random.Random(0))
    ring = cache_of([[(-1.0, frozenset([(x - 1) % 5]))] for x in range(5)])
    assert_all_agree(ring, None, str(tmp_path), random.Random(0))


def test_the_printed_pruning_of_parent_graphs_loses_the_optimum(tmp_path):
    """The counterexample of docs/papers/malone2011.md, item 6: 24 as printed, 22 is right."""
    a, b, c = 0, 1, 2
    lists = [
        [(-10, frozenset()), (-1, frozenset([c]))],
        [(-10, frozenset()), (-1, frozenset([c]))],
        [(-10, frozenset())],
        [(-12, frozenset()), (-10, frozenset([a, b]))],
    ]
    assert best_score(lists) == -22
    assert printed_search(lists, upper=24) == 24
    assert printed_search(lists, upper=22) == float("inf")
    assert printed_search(lists, upper=24, prune_parent_graphs=False) == 22
    assert_all_agree(cache_of(lists), _core.to_fixed(-22.0), str(tmp_path), random.Random(0))


def test_the_repaired_search_of_the_paper_agrees_too():
    rng = random.Random(5)
    wrong = 0
    for _ in range(30):
        lists = real_lists(rng, 5, max_parents=3, candidates=8)
        best = -best_score(lists)
        assert printed_search(lists, best + 1, prune_parent_graphs=False) == pytest.approx(best)
        wrong += printed_search(lists, best + 1) > best + 1e-9
    assert wrong > 0


@pytest.mark.parametrize("work", [1, 10, 40])
def test_a_stopped_search_brackets_the_optimum(tmp_path, work):
    cache = tangled_cache(random.Random(1), 13)
    best = _core.subset_dp(cache.core)["score"]
    answers = {
        "dp": _core.subset_dp(cache.core, work=work),
        "astar": _core.astar(cache.core, work=work, **SIMPLE),
        "bfbnb": _core.bfbnb(
            cache.core, scratch=str(tmp_path), memory_bytes=1e6, work=work, dense=False, **SIMPLE
        ),
    }
    for name, answer in answers.items():
        assert answer["score"] <= best <= answer["bound"], name
        assert answer["score"] < answer["bound"], name


def test_astar_stops_at_its_memory_limit_with_a_bound_above_the_simple_one():
    cache = tangled_cache(random.Random(1), 18)
    best = _core.subset_dp(cache.core)["score"]
    answer = _core.astar(cache.core, memory_bytes=2e5, **SIMPLE)
    simple = sum(int(cache.scores[int(cache.first[v])]) for v in range(18))
    assert answer["score"] <= best <= answer["bound"] < simple
    assert answer["score"] < answer["bound"]


def test_a_start_network_is_used_and_can_be_the_answer(tmp_path):
    cache = tangled_cache(random.Random(2), 11)
    best = _core.subset_dp(cache.core)
    start = best["candidates"]
    for answer in (
        _core.astar(cache.core, start=start, work=1, **SIMPLE),
        _core.bfbnb(cache.core, scratch=str(tmp_path), memory_bytes=1e6, start=start, work=1, **SIMPLE),
    ):
        assert answer["score"] == best["score"] <= answer["bound"]


def test_components_make_large_problems_small():
    """Sixty variables in rings of six: dp works on 2^6 subsets ten times."""
    rng = random.Random(0)
    rings, lists = 10, []
    for ring in range(rings):
        for entries in real_lists(rng, 6, candidates=12):
            moved = [(score, frozenset(6 * ring + p for p in parents)) for score, parents in entries]
            lists.append(moved)
    cache = cache_of(lists)
    answer = _core.subset_dp(cache.core)
    parts = [
        best_score(
            fixed([[(s, frozenset(p - 6 * r for p in ps)) for s, ps in e] for e in lists[6 * r : 6 * r + 6]])
        )
        for r in range(rings)
    ]
    assert answer["score"] == answer["bound"] == sum(parts)
    assert answer["work"] <= rings * 2**6
    assert _core.astar(cache.core)["score"] == answer["score"]


def test_sixty_four_variables_in_one_component(tmp_path):
    """A ring of 64: every variable wants its predecessor; one must go without."""
    ring = cache_of([[(-9.0, frozenset()), (-1.0, frozenset([(x - 1) % 64]))] for x in range(64)])
    wanted = _core.to_fixed(-72.0)
    for answer in (
        _core.astar(ring.core),
        _core.astar(ring.core, **BARE),
        _core.bfbnb(ring.core, scratch=str(tmp_path), memory_bytes=1e6, **BARE),
    ):
        assert answer["score"] == answer["bound"] == wanted


def test_more_than_sixty_four_variables_in_one_component_are_refused(tmp_path):
    ring = cache_of([[(-9.0, frozenset()), (-1.0, frozenset([(x - 1) % 65]))] for x in range(65)])
    for name, solve in solvers(str(tmp_path), random.Random(0)).items():
        with pytest.raises(
            ResourceError, match=f"{name.split(',')[0]} works on sets of at most 64 variables"
        ):
            solve(ring.core)


def test_dp_says_how_much_memory_it_needs():
    cache = tangled_cache(random.Random(0), 24)
    with pytest.raises(ResourceError, match=r"24 variables .* needs \d+\.\d MB .*; 1\.0 MB are allowed"):
        _core.subset_dp(cache.core, threads=1, memory_bytes=1e6)
    ring = cache_of([[(-9.0, frozenset()), (-1.0, frozenset([(x - 1) % 50]))] for x in range(50)])
    with pytest.raises(ResourceError, match=r"50 variables .* Use solver 'astar'"):
        _core.subset_dp(ring.core)


def test_scores_too_far_apart_are_refused():
    far = 2.0**30  # the largest scores then sum to 2^31, which is just allowed
    cache = cache_of([[(-far, frozenset()), (far, frozenset([x ^ 1]))] for x in range(2)])
    with pytest.raises(InputError, match=r"more than 2\^31 nats apart"):
        _core.subset_dp(cache.core)


def test_options_out_of_range_are_refused(tmp_path):
    cache = cache_of([[(-1.0, frozenset())]])
    with pytest.raises(InputError, match="pattern_size must be from 1 to 20, got 21"):
        _core.astar(cache.core, pattern_size=21)
    with pytest.raises(InputError, match="bfbnb needs a memory limit"):
        _core.bfbnb(cache.core, scratch=str(tmp_path), memory_bytes=0.0)


@pytest.mark.parametrize("bits", [3, 4, 5, 7, 11, 13])
@pytest.mark.parametrize("name", ["plain", "avx2", "avx512"])
def test_every_kernel_makes_the_same_blocks(name, bits):
    """Each kernel that this processor has, on random tables, against the definition."""
    if not _core.has_block_kernel(name):
        pytest.skip(f"this processor has no {name}")
    for seed in range(3):
        rng = np.random.default_rng([seed, bits])

        def random_candidates(own_bits, without=0, rng=rng):
            losses = rng.integers(0, 1000, 2 * bits)
            return losses, rng.integers(0, 1 << own_bits, 2 * bits).astype(np.uint32) & ~np.uint32(without)

        tables = []
        for x in range(bits):
            own_bits = bits if x < 3 else bits - 1  # from 3 on the bit of x itself is left out
            candidates = random_candidates(own_bits, without=1 << x if x < 3 else 0)
            tables.append(block_kernel.tabulate(own_bits, *candidates))
            assert (_core.block_tabulate(name, own_bits, *candidates) == tables[x]).all()
        candidates = random_candidates(bits)
        best = rng.integers(0, 5000, 1 << bits)
        before = np.where(rng.random(1 << bits) < 0.25, block_kernel.NONE, rng.integers(0, 1000, 1 << bits))
        placed = block_kernel.place(bits, *candidates, best, before)
        assert (_core.block_place(name, bits, *candidates, best, before) == placed).all()
        finished, least = _core.block_finish(name, bits, placed, tables)
        assert (finished == block_kernel.finish(bits, placed, tables)).all()
        assert least == finished.min()
