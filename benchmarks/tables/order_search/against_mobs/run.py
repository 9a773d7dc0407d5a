"""`minobs` beside mobs, the program of lee2017's authors.

Usage: python benchmarks/tables/order_search/against_mobs/run.py [--full]

mobs ran on the same kind of machine, one core, seed 1, 600 s of CPU: `peer.csv`; on wdbc its score after 10 s is from
elsewhere. Ours: seconds of one climb, seconds until mobs's score after 60 s is reached, and the score after 60 s (quick
mode: 6 s), for two seeds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, keep, results_of, rows_of
from score_caches import FOLDER, cache_path

import bayesloom as bl

MOBS = Path(__file__).with_name("peer.csv")


def mobs() -> dict[str, dict[float, float]]:
    """What mobs had after how many seconds of CPU, for each instance; the first is its first local optimum."""
    found: dict[str, dict[float, float]] = {}
    for row in rows_of(MOBS):
        found.setdefault(row["instance"], {})[float(row["cpu_seconds"])] = float(row["score"])
    return found


def measured(cache: bl.ScoreCache, target: float | None, seconds: float, seed: int) -> dict[str, Any]:
    climb = min(
        bl.search(cache, solver="inobs", options={"climbs": 1}, seed=s, threads=1).seconds["search"]
        for s in range(5)
    )
    found = bl.search(cache, solver="minobs", time_limit=seconds, seed=seed, threads=1)
    reached = [point.seconds for point in found.trace if target is not None and point.score >= target]
    return {
        "first_optimum_seconds": round(climb, 5),
        "seconds_to_mobs_score": round(reached[0], 3) if reached else None,
        "score_after_3s": max(p.score for p in found.trace if p.seconds <= 3),
        "score": found.score,
        "seconds": seconds,
    }


def main(full: bool) -> None:
    rows = []
    for name, by_seconds in mobs().items():
        climb, score, end = min(by_seconds), by_seconds[60], by_seconds[600]
        cache = bl.ScoreCache.read(cache_path(name, FOLDER))
        for seed in range(2 if full else 1):
            row = {"instance": name, "seed": seed, "mobs_first_optimum": climb}
            row |= {"mobs_score_60s": score, "mobs_score_600s": end}
            rows.append({**row, **measured(cache, score, 60 if full else 6, seed)})
            print(rows[-1], flush=True)
    wdbc = bl.score(bl.read_table(DATA / "uci" / "wdbc.csv.gz", discrete=True), max_parents=5)
    for seed in range(2 if full else 1):
        row = {"instance": "wdbc, 5 parents", "seed": seed, "mobs_score_10s": -6602.578}
        rows.append({**row, **measured(wdbc, -6602.578, 10 if full else 3, seed)})
        print(rows[-1], flush=True)
    keep(results_of(__file__, full=full), rows, budget="see seconds; one thread")


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
