"""Scoring a table on workers of Dask against one process: speed-up, work added, and what a task costs.

Usage: python benchmarks/tables/cluster/scoring/run.py [--full] [anytime|exhaustive|tasks]

`anytime`: method `independence`, a counted number of sets for each variable, on a random network's table of 300
variables (2,000 in full mode), by one process with one thread and by 1, 2 and 4 workers of one thread each, on this
machine. `exhaustive`: all parent sets of 40 variables, cut into 1, 2, 4 and 16 parts, one after the other. `tasks`: a
thousand tasks that do nothing. Processor time is that of all processes, so it counts on a busy machine too; seconds are
without the start of workers. `here` is the processor time of the process that asks, `busiest` that of the worker that does
most, and `expect` the speed-up where each has a processor of its own: processor time of one process / (`here` + `busiest`).
Caches are compared byte for byte.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import put_row, results_of

import bayesloom as bl
from bayesloom import _core
from bayesloom.cluster import Block, Content, opened, run_blocks

CHECKED = ("one", "1 worker", "2 workers", "4 workers")


def nothing(content: Any, arguments: Any, limits: Any) -> bytes:
    return b"done"


def cpu() -> float:
    """Seconds of processor time of this process, all threads."""
    return time.process_time()


def measured(table: bl.Table, asked: dict[str, Any], count: int | None) -> dict[str, Any]:
    """Score with so many workers, or without any."""
    if count is None:
        begin, used = time.perf_counter(), cpu()
        cache = bl.score(table, threads=1, **asked)
        spent = cpu() - used
        took = {"seconds": time.perf_counter() - begin, "cpu_seconds": spent, "here": spent, "busiest": 0.0}
        took |= {"asking": spent, "working": 0.0}
        return took | {"blocks": 1, "cache": _core.format_blc(cache.core)}
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        opened(client) as workers,
    ):
        seen: list[int] = []
        client.run(bl.score, table.select(table.names[:2]))  # imports
        before = client.run(time.process_time)
        begin, used, own = time.perf_counter(), cpu(), time.thread_time()
        cache = bl.score(
            table, executor=workers, progress=lambda event: seen.append(event.blocks or 0), **asked
        )
        seconds, here, asking = time.perf_counter() - begin, cpu() - used, time.thread_time() - own
        there = [after - before[name] for name, after in client.run(time.process_time).items()]
    return {
        "seconds": seconds,
        "cpu_seconds": here + sum(there),
        "here": here,
        "busiest": max(there),
        "asking": asking,
        "working": max(workers.busy.values()),
        "blocks": max(seen),
        "cache": _core.format_blc(cache.core),
    }


def anytime(full: bool) -> None:
    n, sets = (2000, 5000) if full else (300, 100)
    table = bl.random_network(n, states=(2, 3), max_parents=3, seed=1).sample(2000, seed=1)
    asked = {"method": "independence", "sets_per_variable": sets}
    one: dict[str, Any] = {}
    for count in (1, 16):  # the cutting alone, without workers
        used = cpu()
        parts = [bl.score(table, threads=1, shard=(i, count), **asked) for i in range(1, count + 1)]
        one = one or {"cpu_seconds": cpu() - used, "cache": _core.format_blc(parts[0].core)}
        merged = bl.merge(parts) if count > 1 else parts[0]
        spent = cpu() - used
        put(
            full,
            what=f"independence, {n:,} variables, {sets} sets each",
            who=f"{count} parts",
            blocks=count,
            cpu_seconds=round(spent, 2),
            cpu_ratio=round(spent / one["cpu_seconds"], 2),
            same_bytes=_core.format_blc(merged.core) == one["cache"],
        )
    one = {}
    for who, count in zip(CHECKED, (None, 1, 2, 4), strict=True):
        run = measured(table, asked, count)
        one = one or run
        put(
            full,
            what=f"independence, {n:,} variables, {sets} sets each",
            who=who,
            blocks=run["blocks"],
            seconds=round(run["seconds"], 2),
            cpu_seconds=round(run["cpu_seconds"], 2),
            here=round(run["here"], 2),
            busiest=round(run["busiest"], 2),
            asking=round(run["asking"], 3),
            working=round(run["working"], 2),
            reached=round(one["cpu_seconds"] / (run["asking"] + run["working"]), 2),
            speedup=round(one["seconds"] / run["seconds"], 2),
            expect=round(one["cpu_seconds"] / (run["here"] + run["busiest"]), 2),
            cpu_ratio=round(run["cpu_seconds"] / one["cpu_seconds"], 2),
            same_bytes=run["cache"] == one["cache"],
        )


def exhaustive(full: bool) -> None:
    n, rows, most = (40, 1000, 5) if full else (40, 1000, 3)
    table = bl.random_network(n, states=(2, 3), max_parents=3, seed=1).sample(rows, seed=1)
    asked: dict[str, Any] = {"threads": 1, "max_parents": most}
    used = cpu()
    whole = bl.score(table, **asked)
    one = cpu() - used
    for count in (1, 2, 4, 16):
        used, slowest, parts = cpu(), 0.0, []
        for i in range(1, count + 1):
            begin = cpu()
            parts.append(bl.score(table, shard=(i, count), **asked))
            slowest = max(slowest, cpu() - begin)
        spent = cpu() - used
        merged = bl.merge(parts) if count > 1 else parts[0]
        put(
            full,
            what=f"exhaustive, {n} variables, parents up to {most}",
            who=f"{count} parts",
            blocks=count,
            seconds=round(slowest, 2),
            cpu_seconds=round(spent, 2),
            speedup=round(one / slowest, 2),
            cpu_ratio=round(spent / one, 2),
            same_bytes=_core.format_blc(merged.core) == _core.format_blc(whole.core),
        )


def tasks(full: bool) -> None:
    import distributed

    count = 1000
    blocks = [Block(f"block {i}", f"nothing-{i}.txt", {}) for i in range(count)]
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        opened(client) as workers,
    ):
        client.run(os.getpid)
        before = sum(client.run(time.process_time).values())
        begin, used = time.perf_counter(), cpu()
        run_blocks(
            workers, nothing, Content(b"nothing", len), blocks, lambda number, result: True, stage="score"
        )
        seconds = time.perf_counter() - begin
        spent = cpu() - used + sum(client.run(time.process_time).values()) - before
    put(
        full,
        what="tasks that do nothing",
        who="4 workers",
        blocks=count,
        seconds=round(seconds, 2),
        cpu_seconds=round(spent, 2),
        milliseconds_each=round(1e3 * seconds / count, 2),
        cpu_milliseconds_each=round(1e3 * spent / count, 2),
    )


def put(full: bool, **row: Any) -> None:
    print(row, flush=True)
    columns = (
        *(
            "what",
            "who",
            "blocks",
            "seconds",
            "cpu_seconds",
            "here",
            "busiest",
            "asking",
            "working",
            "reached",
            "speedup",
        ),
        *("expect", "cpu_ratio", "same_bytes", "milliseconds_each", "cpu_milliseconds_each"),
    )
    whole = {name: row.get(name, "") for name in columns}
    put_row(results_of(__file__, full=full), whole, budget="to the end", key=("what", "who"))


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if not word.startswith("--")]
    for part in (anytime, exhaustive, tasks):
        if not chosen or part.__name__ in chosen:
            part("--full" in sys.argv[1:])
