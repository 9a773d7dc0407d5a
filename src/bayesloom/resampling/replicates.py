"""Learn the replicates of a table in blocks: on threads here, or on the workers of an executor.

Replicate k of seed s draws as many rows as the table counts, with replacement and by weight, with its own
random generator seeded by (s, k).  Drawn rows become weights: no row is copied, and rows that were not drawn
are left out.  So a replicate does not depend on the number of threads, nor on how many other replicates there
are.  Blocks saved in a folder are resumed, even if more replicates are asked for than before.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.cluster.blocks import Block, Finished, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.executors import Executor, opened
from bayesloom.cluster.workers import TaskLimits, Workers
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import LEAST_SECONDS
from bayesloom.networks.network import Network
from bayesloom.progress import ProgressFunction
from bayesloom.resampling.learners import Learner
from bayesloom.resampling.options import OPTIONS
from bayesloom.scoring.in_blocks import packed, unpacked
from bayesloom.table import Interventions, Table

__all__ = ["ReplicateJob", "redrawn"]

Parents = list[list[int]]
MOST_DRAWS = 1_000
"""Of the rows of one replicate, see `redrawn`."""
FORMAT = 2
"""Of how replicates are drawn and learned: those saved under another number are not resumed."""


def redrawn(table: Table, seed: int, number: int) -> Table:
    """Return a table of as many rows, drawn with replacement from those of another.

    With interventions, rows are drawn within each set of targets, so the size of each set stays; and all
    again if a number has one value only in the rows in which it was not set, so that it has no score.

    >>> table = Table.from_codes("a", [["x", "y"]], [[0, 1, 1]])
    >>> again = redrawn(table, 1, 0)
    >>> again.total_weight, again.row_count <= 3
    (3, True)
    """
    draw = np.random.Generator(np.random.PCG64([seed, number]))
    if table.interventions is None:
        drawn = _drawn(draw, table.row_count, table.weights)
    else:
        free = _rows_of_numbers(table, table.interventions)
        for _ in range(MOST_DRAWS):
            drawn = _drawn_by_design(draw, table, table.interventions)
            if all(np.unique(values[drawn[rows] > 0]).size > 1 for rows, values in free):
                break
    kept = np.flatnonzero(drawn)
    return Table(
        names=table.names,
        states=table.states,
        codes=tuple(column[kept] for column in table.codes),
        cut_points=table.cut_points,
        source=f"{table.source}, replicate {number + 1}",
        columns=table.columns,
        weights=drawn[kept].astype(np.uint32),
        gaps=table.gaps,
        interventions=None if table.interventions is None else table.interventions.of_rows(kept),
    )


def _drawn_by_design(draw: np.random.Generator, table: Table, design: Interventions) -> NDArray[np.int64]:
    """Return how often each row is drawn, as many of each set of targets as there are."""
    drawn = np.zeros(table.row_count, dtype=np.int64)
    for number_of_set in range(-1, len(design.targets)):
        rows = np.flatnonzero(design.rows == number_of_set)
        own = None if table.weights is None else table.weights[rows]
        drawn[rows] = _drawn(draw, rows.size, own)
    return drawn


def _rows_of_numbers(table: Table, design: Interventions) -> list[tuple[NDArray[np.intp], NDArray[Any]]]:
    """Return for each continuous variable that was set the rows in which it was not, and its values there."""
    found = []
    for name in table.continuous:
        was_set = design.was_set(name)
        if was_set.any():
            rows = np.flatnonzero(~was_set & ~table.lacking(name))
            found.append((rows, table.column(name)[rows]))
    return found


def _drawn(draw: np.random.Generator, rows: int, weights: NDArray[np.uint32] | None) -> NDArray[np.int64]:
    """Return how often each row is drawn, as many in all as there are."""
    if not rows:
        return np.zeros(0, dtype=np.int64)
    if weights is None:
        return np.bincount(draw.integers(0, rows, size=rows), minlength=rows)
    total = int(weights.sum(dtype=np.uint64))
    return draw.multinomial(total, weights / total)


@dataclass(frozen=True)
class ReplicateJob:
    """Which replicates of a table are to be learned, and how."""

    table: Table
    learner: Learner
    replicates: int
    seed: int

    def run(
        self,
        executor: Executor,
        *,
        folder: str | os.PathLike[str] | None,
        time_limit: float | None,
        threads: int,
        memory: float | None,
        progress: ProgressFunction | None,
    ) -> tuple[dict[int, Network], Finished]:
        """Return the networks by the number of their replicate, and how it ended."""
        content = Content(packed(self.table), unpacked)
        from bayesloom import __version__

        own = [FORMAT, __version__, content.digest, self.learner.described(), self.seed, OPTIONS.block]
        text = json.dumps(own, sort_keys=True)
        job = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()
        blocks = self.blocks(job)
        found: dict[int, Network] = {}

        def accept(number: int, content: bytes) -> bool | None:
            wanted = blocks[number].arguments["numbers"]
            learned = _read(content, job, wanted, self.table)
            if learned is None:
                return False
            found.update(learned)
            # A later run repeats a block that time ended.
            return True if len(learned) == len(wanted) else None

        with _workers(executor, threads, time_limit) as workers:
            finished = run_blocks(
                workers,
                learn_block,
                content,
                blocks,
                accept,
                stage="bootstrap",
                folder=folder,
                time_limit=time_limit,
                threads=1,
                memory=memory,
                progress=progress,
            )
        wanted = {number: found[number] for number in sorted(found) if number < self.replicates}
        return wanted, finished

    def blocks(self, job: str) -> list[Block]:
        """Return the blocks; the last one is shorter if replicates do not fill it."""
        made = []
        for begin in range(0, self.replicates, OPTIONS.block):
            numbers = list(range(begin, min(begin + OPTIONS.block, self.replicates)))
            made.append(
                Block(
                    f"replicates {numbers[0] + 1} to {numbers[-1] + 1}",
                    f"bootstrap-{job}-{numbers[0] + 1}-to-{numbers[-1] + 1}.json",
                    {"job": job, "learner": self.learner, "seed": self.seed, "numbers": numbers},
                )
            )
        return made


@contextmanager
def _workers(executor: Executor, threads: int, time_limit: float | None) -> Iterator[Workers]:
    """Yield the workers of an executor, or threads of this process."""
    if executor is not None:
        with opened(executor, time_limit) as workers:
            yield workers
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="bootstrap") as pool, opened(pool) as workers:
        yield workers


def learn_block(table: Table, arguments: Mapping[str, Any], limits: TaskLimits) -> bytes:
    """Learn the replicates of a block, as many as the time allows; runs on a worker."""
    learner: Learner = arguments["learner"]
    seed: int = arguments["seed"]
    begin = time.perf_counter()
    learned: dict[int, Parents] = {}
    for number in arguments["numbers"]:
        own = limits
        if limits.progress is not None:
            limits.progress()  # raises if nobody waits for the block any more
        if limits.seconds is not None:
            left = limits.seconds - (time.perf_counter() - begin)
            if left <= 0 and learned:
                break
            own = replace(limits, seconds=max(LEAST_SECONDS, left))
        try:
            network = learner.learn(redrawn(table, seed, number), seed, number, own)
        except ResourceError:
            if limits.seconds is None or time.perf_counter() - begin < limits.seconds:
                raise
            break
        learned[number] = [list(up) for up in network.parent_indices]
    return json.dumps({"job": arguments["job"], "replicates": learned}).encode()


def _read(content: bytes, job: str, wanted: list[int], table: Table) -> dict[int, Network] | None:
    """Return the networks of a block, if it is one of this job."""
    try:
        given = json.loads(content)
        if given["job"] != job:
            return None
        found = {
            int(number): Network(table.names, parents) for number, parents in given["replicates"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, InputError):
        return None
    return found if set(found) <= set(wanted) else None
