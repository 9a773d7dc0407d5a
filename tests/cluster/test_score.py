"""Scoring on workers gives the cache of one process, to the last byte, whoever dies."""

from __future__ import annotations

import gc
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

import bayesloom as bl
from bayesloom.cluster import blocks as loop
from bayesloom.errors import ExecutorError, InputError, ResourceError
from bayesloom.scoring import in_blocks
from made import blocks as made

ASKED = [
    {},
    {"score": "bdeu", "options": {"ess": 5.0}, "bayes_factor": 20, "max_parents": 3},
    {"method": "independence", "sets_per_variable": 40},
    {"method": "greedy", "sets_per_variable": 40, "score": "bdeu"},
    {"method": "sequential", "sets_per_variable": 40, "parents_considered": 5},
    {"constraints": {"required": [["X1", "X0"]], "forbidden": [["X2", "X3"]]}},
]


@pytest.fixture
def pool():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        yield processes


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_cache_of_dask_is_that_of_one_process(client, table, asked, as_bytes):
    assert as_bytes(bl.score(table, executor=client, **asked)) == as_bytes(bl.score(table, **asked))


def test_the_cache_of_a_pool_is_that_of_one_process(pool, table, as_bytes):
    for asked in ASKED:
        assert as_bytes(bl.score(table, executor=pool, **asked)) == as_bytes(bl.score(table, **asked))


@pytest.mark.parametrize("slots", [1, 3, 40])
def test_the_number_of_workers_does_not_show(table, slots, as_bytes):
    asked = {"method": "independence", "sets_per_variable": 40}
    with ThreadPoolExecutor(slots) as threads:
        for given in ({}, asked):
            assert as_bytes(bl.score(table, executor=threads, **given)) == as_bytes(bl.score(table, **given))


def test_tables_of_every_kind_travel(as_bytes):
    weighted = bl.Table.from_codes(
        ["a", "ä\U0001f9f5"],
        [["x", "y"], [str(i) for i in range(300)]],
        [[0, 1, 1], [0, 299, 5]],
        weights=[2, 9, 1],
    )
    one = bl.read_table({"alone": ["x", "y", "x"]})
    with ThreadPoolExecutor(2) as threads:
        for each in (weighted, one):
            assert in_blocks.unpacked(in_blocks.packed(each)) == each
            assert as_bytes(bl.score(each, executor=threads)) == as_bytes(bl.score(each))


@pytest.mark.parametrize("blocks", [(1,), (1, 2)])
def test_killed_workers_do_not_show(client, table, blocks, tmp_path, monkeypatch, as_bytes):
    """kill -9 at one block, and of both workers at two: others do their blocks."""
    asked = {"method": "independence", "sets_per_variable": 40}
    monkeypatch.setattr(in_blocks, "score_block", partial(made.killed, str(tmp_path), blocks))
    assert as_bytes(bl.score(table, executor=client, **asked)) == as_bytes(bl.score(table, **asked))
    assert len(list(tmp_path.iterdir())) == len(blocks)


def test_a_worker_killed_from_outside_does_not_show(client, table, as_bytes):
    asked = {"method": "independence", "sets_per_variable": 40}
    killed = []

    def kill(event):
        if event.work >= 1 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    cache = bl.score(table, executor=client, progress=kill, **asked)
    assert killed
    assert as_bytes(cache) == as_bytes(bl.score(table, **asked))


def test_scattered_data_that_went_with_its_workers_is_sent_again(
    client, table, tmp_path, monkeypatch, as_bytes
):
    """Where workers do not see our files, and all that had the table die."""
    from bayesloom.cluster import dask_workers

    asked = {"method": "independence", "sets_per_variable": 40}
    monkeypatch.setattr(in_blocks, "score_block", partial(made.killed, str(tmp_path), (1, 2)))
    offer = dask_workers.DaskWorkers.offer

    def unseen(self, given, folder=None):
        offer(self, given, folder)
        self._path = "/nowhere"
        self._scatter()

    monkeypatch.setattr(dask_workers.DaskWorkers, "offer", unseen)
    assert as_bytes(bl.score(table, executor=client, **asked)) == as_bytes(bl.score(table, **asked))


