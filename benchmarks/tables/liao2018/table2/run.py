"""Rebuild Table 2 of liao2018: BDeu with ess 1, the set at F = 20, and the k best networks and classes.

    python run.py [--full] [--rows NAME ...] [--k K ...] [--time-limit SECONDS] [--max-parents N]

Every line is a process of its own on one thread. Times are CPU seconds of reading, scoring and searching
together; the paper's leave scoring out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))
import measure

QUICK = ("tic-tac-toe", "wine", "voting", "zoo", "hepatitis")
ONCE = """
import json, sys, time
import bayesloom as bl
path, k, limit, parents = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]) or None
how = {"score": "bdeu", "options": {"ess": 1}, "max_parents": parents, "threads": 1, "time_limit": limit}
bl.score(bl.read_table(path, discrete=True), max_parents=0)  # loads what is loaded when first used
begin = time.process_time()
table = bl.read_table(path, discrete=True)
out = {"n": len(table.names), "rows": table.row_count, "max_parents": parents}
def spent():
    global begin
    now = time.process_time()
    begin, used = now, now - begin
    return used
try:
    if k == 0:
        found = bl.credible(table, 20, **how)
        out |= {"networks": found.count, "exact": found.count_is_exact, "error": found.count_error,
                "complete": found.complete, "count_cpu": spent()}
        if found.count_is_exact:
            out |= {"classes": found.classes.count, "classes_complete": found.classes.complete,
                    "classes_cpu": spent()}
            if not found.classes.complete:
                out |= dict(zip(("classes_estimate", "classes_error"), found.classes.estimate))
    else:
        best = bl.k_best(table, k, **how)
        out |= {"k_cpu": spent(), "k_factor": best.bayes_factor, "k_complete": best.complete}
        classes = bl.k_best(table, k, by="class", **how)
        out |= {"ec_cpu": spent(), "ec_networks": sum(entry.members for entry in classes.entries),
                "ec_factor": classes.bayes_factor, "ec_complete": classes.complete}
except bl.ResourceError as error:
    out["note"] = str(error)[:70]
print(json.dumps(out))
"""


def measured(row: dict[str, str], k: int, limit: float, parents: int) -> dict[str, Any]:
    given = (str(k), str(limit), str(parents))
    found = measure.in_fresh_process(ONCE, str(measure.DATA / row["file"]), *given)
    found = {key: round(value, 3) if isinstance(value, float) else value for key, value in found.items()}
    names = ("seconds_20", "networks_20", "classes_20")
    if k > 0:
        names = ("kbest_seconds", "kbestec_seconds", "kbestec_networks")
    return {"table": row["table"], "k": k, **found, **{f"paper_{name}": row[name] for name in names}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all rows; else those that take seconds")
    parser.add_argument("--rows", nargs="*", help="these rows only")
    parser.add_argument("--k", nargs="*", type=int, help="these lines only; 0 is the set at F = 20")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for each stage")
    parser.add_argument("--max-parents", type=int, default=0, help="a limit that the paper does not have")
    parser.add_argument("--output", type=Path, help="another file than results.csv, quick.csv")
    given = parser.parse_args()
    output = given.output or measure.results_of(__file__, full=given.full)
    paper = measure.rows_of(HERE / "paper.csv")
    order = list(dict.fromkeys(row["table"] for row in paper))
    for name in given.rows or (order if given.full else QUICK):
        rows = [row for row in paper if row["table"] == name]
        for k, row in [(0, rows[0]), *((int(row["k"]), row) for row in rows)]:
            if given.k is not None and k not in given.k:
                continue
            line = {**measured(row, k, given.time_limit, given.max_parents), "time_limit": given.time_limit}
            print(line, flush=True)
            limit = f"{given.time_limit:g} s a stage, one thread"
            measure.put_row(output, line, budget=limit, key=("table", "k"))


if __name__ == "__main__":
    main()
