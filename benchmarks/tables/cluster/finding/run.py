"""Finding networks on workers of Dask against one process: islands, the closed loop in neighbourhoods, proofs.

Usage: python benchmarks/tables/cluster/finding/run.py [--full] [islands|neighbourhoods|proofs]

`islands`: four islands of `minobs` with a counted amount of work each, on the score cache of 200 variables (2,000 in full
mode), by one process with one thread and by 1 and 4 workers of one thread each. `neighbourhoods`: the closed loop of `learn`
without a clock, on 200 variables (1,000 in full mode), by 1 and 4 workers. `proofs`: subtrees of `bblp` on soybean from
what `minobs` finds in a little work, handed out after a million units of work here (by default after fifty), by one process and
by 1 and 4 workers. Processor time is that of all processes; `here` is what of it the process that asks takes itself, which more
workers do not shorten, `busiest` that of the worker that does most, and `expect` the speed-up where each has a processor of its
own: processor time of the first line / (`here` + `busiest`). Dask's processes are never idle, and what they take grows with the
seconds that others make them wait. So the tasks alone are told too: `asking` is the processor time of the thread that asks,
`working` that of the tasks of the worker that has most of them, and `reached` the speed-up by these. Networks are compared, of
proofs score and status.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import put_row, results_of
from score_caches import FOLDER, cache_path

import bayesloom as bl
from bayesloom.cluster import Workers, opened
from bayesloom.cluster.workers import TaskLimits
from bayesloom.learning.neighbourhoods import NeighbourhoodLoop, NeighbourhoodOptions
from bayesloom.solvers.protocol import SearchLimits
from bayesloom.solvers.relaxation import Bblp
from bayesloom.solvers.subtrees import SubtreeOptions, prove_on


def table_of(variables: int) -> bl.Table:
    return bl.random_network(variables, states=(2, 4), max_parents=2, concentration=0.3, seed=1).sample(
        1000, seed=1
    )


def on_workers(count: int, run: Callable[[Workers], Any]) -> tuple[dict[str, float], Any]:
    """Run with so many workers, started and warm before."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        opened(client) as workers,
    ):
        client.run(bl.learn, {"a": [0, 1] * 9, "b": [0, 1] * 9})  # imports
        before = client.run(time.process_time)
        begin, own, thread = time.perf_counter(), time.process_time(), time.thread_time()
        answer = run(workers)
        seconds, here = time.perf_counter() - begin, time.process_time() - own
        asking = time.thread_time() - thread
        there = [after - before[name] for name, after in client.run(time.process_time).items()]
    used = {"cpu_seconds": here + sum(there), "here": here, "busiest": max(there)}
    used |= {"asking": asking, "working": max(workers.busy.values())}
    return {"seconds": seconds, **used}, answer


def compared(full: bool, what: str, one: Callable[[], Any] | None, run: Callable[[Workers], Any]) -> None:
    """Run in one process, if that is something else than one worker, and on 1 and 4 workers."""
    base: dict[str, float] | None = None
    answers = []
    if one is not None:
        begin, own = time.perf_counter(), time.process_time()
        answers.append(one())
        spent = time.process_time() - own
        used = {"cpu_seconds": spent, "here": spent, "busiest": 0.0, "asking": spent, "working": 0.0}
        base = {"seconds": time.perf_counter() - begin, **used}
        put(full, what, "one process", base, base, True)
    for count in (1, 4):
        took, answer = on_workers(count, run)
        answers.append(answer)
        base = base or took
        put(full, what, f"{count} worker{'s' * (count > 1)}", took, base, answer == answers[0])


def put(full: bool, what: str, who: str, took: dict[str, float], base: dict[str, float], same: bool) -> None:
    row = {
        "what": what,
        "who": who,
        **{name: round(value, 2) for name, value in took.items()},
        "speedup": round(base["seconds"] / took["seconds"], 2),
        "cpu_ratio": round(took["cpu_seconds"] / base["cpu_seconds"], 2),
        "expect": round(base["cpu_seconds"] / (took["here"] + took["busiest"]), 2),
        "reached": round(
            (base["asking"] + base["working"]) / max(0.001, took["asking"] + took["working"]), 2
        ),
        "same_network": same,
    }
    print(row, flush=True)
    put_row(results_of(__file__, full=full), row, budget="to the end", key=("what", "who"))


def islands(full: bool) -> None:
    variables = 2000 if full else 200
    cache = bl.score(table_of(variables), method="greedy", sets_per_variable=200, threads=2)
    given = {"solver": "minobs", "options": {"islands": 4}, "work_limit": 2000 * variables, "seed": 1}

    def told(result: bl.SearchResult) -> Any:
        return result.network.parents

    compared(
        full,
        f"4 islands, {variables:,} variables",
        lambda: told(bl.search(cache, threads=1, **given)),
        lambda workers: told(bl.search(cache, executor=workers, **given)),
    )


def neighbourhoods(full: bool) -> None:
    variables = 1000 if full else 200
    table = table_of(variables)

    def run(workers: Workers) -> Any:
        loop = NeighbourhoodLoop(table, "bic", {}, workers, how=NeighbourhoodOptions(islands=4))
        loop.run(None)
        return loop.network.parents

    compared(full, f"closed loop in neighbourhoods, {variables:,} variables", None, run)


def proofs(full: bool) -> None:
    cache = bl.read_cache(cache_path("soybean", FOLDER))
    start = bl.search(cache, solver="minobs", work_limit=200_000, threads=1).network
    limits = SearchLimits(
        seconds=None,
        work=None,
        threads=1,
        memory_bytes=4e9,
        seed=0,
        progress=None,
        start=tuple(cache.names.index(name) for name in start.order),
    )

    def told(answer: Any) -> Any:
        return answer.score, answer.bound

    def run(workers: Workers) -> Any:
        answer = prove_on(
            workers,
            Bblp(),
            cache,
            limits,
            folder=None,
            task_limits=TaskLimits(None, 1, None),
            listener=None,
            how=SubtreeOptions(first_work=1_000_000),
        )
        print(answer.solver, flush=True)
        return told(answer)

    compared(full, "proof of soybean by `bblp`", lambda: told(Bblp().solve(cache, limits)), run)


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if not word.startswith("--")]
    for part in (islands, neighbourhoods, proofs):
        if not chosen or part.__name__ in chosen:
            part("--full" in sys.argv[1:])
