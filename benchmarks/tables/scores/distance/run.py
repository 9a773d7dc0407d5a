"""Which score finds the network that the rows came from? Distance of the learned class to the true one.

Usage: python benchmarks/tables/scores/distance/run.py [--full] [--kinds states|numbers|both] [--networks insurance]

The distance counts the pairs of variables whose edge differs between the two CPDAGs. Each network is sampled anew for
each number of rows and each seed; every score gets the same samples. Complete scoring with at most `PARENTS`
parents, then the exact search: no luck of a heuristic in it. Quick mode (a minute): two networks, one number of rows,
three seeds. Full mode: all networks, 500 and 2,000 rows, ten seeds; rows that are there already are kept, so that a
run that was broken off goes on. `summary` in the README is printed at the end.

`--kinds states` (the default) are the known networks. `--kinds numbers` are random linear Gaussian networks of 20 variables
with 2 and with some 4 neighbours on average and at most 3 parents, under `bic-g` with penalties of 1 and 2, and `bge`; `--kinds both` are random networks of 8
variables of two or three states, with up to 2 parents among them, and 8 of numbers, with up to one parent of states and two of numbers, a
regression of its own in each cell, under `bic-cg` and `dg`. The structure is drawn anew with each seed.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from measure import DATA, option, put_row, results_of, rows_of

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
SCORES_OF_NUMBERS: tuple[tuple[str, dict[str, float]], ...] = (
    ("bic-g", {"penalty": 1.0}),
    ("bic-g", {"penalty": 2.0}),
    ("bge", {}),
)
SCORES_OF_BOTH: tuple[tuple[str, dict[str, float]], ...] = (("bic-cg", {}), ("dg", {}))
PARENTS = 3
FIRST_SEED = 7001


def numbers(degree: int, rows: int, seed: int) -> tuple[bl.Network, bl.Table]:
    """A random linear Gaussian network of 20 variables and rows drawn from it."""
    rng = np.random.default_rng([seed, degree])
    n = 20
    edges, columns = [], np.zeros((n, rows))
    order = rng.permutation(n)
    for place, i in enumerate(order):
        columns[i] = rng.normal(size=rows) * rng.uniform(0.5, 1.5)
        parents = [j for j in order[:place] if rng.random() < degree / (n - 1)]
        for j in parents[:PARENTS]:
            edges.append((f"x{j}", f"x{i}"))
            columns[i] += rng.choice([-1, 1]) * rng.uniform(0.5, 1.5) * columns[j]
    names = [f"x{i}" for i in range(n)]
    return bl.Network.from_edges(names, edges), bl.read_table(
        dict(zip(names, columns, strict=True)), continuous=names
    )


def both(rows: int, seed: int) -> tuple[bl.Network, bl.Table]:
    """A random network of 8 variables of states and 8 of numbers, and rows drawn from it."""
    rng = np.random.default_rng([seed, 99])
    edges: list[tuple[str, str]] = []
    columns: dict[str, np.ndarray] = {}

    def chosen(names: list[str]) -> list[str]:
        return [str(name) for name in rng.permutation(names)[: rng.integers(0, 3)]]

    def cells(names: list[str]) -> np.ndarray:
        cell = np.zeros(rows, dtype=int)
        for name in names:
            cell = cell * 3 + columns[name].astype(int)
        return cell

    states = [f"d{k}" for k in range(8)]
    values = [f"x{k}" for k in range(8)]
    for k, name in enumerate(states):
        parents = chosen(states[:k])
        odds = rng.dirichlet(np.ones(int(rng.integers(2, 4))), size=9)[cells(parents)]
        columns[name] = (rng.random(rows)[:, None] > np.cumsum(odds, axis=1)[:, :-1]).sum(axis=1)
        edges += [(parent, name) for parent in parents]
    for k, name in enumerate(values):
        of_states, of_numbers = chosen(states)[:1], chosen(values[:k])
        cell = cells(of_states)
        columns[name] = rng.normal(size=9)[cell] + rng.normal(size=rows) * rng.uniform(0.5, 1.5, 9)[cell]
        for parent in of_numbers:
            columns[name] += rng.normal(size=9)[cell] * columns[parent]
        edges += [(parent, name) for parent in of_states + of_numbers]
    table = {name: column.astype(str) if name in states else column for name, column in columns.items()}
    return bl.Network.from_edges(list(table), edges), bl.read_table(table, continuous=values)


def name_of(score: str, options: dict[str, float]) -> str:
    return " ".join([score, *(f"{value:g}" for value in options.values())])


def summary(path: Path) -> str:
    """Mean distance of each score on each sample kind, with 95 % intervals of the mean over seeds."""
    distances: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(path):
        distances[row["network"], row["sample_rows"]][row["score"]].append(float(row["distance"]))
    asked = {row["score"] for row in rows_of(path)}
    every = SCORES + SCORES_OF_NUMBERS + SCORES_OF_BOTH
    names = [name for name in (name_of(*score) for score in every) if name in asked]
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


def samples(
    full: bool,
) -> Iterator[tuple[str, int, int, bl.Network, bl.Table, tuple[tuple[str, dict[str, float]], ...]]]:
    """What to learn, with the truth and the scores to learn it by."""
    kinds = option("--kinds", "states")
    wanted = option("--networks").split(",") if option("--networks") else None
    sizes, seeds = (500, 2000) if full else (500,), range(FIRST_SEED, FIRST_SEED + (10 if full else 3))
    if kinds == "states":
        for name in wanted or (NETWORKS if full else NETWORKS[:QUICK]):
            truth = bl.read_network(DATA / "networks" / f"{name}.bif.gz")
            for rows in sizes:
                for seed in seeds:
                    yield name, rows, seed, truth.network, truth.sample(rows, seed=seed), SCORES
    elif kinds == "numbers":
        for degree in (2, 4):
            for rows in sizes:
                for seed in seeds:
                    yield (
                        f"numbers, degree {degree}",
                        rows,
                        seed,
                        *numbers(degree, rows, seed),
                        SCORES_OF_NUMBERS,
                    )
    else:
        for rows in sizes:
            for seed in seeds:
                yield "states and numbers", rows, seed, *both(rows, seed), SCORES_OF_BOTH


def main(full: bool) -> None:
    path = results_of(__file__, full=full)
    done = {(row["network"], row["sample_rows"], row["seed"], row["score"]) for row in rows_of(path)}
    for name, rows, seed, truth, table, scores in samples(full):
        for score, given in scores:
            label = name_of(score, given)
            if (name, str(rows), str(seed), label) in done:
                continue
            start = time.process_time()
            cache = bl.score(table, score=score, options=given, max_parents=PARENTS, threads=1)
            found = bl.search(cache, time_limit=60, threads=1)
            row = {
                "network": name,
                "sample_rows": rows,
                "seed": seed,
                "score": label,
                "distance": bl.compare(found.network, truth).distance_cpdag,
                "status": found.status,
                "cpu_seconds": round(time.process_time() - start, 2),
            }
            print(json.dumps(row), flush=True)
            put_row(path, row, budget=f"at most {PARENTS} parents, search to its end or 60 s")
    print(summary(path))


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
