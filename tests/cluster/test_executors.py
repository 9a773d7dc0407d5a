"""Schedulers that are not there, are lost, or have no workers or small ones: a sentence within seconds."""

from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.cluster import dask_workers, executors
from bayesloom.cluster.pool_workers import PoolWorkers
from bayesloom.errors import ExecutorError, InputError, ResourceError
from bayesloom.scoring import in_blocks
from bayesloom.scoring.cluster_plan import plan_blocks
from made import blocks as made
from made.command import exit_code


def test_small_workers_large_workers_and_the_end_of_the_scheduler(
    machines, table, tmp_path, monkeypatch, as_bytes
):
    """One story, since each program takes seconds to start."""
    monkeypatch.setattr(dask_workers, "PAUSED_SECONDS", 0.5)
    machines.worker("1 MB")  # which the program alone fills: Dask pauses it, unless the first block is sooner
    too_small = r"has paused all of its workers .* a larger `--memory-limit`|is too large for worker tcp"
    with pytest.raises(ResourceError, match=too_small):
        bl.score(table, executor=machines.address)

    machines.worker("0")  # without a limit
    monkeypatch.setattr(dask_workers, "PAUSED_SECONDS", 60.0)  # until it has started
    with executors.opened(machines.address) as workers:
        cache = bl.score(table, executor=workers)
    assert as_bytes(cache) == as_bytes(bl.score(table))

    asked = {"method": "greedy", "sets_per_variable": 40, "executor": machines.address}
    monkeypatch.setattr(in_blocks, "score_block", partial(made.held_up, str(tmp_path), 1))
    monkeypatch.setattr(dask_workers, "LOST_SECONDS", 2.0)

    def kill(event):
        if (tmp_path / "begun").exists():
            machines.scheduler.kill()

    with pytest.raises(ExecutorError, match=r"the Dask scheduler at tcp.* is lost"):
        bl.score(table, blocks=tmp_path / "blocks", progress=kill, **asked)


class Uneven(PoolWorkers):
    """Workers of which some have too little memory."""

    def submit(self, key, task, where=None):
        if where is None:
            task = replace(task, limits=replace(task.limits, memory=1e-6))
        return super().submit(key, task)

    def larger(self, reply):
        assert reply.memory == 1e-6
        return ["the large one"]


def test_the_plan_of_a_mixed_table_knows_the_blocks_that_are_there(tmp_path):
    draw = np.random.default_rng(1)
    x = draw.normal(size=200)
    columns = {
        "x": x,
        "y": x + draw.normal(size=200),
        "g": draw.choice(["a", "b"], 200),
        "h": ["u", "v"] * 100,
    }
    mixed = bl.read_table(columns, continuous="normal")
    with ThreadPoolExecutor(2) as threads:
        cache = bl.score(mixed, executor=threads, blocks=tmp_path / "blocks")
    assert cache.info["score"] == "bic-cg"
    plan = plan_blocks(mixed, slots=2, workers=2, folder=tmp_path / "blocks")
    assert plan.done == plan.blocks > 0


def test_a_block_too_large_for_one_worker_goes_to_a_larger_one(table, as_bytes):
    with ThreadPoolExecutor(2) as threads, closing(Uneven(threads)) as workers:
        assert as_bytes(bl.score(table, executor=workers)) == as_bytes(bl.score(table))


def test_workers_know_what_their_tasks_took(table):
    with ThreadPoolExecutor(1) as threads, executors.opened(threads) as workers:
        bl.score(table, executor=workers)
        once = sum(workers.busy.values())
        bl.score(table, executor=workers)
    assert len(workers.busy) == 1
    assert sum(workers.busy.values()) > once > 0


def test_addresses_that_lead_nowhere(table, monkeypatch):
    monkeypatch.setattr(dask_workers, "CONNECT_SECONDS", 0.2)
    with socket.socket() as silent:  # takes connections and says nothing
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address in (
            mute,
            "tcp://127.0.0.1:1",
            "nonsense",
            "http://example.org",
            "tcp://nowhere.invalid:1",
            "::",
        ):
            with pytest.raises(InputError, match=r"no Dask scheduler answers at '.*' within 0.2 seconds"):
                bl.score(table, executor=address)


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ("local:0", "expected 'local:N', N from 1 to 1024"),
        ("local:", "expected 'local:N'"),
        ("local:99999999999", "expected 'local:N'"),
        ("", "executor must be a Dask client"),
        (17, "executor must be a Dask client, .* got 17"),
        (ThreadPoolExecutor, "executor must be a Dask client"),
    ],
)
def test_what_is_no_executor_is_refused(table, executor, message):
    for use in (bl.score, bl.learn, bl.credible):
        with pytest.raises(InputError, match=message):
            use(table, executor=executor)


