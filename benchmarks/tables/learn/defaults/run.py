"""`learn` with defaults and nothing else on every table of uci and networks/samples.

    python run.py [--full] [--seconds S] [--threads N] [--stop-after S] [--clock LIBRARY]

Ends in at most S + 15 seconds each (S = 60, the default of `learn`); a crash is a line with its error.
Quick mode: the small tables with S = 5.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import Results, given_options, name_of, rows_of, tables

given = given_options(threads=2).parse_args()
seconds = given.seconds or (60 if given.full else 5)
results = Results(HERE, ("table",), given)
known = {row["table"]: row for row in rows_of(HERE / "peer.csv")}
for path in tables(given.full, raw=True):
    table = name_of(path)
    if results.has(table=table):
        continue
    row = results.run_one("bayesloom", path, seconds, given.threads)
    row = {"table": table, "budget": seconds, "threads": given.threads, **row}
    if table in known:
        row |= {"known": known[table]["bic"], "known_is": known[table]["source"]}
    results.add(row)
late = [r["table"] for r in results.rows if float(r.get("process_seconds") or 1e9) > float(r["budget"]) + 15]
failed = [row["table"] for row in results.rows if not row.get("bic")]
behind = [
    r["table"]
    for r in results.rows
    if r.get("known") and r.get("bic") and float(r["bic"]) < 1.000001 * float(r["known"])
]
print(
    f"{len(results.rows)} tables; late: {late or 'none'}; failed: {failed or 'none'}; "
    f"behind what is known: {behind or 'none'}"
)
