"""Workers that are processes of this machine: one cluster of Dask for all tests of a process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress

import pytest

import bayesloom as bl
from bayesloom import _core

dask = pytest.importorskip("dask", reason="dask is not installed: bayesloom[dask]")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: bayesloom[dask]")


SCHEDULER = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--host", "127.0.0.1"]
WORKER = [
    sys.executable,
    "-m",
    "distributed.cli.dask_worker",
    "--no-dashboard",
    "--no-nanny",
    "--nthreads",
    "1",
]


class Machines:
    """A scheduler and workers as programs of their own."""

    def __init__(self, folder):
        self._folder = folder
        self._running = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start(*SCHEDULER, "--port", str(port))

    def worker(self, memory):
        """Start a worker with a limit on its memory."""
        self._start(*WORKER, "--memory-limit", memory, self.address)

    def _start(self, *command):
        path = os.pathsep.join(sys.path)
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._running.append(process)
        return process

    def close(self):
        for process in self._running:
            process.kill()
            process.wait()


class Cluster:
    """Two workers; those that a test killed are replaced."""

    def __init__(self):
        self._stack = ExitStack()
        self._client = None

    def client(self):
        """Return a client of two workers."""
        if not self._whole():
            self.close()  # Dask starts others by itself, but not if they die while they start
            cluster = self._stack.enter_context(
                distributed.LocalCluster(
                    n_workers=2,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=50,
                )
            )
            self._client = self._stack.enter_context(distributed.Client(cluster, set_as_default=False))
            self._client.wait_for_workers(2)
        return self._client

    def _whole(self):
        """Whether both workers are there; not if a cluster that was too slow to start was given up."""
        return (
            self._client is not None
            and self._client.status == "running"
            and len(self._client.nthreads()) == 2
        )

    def close(self):
        stack, self._stack, self._client = self._stack, ExitStack(), None
        with suppress(TimeoutError):  # of old versions of Dask, where workers that are closed were killed
            stack.close()


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """On a busy machine a worker that was killed may take minutes to come back."""
    from bayesloom.cluster import dask_workers

    monkeypatch.setattr(dask_workers, "WITHOUT_WORKERS_SECONDS", 600.0)
    monkeypatch.setattr(dask_workers, "START_SECONDS", 600.0)


@pytest.fixture(scope="session")
def _cluster():
    dask.config.set({"distributed.comm.timeouts.connect": "600s"})
    cluster = Cluster()
    yield cluster
    cluster.close()


@pytest.fixture
def client(_cluster):
    return _cluster.client()


@pytest.fixture
def machines(tmp_path, monkeypatch):
    from bayesloom.cluster import dask_workers

    monkeypatch.setattr(dask_workers, "CONNECT_SECONDS", 60.0)  # until it has started
    started = Machines(tmp_path)
    yield started
    started.close()


@pytest.fixture(scope="session")
def table():
    return bl.random_network(12, states=(2, 3), max_parents=3, concentration=0.5, seed=9).sample(300, seed=9)


@pytest.fixture
def as_bytes():
    return lambda cache: _core.format_blc(cache.core)
