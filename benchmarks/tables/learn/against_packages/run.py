"""`learn` beside pyAgrum (hill climbing, tabu) and pgmpy (hill climbing): one thread, equal wall time.

    python run.py [--full] [--patience S]

The other learner runs first and ends by itself; `learn` then gets the time that it took (a tenth of a
second at least).  All networks are scored by the same BIC.  Needs `make interop`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import OTHERS, Results, run_one, tables

parser = argparse.ArgumentParser()
parser.add_argument("--full", action="store_true")
parser.add_argument("--patience", type=float, default=300)
given = parser.parse_args()
results = Results(HERE / "results.csv")
worse = []
for path in tables(given.full):
    name = path.name.removesuffix(".gz")
    for other in OTHERS:
        theirs = run_one(other, path, 0, 1, patience=given.patience)
        budget = max(0.1, theirs.get("seconds", given.patience))
        ours = run_one("bayesloom", path, budget, 1, patience=budget + 600)
        row = {"table": name, "other": other, "budget": round(budget, 3)}
        row |= {f"their_{key}": theirs.get(key) for key in ("bic", "seconds", "edges", "status")}
        row |= {
            f"our_{key}": ours.get(key) for key in ("bic", "seconds", "cpu_seconds", "edges", "gap", "status")
        }
        if row["their_bic"] is not None and row["our_bic"] is not None:
            row["ahead"] = round(row["our_bic"] - row["their_bic"], 4)
            if row["ahead"] < -1e-3:
                worse.append((name, other, row["ahead"]))
        results.add(row)
print(f"{len(results.rows)} comparisons; worse than the other: {worse or 'none'}")
