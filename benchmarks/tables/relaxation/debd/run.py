"""The gap on density estimation tables (n = 16 to 1556): at most 6 parents, independence selection.

Usage: python benchmarks/tables/relaxation/debd/run.py [--full]

Quick mode: the test files of three small tables, 20 seconds each. Full mode: all twenty, after 60 and 600
seconds. Caches are made with 0.1 seconds per variable, so they are not complete and differ a little from
machine to machine; the gap is over the cache.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import keep
from proofs import cache_of, search, shown

QUICK = ["nltcs", "msnbc", "plants"]
ALL = [
    *(
        "nltcs",
        "msnbc",
        "kdd",
        "plants",
        "baudio",
        "jester",
        "bnetflix",
        "accidents",
        "tretail",
        "pumsb_star",
    ),
    *("dna", "kosarek", "msweb", "book", "tmovie", "cwebkb", "cr52", "c20ng", "bbc", "ad"),
]


def main() -> None:
    full = "--full" in sys.argv
    rows = []
    for name in ALL if full else QUICK:
        cache = cache_of(
            f"debd/{name}.test.data.gz", max_parents=6, method="independence", time_per_variable=0.1
        )
        for seconds in (60.0, 600.0) if full else (20.0,):
            row = {"table": name, "time_limit": seconds, "threads": 2}
            row |= search(cache, solver="auto", threads=2, time_limit=seconds)
            rows.append(shown(row))
            if row.get("status") == "optimal":
                break
    keep("relaxation-debd", rows)


if __name__ == "__main__":
    main()
