"""`learn` beside pyAgrum (hill climbing, tabu) and pgmpy (hill climbing): one thread, equal time.

    python run.py [--full] [--patience S] [--stop-after S] [--clock LIBRARY]

The other learner runs first and ends by itself, or is given up after S = 60 seconds; `learn` then gets
the time that it took (0.05 seconds at least).  All networks are scored by the same BIC.  Quick
mode: the small tables.  Needs `make interop`.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import OTHERS, Results, given_options, name_of, tables

LEAST = 0.05  # seconds: below, the clock and the looks at it decide
given = given_options().parse_args()
results = Results(HERE, ("table", "other"), given)
for path in tables(given.full):
    table = name_of(path)
    for other in OTHERS:
        if results.has(table=table, other=other):
            continue
        theirs = results.run_forked(other, path, 0)
        row = {"table": table, "other": other, "variables": "", "rows": ""}
        row |= {
            f"their_{name}": theirs.get(name) for name in ("bic", "seconds", "edges", "peak_mb", "status")
        }
        if "bic" in theirs:
            budget = max(LEAST, theirs["seconds"])
            ours = results.run_forked("bayesloom", path, budget)
            row |= {"variables": theirs["variables"], "rows": theirs["rows"], "budget": round(budget, 3)}
            row |= {
                f"our_{name}": ours.get(name)
                for name in ("bic", "seconds", "cpu_seconds", "edges", "gap", "peak_mb", "status")
            }
            if "bic" in ours:
                row["ahead"] = round(ours["bic"] - theirs["bic"], 4)
        results.add(row)
worse = [
    (row["table"], row["other"], row["ahead"])
    for row in results.rows
    if row.get("ahead") not in (None, "") and float(row["ahead"]) < -1e-3
]
failed = [row["table"] for row in results.rows if row.get("their_bic") and not row.get("our_bic")]
print(f"{len(results.rows)} comparisons; worse than the other: {worse or 'none'}; failed: {failed or 'none'}")
