"""What a linear program at the root is worth to `bblp`: option ``lp`` off and on, at the root and for the proof.

Usage: python benchmarks/tables/relaxation/lp/run.py [--full] [--only NAME,NAME] [--root 120] [--proof 60]
       [--caches FOLDER]

Quick mode: alarm and soybean. Full mode: also wdbc, two score files of BLIP and five density estimation tables,
made as in benchmarks/tables/relaxation/debd/ or read from FOLDER as NAME.test.blc. At most 120 seconds at the root
and 60 for the proof; one thread. Rows that are in the file already are left out: a run can be broken off and gone on
with. Needs highspy.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import option, options, put_row, results_of, rows_of
from proofs import search, shown
from score_caches import cache_of, converted

QUICK = ["alarm1000", "soybean"]
DENSITY = ["plants", "accidents", "dna", "msweb", "baudio"]
ALL = [*QUICK, "wdbc", "alarm-5000", "hailfinder-5000", *DENSITY]


def cache(name: str) -> Path:
    """The cache of a table, made on the first call."""
    if name == "alarm1000":
        return cache_of("networks/samples/alarm1000.csv.gz", max_parents=4)
    if name in ("soybean", "wdbc"):
        return cache_of(f"uci/{name}.csv.gz")
    if name not in DENSITY:
        return converted(f"scores/{name}.BLIP-BIC-k6.jkl.gz")
    if folder := options("--caches"):
        return Path(folder[0]) / f"{name}.test.blc"
    return cache_of(f"debd/{name}.test.data.gz", max_parents=6, method="independence", time_per_variable=0.1)


def main() -> None:
    full = "--full" in sys.argv
    path = results_of(__file__, full=full)
    done = {(row["table"], row["run"], row["lp"]) for row in rows_of(path) if full}
    times = {"root": float(option("--root", "120")), "proof": float(option("--proof", "60"))}
    for name in options("--only") or (ALL if full else QUICK):
        for run, seconds in times.items():
            for lp in (False, True):
                if (name, run, str(lp)) in done or seconds == 0:
                    continue
                row = {"table": name, "run": run, "lp": lp, "time_limit": seconds, "threads": 1}
                chosen = {"branch": run == "proof", "lp": lp}
                row |= search(cache(name), solver="bblp", threads=1, time_limit=seconds, options=chosen)
                put_row(path, shown(row), budget=f"{seconds:g} s, one thread", key=("table", "run", "lp"))


if __name__ == "__main__":
    main()
