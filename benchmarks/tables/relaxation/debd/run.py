"""The gap on density estimation tables (n = 16 to 1556): at most 6 parents, independence selection.

Usage: python benchmarks/tables/relaxation/debd/run.py [--full] [--only NAME,NAME] [--seconds 60] [--caches FOLDER]

Quick mode: the test files of three small tables, 20 seconds each. Full mode: all twenty, after 60 and 600
seconds. Caches are made with 0.1 seconds per variable, so they are not complete and differ a little from
machine to machine; the gap is over the cache. With a folder of caches, NAME.test.blc is read from there. Rows that are in
the file already are left out: a run can be broken off and gone on with.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import options, put_row, results_of, rows_of
from proofs import search, shown
from score_caches import cache_of

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


def cache(name: str) -> Path:
    """The cache of a test file, from the folder given or made here."""
    folder = options("--caches")
    if folder:
        return Path(folder[0]) / f"{name}.test.blc"
    file = f"debd/{name}.test.data.gz"
    return cache_of(file, max_parents=6, method="independence", time_per_variable=0.1)


def main() -> None:
    full = "--full" in sys.argv
    times = [float(value) for value in options("--seconds")] or ([60.0, 600.0] if full else [20.0])
    path = results_of(__file__, full=full)
    kept = rows_of(path) if full else []
    done = {(row["table"], float(row["time_limit"])) for row in kept}
    proved = {row["table"] for row in kept if row.get("status") == "optimal"}
    for seconds in times:
        for name in options("--only") or (ALL if full else QUICK):
            if (name, seconds) in done or name in proved:
                continue
            row = {"table": name, "time_limit": seconds, "threads": 1}
            row |= search(cache(name), solver="auto", threads=1, time_limit=seconds)
            if row.get("status") == "optimal":
                proved.add(name)
            put_row(path, shown(row), budget=f"{seconds:g} s, one thread", key=("table", "time_limit"))


if __name__ == "__main__":
    main()
