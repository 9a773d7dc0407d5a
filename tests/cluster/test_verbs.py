"""Search, learn and credible on workers: what one process finds, to the last byte where work ends it."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.learning.api import LOOP_IS_LOCAL
from bayesloom.scoring import in_blocks
from bayesloom.solvers import islands
from made import blocks as made
from made.blocks import told
from made.caches import random_cache

LIMITS = [
    ("minobs", {"work_limit": 40_000}),
    ("iinobs", {"work_limit": 20_000}),
    ("inobs", {}),
    ("asobs", {"work_limit": 20_000}),
]


@pytest.fixture(scope="module")
def cache():
    """More variables than `dp` is asked to do at once."""
    table = bl.random_network(24, states=(2, 3), max_parents=3, concentration=0.5, seed=3).sample(300, seed=3)
    return bl.score(table, max_parents=2)


@pytest.mark.parametrize(("solver", "limit"), LIMITS, ids=str)
def test_islands_on_workers_are_those_of_one_process(client, cache, solver, limit):
    options = {"islands": 3}
    one = bl.search(cache, solver=solver, options=options, seed=5, **limit)
    many = bl.search(cache, solver=solver, options=options, seed=5, executor=client, **limit)
    assert told(many) == told(one)
    assert many.solver == one.solver


def test_islands_of_a_pool_are_those_of_one_process(cache):
    given = {"solver": "minobs", "options": {"islands": 4}, "work_limit": 40_000, "seed": 2}
    one = bl.search(cache, **given)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert told(bl.search(cache, executor=pool, **given)) == told(one)
    start = bl.search(cache, solver="inobs").network
    with ThreadPoolExecutor(2) as threads:
        assert told(bl.search(cache, executor=threads, start=start, **given)) == told(
            bl.search(cache, start=start, **given)
        )


def test_a_proof_follows_the_islands(client, cache):
    one = bl.search(cache)
    many = bl.search(cache, executor=client)
    assert one.status == many.status == "optimal"
    assert (many.fixed_score, many.fixed_bound) == (one.fixed_score, one.fixed_bound)
    small = bl.search(bl.score(bl.random_network(8, seed=1).sample(200, seed=1)), executor=client)
    assert small.solver == "dp"  # which needs nobody's help


def test_constraints_hold_on_islands(client, cache):
    a, b, c = cache.names[:3]
    rules = {"required": [], "forbidden": [[a, b]], "before": [[c, a]]}
    given = {"solver": "minobs", "options": {"islands": 2}, "work_limit": 20_000, "constraints": rules}
    assert told(bl.search(cache, executor=client, **given)) == told(bl.search(cache, **given))


def test_islands_are_kept_in_a_folder_and_false_ones_are_not_taken_up(cache, tmp_path, monkeypatch):
    given = {"solver": "minobs", "options": {"islands": 3}, "work_limit": 20_000}
    one = bl.search(cache, **given)
    with ThreadPoolExecutor(2) as threads:
        assert told(bl.search(cache, executor=threads, blocks=tmp_path, **given)) == told(one)
        files = sorted(tmp_path.iterdir())
        assert len(files) == 3
        for damage in (
            lambda text: text[:-3],
            lambda text: json.dumps({**json.loads(text), "score": 0}),
            lambda text: json.dumps({**json.loads(text), "bound": 0}),
            lambda text: json.dumps({**json.loads(text), "order": json.loads(text)["order"][::-1]}),
            lambda text: json.dumps({**json.loads(text), "candidates": [0]}),
        ):
            files[0].write_text(damage(files[0].read_text()))
            assert told(bl.search(cache, executor=threads, blocks=tmp_path, **given)) == told(one)

        def never(*_):
            raise AssertionError("searched again")

        monkeypatch.setattr(islands, "search_island", never)
        assert told(bl.search(cache, executor=threads, blocks=tmp_path, **given)) == told(one)


def test_a_target_ends_all_islands(cache):
    score = bl.search(cache, solver="inobs").score
    with ThreadPoolExecutor(1) as threads:
        found = bl.search(
            cache, solver="minobs", options={"islands": 500}, target=score - 1, executor=threads
        )
    assert found.score >= score - 1


@pytest.mark.parametrize("options", [{}, {"islands": 3}], ids=str)
def test_ctrl_c_before_any_island_is_done_still_gives_a_network(cache, options):
    def interrupt(event):
        raise KeyboardInterrupt

    given = {"solver": "minobs", "options": options, "work_limit": 1000}
    with ThreadPoolExecutor(1) as threads:
        found = bl.search(cache, executor=threads, progress=interrupt, **given)
    assert found.interrupted
    assert found.status == "stopped"


def test_learn_gives_the_same_network(client, table):
    one, many = bl.learn(table, time_limit=None), bl.learn(table, time_limit=None, executor=client)
    assert told(many) == told(one)
    assert many.edges == one.edges
    assert many.notes == one.notes


def test_learn_on_a_worker_that_dies_gives_the_same_network(client, table, tmp_path, monkeypatch):
    one = bl.learn(table, time_limit=None)
    monkeypatch.setattr(in_blocks, "score_block", partial(made.killed, str(tmp_path), (2,)))
    assert told(bl.learn(table, time_limit=None, executor=client)) == told(one)
    assert len(list(tmp_path.iterdir())) == 1


def test_the_loop_says_that_it_runs_here(table):
    with ThreadPoolExecutor(2) as threads:
        found = bl.learn(table, method="loop", time_limit=1, executor=threads)
    assert LOOP_IS_LOCAL in found.notes
    assert LOOP_IS_LOCAL not in bl.learn(table, method="loop", time_limit=1).notes


def test_credible_gives_the_same_set(client, ok_small):
    one, many = bl.credible(ok_small, 3), bl.credible(ok_small, 3, executor=client)
    assert (many.count, many.complete) == (one.count, one.complete)
    assert list(many) == list(one)
    with pytest.raises(InputError, match="executor scores tables; a score cache has its scores"):
        bl.credible(bl.score(ok_small), 3, executor=client)


def test_a_random_cache_without_many_candidates(client):
    cache = random_cache(1, 26, 4)
    given = {"solver": "minobs", "options": {"islands": 2}, "work_limit": 5000}
    assert told(bl.search(cache, executor=client, **given)) == told(bl.search(cache, **given))
