"""`dp` and `bfbnb` with one thread and with two, side by side.

Usage: python benchmarks/tables/order_graph/threads/run.py [--full]

`dp` on generated tables of 24 and 26 variables (1,000 rows, complete BIC caches), of 29 and wdbc (31) in full mode;
`bfbnb` on wdbc and, in full mode, soybean, each under 1 GB. Every run in a process of its own; the better of two.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from instances import DEFAULT_FOLDER, cache_path
from measure import in_fresh_process, keep

import bayesloom as bl

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


def generated(n: int, folder: Path) -> Path:
    path = folder / f"generated{n}.blc"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        bl.score(bl.random_network(n, states=(2, 4), max_parents=4, seed=n).sample(1000, seed=n)).write(path)
    return path


def main(full: bool) -> None:
    runs = [
        ("dp", f"generated{n}", generated(n, DEFAULT_FOLDER), "")
        for n in ((24, 26, 29) if full else (24, 26))
    ]
    if full:
        runs.append(("dp", "wdbc", cache_path("wdbc", DEFAULT_FOLDER), "8"))
    runs += [
        ("bfbnb", name, cache_path(name, DEFAULT_FOLDER), "1")
        for name in (("wdbc", "soybean") if full else ("wdbc",))
    ]
    rows = []
    for solver, name, path, memory in runs:
        row: dict[str, object] = {"solver": solver, "instance": name, "memory_gb": memory}
        for threads in (1, 2):
            with tempfile.TemporaryDirectory() as scratch:
                found = [
                    in_fresh_process(CODE, str(path), solver, str(threads), memory, scratch)
                    for _ in range(1 if name in ("generated29", "wdbc") and solver == "dp" else 2)
                ]
            best = min(found, key=lambda one: one.get("seconds", float("inf")))
            row |= {f"{key}_{threads}": value for key, value in best.items()}
        if "seconds_1" in row and "seconds_2" in row:
            row["speedup"] = round(float(str(row["seconds_1"])) / float(str(row["seconds_2"])), 2)
        print(row, flush=True)
        rows.append(row)
    keep("order_graph-threads" + ("" if full else "-quick"), rows)


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
