"""Every verb where a worker, two or the scheduler are killed, a worker is too small, an address is nobody's.

The answer is that of one process, or a sentence.
"""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.cluster import dask_workers, opened
from bayesloom.errors import ExecutorError, InputError, ResourceError
from bayesloom.learning import neighbourhoods
from bayesloom.learning.api import LOOP_IS_LOCAL
from bayesloom.posterior_sampling import in_blocks as chains
from bayesloom.resampling import replicates
from bayesloom.scoring import in_blocks
from bayesloom.solvers import islands, subtrees
from bayesloom.solvers.subtrees import SubtreeOptions
from made import blocks as made
from made.blocks import told
from made.caches import random_cache

FEW_STEPS = {"first_work": 50, "divide_work": 400, "subtrees": 4, "task_work": 2000}
"""Little work in a task of a proof, so that small caches have many."""
ISLANDS = {"solver": "minobs", "options": {"islands": 4}, "work_limit": 40_000, "seed": 7}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine answers, and starts workers anew, in its own time."""
    monkeypatch.setattr(dask_workers, "WITHOUT_WORKERS_SECONDS", 600.0)
    monkeypatch.setattr(dask_workers, "LOST_SECONDS", 60.0)


@pytest.fixture(scope="module")
def many():
    """A table with more variables than `dp` is asked to do at once."""
    return bl.random_network(24, states=(2, 3), max_parents=2, concentration=0.5, seed=3).sample(200, seed=3)


@pytest.fixture(scope="module")
def cache(many):
    return bl.score(many, max_parents=2)


def learned(table, **more):
    """Learn without a clock; what the executor has to do with, its islands first."""
    return told(bl.learn(table, max_parents=2, time_limit=None, **more))


def counted(table, **more):
    found = bl.credible(table, 3, **more)
    return found.count, found.complete, list(found)


@pytest.mark.parametrize("numbers", [(2,), (1, 3)], ids=["a worker", "two workers"])
def test_search_does_not_show_who_died(client, cache, numbers, tmp_path, monkeypatch):
    one = told(bl.search(cache, **ISLANDS))
    monkeypatch.setattr(islands, "search_island", partial(made.island_killed, str(tmp_path), numbers))
    assert told(bl.search(cache, executor=client, **ISLANDS)) == one
    assert len(list(tmp_path.iterdir())) == len(numbers)


@pytest.mark.parametrize("numbers", [(2,), (1, 2)], ids=["a worker", "two workers"])
def test_learn_does_not_show_who_died(client, table, numbers, tmp_path, monkeypatch):
    one = learned(table)
    monkeypatch.setattr(in_blocks, "score_block", partial(made.killed, str(tmp_path), numbers))
    assert learned(table, executor=client) == one
    assert len(list(tmp_path.iterdir())) == len(numbers)


def test_learn_does_not_show_who_died_at_an_island(client, many, tmp_path, monkeypatch):
    one = bl.learn(many, max_parents=2, time_limit=None)
    monkeypatch.setattr(islands, "search_island", partial(made.island_killed, str(tmp_path), (1, 2)))
    found = bl.learn(many, max_parents=2, time_limit=None, executor=client)
    assert (found.fixed_score, found.fixed_bound, found.status) == (
        one.fixed_score,
        one.fixed_bound,
        one.status,
    )
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("numbers", [(2,), (1, 2)], ids=["a worker", "two workers"])
def test_credible_does_not_show_who_died(client, ok_small, numbers, tmp_path, monkeypatch):
    one = counted(ok_small)
    monkeypatch.setattr(in_blocks, "score_block", partial(made.killed, str(tmp_path), numbers))
    assert counted(ok_small, executor=client) == one
    assert len(list(tmp_path.iterdir())) == len(numbers)


@pytest.mark.parametrize("numbers", [(2,), (1, 3)], ids=["a worker", "two workers"])
def test_posterior_does_not_show_who_died(client, ok_small, numbers, tmp_path, monkeypatch):
    given = {"method": "chains", "chains": 3, "samples": 40, "seed": 2}
    one = bl.posterior(ok_small, **given)
    monkeypatch.setattr(chains, "sample_block", partial(made.chain_killed, str(tmp_path), numbers))
    found = bl.posterior(ok_small, executor=client, **given)
    assert {**found.to_json(), "seconds": None} == {**one.to_json(), "seconds": None}
    assert found.rows.tobytes() == one.rows.tobytes()
    assert len(list(tmp_path.iterdir())) == len(numbers)


def resampled(table, **more):
    return bl.bootstrap(table, 22, learner="hill_climb", seed=2, **more).networks


@pytest.mark.parametrize("calls", [(2,), (1, 3)], ids=["a worker", "two workers"])
def test_bootstrap_does_not_show_who_died(client, ok_small, calls, tmp_path, monkeypatch):
    one = resampled(ok_small)
    killed = partial(made.killed_at_calls, "replicates", str(tmp_path), calls)
    monkeypatch.setattr(replicates, "learn_block", killed)
    assert resampled(ok_small, executor=client) == one
    assert len(list(tmp_path.iterdir())) >= 5 + len(calls)  # blocks, and those begun again


def test_an_island_whose_worker_is_killed_from_outside_is_searched_again(client, cache):
    one, killed = told(bl.search(cache, **ISLANDS)), []

    def kill(event):
        if event.work >= 1 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    assert told(bl.search(cache, executor=client, progress=kill, **ISLANDS)) == one
    assert killed


def of_search(table, **more):
    return told(bl.search(bl.score(table, max_parents=2), **ISLANDS, **more))


def sampled(table, **more):
    few = table.select(table.names[:5])
    found = bl.posterior(few, method="chains", chains=3, samples=40, seed=2, **more)
    return found.rows.tobytes(), {**found.to_json(), "seconds": None}


def proved(_, **more):
    """Prove by branch and bound; only what is proved is that of one process."""
    cache, given = random_cache(3, 22, 60), {"solver": "bblp", "options": {"moves": 100}}
    found = bl.search(cache, **given, **more)
    assert ("subtrees" in found.solver) == bool(more)
    return found.fixed_score, found.fixed_bound, found.status


def looped(_, executor=None, blocks=None, progress=None):
    """Run the closed loop in neighbourhoods."""
    wide = bl.random_network(40, states=(2, 3), max_parents=2, concentration=0.3, seed=4).sample(500, seed=4)
    how = neighbourhoods.NeighbourhoodOptions(core=8, reach=16, first_sets=30, islands=2)
    with ThreadPoolExecutor(1) as pool, opened(executor or pool) as workers:
        loop = neighbourhoods.NeighbourhoodLoop(
            wide, "bic", {}, workers, how=how, folder=blocks, progress=progress
        )
        loop.run(None)
    return loop.network, loop.cache


def of_task(task):
    return partial(made.held_up_at_call, task), partial(made.counted_calls, task)


def scored(table, **more):
    return _core.format_blc(bl.score(table, **more).core)


VERBS = {
    "score": (scored, in_blocks, "score_block", made.held_up, made.counted),
    "learn": (learned, in_blocks, "score_block", made.held_up, made.counted),
    "credible": (counted, in_blocks, "score_block", made.held_up, made.counted),
    "search": (of_search, islands, "search_island", made.island_held_up, made.island_counted),
    "learn in neighbourhoods": (looped, neighbourhoods, "loop_block", *of_task("loop")),
    "proof": (proved, subtrees, "search_subtree", *of_task("subtree")),
    "bootstrap": (resampled, replicates, "learn_block", *of_task("replicates")),
    "posterior": (sampled, chains, "sample_block", *of_task("chain")),
}
KEPT = {
    "score_block": "score-*",
    "search_island": "search-*",
    "loop_block": "loop-*",
    "search_subtree": "prove-*",
    "learn_block": "bootstrap-*",
    "sample_block": "posterior-*-of-chain-*",
}
"""Files of the tasks in question: others are in the same folder."""


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_lost_scheduler_is_told_and_the_next_run_goes_on(machines, table, verb, tmp_path, monkeypatch):
    """What was done before is kept, and not done again."""
    run, module, name, held_up, seen_by = VERBS[verb]
    monkeypatch.setattr(subtrees, "SubtreeOptions", partial(SubtreeOptions, **FEW_STEPS))
    one = run(table)
    machines.worker("0")
    blocks, seen = tmp_path / "blocks", tmp_path / "seen"
    seen.mkdir()
    monkeypatch.setattr(module, name, partial(held_up, str(tmp_path), 2))
    files = KEPT[name]

    def kill(_event):
        if (tmp_path / "begun").exists() and any(blocks.glob(files)):
            machines.scheduler.kill()
            monkeypatch.setattr(dask_workers, "LOST_SECONDS", 2.0)

    with pytest.raises(ExecutorError, match=r"the Dask scheduler at tcp.* is lost"):
        run(table, executor=machines.address, blocks=blocks, progress=kill)
    kept = len(list(blocks.glob(files)))
    assert kept >= 1
    monkeypatch.setattr(module, name, partial(seen_by, str(seen)))
    with ThreadPoolExecutor(2) as threads:
        assert run(table, executor=threads, blocks=blocks) == one
    assert len(list(seen.iterdir())) == len(list(blocks.glob(files))) - kept > 0


@pytest.mark.parametrize("verb", VERBS)
def test_an_address_of_nobody_is_told(table, verb, monkeypatch):
    monkeypatch.setattr(dask_workers, "CONNECT_SECONDS", 0.2)
    run, *_ = VERBS[verb]
    with pytest.raises(
        InputError, match=r"^no Dask scheduler answers at 'tcp://127.0.0.1:1' within 0.2 "
    ) as told:
        run(table, executor="tcp://127.0.0.1:1")
    assert "\n" not in str(told.value)


TOO_SMALL = {"score", "credible", "posterior"}
"""Verbs that score all parent sets, which do not fit; search, proof and bootstrap take next to nothing."""


@pytest.mark.slow
def test_what_comes_of_a_worker_too_small_for_its_task(machines, table, monkeypatch):
    """A sentence, a result that says what it lacks, or all of it; its limit is less than what it fills."""
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE", "False")  # else it gets no task
    monkeypatch.setattr(subtrees, "SubtreeOptions", partial(SubtreeOptions, **FEW_STEPS))
    machines.worker("1 MB")
    too_large = r"is too large for worker tcp\S*, whose tasks may use 0.001 MB, and no worker has more"
    for verb in TOO_SMALL:
        with pytest.raises(ResourceError, match=too_large) as told_so:
            VERBS[verb][0](table, executor=machines.address)
        assert "\n" not in str(told_so.value), verb
    for verb in ("search", "proof", "bootstrap"):
        run = VERBS[verb][0]
        assert run(table, executor=machines.address) == run(table), verb
    learns = bl.learn(table, max_parents=2, time_limit=None, executor=machines.address)
    assert LOOP_IS_LOCAL in learns.notes
    assert not learns.complete
    _, cache = looped(table, executor=machines.address)
    assert cache.info["cut_by_memory"] > 0
    assert not cache.complete
    assert set(VERBS) - TOO_SMALL == {"search", "proof", "bootstrap", "learn", "learn in neighbourhoods"}
