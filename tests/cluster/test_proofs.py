"""Proofs on workers: subtrees with their prices as tasks, score and status of one process."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import bayesloom as bl
from bayesloom.solvers import subtrees
from bayesloom.solvers.subtrees import SubtreeOptions
from made import blocks as made
from made.blocks import told
from made.caches import joined, random_cache

SMALL = {"first_work": 50, "divide_work": 400, "subtrees": 4, "task_work": 2000}


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    """Little work in a task, so that small caches have many."""
    monkeypatch.setattr(subtrees, "SubtreeOptions", partial(SubtreeOptions, **SMALL))


@pytest.fixture(scope="module")
def cache():
    return random_cache(3, 22, 60)


def proved(result):
    return result.fixed_score, result.fixed_bound, result.status


def test_subtrees_prove_what_one_process_proves():
    tasks = 0
    with ThreadPoolExecutor(2) as threads:
        for cache in (random_cache(1, 22, 40), joined(random_cache(2, 12, 40), random_cache(3, 12, 40))):
            one = bl.search(cache, solver="bblp", threads=1)
            many = bl.search(cache, solver="bblp", executor=threads)
            assert one.status == "optimal"
            assert proved(many) == proved(one)
            tasks += "subtrees" in many.solver
    assert tasks


def test_the_number_of_workers_does_not_show(client, cache):
    given = {"solver": "bblp", "start": bl.search(cache, solver="inobs").network}
    one = bl.search(cache, solver="bblp", threads=1)
    many = bl.search(cache, executor=client, **given)
    assert "subtrees" in many.solver
    assert proved(many) == proved(one)
    with ThreadPoolExecutor(2) as threads:
        assert told(bl.search(cache, executor=threads, **given)) == told(many)


@pytest.mark.parametrize("times", [1, 2], ids=["a worker", "two workers"])
def test_a_proof_does_not_show_who_died(client, cache, times, tmp_path, monkeypatch):
    one = bl.search(cache, solver="bblp", threads=1)
    monkeypatch.setattr(subtrees, "search_subtree", partial(made.subtree_killed, str(tmp_path), times))
    assert proved(bl.search(cache, solver="bblp", executor=client)) == proved(one)
    assert len(list(tmp_path.iterdir())) == times


def test_subtrees_are_kept_in_a_folder_and_false_ones_are_not_taken_up(cache, tmp_path, monkeypatch):
    given = {"solver": "bblp", "options": {"moves": 100}, "seed": 2, "blocks": tmp_path}
    with ThreadPoolExecutor(2) as threads:
        one = bl.search(cache, executor=threads, **given)
        kept = sorted(tmp_path.glob("prove-*.json"))
        assert kept
        for damage in (
            lambda text: text[:-3],
            lambda text: json.dumps({**json.loads(text), "candidates": [-1]}),
            lambda text: json.dumps({**json.loads(text), "open": [{}]}),
        ):
            kept[0].write_text(damage(kept[0].read_text()))
            assert told(bl.search(cache, executor=threads, **given)) == told(one)

        def never(*_):
            raise AssertionError("searched again")

        monkeypatch.setattr(subtrees, "search_subtree", never)
        assert told(bl.search(cache, executor=threads, **given)) == told(one)


@pytest.mark.parametrize("work", [300, 3000, 30_000])
def test_a_work_limit_leaves_a_bound_that_holds(cache, work):
    best = bl.search(cache, solver="bblp", threads=1)
    with ThreadPoolExecutor(2) as threads:
        found = bl.search(cache, solver="bblp", executor=threads, work_limit=work)
    assert found.fixed_score <= best.fixed_score <= found.fixed_bound


def test_ctrl_c_in_a_round_leaves_a_bound_that_holds(cache):
    best = bl.search(cache, solver="bblp", threads=1)

    def interrupt(event):
        if event.bound is not None and event.blocks:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as threads:
        found = bl.search(cache, solver="bblp", executor=threads, progress=interrupt)
    assert found.interrupted
    assert found.fixed_score <= best.fixed_score <= found.fixed_bound


def test_an_allowed_gap_is_not_exceeded(cache):
    best = bl.search(cache, solver="bblp", threads=1)
    with ThreadPoolExecutor(2) as threads:
        found = bl.search(cache, solver="bblp", executor=threads, options={"target_gap": 20.0})
    assert found.fixed_score <= best.fixed_score <= found.fixed_bound
    assert found.gap <= 20.0
