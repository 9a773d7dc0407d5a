"""`dp` and `bfbnb` with one thread and with two, side by side.

Usage: python benchmarks/tables/order_graph/threads/run.py [--full]

Complete BIC caches of real tables: `dp` on steel (28 variables), in full mode flag (29) and wdbc (31); `bfbnb` under
1 GB on wdbc, in full mode steel and soybean. Every run in a process of its own; nothing else should run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from instances import DEFAULT_FOLDER, cache_path
from measure import in_fresh_process, keep

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


def main(full: bool) -> None:
    tables = {
        "dp": ("steel", "flag", "wdbc") if full else ("steel",),
        "bfbnb": ("wdbc", "steel", "soybean") if full else ("wdbc",),
    }
    limits = {"dp": "8", "bfbnb": "1"}
    runs = [
        (solver, name, cache_path(name, DEFAULT_FOLDER), limits[solver])
        for solver, names in tables.items()
        for name in names
    ]
    rows = []
    for solver, name, path, memory in runs:
        row: dict[str, object] = {"solver": solver, "instance": name, "memory_gb": memory}
        for threads in (1, 2):
            with tempfile.TemporaryDirectory() as scratch:
                best = in_fresh_process(CODE, str(path), solver, str(threads), memory, scratch)
            row |= {f"{key}_{threads}": value for key, value in best.items()}
        if "seconds_1" in row and "seconds_2" in row:
            row["speedup"] = round(float(str(row["seconds_1"])) / float(str(row["seconds_2"])), 2)
        print(row, flush=True)
        rows.append(row)
    keep("order_graph-threads" + ("" if full else "-quick"), rows)


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
