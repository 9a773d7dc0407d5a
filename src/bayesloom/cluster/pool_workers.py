"""Workers of an executor of `concurrent.futures`: pools of processes, of threads, of MPI.

The content is passed in a file, in the folder of blocks or else in the one for temporary files; a worker that
cannot read it there gets it with its task.  A pool of processes is broken for good once one of its processes
died: a new pool of the same kind replaces it for the rest of the call.
"""

from __future__ import annotations

import os
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from bayesloom.cluster.workers import Reply, Task, Workers, failed, run_task
from bayesloom.errors import ExecutorError, InputError
from bayesloom.limits import default_memory

__all__ = ["PoolWorkers"]

REPLACEMENTS = 5
"""Of a pool that is broken."""


class PoolWorkers(Workers):
    """The workers of a pool, which the caller closes."""

    def __init__(self, pool: Executor) -> None:
        super().__init__()
        self._pool, self._replaced = pool, 0
        self._attach = False  # whether tasks take the content with them

    @property
    def slots(self) -> int:
        for name in ("num_workers", "_max_workers"):  # MPIPoolExecutor; the others
            count = getattr(self._pool, name, None)
            if isinstance(count, int) and count > 0:
                return count
        return os.cpu_count() or 1

    @property
    def shown(self) -> str:
        return f"the {type(self._pool).__name__}"

    def submit(self, key: str, task: Task, where: Any = None) -> Any:
        data = self._content.data if self._attach and self._content is not None else None
        if task.limits.memory is None:  # its tasks share this machine, or are on others of its kind
            memory = default_memory() / 1e9 / self.slots
            task = replace(task, limits=replace(task.limits, memory=memory))
        try:
            return self._pool.submit(run_task, task, self._path, data)
        except BrokenExecutor:
            self._replace()
            return self._pool.submit(run_task, task, self._path, data)
        except RuntimeError as error:
            raise InputError(f"{self.shown} takes no work: {str(error).rstrip('.')}.") from None

    def reply_of(self, future: Any) -> Reply | None:
        try:
            reply: Reply = future.result()
        except (BrokenExecutor, CancelledError):
            return None
        except Exception as error:
            raise failed(self, error) from error
        return reply

    def send_along(self) -> None:
        self._attach = True

    def drop(self, futures: list[Any]) -> None:
        for future in futures:
            future.cancel()

    def _replace(self) -> None:
        """Take a new pool in place of one that is broken."""
        old = self._pool
        if type(old) is not ProcessPoolExecutor or self._replaced == REPLACEMENTS:
            often = f" for the {self._replaced + 1}th time" if self._replaced else ""
            raise ExecutorError(
                f"{self.shown} is broken{often}: processes of it died, perhaps for lack of memory."
            )
        given = vars(old)
        self._pool = ProcessPoolExecutor(
            given["_max_workers"],
            mp_context=given.get("_mp_context"),
            initializer=given.get("_initializer"),
            initargs=given.get("_initargs", ()),
        )
        if self._replaced:
            old.shutdown(wait=False)
        self._replaced += 1

    def close(self) -> None:
        super().close()
        if self._replaced:
            self._pool.shutdown(wait=False, cancel_futures=True)
