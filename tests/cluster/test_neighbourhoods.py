"""The closed loop on workers, in neighbourhoods: the same network whoever does what, and true scores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

import bayesloom as bl
from bayesloom.cluster import opened
from bayesloom.learning import neighbourhoods as module
from bayesloom.learning import options as tuned
from bayesloom.learning.api import LOOP_IS_LOCAL
from bayesloom.learning.neighbourhoods import NeighbourhoodLoop, NeighbourhoodOptions, neighbourhoods
from made import blocks as made
from made.blocks import told

HOW = NeighbourhoodOptions(core=8, reach=16, first_sets=30, islands=2)


@pytest.fixture(scope="module")
def wide():
    return bl.random_network(40, states=(2, 3), max_parents=2, concentration=0.3, seed=4).sample(500, seed=4)


def run(table, executor, folder=None, **more):
    with opened(executor) as workers:
        loop = NeighbourhoodLoop(table, "bic", {}, workers, how=HOW, folder=folder, **more)
        loop.run(None)
    return loop


@pytest.fixture(scope="module")
def one(wide):
    with ThreadPoolExecutor(1) as pool:
        return run(wide, pool)


def test_every_variable_is_in_one_core_and_neighbourhoods_overlap(one, wide):
    for network in (None, one.network):
        parts = neighbourhoods(one.cache, network, HOW)
        assert sorted(v for core, _ in parts for v in core) == list(range(40))
        assert all(len(core) == HOW.core for core, _ in parts)
        assert all(not set(core) & set(rest) for core, rest in parts)
        assert all(len(core) + len(rest) <= HOW.reach for core, rest in parts)
        assert sum(len(rest) for _, rest in parts) > 0
    # What is next to a core in the network comes first.
    index = {name: v for v, name in enumerate(one.cache.names)}
    whole = neighbourhoods(one.cache, one.network, replace(HOW, reach=40))
    for core, rest in whole:
        near = {index[b] for a, b in one.network.edges if index[a] in core}
        near |= {index[a] for a, b in one.network.edges if index[b] in core}
        assert near <= {*core, *rest}


def test_scores_are_those_of_the_whole_table(one, wide):
    """A local score does not depend on columns that were not there when it was computed."""
    scored = 0
    for v in wide.names:
        for score, parents in one.cache.candidates(v)[:5]:
            alone = bl.Network(wide.names, {v: parents})
            assert bl.network_scores(alone, wide)[v] == pytest.approx(score, abs=1e-6)
            scored += len(parents) > 1
    assert scored > 8
    assert not one.cache.complete
    assert one.turns[-1].score == pytest.approx(sum(bl.network_scores(one.network, wide).values()), abs=1e-6)


def test_loops_find_what_the_first_parents_lack(one, wide):
    first = bl.score(wide, method="greedy", sets_per_variable=HOW.first_sets)
    assert bl.search(one.cache).score >= bl.search(first).score
    assert one.cache.candidate_count > 0


def test_the_number_of_workers_does_not_show(one, wide, client, as_bytes):
    with ThreadPoolExecutor(3) as pool:
        for executor in (pool, client):
            many = run(wide, executor, task_threads=2 if executor is pool else None)
            assert many.network == one.network
            assert as_bytes(many.cache) == as_bytes(one.cache)
            assert many.scored == one.scored


@pytest.mark.parametrize("times", [1, 2])
def test_workers_that_die_do_not_show(one, wide, client, times, tmp_path, monkeypatch, as_bytes):
    monkeypatch.setattr(module, "loop_block", partial(made.loop_killed, str(tmp_path), times))
    many = run(wide, client)
    assert as_bytes(many.cache) == as_bytes(one.cache)
    assert many.network == one.network
    assert len(list(tmp_path.iterdir())) == times


def test_what_is_done_is_kept_and_damage_is_done_anew(one, wide, tmp_path, monkeypatch, as_bytes):
    with ThreadPoolExecutor(2) as pool:
        run(wide, pool, folder=tmp_path)
        loops = sorted(tmp_path.glob("loop-*"))
        assert len(loops) == 10  # five neighbourhoods, two rounds
        loops[0].write_bytes(loops[1].read_bytes())
        loops[2].write_bytes(loops[2].read_bytes()[:-7])
        again = run(wide, pool, folder=tmp_path)
        assert as_bytes(again.cache) == as_bytes(one.cache)

        def never(*_):
            raise AssertionError("done again")

        monkeypatch.setattr(module, "loop_block", never)
        assert as_bytes(run(wide, pool, folder=tmp_path).cache) == as_bytes(one.cache)


def test_learn_goes_there(wide, monkeypatch):
    monkeypatch.setattr(tuned, "OPTIONS", replace(tuned.OPTIONS, neighbourhoods_from=16))
    with ThreadPoolExecutor(2) as pool:
        found = bl.learn(wide, method="loop", time_limit=2, executor=pool)
        assert found.solver.startswith("loop in 1 neighbourhood+")
        assert LOOP_IS_LOCAL not in found.notes
        assert found.verify().ok
        assert found.score <= found.bound
        first, second = wide.names[:2]
        rules = {"forbidden": [[first, second]]}
        held = bl.learn(wide, method="loop", time_limit=1, executor=pool, constraints=rules)
    assert LOOP_IS_LOCAL in held.notes
    assert told(held)[0].edges.count((first, second)) == 0


def test_a_proof_that_would_not_fit_the_memory_is_left_out(wide, monkeypatch):
    """What bounds the network then is the best parent set of every variable."""
    monkeypatch.setattr(tuned, "OPTIONS", replace(tuned.OPTIONS, proof_bytes=1e12))
    found = bl.learn(wide, method="loop", time_limit=1, threads=1)
    assert found.solver == "loop+minobs"
    assert found.score <= found.bound
    assert found.verify().ok


def test_ctrl_c_keeps_a_network(wide):
    def interrupt(event):
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool, opened(pool) as workers:
        loop = NeighbourhoodLoop(wide, "bic", {}, workers, how=HOW, progress=interrupt)
        loop.run(None)
    assert loop.interrupted
    assert not loop.climbed
    assert loop.network.names == wide.names
