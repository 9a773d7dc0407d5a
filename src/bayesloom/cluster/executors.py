"""Turn what a caller gives as ``executor`` into workers."""

from __future__ import annotations

import concurrent.futures
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bayesloom import interrupts
from bayesloom.cluster.pool_workers import PoolWorkers
from bayesloom.cluster.workers import Workers
from bayesloom.errors import InputError, option, shown

__all__ = ["Executor", "check_executor", "opened"]

Executor = Any
"""A client of Dask, the address of a scheduler, ``"local:N"``, or a `concurrent.futures.Executor`."""

MOST_LOCAL = 1024
LOCAL = r"local:([0-9]{1,9})"
EXPECTED = "a Dask client, the address of a scheduler, 'local:N' or a concurrent.futures.Executor"


@contextmanager
def opened(executor: Executor, seconds: float | None = None) -> Iterator[Workers]:
    """Yield the workers of an executor; what was opened here is closed in the end.

    `seconds` is how long to wait for the first worker.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(3) as pool, opened(pool) as workers:
    ...     workers.slots
    3
    >>> with opened(17) as workers: pass
    Traceback (most recent call last):
    bayesloom.errors.InputError: executor must be a Dask client, the address of a scheduler, 'local:N' or a \
concurrent.futures.Executor, got 17.
    """
    if isinstance(executor, Workers):  # of a verb that does several things on them
        yield executor
        return
    workers = _workers(executor, seconds)
    try:
        yield workers
    finally:
        workers.close()


def _workers(executor: Executor, seconds: float | None) -> Workers:
    check_executor(executor)
    if isinstance(executor, str):
        return _dask_by_name(executor, seconds)
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        if isinstance(executor, distributed.cfexecutor.ClientExecutor):
            executor = executor._client
        if isinstance(executor, distributed.Client):
            return _dask(executor, seconds)
        if isinstance(executor, distributed.deploy.Cluster):
            return _dask(distributed.Client(executor, set_as_default=False), seconds, own=True)
    return PoolWorkers(executor)


def check_executor(executor: Executor) -> None:
    """Refuse what cannot be an executor, without opening it.

    >>> check_executor("local:0")
    Traceback (most recent call last):
    bayesloom.errors.InputError: executor 'local:0': expected 'local:N', N from 1 to 1024.
    """
    if isinstance(executor, str):
        match = re.fullmatch(LOCAL, executor)
        if executor.startswith("local") and not (match and 1 <= int(match[1]) <= MOST_LOCAL):
            raise InputError(
                f"{option('executor', subject=True)} {shown(executor)}: expected 'local:N', N from 1 to "
                f"{MOST_LOCAL}."
            )
        if executor.strip() and "\0" not in executor:
            return
    elif isinstance(executor, (Workers, concurrent.futures.Executor)):
        return
    elif (dask := sys.modules.get("distributed")) and isinstance(
        executor, (dask.Client, dask.deploy.Cluster)
    ):
        return  # who has one has imported Dask
    raise InputError(f"{option('executor', subject=True)} must be {EXPECTED}, got {shown(executor)}.")


def _dask_by_name(name: str, seconds: float | None) -> Workers:
    match = re.fullmatch(LOCAL, name)
    if match:
        _check_can_start_processes(name)
    try:
        import distributed  # noqa: F401

        from bayesloom.cluster import dask_workers
    except ImportError:
        raise InputError(
            f"{option('executor', subject=True)} {name!r} needs Dask: pip install 'bayesloom[dask]'."
        ) from None
    if match:
        cluster, client = dask_workers.local_cluster(int(match[1]))
        return _dask(client, seconds, cluster=cluster, own=True)
    return _dask(dask_workers.connected(name), seconds, own=True)


def _dask(client: Any, seconds: float | None, **closed: Any) -> Workers:
    from bayesloom.cluster.dask_workers import DaskWorkers, inside_a_task

    if inside_a_task():
        raise InputError(
            "executor= cannot be used within a task of Dask: tasks that wait for tasks may wait for ever."
        )
    try:
        return DaskWorkers(client, seconds=seconds, **closed)
    except BaseException:
        if closed:
            client.close(timeout=1)
            if (cluster := closed.get("cluster")) is not None:
                cluster.close(timeout=1)
        raise


def _check_can_start_processes(name: str) -> None:
    """Refuse to start processes from a script that they would run once more themselves.

    Processes import the script that started them.  If that starts processes too, nobody gets anywhere; so one
    is started to see.
    """
    import multiprocessing
    import os

    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(1)  # such a process, while it imports the script: the one that started it says why
    main = sys.modules.get("__main__")
    if interrupts.is_command() or not hasattr(main, "__file__"):
        return
    probe = multiprocessing.get_context("spawn").Process(target=os.getpid)
    probe.start()
    probe.join()
    if probe.exitcode != 0:
        raise InputError(
            f"executor={name!r} starts processes, which run this script once more: put the call under "
            "`if __name__ == '__main__':`."
        )
