"""The Python face of the exact solvers: options, errors, and the way through `search`."""

from __future__ import annotations

import random
import tempfile

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.solvers import order_graph
from bayesloom.solvers.api import SOLVERS
from bayesloom.solvers.protocol import SearchLimits
from bayesloom.solvers.warm_start import start_candidates
from made.lists import cache_of, real_lists, tangled_cache

LIMITS = SearchLimits(seconds=None, work=None, threads=2, memory_bytes=1e8, seed=0, progress=None)


@pytest.fixture(autouse=True)
def own_temporary_directory(tmp_path_factory, monkeypatch):
    """What a solver leaves in its default scratch directory goes with the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("scratch")))


@pytest.fixture
def cache():
    return tangled_cache(random.Random(4), 10)


def test_every_solver_is_registered_as_exact():
    assert {"dp", "astar", "bfbnb"} <= {name for name, solver in SOLVERS.items() if solver.exact}


def test_all_solvers_give_the_same_through_search(cache):
    results = [bl.search(cache, solver=name) for name in ("dp", "astar", "bfbnb")]
    assert {(r.status, r.gap) for r in results} == {("optimal", 0.0)}
    assert len({r.score for r in results}) == 1


@pytest.mark.parametrize("dense", ["auto", "never", "always"])
def test_bfbnb_options_reach_the_core(cache, tmp_path, dense):
    options = order_graph.Bfbnb(scratch=tmp_path, dense=dense, pattern_size=2, start_work=0)
    answer = options.solve(cache, LIMITS)
    assert answer.proved
    assert answer.score == order_graph.Dp().solve(cache, LIMITS).score
    assert list(tmp_path.iterdir()) == []


def test_the_answer_does_not_depend_on_the_number_of_threads(tmp_path):
    """Not even which of many equally good networks it is: scores are whole numbers here."""
    rng = random.Random(0)
    cache = cache_of(real_lists(rng, 19, max_parents=4, candidates=40, ties=True))
    apart = {"start_work": 0, "cluster_rounds": 0}
    for options in (
        order_graph.Dp(),
        order_graph.Astar(pattern_size=1, **apart),
        order_graph.Bfbnb(scratch=tmp_path, **apart),
    ):
        answers = [
            options.solve(
                cache,
                SearchLimits(
                    seconds=None, work=None, threads=threads, memory_bytes=1e8, seed=0, progress=None
                ),
            )
            for threads in (1, 2, 3)
        ]
        assert all(answer.candidates == answers[0].candidates for answer in answers)
        assert all(answer.work == answers[0].work for answer in answers)


@pytest.mark.parametrize("work", [1, 7, 300, 3000])
def test_a_search_stopped_after_some_nodes_does_not_depend_on_threads_either(work):
    cache = tangled_cache(random.Random(16), 16)
    answers = [
        _core.astar(cache.core, cluster_rounds=0, pattern_size=1, work=work, threads=threads)
        for threads in (1, 2, 5)
    ]
    assert answers[0]["work"] == work
    assert answers[0]["score"] < answers[0]["bound"]
    for answer in answers[1:]:
        assert [answer[k] for k in ("candidates", "bound", "work")] == [
            answers[0][k] for k in ("candidates", "bound", "work")
        ]


def test_an_order_to_start_with_becomes_candidates(cache):
    order = list(range(10))
    chosen = start_candidates(cache, order)
    for v, candidate in enumerate(chosen):
        first, last = int(cache.parent_first[candidate]), int(cache.parent_first[candidate + 1])
        assert all(int(p) < v for p in cache.parents[first:last])
    assert start_candidates(cache, None) == []


def test_an_order_without_a_network_is_no_start():
    cache = bl.ScoreCache.from_candidates(["a", "b"], {"a": [(-1, [])], "b": [(-2, ["a"])]})
    assert start_candidates(cache, [1, 0]) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pattern_size": 0}, "pattern_size must be a whole number of at least 1, got 0"),
        ({"pattern_size": 21}, "pattern_size must be from 1 to 20, got 21"),
        ({"start_work": -1}, "start_work must be a whole number of at least 0, got -1"),
        ({"cluster_rounds": 1.5}, "cluster_rounds must be a whole number of at least 0, got 1.5"),
        ({"dense": "maybe"}, "dense must be 'auto', 'never' or 'always', got 'maybe'"),
        ({"scratch": "/no/such/place"}, "the scratch directory '/no/such/place' does not exist"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        order_graph.Bfbnb(**options)
