"""Workers that are processes of this machine: one cluster of Dask for all tests of a process."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

import bayesloom as bl
from bayesloom import _core

distributed = pytest.importorskip("distributed", reason="distributed is not installed: bayesloom[dask]")


class Cluster:
    """Two workers; those that a test killed are replaced."""

    def __init__(self):
        self._stack = ExitStack()
        self._client = None

    def client(self):
        """Return a client of two workers."""
        if self._client is None or len(self._client.nthreads()) < 2:
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

    def close(self):
        self._stack.close()
        self._client = None


@pytest.fixture(scope="session")
def _cluster():
    cluster = Cluster()
    yield cluster
    cluster.close()


@pytest.fixture
def client(_cluster):
    return _cluster.client()


@pytest.fixture(scope="session")
def table():
    return bl.random_network(12, states=(2, 3), max_parents=3, concentration=0.5, seed=9).sample(300, seed=9)


@pytest.fixture
def as_bytes():
    return lambda cache: _core.format_blc(cache.core)
