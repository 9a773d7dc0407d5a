"""The loop that hands out blocks until all are done, whatever workers are lost, or time or Ctrl-C ends it.

A block is a task whose result, a string of bytes, does not depend on when and where it runs.  So it may run
twice, and a block whose worker died is handed out again, at most `RESUBMISSIONS` times beyond what the
executor does itself.  With a folder, or a place of an object store, each result is saved there, and a later
run reuses it.  Either way `accept` checks every result; a block whose result is damaged, or of another job,
runs again.
"""

from __future__ import annotations

import os
import queue
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bayesloom import _core, interrupts
from bayesloom.cluster.content import Content
from bayesloom.cluster.stores import Place, Store, store_of
from bayesloom.cluster.workers import Reply, Task, TaskLimits, Work, Workers
from bayesloom.errors import BayesloomError, ExecutorError, InputError, InternalError, ResourceError
from bayesloom.limits import LEAST_SECONDS
from bayesloom.progress import ProgressEvent, ProgressFunction

__all__ = ["Block", "Finished", "run_blocks"]

RESUBMISSIONS = 3
"""Of a block that was lost, beyond what the executor itself does."""
AHEAD = 2
"""Blocks handed out for each that can run: one at work, one to go on with."""
TICK = 0.1  # seconds between looks at time, Ctrl-C and the executor
GRACE = 2.0  # seconds beyond the time limit in which results of blocks that ended by it still count


@dataclass(frozen=True)
class Block:
    """A task by name.

    Attributes
    ----------
    name
        For messages, as in ``"block 3 of 16"``.
    key
        Of the task in Dask and of the file in the folder of blocks; that of this block of this job alone.
    arguments
        What the work is called with.
    """

    name: str
    key: str
    arguments: Mapping[str, Any]


@dataclass
class Finished:
    """What came of the blocks: their numbers among those given, and how it ended."""

    done: set[int] = field(default_factory=set)
    taken_up: int = 0
    """Blocks that were in the folder already."""
    interrupted: bool = False
    late: bool = False
    """Whether the time limit ended it."""
    seconds: list[float] = field(default_factory=list)
    """What each block took where it ran."""


@dataclass
class _Waiting:
    """A block that is not done."""

    number: int
    lost: int = 0
    where: Any = None


def run_blocks(
    workers: Workers,
    work: Work,
    content: Content,
    blocks: Sequence[Block],
    accept: Callable[[int, bytes], bool | None],
    *,
    stage: str,
    folder: Place | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
    enough: Callable[[], bool] | None = None,
) -> Finished:
    """Have every block done, and hand each result to `accept(number, result)`.

    Parameters
    ----------
    work, content
        A function of a module, called on workers with what the content holds, the arguments of a block and
        `TaskLimits`; it returns bytes.
    accept
        Takes a result, or says False if it is not the result of that block: then the block is done anew if
        the result was a file, and it is an error if it came from a worker.  Results that only time or
        Ctrl-C ended are to be taken too; they are not kept in the folder if it returns None.
    folder
        Where results are kept, also the URL of an object store.
    time_limit
        Seconds in all; blocks are told which share of them is theirs.
    enough
        Says whether the results so far are enough: the other blocks are then dropped.
    """
    run = _Run(workers, work, content, blocks, accept, stage, progress)
    run.store = None if folder is None else store_of(folder)
    run.end = None if time_limit is None else run.begin + time_limit
    run.limits = TaskLimits(None, threads or 1, memory)
    run.enough = enough
    try:
        run.take_up()
        run.hand_out_all()
    except KeyboardInterrupt:
        run.finished.interrupted = True
    finally:
        run.drop()
    return run.finished


