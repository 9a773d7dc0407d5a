"""Which score finds the network that the rows came from? Distance of the learned class to the true one.

Usage: python benchmarks/tables/scores/distance/run.py [--full]

The distance counts the pairs of variables whose edge differs between the two CPDAGs. Each network is sampled anew for
each number of rows and each seed; every score gets the same samples. Complete scoring with at most `PARENTS`
parents, then the exact search: no luck of a heuristic in it. Quick mode (a minute): two networks, one number of rows,
three seeds. Full mode: all networks, 500 and 2,000 rows, ten seeds; rows that are there already are kept, so that a
run that was broken off goes on. `summary` in the README is printed at the end.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, put_row, results_of, rows_of

import bayesloom as bl

NETWORKS = ("asia", "sachs", "child", "insurance", "alarm")
QUICK = 2
SCORES: tuple[tuple[str, dict[str, float]], ...] = (
    ("bic", {}),
    ("aic", {}),
    ("bdeu", {"ess": 1.0}),
    ("bdeu", {"ess": 10.0}),
    ("bds", {"ess": 1.0}),
    ("k2", {}),
    ("qnml", {}),
    ("fnml", {}),
)
PARENTS = 3
FIRST_SEED = 7001


def name_of(score: str, options: dict[str, float]) -> str:
    return " ".join([score, *(f"{value:g}" for value in options.values())])


def summary(path: Path) -> str:
    """Mean distance of each score on each sample kind, with 95 % intervals of the mean over seeds."""
    distances: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(path):
        distances[row["network"], row["sample_rows"]][row["score"]].append(float(row["distance"]))
    names = [name_of(*score) for score in SCORES]
    lines = ["| network, rows | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for (network, rows), found in distances.items():
        cells = []
        for name in names:
            values = found.get(name, [])
            spread = (
                2.262 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
            )
            cells.append(f"{statistics.mean(values):.1f} ± {spread:.1f}" if values else "-")
        lines.append(f"| {network}, {rows} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(full: bool) -> None:
    path = results_of(__file__, full=full)
    done = {(row["network"], row["sample_rows"], row["seed"], row["score"]) for row in rows_of(path)}
    for name in NETWORKS if full else NETWORKS[:QUICK]:
        truth = bl.read_network(DATA / "networks" / f"{name}.bif.gz")
        for rows in (500, 2000) if full else (500,):
            for seed in range(FIRST_SEED, FIRST_SEED + (10 if full else 3)):
                table = truth.sample(rows, seed=seed)
                for score, options in SCORES:
                    label = name_of(score, options)
                    if (name, str(rows), str(seed), label) in done:
                        continue
                    start = time.process_time()
                    cache = bl.score(table, score=score, options=options, max_parents=PARENTS, threads=1)
                    found = bl.search(cache, time_limit=60, threads=1)
                    row = {
                        "network": name,
                        "sample_rows": rows,
                        "seed": seed,
                        "score": label,
                        "distance": bl.compare(found.network, truth.network).distance_cpdag,
                        "status": found.status,
                        "cpu_seconds": round(time.process_time() - start, 2),
                    }
                    print(json.dumps(row), flush=True)
                    put_row(path, row, budget=f"at most {PARENTS} parents, search to its end or 60 s")
    print(summary(path))


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
