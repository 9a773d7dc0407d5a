"""How time and memory grow with the number of variables: pairs, and `learn` from a table to a network.

    python run.py [--full] [--sizes N,N] [--seconds S] [--threads N] [--parts pairs,learn] [--clock LIBRARY]

Tables of 5,000 rows drawn from random networks (states 2 to 4, up to 2 parents, concentration 0.3, seed 1), kept under
build/growth. Quick mode: 1,000 and 2,000 variables; full mode: 5,000, 10,000, 20,000 and 50,000. Each part in a process
of its own, whose peak memory is told, with the table in it:

    pairs   every pair of variables is scored and each variable keeps its best single parents: the part whose work
            grows with the square. CPU seconds of all threads, and microseconds for each pair
    learn   the closed loop, its bound and the strengths of edges, within `--seconds` (default: 60 for each 5,000
            variables, 60 at least); the score beside that of the network the table was drawn from. `first` is after
            how many seconds there was a network, `of_the_way` how far its score is from that of no edges at all (0)
            to the truth's (1)

`--clock` preloads a library that makes a process see its processor time as the time, for machines that others use
too; `seconds` are then those of a machine that has a core for each thread.

A run that is broken off keeps the rows that it has, and goes on from there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import ROOT, in_fresh_process, option, put_row, results_of, rows_of

KEPT = ROOT / "build" / "growth"
ROWS = 5000

MAKE = """
import json, sys
import bayesloom as bl
n, rows, table, truth = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
fitted = bl.random_network(n, states=(2, 4), max_parents=2, concentration=0.3, seed=1)
fitted.network.write(truth)
fitted.sample(rows, seed=1).write(table)
print(json.dumps({}))
"""

RUN = """
import json, resource, sys, time
import bayesloom as bl
part, path, truth, seconds, threads = *sys.argv[1:4], float(sys.argv[4]), int(sys.argv[5])
wall = time.perf_counter()
table = bl.read_table(path)
out = {"read": round(time.perf_counter() - wall, 1)}
wall, cpu = time.perf_counter(), time.process_time()
n = len(table.names)
if part == "pairs":
    cache = bl.score(table, method="greedy", sets_per_variable=1, parents_considered=64, threads=threads)
    spent = time.process_time() - cpu
    out |= {"microseconds_each": round(1e6 * spent / (n * (n - 1) / 2), 2)}
else:
    found = bl.learn(table, time_limit=seconds, threads=threads)
    spent, took = time.process_time() - cpu, time.perf_counter() - wall
    best = sum(bl.network_scores(bl.read_network(truth), table).values())
    none = sum(bl.network_scores(bl.Network(table.names, {}), table).values())
    out |= {"score": round(found.score, 1), "gap": round(found.gap, 1), "edges": len(found.network.edges),
            "ahead_of_truth": round(found.score - best, 1), "solver": found.solver,
            "of_the_way": round((found.score - none) / (best - none), 4),
            "first": round(found.trace[0].seconds, 1) if found.trace else ""}
    wall = time.perf_counter() - took
out |= {"seconds": round(time.perf_counter() - wall, 1), "cpu_seconds": round(spent, 1)}
print(json.dumps(out))
"""


def table_of(n: int) -> tuple[Path, Path]:
    """The table and the network it is drawn from; made once."""
    table, truth = KEPT / f"{n}.parquet", KEPT / f"{n}.json"
    if not table.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        made = in_fresh_process(MAKE, str(n), str(ROWS), str(table), str(truth))
        if "error" in made:
            raise SystemExit(made["error"])
    return table, truth


def main() -> None:
    full = "--full" in sys.argv
    sizes = [
        int(word) for word in option("--sizes", "5000,10000,20000,50000" if full else "1000,2000").split(",")
    ]
    threads = int(option("--threads", "2"))
    clock = option("--clock", "")
    if clock and os.environ.get("LD_PRELOAD") != clock:
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LD_PRELOAD": clock})
    results = results_of(__file__, full=full)
    for n in sizes:
        seconds = float(option("--seconds", str(max(60, 60 * n // 5000))))
        for part in option("--parts", "pairs,learn").split(","):
            key = {"variables": str(n), "part": part, "threads": str(threads)}
            if any(all(row.get(k) == v for k, v in key.items()) for row in rows_of(results)):
                print(f"{n} {part}: there already")
                continue
            table, truth = table_of(n)
            run: dict[str, Any] = in_fresh_process(
                RUN, part, str(table), str(truth), str(seconds), str(threads)
            )
            columns = (
                "read",
                "seconds",
                "cpu_seconds",
                "microseconds_each",
                "peak_mb",
                "score",
                "ahead_of_truth",
                "of_the_way",
                "first",
            )
            row = {**key, "rows": ROWS, **{name: run.get(name, "") for name in columns}}
            row |= {name: run.get(name, "") for name in ("gap", "edges", "solver", "error")}
            print(row, flush=True)
            row["clock"] = "CPU" if clock else "wall"
            budget = "to the end" if part == "pairs" else f"{seconds:g} s"
            put_row(results, row, budget=budget, key=("variables", "part", "threads"))


if __name__ == "__main__":
    main()
