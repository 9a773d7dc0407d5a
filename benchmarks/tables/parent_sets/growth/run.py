"""Time and memory of complete scoring as the number of variables grows, as rows and as a picture.

Usage: python benchmarks/tables/parent_sets/growth/run.py [--full]

Tables of 1,000 rows sampled from random networks (states 2 to 4, at most 4 parents, seed 1), BIC, no limit on
parents, one thread. Full mode: 10 to 65 variables; quick mode: to 40, no
picture. The picture needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import pictures
from measure import in_fresh_process, keep, results_of

CODE = """
import json, resource, sys, time
import bayesloom as bl
from bayesloom import _core
n = int(sys.argv[1])
table = bl.random_network(n, states=(2, 4), max_parents=4, seed=1).sample(1000, seed=1)
work = bl.estimate(table)
data = table.encoded
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
out = _core.exhaustive(data, list(table.names), "bic", {}, threads=1)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": round(seconds, 4), "estimate_seconds": round(work.seconds, 4),
    "memory_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1000,
    "estimate_mb": round(1000 * work.gigabytes), "local_scores": out["scored"],
    "estimate_local_scores": round(work.local_scores), "sets_counted": out["counted"],
    "candidates": out["cache"].candidate_count, "largest_set": out["finished_size"]}))
"""


def picture(rows: list[dict[str, float]]) -> None:
    figure, axes = pictures.figure(13, 3.8, 3)
    n = [row["variables"] for row in rows]
    for axis, key, unit in (
        (axes[0], "seconds", "seconds"),
        (axes[1], "memory_mb", "MB"),
        (axes[2], "local_scores", "local scores"),
    ):
        guess = {"seconds": "estimate_seconds", "memory_mb": "estimate_mb"}.get(key, "estimate_local_scores")
        least = 1 if key == "memory_mb" else 0  # what is below one page is not seen
        axis.plot(n, [max(row[key], least) for row in rows], "o-", label="measured")
        axis.plot(n, [max(row[guess], least) for row in rows], "--", label="estimate before")
        axis.set(yscale="log", xlabel="variables", ylabel=unit)
        axis.grid(alpha=0.3)
    axes[0].legend()
    pictures.save(figure, Path(__file__).with_name("growth.png"))


def main(full: bool) -> None:
    rows = []
    for n in range(10, 66 if full else 41, 5):
        row = {"variables": n, "rows": 1000, **in_fresh_process(CODE, str(n))}
        print(row, flush=True)
        rows.append(row)
    keep(results_of(__file__, full=full), rows, budget="to the end, one thread")
    if full:
        picture(rows)


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
