"""How often `minobs` finds the published optimum within two seconds.

Usage: python benchmarks/tables/order_search/optima/run.py [--full] [--caches DIR]

Every row of `published_optima.csv` with a table of at most 60 variables that matches it, scored as the row says;
ten seeds, one thread, 2 s each (quick mode: three seeds, BIC only). The score is compared with the published cost
to the digits it has (0.02). Where a complete cache would take more than 80 s (BDeu bounds supersets badly), the row has
the largest limit on parents that takes less, in the column `max_parents`.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, keep, option, results_of
from score_caches import FOLDER

import bayesloom as bl


def published(full: bool) -> list[tuple[str, str, str, float]]:
    """Benchmark, score as written, file, optimal score."""
    with (DATA / "scores" / "published_optima.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    chosen = []
    for row in rows:
        usable = row["status"] == "match" or row["status"].startswith(("file matches", "not recomputed"))
        if not usable or not (full or row["score"] == "BIC"):
            continue
        cost = next(
            row[key] for key in ("cost_GOBNILP", "cost_Astar", "cost_CPBayes") if row[key] not in ("", "NA")
        )
        chosen.append((row["benchmark"], row["score"], row["file"], -float(cost)))
    return chosen


def scored(file: str, score: str, folder: Path) -> bl.ScoreCache:
    """The cache of a row: `BIC`, `BDeu`, `BIC palim=3`, `BDeu ess=1 palim=3`."""
    name, *settings = score.split()
    given = dict(setting.split("=") for setting in settings)
    limit = int(given["palim"]) if "palim" in given else None
    path = folder / f"{Path(file).name.split('.')[0]}.{name.lower()}.{limit}.blc"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        table = bl.read_table(DATA / file, discrete=True)
        within = (limit, *range(10, 3, -1))
        limit = next(k for k in within if bl.estimate(table, score=name.lower(), max_parents=k).seconds <= 80)
        bl.score(table, score=name.lower(), max_parents=limit).write(path)
    return bl.ScoreCache.read(path)


def main(full: bool, folder: Path) -> None:
    rows = []
    for benchmark, score, file, optimum in published(full):
        cache = scored(file, score, folder)
        if cache.variable_count > 60:
            continue
        found: list[bl.SearchResult] = []
        for seed in range(10 if full else 3):  # the first has all its time, the others stop where it came to
            target = max(result.score for result in found) if found else None
            found.append(bl.search(cache, solver="minobs", time_limit=2, seed=seed, target=target, threads=1))
        best = max(result.score for result in found)
        hits = sum(result.score >= best - 1e-9 for result in found)
        moments = [
            next(p.seconds for p in r.trace if p.score >= best - 1e-9)
            for r in found
            if r.score >= best - 1e-9
        ]
        row = {"benchmark": benchmark, "score": score, "variables": cache.variable_count}
        row |= {"candidates": cache.candidate_count, "max_parents": cache.info.get("max_parents") or ""}
        row |= {"published": optimum, "best": round(best, 6)}
        row |= {"difference": round(best - optimum, 4), "seeds_at_best": hits, "seeds": len(found)}
        row["slowest_seconds"] = round(max(moments), 4)
        print(row, flush=True)
        rows.append(row)
    keep(results_of(__file__, full=full), rows, budget="2 s a run, one thread")


if __name__ == "__main__":
    main("--full" in sys.argv[1:], Path(option("--caches", str(FOLDER))))
