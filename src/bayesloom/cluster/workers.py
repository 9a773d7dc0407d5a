"""The interface of an executor: it takes tasks, and may lose workers or be lost itself.

A task runs `run_task` on a worker.  It returns a `Reply` even if the work failed, so that nothing depends on
how exceptions are passed between processes; an exception comes from the executor itself (a worker died, say).
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bayesloom.cluster.content import Content, Load, found
from bayesloom.errors import BayesloomError, ExecutorError, InternalError, ResourceError

__all__ = ["Reply", "Task", "TaskLimits", "Workers", "failed", "run_task"]

USABLE = 0.7
"""Of a worker's memory limit that tasks may fill: Dask pauses a worker at 0.8 of it and kills it at 0.95."""
LOOK_SECONDS = 0.5
"""Between two looks whether a task is still wanted."""


@dataclass(frozen=True)
class TaskLimits:
    """What a task may use: seconds, threads, gigabytes; `progress` stops a kernel that nobody waits for."""

    seconds: float | None
    threads: int
    memory: float | None
    progress: Callable[..., None] | None = None


Work = Callable[[Any, Mapping[str, Any], TaskLimits], bytes]


@dataclass(frozen=True)
class Task:
    """What is to be done: a function of a module, the digest of what it needs, and its arguments."""

    work: Work
    load: Load
    digest: str
    arguments: Mapping[str, Any]
    limits: TaskLimits


class Reply(NamedTuple):
    """How a task ended: done, no content, dropped, memory, error or internal."""

    how: str
    worker: str
    result: bytes = b""
    told: str = ""
    """What went wrong."""
    seconds: float = 0.0
    memory: float | None = None
    """Gigabytes that it might have used."""
    busy: float = 0.0
    """Processor seconds of its thread, without those of threads that its kernel has started."""


class _Dropped(Exception):
    """Nobody waits for this task any more."""


def run_task(task: Task, path: str | None = None, data: bytes | None = None) -> Reply:
    """Do a task; runs on a worker."""
    begin, idle = time.perf_counter(), time.thread_time()
    worker, wanted, limits = _here(task.limits)
    content = found(task.digest, path, data, task.load)
    if content is None:
        return Reply("no content", worker, told="" if data is None else "damaged")
    last = begin

    def look(*_: object, **__: object) -> None:
        nonlocal last
        if (now := time.perf_counter()) - last >= LOOK_SECONDS:
            last = now
            if not wanted() or (path is not None and not os.path.exists(path)):
                raise _Dropped

    def reply(how: str, result: bytes = b"", told: str = "") -> Reply:
        seconds, busy = time.perf_counter() - begin, time.thread_time() - idle
        return Reply(how, worker, result, told, seconds, limits.memory, busy)

    try:
        return reply("done", task.work(content, task.arguments, replace(limits, progress=look)))
    except (_Dropped, KeyboardInterrupt):
        return reply("dropped")
    except (MemoryError, ResourceError) as error:
        return reply("memory", told=getattr(error, "template", "") or "there is not enough memory.")
    except InternalError as error:
        return reply("internal", told=error.template)
    except BayesloomError as error:
        return reply("error", told=error.template)


def failed(workers: Workers, error: Exception) -> ExecutorError:
    """Return what is said of a task that ended in an error that is none of ours."""
    lines = str(error).strip().splitlines()
    what = f": {lines[0].rstrip('.')[:200]}" if lines else ""
    return ExecutorError(f"a task on {workers.shown} failed with {type(error).__name__}{what}.")


def _here(given: TaskLimits) -> tuple[str, Callable[[], bool], TaskLimits]:
    """Return the name of this worker, what tells whether its task is wanted, and what the task may use."""
    name = f"process {os.getpid()} on {socket.gethostname()}"
    if "distributed" not in sys.modules:
        return name, lambda: True, given
    from bayesloom.cluster.dask_workers import this_worker

    return this_worker(given, USABLE) or (name, lambda: True, given)


class Workers(ABC):
    """Workers of an executor; used within ``with`` of `bayesloom.cluster.executors.opened`."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._content: Content | None = None
        self._path: str | None = None
        self.busy: dict[str, float] = {}
        """Processor seconds of the tasks that each worker has done, by its name."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many tasks run at a time."""

    @property
    def worker_count(self) -> int:
        """How many workers there are."""
        return self.slots

    @property
    @abstractmethod
    def shown(self) -> str:
        """What it is, for messages."""

    @abstractmethod
    def submit(self, key: str, task: Task, where: Any = None) -> Any:
        """Hand a task out and return its future; `where` is what `larger` told."""

    @abstractmethod
    def reply_of(self, future: Any) -> Reply | None:
        """Return the reply of a future that is done; None if it was lost, and is to be done again.

        Raises what cannot be mended by doing it again.
        """

    @abstractmethod
    def drop(self, futures: list[Any]) -> None:
        """Let go of tasks: those that wait do not run, those that run may end early."""

    def check(self) -> None:  # noqa: B027  (most have nothing to look at)
        """Raise `ExecutorError` if it is lost; called a few times a second."""

    @abstractmethod
    def send_along(self) -> None:
        """Let tasks bring the content with them: a worker did not see it where it is."""

    def larger(self, reply: Reply) -> Any:
        """Return which workers have more memory than the one that a task was too large for; None if none."""
        return None

    def offer(self, content: Content, folder: str | None = None) -> None:
        """Make a content known to workers, in place of the one before; its file is in `folder`."""
        if self._content is not None and self._content.digest == content.digest:
            return
        self.withdraw()
        self._folder = tempfile.TemporaryDirectory(
            prefix="bayesloom-", dir=folder, ignore_cleanup_errors=True
        )
        self._path = os.path.join(self._folder.name, content.digest)
        with open(self._path, "wb") as file:
            file.write(content.data)
        self._content = content

    def withdraw(self) -> None:
        """Forget the content; tasks that still run on it end."""
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = self._content = self._path = None

    def close(self) -> None:
        """Close what was opened here; what the caller gave stays open."""
        self.withdraw()
