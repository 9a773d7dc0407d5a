"""lee2017 Table 4: all order-based solvers under one budget, median over three seeds.

Usage: python benchmarks/tables/lee2017/table4/run.py [--full] [--seconds S] [--caches DIR]

Caches of our own from the paper's tables (independence selection, at most 6 parents) and the score files that
BLIP made. Full mode: 2 s per run, one thread. Quick mode: the instances of up to 200 variables, 1 s.
Rows that are in the results already are not run again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import option, put_row, results_of, rows_of
from score_caches import FOLDER, cache_path

import bayesloom as bl

SOLVERS = ("obs", "asobs", "inobs", "iinobs", "minobs")
SMALL = ["nltcs", "msnbc", "kdd", "plants", "bnetflix", "accidents", "pumsb_star", "dna", "kosarek"]
LARGE = ["msweb", "book", "tmovie", "cwebkb", "cr52", "c20ng", "bbc", "ad"]
BLIP = ["diabetes-5000", "pigs-5000", "link-5000"]


def main(full: bool, seconds: float, folder: Path) -> None:
    path = results_of(__file__, full=full)
    done = {row["instance"] for row in rows_of(path) if full}
    names = [f"{name}.test" for name in SMALL + (LARGE if full else [])] + (BLIP if full else [])
    for name in names:
        if name in done:
            continue
        cache = bl.ScoreCache.read(cache_path(name, folder))
        row = {"instance": name, "variables": cache.variable_count, "candidates": cache.candidate_count}
        for solver in SOLVERS:
            scores = [
                bl.search(cache, solver=solver, time_limit=seconds, seed=seed, threads=1).score
                for seed in range(3)
            ]
            row[solver] = round(median(scores), 3)
        row["best"] = max(SOLVERS, key=lambda solver: row[solver])
        print(row, flush=True)
        put_row(
            path,
            {**row, "seconds": seconds, "seeds": 3},
            budget=f"{seconds:g} s a run, one thread",
            key=("instance",),
        )
    ranks(rows_of(path))


def ranks(rows: list[dict[str, str]]) -> None:
    """Print the mean rank of every solver, how often it was best, and how often in the paper."""
    paper = {row["solver"]: row["best_of_20"] for row in rows_of(Path(__file__).with_name("paper.csv"))}
    for solver in SOLVERS:
        places = [1 + sum(float(row[other]) > float(row[solver]) for other in SOLVERS) for row in rows]
        print(
            f"{solver:7} mean rank {sum(places) / len(places):.2f}, best {places.count(1)} of {len(places)}, "
            f"in the paper {paper[solver]} of 20"
        )


if __name__ == "__main__":
    whole = "--full" in sys.argv[1:]
    budget = float(option("--seconds", "2" if whole else "1"))
    main(whole, budget, Path(option("--caches", str(FOLDER))))
