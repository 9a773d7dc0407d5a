"""lee2017 Table 1: best, first and hybrid choice of the next insert, one climb from a random order.

Usage: python benchmarks/tables/lee2017/table1/run.py [--full] [--caches DIR]

Mean score and seconds of the climb over 100 seeds (quick mode: 10, and the small instances only).
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import keep, option, results_of, rows_of
from score_caches import FOLDER, cache_path

import bayesloom as bl

SMALL = ["segment", "autos", "soybean", "wdbc", "steel:bdeu"]
LARGE = ["baudio.ts", "jester.ts", "tretail.ts", "munin-5000"]


def main(full: bool, folder: Path) -> None:
    paper = {row.pop("instance"): row for row in rows_of(Path(__file__).with_name("paper.csv"))}
    rows = []
    for name in SMALL + (LARGE if full else []):
        cache = bl.ScoreCache.read(cache_path(name, folder))
        row = {"instance": name, "variables": cache.variable_count, "candidates": cache.candidate_count}
        for selection in ("best", "first", "hybrid"):
            options = {"climbs": 1, "selection": selection}
            climbs = [
                bl.search(cache, solver="inobs", options=options, seed=seed, threads=1)
                for seed in range(100 if full else 10)
            ]
            row[f"{selection}_seconds"] = round(mean(climb.seconds["search"] for climb in climbs), 6)
            row[f"{selection}_score"] = round(mean(climb.score for climb in climbs), 1)
        print(row, flush=True)
        row |= {f"paper_{key}": value for key, value in paper[name].items()}
        rows.append({**row, "runs": len(climbs)})
    keep(results_of(__file__, full=full), rows, budget="one climb a run, one thread")


if __name__ == "__main__":
    main("--full" in sys.argv[1:], Path(option("--caches", str(FOLDER))))
