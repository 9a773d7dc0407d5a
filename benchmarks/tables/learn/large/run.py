"""The large tables within the default minute: score, gap, time and memory.

    python run.py [--full] [--seconds S] [--threads N] [--stop-after S] [--clock LIBRARY]

Quick mode: andes (223 variables); full mode: bbc.ts (1,058) and ad.ts (1,556) too, and tables of 4,000 and
10,000 variables and 5,000 rows drawn from random networks (states 2 to 4, parents 0 to 6, seed 1).  Then,
beside the network they were drawn from: 1,000, 2,000 and 5,000 variables, states 2 to 6, parents 0 to 2,
concentration 0.3 (strong edges), seeds 11 to 13 (quick mode: 1,000 variables, seed 11).  Seeds 1 to 3 are for
choosing, 11 to 13 for telling.
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


def line(table: str, path: Path, truth: Path | None = None, truth_bic: float | None = None) -> None:
    row = results.run_one("bayesloom", path, seconds, given.threads, truth)
    best = BEST_OF_OTHERS.get(table)
    ahead = None if best is None or "bic" not in row else round(row["bic"] - best, 1)
    results.add(
        {
            "table": table,
            "budget": seconds,
            "threads": given.threads,
            **row,
            "ahead_of_others": ahead,
            "truth_bic": truth_bic,
            "ahead_of_truth": None
            if truth_bic is None or "bic" not in row
            else round(row["bic"] - truth_bic, 1),
        }
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

for n in (1000, 2000, 5000) if given.full else (1000,):
    for seed in (11, 12, 13) if given.full else (11,):
        name = f"strong-{n}-{seed}"
        if results.has(table=name, budget=seconds, threads=given.threads):
            continue
        with tempfile.TemporaryDirectory() as folder:
            drawn, truth = Path(folder) / f"{name}.parquet", Path(folder) / "truth.json"
            fitted = bl.random_network(n, states=(2, 6), max_parents=2, concentration=0.3, seed=seed)
            fitted.sample(5000, seed=seed).write(drawn)
            fitted.network.write(truth)
            best = round(sum(bl.network_scores(fitted.network, bl.read_table(drawn)).values()), 1)
            line(name, drawn, truth, best)
