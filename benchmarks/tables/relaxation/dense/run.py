"""What `learn` says of its gap within a minute, on dense tables of 100 to 1,556 variables.

Usage: python benchmarks/tables/relaxation/dense/run.py [--full] [--only NAME,NAME] [--seconds 60] [--threads 2]

Quick mode: dna, 20 seconds. Full mode: eleven training files of `debd`, 60 seconds each; rows that are in the file already
are left out. Every event of progress that tells score and bound is kept: the gap at a quarter, a half, three quarters of
the time and at the end, over how many parent sets the first three were, and by how much the gap grew at most above the
smallest one told before, that of the result included.

Before and after a change: the same command in a work tree of the commit before, whose results.csv is its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, in_fresh_process, option, options, put_row, results_of, rows_of

QUICK = ["dna"]
FULL = [
    *("baudio", "jester", "bnetflix", "accidents", "pumsb_star", "dna", "kosarek", "msweb", "book", "tmovie"),
    "ad",
]
CODE = """
import json, sys, time
import bayesloom as bl
given = json.loads(sys.argv[1])
table = bl.read_table(given.pop("file"))
limit, told = given["time_limit"], []
begin, cpu = time.perf_counter(), time.process_time()

def listen(event):
    if event.score is not None and event.bound is not None:
        told.append((time.perf_counter() - begin, event.bound - event.score, getattr(event, "sets", None)))

result = bl.learn(table, progress=listen, **given)
least, grown = float("inf"), 0.0
for _, gap, _ in [*told, (0.0, result.gap, 0)]:
    grown = max(grown, gap - least)
    least = min(least, gap)
out = {"variables": len(table.names), "rows": table.row_count}
for part in (0.25, 0.5, 0.75):
    before = [(gap, sets) for seconds, gap, sets in told if seconds <= part * limit]
    out[f"gap_{round(100 * part)}_percent"] = round(before[-1][0], 3) if before else None
    out[f"sets_{round(100 * part)}_percent"] = before[-1][1] if before else None
print(json.dumps(out | {"grown": round(grown, 3), "events": len(told), "candidates": result.candidates, "score": result.score, "bound": result.bound,
    "gap": result.gap, "gap_percent": 100 * result.gap / abs(result.score), "status": result.status,
    "cpu_seconds": round(time.process_time() - cpu, 1), "wall_seconds": round(time.perf_counter() - begin, 1)}))
"""


def main() -> None:
    full = "--full" in sys.argv
    seconds = float(option("--seconds", "60" if full else "20"))
    threads = int(option("--threads", "2"))
    path = results_of(__file__, full=full)
    done = {row["table"] for row in rows_of(path)} if full else set()
    for name in options("--only") or (FULL if full else QUICK):
        if name in done:
            continue
        given = {"file": str(DATA / "debd" / f"{name}.ts.data.gz"), "time_limit": seconds, "threads": threads}
        row = {"table": name} | in_fresh_process(CODE, json.dumps(given))
        print(row, flush=True)
        put_row(path, row, budget=f"{seconds:g} s, {threads} threads", key=("table",))


if __name__ == "__main__":
    main()
