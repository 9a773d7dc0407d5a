"""Scoring on many machines: each block is a part of the variables, as ``score(..., shard=(i, m))`` makes it.

A part records its job, so a result, returned or saved by an earlier run, is used only if it is a part of the
same job.  `merge` joins the parts: the cache equals that of one process, byte for byte, if the method ends by
itself or by counted work.

The cache does not depend on the number of blocks.  ``exhaustive`` counts each set of variables once for all
children that are scored together, so every division costs: it gets as many blocks as can run at a time.  The
anytime methods score child by child, and get a few times as many.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom import _core
from bayesloom.cluster.blocks import Block, Finished, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.executors import Executor, opened
from bayesloom.cluster.stores import Place, store_of
from bayesloom.cluster.workers import TaskLimits, Workers
from bayesloom.errors import InputError
from bayesloom.limits import LEAST_SECONDS
from bayesloom.progress import ProgressFunction
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.merging import job_of, merge

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["ScoringJob", "score_in_blocks"]

BLOCKS_PER_SLOT = 4
"""Of an anytime method: so that the last of them keep all workers busy."""
LONGEST_BLOCK = 60.0
"""Seconds that a block of a method with seconds for each variable takes at most, if it has two variables."""
MOST_BLOCKS = 1024
FEWEST_BLOCKS = 2
"""A part of one is no part."""
HEADER = b"bayesloom table 1\n"


@dataclass(frozen=True)
class ScoringJob:
    """A table, what is asked of it, and what both are known by."""

    table: Table
    asked: dict[str, Any]
    """Arguments of `bayesloom.score` that say what is scored."""
    job: dict[str, Any]

    @classmethod
    def of(cls, table: Table, asked: Mapping[str, Any], job: Mapping[str, Any]) -> ScoringJob:
        """Return the job; `job` is what parts of it say about themselves."""
        return cls(table, dict(asked), json.loads(json.dumps(job_of(table, job))))

    @property
    def fingerprint(self) -> str:
        """What tells the job from all others, in names of files and tasks."""
        text = json.dumps(self.job, sort_keys=True)
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()

    def block_count(self, slots: int) -> int:
        """Return into how many blocks to cut it for so many at a time."""
        n = len(self.table.names)
        wanted = slots
        if self.asked["method"] != "exhaustive":
            counted = self.asked["sets_per_variable"] is not None
            each = self.asked["time_per_variable"] or (0.0 if counted else 1.0)  # `DEFAULT_SECONDS`
            wanted = max(BLOCKS_PER_SLOT * slots, math.ceil(n * each / LONGEST_BLOCK))
        return max(FEWEST_BLOCKS, min(n, wanted, MOST_BLOCKS))

    def blocks(self, count: int) -> list[Block]:
        """Return the blocks."""
        stem = f"score-{self.fingerprint}"
        return [
            Block(
                f"block {i} of {count} of scoring",
                f"{stem}-{i}-of-{count}.blc",
                {**self.asked, "shard": (i, count)},
            )
            for i in range(1, count + 1)
        ]

    def begun(self, folder: Place) -> int | None:
        """Return into how many blocks an earlier run cut the job, by what it left in a folder."""
        pattern = re.compile(rf"score-{self.fingerprint}-[0-9]{{1,9}}-of-([0-9]{{1,9}})\.blc")
        names = store_of(folder).names()
        counts = [int(match[1]) for name in names if (match := pattern.fullmatch(name))]
        likely = [count for count in counts if FEWEST_BLOCKS <= count <= max(MOST_BLOCKS, FEWEST_BLOCKS)]
        return max(sorted(set(likely)), key=likely.count, default=None)

    def part(self, content: bytes, number: int, count: int) -> ScoreCache | None:
        """Return the part that bytes hold, if it is this one of this job."""
        try:
            part = ScoreCache(_core.parse_blc(content, "a block"))
        except InputError:
            return None
        fits = (
            part.part == (number, count)
            and part.info.get("job") == self.job
            and part.names == self.table.names
            and all(
                not own or own == found  # a cache does not say which variables are continuous
                for own, found in zip(self.table.cardinalities, part.cardinalities, strict=True)
            )
        )
        return part if fits else None


def score_in_blocks(
    executor: Executor,
    job: ScoringJob,
    *,
    folder: Place | None,
    time_limit: float | None,
    threads: int | None,
    memory: float | None,
    progress: ProgressFunction | None,
) -> ScoreCache:
    """Return the score cache of a job, scored by workers."""
    begin = time.perf_counter()
    with opened(executor, time_limit) as workers:
        count = (None if folder is None else job.begun(folder)) or job.block_count(workers.slots)
        left = None if time_limit is None else max(LEAST_SECONDS, time_limit + begin - time.perf_counter())
        parts, finished = _run(workers, job, count, folder, left, threads, memory, progress)
    missing = [i for i in range(1, count + 1) if i - 1 not in finished.done]
    if not missing:
        return merge([parts[i] for i in range(count)])
    done = [parts[i] for i in sorted(finished.done)]
    cache = merge(done + _unscored(job, missing, count))
    more = {"stopped": True, "blocks_missing": len(missing)}
    if finished.interrupted:
        more["interrupted"] = True
    return cache.with_info({**cache.info, "complete_factor": None, **more})


def _run(
    workers: Workers,
    job: ScoringJob,
    count: int,
    folder: Place | None,
    time_limit: float | None,
    threads: int | None,
    memory: float | None,
    progress: ProgressFunction | None,
) -> tuple[dict[int, ScoreCache], Finished]:
    parts: dict[int, ScoreCache] = {}

    def accept(number: int, content: bytes) -> bool | None:
        part = job.part(content, number + 1, count)
        if part is None:
            return False
        parts[number] = part
        # What a limit of this run ended is not what another run is to go on from.
        ended = any(part.info.get(key) for key in ("stopped", "interrupted", "cut_by_memory"))
        return None if ended else True

    finished = run_blocks(
        workers,
        score_block,
        Content(packed(job.table), unpacked),
        job.blocks(count),
        accept,
        stage="score",
        folder=folder,
        time_limit=time_limit,
        threads=threads,
        memory=memory,
        progress=progress,
    )
    return parts, finished


def _unscored(job: ScoringJob, missing: list[int], count: int) -> list[ScoreCache]:
    """Return parts with next to nothing in them for blocks that were not done, which say that they are."""
    from bayesloom.scoring.parent_sets import score

    def least(number: int) -> ScoreCache:
        return score(job.table, threads=1, time_limit=LEAST_SECONDS, shard=(number, count), **job.asked)

    if job.asked["constraints"].get("required"):  # these have no empty parent set to fall back on
        return [least(number) for number in missing]
    # Variables of other parts have their empty parent set in a part, which is what these get.
    first = least(missing[0])
    info = {**first.info, "stopped": True, "part_complete_factor": None}
    return [ScoreCache(_relabelled(first, {**info, "shard": [number, count]})) for number in missing]


def _relabelled(part: ScoreCache, info: Mapping[str, Any]) -> _core.ScoreCache:
    from bayesloom.scoring.cache_info import info_text

    return part.core.with_info(info_text(info))


def score_block(table: Table, arguments: Mapping[str, Any], limits: TaskLimits) -> bytes:
    """Score one part; runs on a worker."""
    from bayesloom.scoring.parent_sets import score

    part = score(
        table,
        threads=limits.threads,
        memory=limits.memory,
        time_limit=limits.seconds,
        progress=limits.progress,
        **arguments,
    )
    if part.info.get("interrupted"):
        raise KeyboardInterrupt
    return _core.format_blc(part.core)


def packed(table: Table) -> bytes:
    """Return what scoring needs of a table: names, states, codes and weights; nothing that could be run."""
    columns: list[Any] = [*table.codes, *([] if table.weights is None else [table.weights])]
    kinds = [column.dtype.newbyteorder("<").str for column in columns]
    header = {"names": table.names, "states": table.states, "rows": table.row_count, "kinds": kinds}
    header["gaps"] = table.gaps
    if table.reading:
        header["reading"] = dict(table.reading)
    if table.interventions is not None:
        header["targets"] = table.interventions.targets
        header["targets_name"] = table.interventions.name
        columns.append(table.interventions.rows)
        kinds.append(table.interventions.rows.dtype.newbyteorder("<").str)
    text = json.dumps(header).encode()
    pieces = [HEADER, len(text).to_bytes(8, "little"), text]
    for column, kind in zip(columns, kinds, strict=True):
        pieces.append(np.ascontiguousarray(column, dtype=kind).tobytes())
    return b"".join(pieces)


def unpacked(content: Any) -> Table:
    """Return the table that `packed` made, over the same bytes where they are mapped.

    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": ["no", "yes"], "wet": [0, 1]})
    >>> unpacked(packed(table)) == table
    True
    """
    from bayesloom.table import Table
    from bayesloom.table.interventions import made

    start = len(HEADER) + 8
    begin = start + int.from_bytes(content[len(HEADER) : start], "little")
    header = json.loads(bytes(content[start:begin]))
    columns = []
    for kind in header["kinds"]:
        columns.append(np.frombuffer(content, dtype=kind, count=header["rows"], offset=begin))
        begin += columns[-1].nbytes
    names = header["names"]
    table = Table.from_codes(
        names,
        header["states"],
        columns[: len(names)],
        weights=columns[len(names)] if len(columns) - ("targets" in header) > len(names) else None,
        gaps=header["gaps"],
        interventions=made(header["targets"], columns[-1], header["targets_name"])
        if "targets" in header
        else None,
    )
    return replace(table, reading=header.get("reading", {}))
