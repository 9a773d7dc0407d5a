"""The large tables within the default minute: score, gap, time and memory.

    python run.py [--full] [--seconds S] [--threads N] [--stop-after S] [--clock LIBRARY]

Quick mode: andes (223 variables); full mode: bbc.ts (1,058) and ad.ts (1,556) too, and tables of 4,000 and
10,000 variables and 5,000 rows drawn from random networks (states 2 to 4, parents 0 to 6, seed 1).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import DATA, Results, given_options, name_of, rows_of

import bayesloom as bl

BEST_OF_OTHERS = {row["table"]: float(row["bic"]) for row in rows_of(HERE / "peer.csv")}
given = given_options(threads=2).parse_args()
seconds = given.seconds or 60
results = Results(HERE, ("table", "budget", "threads"), given)


def line(table: str, path: Path) -> None:
    row = results.run_one("bayesloom", path, seconds, given.threads)
    best = BEST_OF_OTHERS.get(table)
    ahead = None if best is None or "bic" not in row else round(row["bic"] - best, 1)
    results.add(
        {"table": table, "budget": seconds, "threads": given.threads, **row, "ahead_of_others": ahead}
    )


paths = [DATA / "networks" / "samples" / "andes-5000.csv.gz"]
if given.full:
    paths += [DATA / "debd" / "bbc.ts.data.gz", DATA / "debd" / "ad.ts.data.gz"]
for path in paths:
    if not results.has(table=name_of(path), budget=seconds, threads=given.threads):
        line(name_of(path), path)
for n in (4000, 10_000) if given.full else ():
    if not results.has(table=f"random-{n}", budget=seconds, threads=given.threads):
        with tempfile.TemporaryDirectory() as folder:
            drawn = Path(folder) / f"random-{n}.parquet"
            bl.random_network(n, states=(2, 4), max_parents=6, seed=1).sample(5000, seed=1).write(drawn)
            line(f"random-{n}", drawn)
