"""Complete scoring of every collected table, and side by side with other programs' times.

Usage: python benchmarks/tables/parent_sets/exhaustive/run.py [--full]

Quick mode (a minute or two): the rows for which other programs were timed, and the smaller tables without
a limit on parents. Full mode: every table without a limit, and two threads against one.
Peers were timed on the same kind of machine, one core, pruned output; see README.md.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, in_fresh_process, keep, results_of, rows_of

PEERS = rows_of(Path(__file__).with_name("peer.csv"))  # seconds of the fastest other program
SLOW = {"spectf", "bands", "alarm", "steel", "sensors", "hailfinder500", "alarm1000"}

CODE = """
import json, sys, time
import bayesloom as bl
from bayesloom import _core
path, limit, score, threads, prune = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5]
table = bl.read_table(path, discrete=True)
data, names = table.encoded, list(table.names)
best = None
for _ in range(3):
    start = time.perf_counter()
    out = _core.exhaustive(data, names, score, {}, max_parents=limit, prune=prune == "prune", threads=threads)
    seconds = time.perf_counter() - start
    best = seconds if best is None else min(best, seconds)
    if seconds > 2: break
print(json.dumps({
    "variables": len(names), "rows": table.row_count, "candidates": out["cache"].candidate_count,
    "local_scores": out["scored"], "sets_counted": out["counted"],
    "largest_set": out["finished_size"], "complete": out["exhausted"], "seconds": round(best, 4)}))
"""


def run(file: str, limit: int | None, score: str, threads: int, prune: str = "prune") -> dict[str, Any]:
    """One row: the best of three runs, or one run if it takes more than two seconds."""
    limit_text = "null" if limit is None else str(limit)
    row = {"table": Path(file).name.split(".")[0], "max_parents": limit, "score": score, "threads": threads}
    row |= {
        "pruning": prune,
        **in_fresh_process(CODE, str(DATA / file), limit_text, score, str(threads), prune),
    }
    print(row, flush=True)
    return row


def main(full: bool) -> None:
    rows = []
    for peer in PEERS:
        row, seconds = run(peer["file"], int(peer["max_parents"]), "bic", 1), float(peer["seconds"])
        ratio = round(seconds / row["seconds"], 1)
        rows.append({**row, "other": peer["program"], "other_seconds": seconds, "ratio": ratio})
    for limit in (4, 5):
        for score in ("bic", "bdeu"):
            rows.append(run("networks/samples/alarm1000.csv.gz", limit, score, 1, "all"))
    files = sorted(path.relative_to(DATA) for path in (DATA / "uci").glob("*.csv.gz"))
    files += sorted(path.relative_to(DATA) for path in (DATA / "uci" / "derived").glob("*.csv.gz"))
    files += [
        Path("networks/samples") / f"{name}.csv.gz"
        for name in [
            "alarm",
            "alarm1000",
            "barley1000",
            "hailfinder100",
            "hailfinder500",
            "insurance1000",
            "mildew1000",
        ]
    ]
    for file in files:
        if full or file.name.split(".")[0] not in SLOW:
            rows.append(run(str(file), None, "bic", 1))
    if full:
        for file in ("networks/samples/alarm1000.csv.gz", "uci/wdbc.csv.gz", "uci/soybean.csv.gz"):
            for threads in (1, 2):
                rows.append(run(file, 5, "bic", threads))
    keep(results_of(__file__, full=full), rows, budget="to the end; best of three")


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
