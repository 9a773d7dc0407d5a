"""BLIP's score files at 5000 rows (at most 6 parents): proof, or the gap when time is up.

Usage: python benchmarks/tables/relaxation/blip/run.py [--full]

Quick mode: the six files of at most 60 variables, 20 seconds each. Full mode: all ten, 300 seconds each.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import keep
from proofs import converted, search, shown

SMALL = ["child", "insurance", "mildew", "alarm", "barley", "hailfinder"]
LARGE = ["diabetes", "link", "pigs", "munin"]


def main() -> None:
    full = "--full" in sys.argv
    seconds = 300.0 if full else 20.0
    rows = []
    for name in SMALL + (LARGE if full else []):
        cache = converted(f"scores/{name}-5000.BLIP-BIC-k6.jkl.gz")
        for solver, threads in (("bblp", 1), ("auto", 2)) if full else (("auto", 1),):
            row = {"file": name, "asked": solver, "threads": threads, "time_limit": seconds}
            rows.append(shown(row | search(cache, solver=solver, threads=threads, time_limit=seconds)))
    keep("relaxation-blip", rows)


if __name__ == "__main__":
    main()