def test_a_scheduler_without_workers_is_told(client, table, monkeypatch):
    monkeypatch.setattr(dask_workers, "WITHOUT_WORKERS_SECONDS", -1.0)
    with pytest.raises(ExecutorError, match=r"has had no workers for .* start some with `dask worker tcp"):
        bl.score(table, executor=client)


def test_a_scheduler_that_was_not_asked_is_not_lost(client, monkeypatch):
    """Between two verbs of one call nobody asks, for as long as it takes."""
    with executors.opened(client) as workers:
        workers._ask_at = float("inf")
        while workers._asked is not None:
            workers.check()
        for name in ("LOST_SECONDS", "WITHOUT_WORKERS_SECONDS", "PAUSED_SECONDS"):
            monkeypatch.setattr(dask_workers, name, 0.0)
        workers.check()


def test_another_version_on_a_worker_is_refused(client, table, monkeypatch):
    monkeypatch.setattr(dask_workers.importlib.metadata, "version", lambda name: "0.0.1")
    monkeypatch.setattr(dask_workers.DaskWorkers, "_on_all", lambda *_: {"tcp://w": "0.1.0"})
    with pytest.raises(
        InputError, match=r"worker tcp://w has Bayesloom 0.1.0, this is 0.0.1: install the same"
    ):
        bl.score(table, executor=client)


def test_a_task_does_not_wait_for_tasks(client, ok_small):
    plain = {name: ok_small.column(name).tolist() for name in ok_small.names[:3]}
    told = client.submit(made.score_within, plain, pure=False).result(timeout=60)
    assert "cannot be used within a task of Dask" in told


def test_a_closed_client_is_refused(client, table):
    import distributed

    other = distributed.Client(client.scheduler.address, set_as_default=False)
    other.close()
    with pytest.raises(InputError, match="the client of Dask is closed"):
        bl.score(table, executor=other)


def test_an_executor_of_a_client_is_the_client(client, table, as_bytes):
    assert as_bytes(bl.score(table, executor=client.get_executor())) == as_bytes(bl.score(table))


def test_the_command_line(client, table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table.write("t.csv")
    address = client.scheduler.address
    assert exit_code("score", "t.csv", "-o", "one.blc", "-q") == 0
    assert exit_code("score", "t.csv", "-o", "many.blc", "-q", "--dask", address, "--blocks", "blocks") == 0
    assert (tmp_path / "one.blc").read_bytes() == (tmp_path / "many.blc").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blocks", "many.blc", "one.blc", "t.csv"]
    for verb in ("learn t.csv -q", "search one.blc -q", "credible t.csv -q"):
        assert exit_code(*verb.split(), "--dask", address) == 0, verb
    capsys.readouterr()
    assert exit_code("cluster", "t.csv", "--dask", address, "--blocks", "blocks") == 0
    assert "2 of them done already; 2 at a time" in capsys.readouterr().out
    for command, message in [
        ("score t.csv -o x.blc --dask local:x", "--dask 'local:x': expected 'local:N'"),
        ("score t.csv -o x.blc --blocks b", "--blocks would be without effect: it is for --dask"),
        ("score t.csv -o x.blc --dask local:2 --shard 1/2", "--shard is for work without an executor"),
        ("score t.csv -o x.blc --dask local:2 --resume", "--resume is for work without an executor"),
        ("credible one.blc --dask local:2", "--dask would be without effect"),
        ("credible t.csv --k 2 --dask local:2", "--dask would be without effect"),
        ("cluster t.csv --sets-per-variable 3", "--sets-per-variable would be without effect"),
    ]:
        assert exit_code(*command.split()) == 1, command
        captured = capsys.readouterr()
        assert message in captured.err
        assert len(captured.err.strip().splitlines()) <= 3, captured.err


def test_a_script_that_would_start_itself_again_is_told_so(tmp_path):
    """Without `if __name__ == "__main__":` each process would start processes."""
    script = tmp_path / "script.py"
    script.write_text(
        "import bayesloom as bl\n"
        "try:\n"
        "    bl.score({'a': [0, 1] * 9, 'b': [0, 1] * 9}, executor='local:2')\n"
        "except bl.InputError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True)
    assert "put the call under `if __name__ == '__main__':`" in done.stdout
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_nothing_of_dask_is_imported_without_it():
    code = (
        "import sys, bayesloom as bl\n"
        "bl.learn({'a': [0, 1] * 9, 'b': [0, 1] * 9})\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_dask_is_not_installed_a_sentence_says_what_to_install(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"needs Dask: pip install 'bayesloom\[dask\]'"):
        bl.score(table, executor="local:2")
