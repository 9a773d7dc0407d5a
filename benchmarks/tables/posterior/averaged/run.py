"""Averaged networks beside the single best: how far each is from the network that the rows were drawn from.

Usage: python benchmarks/tables/posterior/averaged/run.py [--full] [--summary]

Truths: random networks of 10 variables, asia, sachs and child. The best network; the averaged network of the credible set
(factor 20), of the exact posterior, and of 100 bootstrap replicates, by least mean distance and by the threshold of
Scutari and Nagarajan. Distances are between equivalence classes. Quick mode takes 3 random networks, asia and sachs,
one seed, 200 and 2,000 rows; full mode 7 random networks, child too, three seeds, four sizes. `--summary` prints what the rows say.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, results_of, rows_of, stamp, write_rows

import bayesloom as bl

WAYS = ("best", "credible", "posterior", "bootstrap", "bootstrap, threshold")
ROWS = (50, 200, 500, 2000)
T_95 = dict(enumerate((0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)))  # Student's


def truth_of(name: str) -> bl.FittedNetwork:
    """A network by its name, or a random one by its number."""
    if name.startswith("random"):
        return bl.random_network(10, states=(2, 3), max_parents=3, seed=int(name.removeprefix("random")))
    found = bl.read_network(DATA / "networks" / f"{name}.bif.gz")
    assert isinstance(found, bl.FittedNetwork)
    return found


def one(name: str, rows: int, seed: int) -> list[dict[str, Any]]:
    truth = truth_of(name)
    table = truth.sample(rows, seed=1000 * seed + rows)
    out = []

    def add(how: str, find: Any) -> None:
        used = time.process_time()
        network = find()
        cpu = time.process_time() - used
        found = bl.compare(network, truth.network)
        out.append(
            {
                "truth": name,
                "seed": seed,
                "rows": rows,
                "how": how,
                "distance_class": found.distance_cpdag,
                "distance_moral": found.distance_moral,
                "edges": len(network.edges),
                "true_edges": len(truth.network.edges),
                "cpu": cpu,
            }
        )

    add("best", lambda: bl.search(bl.score(table, threads=1), threads=1).network)
    add("credible", lambda: bl.averaged_network(bl.credible(table, threads=1)).network)
    add("posterior", lambda: bl.averaged_network(bl.posterior(table, threads=1, samples=20)).network)
    again: list[bl.Bootstrap] = []

    def by_bootstrap() -> bl.Network:
        again.append(bl.bootstrap(table, 100, threads=1, seed=seed))
        return bl.averaged_network(again[0]).network

    add("bootstrap", by_bootstrap)
    add("bootstrap, threshold", lambda: again[0].averaged_network().network)
    return out


def interval(values: list[float]) -> str:
    """A mean with half of its 95 % interval, by Student's t."""
    if len(values) < 2:
        return f"{statistics.fmean(values):+.1f}"
    t = T_95.get(len(values) - 1, 1.96 + 2.4 / (len(values) - 1))
    half = t * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.fmean(values):+.1f} ± {half:.1f}"


def summary(given: list[dict[str, Any]]) -> str:
    """Mean distances of the best network, and by how much others are nearer or further, truth by truth."""
    at = {(r["truth"], r["seed"], int(r["rows"]), r["how"]): r for r in given}
    lines = []
    for size in sorted({key[2] for key in at}):
        cells = sorted({key[:2] for key in at if key[2] == size})
        base = statistics.fmean(float(at[*cell, size, "best"]["distance_class"]) for cell in cells)
        told = [
            f"{size} rows, {len({truth for truth, _ in cells})} truths, {len(cells)} tables: best {base:.1f}"
        ]
        for how in WAYS[1:]:
            # Seeds of one truth are not independent of each other: their mean counts once.
            apart: dict[str, list[float]] = {}
            for truth, seed in cells:
                best, other = (float(at[truth, seed, size, way]["distance_class"]) for way in ("best", how))
                apart.setdefault(truth, []).append(other - best)
            told.append(f"{how} {interval([statistics.fmean(gaps) for gaps in apart.values()])}")
        lines.append("; ".join(told))
    lines += [
        f"CPU s, {how}: {statistics.fmean(float(r['cpu']) for r in given if r['how'] == how):.2f}"
        for how in WAYS
    ]
    return "\n".join(lines)


def put(out: Path, given: list[dict[str, Any]]) -> None:
    """Put the rows of one table into the file, in the place of those of an earlier run."""
    keys = {(row["truth"], str(row["seed"]), str(row["rows"])) for row in given}
    old = [row for row in rows_of(out) if (row.get("truth"), row.get("seed"), row["rows"]) not in keys]
    marks = stamp("to the end")
    write_rows(out, [*(row for row in old if row.get("truth")), *({**row, **marks} for row in given)])


if __name__ == "__main__":
    full = "--full" in sys.argv[1:]
    out = results_of(__file__, full=full)
    if "--summary" not in sys.argv[1:]:
        truths = [f"random{k}" for k in range(7 if full else 3)] + ["asia", "sachs"] + ["child"] * full
        for seed in range(3 if full else 1):
            for name in truths:
                for rows in ROWS if full else (200, 2000):
                    put(out, one(name, rows, seed))
                print(name, seed, flush=True)
    print(summary(rows_of(out)))
