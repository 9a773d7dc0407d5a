"""Proof of optimality from complete BIC caches, one thread, against published optima.

Usage: python benchmarks/tables/relaxation/proofs/run.py [--full] [--only TABLE,TABLE]

Quick mode: the rows that take less than a second each, by `bblp` and `auto`. Full mode: all rows; each takes the place of what
was measured before.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, options, put_row, results_of, rows_of
from proofs import search, shown
from score_caches import cache_of

SAMPLES = [
    "insurance1000",
    "alarm1000",
    "alarm",
    "mildew1000",
    "barley1000",
    "hailfinder100",
    "hailfinder500",
]
TABLES = ["sponge", "lung-cancer", "horse", "flag", "spectf", "bands", "soybean", "steel", "wdbc"]
SLOW = {"alarm", "spectf", "bands", "soybean", "steel", "wdbc"}  # to score or to prove
KEY = ("table", "asked")
WORK = 60_000_000  # about a minute of a core


def published() -> dict[str, float]:
    """Costs that other programs print for exactly these files, as scores."""
    with (DATA / "scores" / "published_optima.csv").open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["score"] == "BIC"]
    found = {}
    for row in rows:
        costs = [row[name] for name in ("cost_GOBNILP", "cost_CPBayes") if row[name] not in ("", "NA")]
        if costs and row["status"] in ("match", "unclear"):
            found[row["benchmark"]] = -float(costs[0])
    return found


def main() -> None:
    known, full, only = published(), "--full" in sys.argv, options("--only")
    others = {row["table"]: row["seconds"] for row in rows_of(Path(__file__).with_name("peer.csv"))}
    for name in SAMPLES + TABLES:
        if (name in SLOW and not full) or (only and name not in only):
            continue
        folder = "networks/samples" if name in SAMPLES else "uci"
        cache = cache_of(f"{folder}/{name}.csv.gz")
        for solver in ("bblp", "auto"):
            row = {"table": name, "published": known.get(name), "asked": solver}
            row |= search(cache, solver=solver, threads=1, work_limit=WORK)
            if known.get(name) is not None and "score" in row:
                row["difference"] = round(row["score"] - known[name], 6)
            row = shown({**row, "gobnilp_seconds": others.get(name)})
            put_row(results_of(__file__, full=full), row, budget=f"work of {WORK:,}, one thread", key=KEY)


if __name__ == "__main__":
    main()