class _Run:
    """One call of `run_blocks`."""

    def __init__(
        self,
        workers: Workers,
        work: Work,
        content: Content,
        blocks: Sequence[Block],
        accept: Callable[[int, bytes], bool | None],
        stage: str,
        progress: ProgressFunction | None,
    ) -> None:
        self.workers, self.work, self.content, self.blocks = workers, work, content, blocks
        self.accept, self.stage, self.progress = accept, stage, progress
        self.store: Store | None = None
        self.begin = time.perf_counter()
        self.end: float | None = None
        self.limits = TaskLimits(None, 1, None)
        self.enough: Callable[[], bool] | None = None
        self.finished = Finished()
        self.nonce = secrets.token_hex(4)  # a task that was dropped is never taken for the one of this run
        self.out: dict[int, tuple[_Waiting, Any]] = {}
        self.ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.submitted = 0

    def take_up(self) -> None:
        """Take what the folder has."""
        if self.store is None:
            return
        self.store.prepare()
        there = set(self.store.names())
        for number, block in enumerate(self.blocks):
            kept = self.store.read(block.key) if block.key in there else None
            if kept is not None and self.accept(number, kept):
                self.finished.done.add(number)
                self.finished.taken_up += 1

    def hand_out_all(self) -> None:
        """Keep all workers busy until every block is done, or it is to end."""
        waiting = deque(_Waiting(n) for n in range(len(self.blocks)) if n not in self.finished.done)
        if waiting:
            self.workers.offer(self.content, None if self.store is None else self.store.folder)
        self.tell()
        while waiting or self.out:
            if self.over() or (self.enough is not None and self.enough()):
                return
            while waiting and len(self.out) < AHEAD * self.workers.slots and not self.finished.late:
                self.submit(waiting.popleft())
            try:
                ticket, future = self.ended.get(timeout=TICK)
            except queue.Empty:
                self.workers.check()
                self.tell()
                continue
            if ticket in self.out:
                block, _ = self.out.pop(ticket)
                if not self.settle(block, future):
                    waiting.append(block)
                self.tell()

    def over(self) -> bool:
        """Whether to end before all is done."""
        if _core.interrupt_requested() or interrupts.heard():
            self.finished.interrupted = True
        if self.end is not None:
            late = time.perf_counter() - self.end
            self.finished.late = self.finished.late or late >= 0
            if late >= GRACE or (self.finished.late and not self.out):
                return True
        return self.finished.interrupted

    def submit(self, block: _Waiting) -> None:
        """Hand a block out, with its share of the time that is left."""
        given, limits = self.blocks[block.number], self.limits
        if self.end is not None:
            left = self.end - time.perf_counter()
            rounds = max(1.0, (len(self.blocks) - len(self.finished.done)) / self.workers.slots)
            limits = TaskLimits(max(LEAST_SECONDS, left / rounds), limits.threads, limits.memory)
        task = Task(self.work, self.content.load, self.content.digest, given.arguments, limits)
        stem = os.path.splitext(given.key)[0]
        key = f"bayesloom-{stem}-{self.nonce}-{self.submitted}"
        ticket, self.submitted = self.submitted, self.submitted + 1
        future = self.workers.submit(key, task, block.where)
        self.out[ticket] = block, future
        ended = self.ended
        future.add_done_callback(lambda done: ended.put((ticket, done)))

    def settle(self, block: _Waiting, future: Any) -> bool:
        """Take what became of a block; False if it is to be done again."""
        name = self.blocks[block.number].name
        reply = self.workers.reply_of(future)
        if reply is not None and reply.how == "no content":
            if reply.told:
                raise ExecutorError(f"{name}: what it needs was damaged on its way to {reply.worker}.")
            self.workers.send_along()
            return False
        if reply is None or reply.how == "dropped":
            self.workers.check()
            block.lost += 1
            if block.lost > RESUBMISSIONS:
                raise ExecutorError(
                    f"{name} could not be done: {self.workers.shown} lost it {block.lost} times, as when "
                    f"workers die at it, perhaps for lack of memory. {self.so_far()}"
                )
            return False
        if reply.how == "done":
            self.keep(block.number, name, reply)
            return True
        if reply.how == "memory":
            if (larger := self.workers.larger(reply)) is not None and larger != block.where:
                block.where = larger
                return False
            has = "" if reply.memory is None else f", whose tasks may use {_megabytes(reply.memory)},"
            raise ResourceError(
                f"{name} is too large for {reply.worker}{has} and no worker has more: {reply.told} "
                f"{self.so_far()}"
            )
        if reply.how == "internal":
            raise InternalError(f"{name}, on {reply.worker}: {reply.told}")
        raise InputError(f"{name}, on {reply.worker}: {reply.told}")

    def keep(self, number: int, name: str, reply: Reply) -> None:
        """Take a result, and keep it in the folder."""
        taken = self.accept(number, reply.result)
        if taken is False:
            raise ExecutorError(
                f"{name}: the result of {reply.worker} is not that of this job; is it the same version of "
                f"Bayesloom? {self.so_far()}"
            )
        self.finished.done.add(number)
        self.finished.seconds.append(reply.seconds)
        busy = self.workers.busy
        busy[reply.worker] = busy.get(reply.worker, 0.0) + reply.busy
        if self.store is not None and taken:
            self.store.write(self.blocks[number].key, reply.result)

    def so_far(self) -> str:
        """Return what is there in words."""
        count = f"{len(self.finished.done)} of {len(self.blocks)} blocks are done"
        return f"{count}." if self.store is None else f"{count} and kept in {self.store.shown}."

    def tell(self) -> None:
        """Tell how far it is."""
        if self.progress is not None:
            now = time.perf_counter()
            self.progress(
                ProgressEvent(
                    self.stage,
                    len(self.finished.done),
                    now - self.begin,
                    left=None if self.end is None else max(0.0, self.end - now),
                    blocks=len(self.blocks),
                )
            )

    def drop(self) -> None:
        """Let go of what is not done."""
        futures = [future for _, future in self.out.values()]
        self.out.clear()
        with suppress(BayesloomError, OSError):
            self.workers.drop(futures)
        if futures:
            self.workers.withdraw()


def _megabytes(gigabytes: float) -> str:
    return f"{gigabytes:.3g} GB" if gigabytes >= 1 else f"{gigabytes * 1000:.3g} MB"