def test_a_pool_that_breaks_is_replaced(pool, table, tmp_path, monkeypatch, as_bytes):
    monkeypatch.setattr(in_blocks, "score_block", partial(made.killed, str(tmp_path), (1, 3)))
    asked = {"method": "independence", "sets_per_variable": 40}
    assert as_bytes(bl.score(table, executor=pool, **asked)) == as_bytes(bl.score(table, **asked))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_pool_that_does_not_see_the_file_gets_the_table_with_its_task(table, monkeypatch, as_bytes):
    from bayesloom.cluster import content

    monkeypatch.setattr(content, "_mapped", lambda path, digest: None)
    content._held.clear()
    with ThreadPoolExecutor(2) as threads:
        assert as_bytes(bl.score(table, executor=threads)) == as_bytes(bl.score(table))


def test_a_block_that_kills_every_worker_is_named(pool, table, tmp_path, monkeypatch):
    monkeypatch.setattr(in_blocks, "score_block", partial(made.always_killed, 2))
    with pytest.raises(ExecutorError, match=r"block . of 2 of scoring could not be done: .* lost it 4 times"):
        bl.score(table, executor=pool, blocks=tmp_path)


def test_a_result_of_another_job_is_refused(table, monkeypatch):
    monkeypatch.setattr(in_blocks, "score_block", made.forged)
    with ThreadPoolExecutor(2) as threads, pytest.raises(ExecutorError, match="is not that of this job"):
        bl.score(table, executor=threads)


def test_an_error_on_a_worker_is_one_sentence(client, table, monkeypatch):
    monkeypatch.setattr(in_blocks, "score_block", made.failing)
    with pytest.raises(ExecutorError, match=r"a task on .* failed with ZeroDivisionError: by zero\.$"):
        bl.score(table, executor=client)
    with (
        ThreadPoolExecutor(1) as threads,
        pytest.raises(ExecutorError, match="failed with ZeroDivisionError"),
    ):
        bl.score(table, executor=threads)


def test_a_second_run_goes_on_where_the_first_was(table, tmp_path, monkeypatch, as_bytes):
    """Also with another number of workers; files that are damaged or of another job are not taken up."""
    folder, seen = tmp_path / "blocks", tmp_path / "seen"
    seen.mkdir()
    asked = {"method": "greedy", "sets_per_variable": 40}
    with ThreadPoolExecutor(1) as threads:
        monkeypatch.setattr(in_blocks, "score_block", partial(made.held_up, str(tmp_path), 3))
        with pytest.raises(ExecutorError, match=r"2 of 4 blocks are done and kept in .*blocks"):
            bl.score(table, executor=threads, blocks=folder, progress=_lost_at(tmp_path), **asked)
        kept = sorted(path.name for path in folder.iterdir())
        assert len(kept) == 2
        # A part of another job under the name of one of this, and a damaged one.
        stem = kept[0].split("-1-of-")[0]
        other = bl.score(table, shard=(3, 4), score="aic", **asked)
        other.write(folder / f"{stem}-3-of-4.blc")
        (folder / kept[1]).write_bytes((folder / kept[1]).read_bytes()[:-9])
    monkeypatch.setattr(in_blocks, "score_block", partial(made.counted, str(seen)))
    with ThreadPoolExecutor(3) as threads:
        cache = bl.score(table, executor=threads, blocks=folder, **asked)
        assert as_bytes(cache) == as_bytes(bl.score(table, **asked))
        assert sorted(path.name for path in seen.iterdir()) == ["2-4", "3-4", "4-4"]
        again = bl.score(table, executor=threads, blocks=folder, **asked)
    assert as_bytes(again) == as_bytes(cache)
    assert len(list(seen.iterdir())) == 3


def test_an_object_store_keeps_blocks_too(table, monkeypatch, as_bytes):
    """By fsspec; its store in memory is one that every installation has."""
    import fsspec

    place = "memory://bayesloom-tests/blocks"
    whole = as_bytes(bl.score(table))
    with ThreadPoolExecutor(2) as threads:
        assert as_bytes(bl.score(table, executor=threads, blocks=place)) == whole
        files = fsspec.filesystem("memory")
        names = sorted(files.ls("/bayesloom-tests/blocks", detail=False))
        assert len(names) == 2
        files.pipe_file(names[0], b"damaged")
        assert as_bytes(bl.score(table, executor=threads, blocks=place)) == whole
        monkeypatch.setattr(in_blocks, "score_block", made.failing)
        assert as_bytes(bl.score(table, executor=threads, blocks=place)) == whole
        for odd, message in [
            ("nonsense://x", "nonsense://x: cannot be the place of blocks: .*nonsense"),
            ("", "is no name of a folder of blocks"),
        ]:
            with pytest.raises(InputError, match=message):
                bl.score(table, executor=threads, blocks=odd)


