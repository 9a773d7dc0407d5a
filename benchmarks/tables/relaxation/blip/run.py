"""BLIP's score files at 5000 rows (at most 6 parents): proof, or the gap when time is up.

Usage: python benchmarks/tables/relaxation/blip/run.py [--full] [--only NAME,NAME] [--solver bblp]

Quick mode: the six files of at most 60 variables by `auto`, 20 seconds each. Full mode: all ten, `bblp` and `auto`
on one thread, 300 seconds each. Rows that are in the file already are left out: a run can be broken off and gone on with.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import options, put_row, results_of, rows_of
from proofs import search, shown
from score_caches import converted

SMALL = ["child", "insurance", "mildew", "alarm", "barley", "hailfinder"]
LARGE = ["diabetes", "link", "pigs", "munin"]


def main() -> None:
    full = "--full" in sys.argv
    seconds = 300.0 if full else 20.0
    path = results_of(__file__, full=full)
    done = {(row["file"], row["asked"], float(row["time_limit"])) for row in rows_of(path) if full}
    for name in options("--only") or SMALL + (LARGE if full else []):
        cache = converted(f"scores/{name}-5000.BLIP-BIC-k6.jkl.gz")
        for solver in options("--solver") or (["bblp", "auto"] if full else ["auto"]):
            if (name, solver, seconds) in done:
                continue
            row = {"file": name, "asked": solver, "threads": 1, "time_limit": seconds}
            row |= search(cache, solver=solver, threads=1, time_limit=seconds)
            put_row(
                path, shown(row), budget=f"{seconds:g} s, one thread", key=("file", "asked", "time_limit")
            )


if __name__ == "__main__":
    main()
