"""Figure 2 of jaakkola2010: time to proof against dynamic programming, BDeu, at most 4 parents.

Usage: python benchmarks/tables/jaakkola2010/figure2/run.py [--full]

Quick mode: mushroom (22 variables). Full mode: wdbc (31) and alarm (37) as well. Dynamic programming
beyond 31 variables does not fit in memory; for alarm its time is that of wdbc times 64 (six more variables).
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import keep, results_of
from proofs import search, shown
from score_caches import cache_of

TABLES = {
    "mushroom": "uci/mushroom.csv.gz",
    "wdbc": "uci/wdbc.csv.gz",
    "alarm": "networks/samples/alarm1000.csv.gz",
}


def main() -> None:
    full, rows = "--full" in sys.argv, []
    for name in TABLES if full else ["mushroom"]:
        cache = cache_of(TABLES[name], score="bdeu", max_parents=4)
        for solver in ("bblp", "dp"):
            row = {"table": name, "asked": solver}
            if solver == "dp" and name == "alarm":
                wdbc = [r["cpu_seconds"] for r in rows if r["table"] == "wdbc" and r["asked"] == "dp"]
                row["projected_seconds"] = round(64 * wdbc[0], 1) if wdbc else None
            else:
                row |= search(cache, solver=solver, threads=1, time_limit=600.0)
            rows.append(shown(row))
    keep(results_of(__file__, full=full), rows, budget="600 s, one thread")


if __name__ == "__main__":
    main()
