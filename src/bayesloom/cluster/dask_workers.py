"""Workers of a Dask scheduler: blocks are its tasks, shown by name on its dashboard.

The content is passed in a file if all workers can read it; otherwise it is scattered to all of them once.
Dask itself reruns the tasks of a dead worker elsewhere, up to `allowed-failures` of its configuration.
`bayesloom.cluster.blocks` hands out again the tasks that Dask gives up, and those whose scattered data were
lost with the last worker that held them.

A scheduler is asked every second who its workers are.  One that does not answer for `LOST_SECONDS` is lost,
and so is one without any worker for `WITHOUT_WORKERS_SECONDS`, or one that has paused all of them, as Dask
does with workers beyond 0.8 of their memory limit, for `PAUSED_SECONDS`.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bayesloom import _core
from bayesloom.cluster.content import Content, readable
from bayesloom.cluster.workers import Reply, Task, TaskLimits, Workers, failed, run_task
from bayesloom.errors import ExecutorError, InputError, Interrupted, ResourceError

__all__ = ["DaskWorkers", "connected", "local_cluster", "this_worker"]

CONNECT_SECONDS = 5.0
ASK_SECONDS = 1.0
LOST_SECONDS = 8.0
WITHOUT_WORKERS_SECONDS = 60.0
PAUSED_SECONDS = 10.0
START_SECONDS = 60.0  # for the processes of local:N
WORKER = "worker "


def this_worker(given: TaskLimits, usable: float) -> tuple[str, Callable[[], bool], TaskLimits] | None:
    """Return name, a look whether the task is wanted, and limits, where a task of Dask runs; else None."""
    import distributed

    try:
        worker = distributed.get_worker()
        key = worker.get_current_task()
    except (ValueError, AttributeError):
        return None

    def wanted() -> bool:
        held = worker.state.tasks.get(key)
        return held is not None and held.state in ("executing", "long-running")

    limit, memory = worker.memory_manager.memory_limit, given.memory
    if limit:
        import psutil

        used = psutil.Process(os.getpid()).memory_info().rss
        own = max(1e-6, (usable * limit - used) / 1e9) / max(1, worker.state.nthreads)
        memory = own if memory is None else min(memory, own)
    return WORKER + worker.address, wanted, replace(given, memory=memory)


def inside_a_task() -> bool:
    """Whether this is a task of Dask: tasks that wait for tasks may wait for ever."""
    import distributed

    try:
        distributed.get_worker().get_current_task()
    except (ValueError, AttributeError):
        return False
    return True


def connected(address: str) -> Any:
    """Return a client of the scheduler at an address, within seconds."""
    import distributed

    async def answer() -> None:
        arguments = distributed.Security().get_connection_args("client")
        comm = await distributed.comm.connect(address, timeout=CONNECT_SECONDS, **arguments)
        await comm.close()

    with _Quiet():
        try:
            # A client whose scheduler does not answer goes on trying even when the program ends.
            _within(CONNECT_SECONDS + 1, lambda: asyncio.run(answer()))
            return distributed.Client(
                address, timeout=CONNECT_SECONDS, set_as_default=False, name="bayesloom"
            )
        except Exception as error:
            why = _reason(error)
    raise InputError(
        f"no Dask scheduler answers at {address!r} within {CONNECT_SECONDS:g} seconds ({why}). Give the "
        "address that `dask scheduler` prints, such as 'tcp://10.0.0.5:8786', or 'local:4' for four here."
    )


def local_cluster(count: int) -> tuple[Any, Any]:
    """Return a cluster of processes on this machine, and a client of it."""
    import distributed

    with _Quiet():
        try:
            cluster = distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                preload=["bayesloom.cluster.local_worker"],
            )
        except Exception as error:
            raise ExecutorError(
                f"{count} processes of Dask could not be started: {_reason(error)}."
            ) from None
        try:
            client = distributed.Client(cluster, timeout=CONNECT_SECONDS, set_as_default=False)
            client.wait_for_workers(count, timeout=START_SECONDS)
        except Exception as error:
            cluster.close()
            raise ExecutorError(
                f"{count} processes of Dask could not be started: {_reason(error)}."
            ) from None
    return cluster, client


class DaskWorkers(Workers):
    """The workers of a client; `cluster` and `client` are closed in the end if they are `own`.

    `seconds` is how long to wait for the first worker.
    """

    def __init__(
        self, client: Any, *, cluster: Any = None, own: bool = False, seconds: float | None = None
    ) -> None:
        super().__init__()
        self.client, self._cluster, self._own = client, cluster, own
        if getattr(client, "asynchronous", False):
            raise InputError("the client of Dask is asynchronous; give one made with asynchronous=False.")
        if client.status != "running":
            raise InputError(f"the client of Dask is {client.status}, not running: connect a new one.")
        self._address = client.scheduler.address
        self._threads: dict[str, int] = {}
        self._limits: dict[str, float] = {}
        self._asked: Any = None
        self._ask_at = 0.0
        # Since when a question has no answer, and since when the answer is that there are no workers.
        self._unanswered: float | None = None
        self._without: float | None = None
        self._paused = 0
        self._scattered: Any = None
        self._quiet = _Quiet()
        if own:
            self._quiet.__enter__()
        self._wait_for_a_worker(seconds)
        self._check_versions()

    @property
    def slots(self) -> int:
        return max(1, sum(self._threads.values()))

    @property
    def shown(self) -> str:
        return f"the Dask scheduler at {self._address}"

    @property
    def worker_count(self) -> int:
        """How many workers there were when the scheduler was last asked."""
        return len(self._threads)

    def _wait_for_a_worker(self, seconds: float | None) -> None:
        end = time.monotonic() + (WITHOUT_WORKERS_SECONDS if seconds is None else seconds)
        while not self._threads:
            self.check()
            if _core.interrupt_requested():
                raise Interrupted(f"interrupted while {self.shown} had no workers.")
            if time.monotonic() > end:
                raise ExecutorError(f"{self.shown} had no workers before the time was over.")
            time.sleep(0.02)

    def _check_versions(self) -> None:
        """Refuse workers that have another Bayesloom, or none."""
        own = importlib.metadata.version("bayesloom")
        found = self._on_all(importlib.metadata.version, "bayesloom")
        for worker, version in found.items():
            if isinstance(version, importlib.metadata.PackageNotFoundError):
                raise InputError(f"worker {worker} has no Bayesloom: install version {own} there.")
            if isinstance(version, str) and version != own:
                raise InputError(
                    f"worker {worker} has Bayesloom {version}, this is {own}: install the same version there."
                )

    def _on_all(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call a function on every worker; what failed is in its place in the answer."""
        try:
            found: dict[str, Any] = _within(
                LOST_SECONDS, lambda: self.client.run(function, *arguments, on_error="return")
            )
        except Exception as error:  # a worker that has just died, or does not answer
            self.check()
            return {"": error}
        return found

    def check(self) -> None:
        now = time.monotonic()
        if self._asked is not None and self._asked.done():
            if self._asked.exception() is None:
                self._told(self._asked.result()["workers"], now)
            self._asked = None
        if self.client.status not in ("running", "connecting"):
            raise ExecutorError(f"{self.shown} is lost: the client is {self.client.status}.")
        if self._unanswered is not None and now - self._unanswered > LOST_SECONDS:
            raise ExecutorError(f"{self.shown} is lost: it has not answered for {LOST_SECONDS:g} seconds.")
        without = 0.0 if self._without is None else now - self._without
        if self._paused and without > PAUSED_SECONDS:
            limit = min(self._limits.values(), default=0.0) / 1e6
            raise ResourceError(
                f"{self.shown} has paused all of its workers for {PAUSED_SECONDS:g} seconds, since they fill "
                f"their memory ({limit:,.0f} MB each): start workers with a larger `--memory-limit`."
            )
        if without > WITHOUT_WORKERS_SECONDS:
            raise ExecutorError(
                f"{self.shown} has had no workers for {WITHOUT_WORKERS_SECONDS:g} seconds: start some with "
                f"`dask worker {self._address}`."
            )
        if self._asked is None and now - self._ask_at >= ASK_SECONDS:
            self._ask_at = now
            self._unanswered = now if self._unanswered is None else self._unanswered
            self._asked = asyncio.run_coroutine_threadsafe(
                asyncio.wait_for(self.client.scheduler.identity(), LOST_SECONDS),
                self.client.loop.asyncio_loop,
            )

    def _told(self, workers: dict[str, Any], now: float) -> None:
        self._unanswered = None
        running = {
            address: each for address, each in workers.items() if each.get("status", "running") == "running"
        }
        self._paused = len(workers) - len(running)
        self._threads = {address: each["nthreads"] for address, each in running.items()}
        self._limits = {address: each["memory_limit"] or float("inf") for address, each in workers.items()}
        self._without = None if running else now if self._without is None else self._without

    def offer(self, content: Content, folder: str | None = None) -> None:
        super().offer(content, folder)
        seen = self._on_all(readable, self._path, content.digest)
        self._scattered = None
        if not all(each is True for each in seen.values()):
            self._scatter()

    def withdraw(self) -> None:
        super().withdraw()
        self._scattered = None

    def _scatter(self) -> None:
        content = self._content
        if content is None:
            return
        end = time.monotonic() + WITHOUT_WORKERS_SECONDS
        while True:
            self._wait_for_a_worker(None)
            try:
                self._scattered = self.client.scatter(
                    content.data, broadcast=True, hash=False, timeout=LOST_SECONDS
                )
                return
            except Exception as error:  # the workers that were there have just died, say
                self.check()
                if time.monotonic() > end:
                    size = f"{len(content.data) / 1e6:.1f} MB"
                    raise ExecutorError(
                        f"{self.shown}: {size} did not reach the workers: {_reason(error)}."
                    ) from None

    def submit(self, key: str, task: Task, where: Any = None) -> Any:
        if self._scattered is not None and self._scattered.status != "finished":
            self._scatter()
        return self.client.submit(
            run_task, task, self._path, self._scattered, key=key, pure=False, workers=where
        )

    def reply_of(self, future: Any) -> Reply | None:
        """As told there: a task is lost with its worker, with its data, or with the scheduler."""
        import distributed

        lost = (distributed.KilledWorker, OSError, distributed.CancelledError, asyncio.CancelledError)
        try:
            reply: Reply = future.result(timeout=LOST_SECONDS)
        except lost:
            return None
        except TimeoutError:
            return None
        except Exception as error:
            raise failed(self, error) from error
        return reply

    def send_along(self) -> None:
        if self._scattered is None:  # else it is with all tasks that were handed out since
            self._scatter()

    def drop(self, futures: list[Any]) -> None:
        if futures and self.client.status == "running":
            self.client.cancel(futures, force=True)

    def larger(self, reply: Reply) -> Any:
        own = self._limits.get(reply.worker.removeprefix(WORKER), float("inf"))
        return [address for address, limit in self._limits.items() if limit > own] or None

    def close(self) -> None:
        super().close()
        if self._own:
            for each in (self.client, self._cluster):
                if each is not None:
                    with suppress(Exception):  # lost already
                        each.close(timeout=CONNECT_SECONDS)
            self._quiet.__exit__()


class _Quiet:
    """Keeps Dask from logging what we say in a sentence."""

    names = (
        "distributed",
        "distributed.client",
        "distributed.core",
        "distributed.nanny",
        "tornado",
        "asyncio",
    )

    def __enter__(self) -> None:
        self._before = [(logging.getLogger(name), logging.getLogger(name).level) for name in self.names]
        for logger, _ in self._before:
            logger.setLevel(logging.CRITICAL + 1)

    def __exit__(self, *_: object) -> None:
        for logger, level in self._before:
            logger.setLevel(level)


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """Return what a call gives, or raise `TimeoutError`; on a thread, since it may wait for who is gone."""
    ended: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            ended.put((call(), None))
        except BaseException as error:
            ended.put((None, error))

    threading.Thread(target=run, name="dask", daemon=True).start()
    try:
        value, error = ended.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer for {seconds:g} seconds") from None
    if error is not None:
        raise error
    return value


def _reason(error: BaseException) -> str:
    """Return the first line of what an error says."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text.rstrip(".")[:200]
