"""`learn` with defaults and nothing else on every table of uci and networks/samples.

    python run.py [--full] [--seconds S] [--threads N]

Ends in at most S + 15 seconds each (S = 60, the default of `learn`); a crash is a line with its error.
Quick mode: the small tables with S = 5.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import Results, run_one, tables

parser = argparse.ArgumentParser()
parser.add_argument("--full", action="store_true")
parser.add_argument("--seconds", type=float)
parser.add_argument("--threads", type=int, default=2)
given = parser.parse_args()
seconds = given.seconds or (60 if given.full else 5)
results = Results(HERE / "results.csv")
for path in tables(given.full):
    row = run_one("bayesloom", path, seconds, given.threads, patience=seconds + 600)
    results.add({"table": path.name.removesuffix(".gz"), "budget": seconds, "threads": given.threads, **row})
late = [row["table"] for row in results.rows if row.get("wall_seconds", 1e9) > seconds + 15]
failed = [row["table"] for row in results.rows if "bic" not in row]
print(f"{len(results.rows)} tables; late: {late or 'none'}; failed: {failed or 'none'}")