def test_an_object_store_that_fails_is_told_in_a_sentence(table, monkeypatch):
    from fsspec.implementations.memory import MemoryFileSystem

    def refuse(*_, **__):
        raise PermissionError("access denied.\nsecond line")

    for name, kind, message in [
        ("ls", InputError, "cannot be read: access denied"),
        ("makedirs", InputError, "cannot be the place of blocks: access denied"),
        ("pipe_file", ResourceError, "a block could not be kept: access denied"),
    ]:
        with monkeypatch.context() as patched, ThreadPoolExecutor(2) as threads:
            patched.setattr(MemoryFileSystem, name, refuse)
            with pytest.raises(kind, match=rf"memory://of-{name}: {message}\."):
                bl.score(table, executor=threads, blocks=f"memory://of-{name}")


def _lost_at(folder):
    """A progress function that raises when the block that is held up has begun."""

    def listen(event):
        if (folder / "begun").exists() and event.work == 2:
            raise ExecutorError("2 of 4 blocks are done and kept in blocks")

    return listen


def test_ctrl_c_keeps_what_is_done(table, tmp_path, monkeypatch):
    """Blocks that are done count, the others have their empty parent sets at least, and the cache says so."""
    monkeypatch.setattr(in_blocks, "score_block", partial(made.held_up, str(tmp_path), 3))
    whole = bl.score(table, method="greedy", sets_per_variable=40)

    def interrupt(event):
        if (tmp_path / "begun").exists() and event.work == 2:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as threads:
        cache = bl.score(table, executor=threads, method="greedy", sets_per_variable=40, progress=interrupt)
    assert (cache.complete, cache.part) == (False, None)
    assert cache.info["interrupted"]
    assert cache.info["stopped"]
    assert cache.info["blocks_missing"] == 2
    for v, name in enumerate(table.names):
        if v % 4 in (0, 1):
            assert cache.candidates(name) == whole.candidates(name)
        else:
            assert () in [parents for _, parents in cache.candidates(name)]
    assert bl.search(cache).complete is False


def test_a_time_limit_ends_it(client, table, tmp_path, monkeypatch):
    """A block that does not end by itself is given up; the cache is whole, and not complete."""
    monkeypatch.setattr(in_blocks, "score_block", partial(made.held_up, str(tmp_path), 2))
    monkeypatch.setattr(loop, "GRACE", 0.1)
    cache = bl.score(table, executor=client, time_limit=1.0)
    assert (cache.complete, cache.part, cache.info["stopped"]) == (False, None, True)
    assert cache.info["blocks_missing"] >= 1
    assert "interrupted" not in cache.info


def test_required_parents_are_kept_where_blocks_are_missing(table, tmp_path, monkeypatch):
    monkeypatch.setattr(in_blocks, "score_block", partial(made.held_up, str(tmp_path), 1))
    rules = {"required": [["X1", "X0"]]}
    monkeypatch.setattr(loop, "GRACE", 0.1)
    with ThreadPoolExecutor(2) as threads:
        cache = bl.score(table, executor=threads, constraints=rules, time_limit=1.0)
    assert not cache.complete
    assert all("X1" in parents for _, parents in cache.candidates("X0"))


def test_a_worker_too_small_for_its_task_is_told_in_a_sentence(client, table):
    with pytest.raises(
        ResourceError,
        match=r"block . of 2 of scoring is too large for worker tcp.*may use 0.001 MB, and no worker has",
    ):
        bl.score(table, executor=client, memory=1e-6)


def test_what_makes_no_sense_together_is_refused(table, tmp_path):
    with ThreadPoolExecutor(1) as threads:
        for given, message in [
            ({"shard": (1, 2)}, "shard is for work without an executor"),
            ({"checkpoint": tmp_path / "c", "resume": True}, "checkpoint is for work without an executor"),
            ({"method": "greedy", "max_parents": 40}, "grows parent sets to 12 parents at most"),
            ({"score": "bdue"}, "unknown score"),
            ({"blocks": tmp_path / "file" / "x"}, "cannot be the folder of blocks"),
        ]:
            (tmp_path / "file").touch()
            with pytest.raises(InputError, match=message):
                bl.score(table, executor=threads, **given)
    with pytest.raises(InputError, match="blocks is for work on executor"):
        bl.score(table, blocks=tmp_path)
    with pytest.raises(InputError, match="takes no work"):
        bl.score(table, executor=threads)


def test_nothing_is_left_behind(client, table, monkeypatch, tmp_path):
    """No temporary file, no task on the scheduler, no thread of ours."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = set(client.futures)
    bl.score(table, executor=client)
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    assert set(client.futures) <= before
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("minobs")]
