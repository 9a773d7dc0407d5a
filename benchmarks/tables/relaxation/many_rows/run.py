"""Proofs from tables with many rows, at most 3 parents, one thread, counted work.

Usage: python benchmarks/tables/relaxation/many_rows/run.py [--full] [--seeds 1,2] [--only NETWORK,NETWORK] [--prices] [--again] [--minutes M]

Rows are sampled from the network (`bayesloom sample`), scored by BIC with at most 3 parents (`--discrete all`), and searched by
`bblp`; with `--prices` by prices alone as well. Quick mode: insurance with 5,000 rows. Full mode: seven networks, 1,000 to 100,000 rows;
rows that are in the file already are left out, with `--again` only those of the commit that is measured. The hardest sizes come first, and with `--minutes`
none begins after so many.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, option, options, put_row, results_of, rows_of, stamp
from proofs import search, shown
from score_caches import FOLDER

import bayesloom as bl

NETWORKS = ["child", "insurance", "water", "mildew", "alarm", "barley", "hailfinder"]
ROWS = [20_000, 100_000, 5_000, 1_000]  # the most telling first
WORK = 60_000_000  # about a minute of a core
KEY = ("network", "rows", "seed", "by")


def cache_of(network: str, rows: int, seed: int) -> Path:
    """The cache of a sample, made on the first call."""
    path = FOLDER / f"{network}-{rows}-{seed}-k3.blc"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        table = bl.read_network(DATA / "networks" / f"{network}.bif.gz").sample(rows, seed=seed)
        bl.score(table, max_parents=3, threads=1).write(path)
    return path


def main() -> None:
    full = "--full" in sys.argv
    seeds = [int(seed) for seed in option("--seeds", "1").split(",")]
    names = options("--only") or NETWORKS
    cases = [(name, rows, seed) for rows in ROWS for name in names for seed in seeds]
    out = results_of(__file__, full=full)
    here = stamp("")["commit"]
    old = [row for row in rows_of(out) if "--again" not in sys.argv or row["commit"] == here] if full else []
    done = {tuple(row[name] for name in KEY) for row in old}
    end = time.monotonic() + 60 * float(option("--minutes", "inf"))
    for network, rows, seed in cases if full else [("insurance", 5_000, 1)]:
        if time.monotonic() > end:
            print("the minutes are over", flush=True)
            return
        cache = cache_of(network, rows, seed)
        for by, lp in [("branch and cut", True), ("prices", False)][: 1 + ("--prices" in sys.argv)]:
            if (network, str(rows), str(seed), by) in done:
                continue
            row = {"network": network, "rows": rows, "seed": seed, "by": by}
            row |= search(cache, solver="bblp", threads=1, seed=seed, work_limit=WORK, options={"lp": lp})
            put_row(out, shown(row), budget=f"work of {WORK:,}, one thread", key=KEY)


if __name__ == "__main__":
    main()
