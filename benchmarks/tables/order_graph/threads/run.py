"""`dp` and `bfbnb` with one thread and with two, side by side.

Usage: python benchmarks/tables/order_graph/threads/run.py [--full] [dp|bfbnb]

Complete BIC caches of real tables: `dp` on steel (28 variables), in full mode flag (29) and wdbc (31); `bfbnb` under
1 GB on wdbc, in full mode steel and soybean. Every run in a process of its own, right after another that has used as
much memory (see `warm_up`); one and two threads take turns, three times each (twice in quick mode). Medians. Nothing
else should run.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import in_fresh_process, put_row, results_of, warm_up
from score_caches import FOLDER, cache_path

CODE = """
import json, sys, time
import bayesloom as bl
cache = bl.ScoreCache.read(sys.argv[1])
memory = float(sys.argv[4]) if sys.argv[4] else None
options = {"scratch": sys.argv[5]} if sys.argv[2] == "bfbnb" else None
cpu = time.process_time()
found = bl.search(cache, solver=sys.argv[2], threads=int(sys.argv[3]), memory=memory, options=options)
print(json.dumps({"status": found.status, "score": found.score, "seconds": round(found.seconds["search"], 3),
                  "cpu_seconds": round(time.process_time() - cpu, 3)}))
"""


def main(full: bool, only: list[str]) -> None:
    tables = {
        "dp": ("steel", "flag", "wdbc") if full else ("steel",),
        "bfbnb": ("wdbc", "steel", "soybean") if full else ("wdbc",),
    }
    limits = {"dp": "8", "bfbnb": "1"}
    runs = [
        (solver, name, cache_path(name, FOLDER), limits[solver])
        for solver, names in tables.items()
        if not only or solver in only
        for name in names
    ]
    for solver, name, path, memory in runs:
        taken: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
        repeats = 3 if full else 2
        peak = 100
        for turn in range(1 + repeats):
            for threads, before in taken.items():
                warm_up(peak)
                with tempfile.TemporaryDirectory() as scratch:
                    run = in_fresh_process(CODE, str(path), solver, str(threads), memory, scratch)
                peak = max(peak, int(run["peak_mb"]))
                if turn > 0:
                    before.append(run)
        row: dict[str, object] = {"solver": solver, "instance": name, "memory_gb": memory, "runs": repeats}
        for threads, before in taken.items():
            row |= {f"status_{threads}": before[0]["status"], f"score_{threads}": before[0]["score"]}
            for key in ("seconds", "cpu_seconds", "peak_mb"):
                row[f"{key}_{threads}"] = statistics.median(run[key] for run in before)
            row[f"all_seconds_{threads}"] = " ".join(str(run["seconds"]) for run in before)
        row["speedup"] = round(float(str(row["seconds_1"])) / float(str(row["seconds_2"])), 2)
        print(row, flush=True)
        put_row(results_of(__file__, full=full), row, budget="to proof", key=("solver", "instance"))


if __name__ == "__main__":
    main("--full" in sys.argv[1:], [argument for argument in sys.argv[1:] if not argument.startswith("--")])
