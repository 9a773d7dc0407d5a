"""`learn` on linear Gaussian networks beside FLOP, XGES, BOSS and R's bnlearn: one thread, equal processor time.

    python benchmarks/tables/continuous/against_packages/run.py [--full] [--variables 50] [--others flop] [--seeds 11]
                                                              [--penalty 2]
    python benchmarks/tables/continuous/against_packages/run.py --full --variables 1000 --others nobody [--seconds 60]

1,000 rows of random networks of 50 and 200 variables, of which each has 4 or 8 neighbours on average. The other
program runs first and ends by itself, or is given up after --patience CPU seconds; `learn` then gets the time that it
took (0.05 seconds at least). All are asked for the best BIC with the same `--penalty` (1) and scored by our `bic-g`. Quick mode: 50
variables, one seed. Beside `nobody`, `learn` gets `--seconds` on two threads; with no more rows than variables, at most
10 parents for each. Rows that are there are kept. Needs flopsearch, xges and causal-learn, and Rscript with bnlearn;
what is not there says so. `--python` is the Python
that has the other packages. Time is processor time: `learn` must see it as its clock, so where the machine is
shared run this with a library preloaded that makes it so (`--clock LIBRARY`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from measure import option, options, put_row, results_of, rows_of

import bayesloom as bl

ROWS = 1000
OTHERS = ("flop", "xges", "boss", "bnlearn")
LEAST = 0.05
BUDGET = "CPU seconds that the other took"
KEY = ("variables", "degree", "seed", "penalty", "other")

# Each prints the seconds and the matrix of a network: 1 in row i, column j is i -> j, 2 in both places i - j.
PEERS = {
    "flop": """
import sys, time, json, numpy as np, flopsearch
rows = np.load(sys.argv[1])
start = time.process_time()
found = flopsearch.flop(rows, float(sys.argv[2]), restarts=20)
print(json.dumps([time.process_time() - start, np.asarray(found).tolist()]))
""",
    "xges": """
import sys, time, json, numpy as np
from xges import XGES
rows = np.load(sys.argv[1])
start = time.process_time()
found = XGES(alpha=float(sys.argv[2])).fit(rows, verbose=0, use_fast_numba=False).to_adjacency_matrix()
seconds = time.process_time() - start
print(json.dumps([seconds, np.where(found * found.T > 0, 2, found).astype(int).tolist()]))
""",
    "boss": """
import sys, time, json, random, numpy as np
from causallearn.search.PermutationBased.BOSS import boss
rows = np.load(sys.argv[1])
random.seed(1)
start = time.process_time()
graph = boss(rows, parameters={"lambda_value": float(sys.argv[2]) / 2}, verbose=False).graph
seconds = time.process_time() - start
both = (graph == -1) & (graph.T == -1)
print(json.dumps([seconds, np.where(both, 2, (graph == -1) & (graph.T == 1)).astype(int).tolist()]))
""",
}
R = """
suppressMessages(library(bnlearn))
data <- read.csv(commandArgs(trailingOnly = TRUE)[1])
start <- proc.time()[["user.self"]]
found <- hc(data, score = "bic-g", k = as.numeric(commandArgs(trailingOnly = TRUE)[2]) * log(nrow(data)) / 2)
cat(proc.time()[["user.self"]] - start, "\\n")
write.table(amat(found), row.names = FALSE, col.names = FALSE)
"""


def sample(n: int, degree: int, seed: int) -> tuple[np.ndarray[Any, Any], bl.Network]:
    """Standardised rows of a random network, and it: coefficients 0.5 to 1, noise of 0.7 to 1.4."""
    draw = np.random.default_rng([seed, n, degree])
    order = draw.permutation(n)
    weights = np.zeros((n, n))
    for a in range(n):
        for b in range(a + 1, n):
            if draw.random() < degree / (n - 1):
                weights[order[a], order[b]] = draw.choice([-1, 1]) * draw.uniform(0.5, 1)
    noise = draw.uniform(0.7, 1.4, n)
    rows = np.zeros((ROWS, n))
    for v in order:
        rows[:, v] = rows @ weights[:, v] + noise[v] * draw.normal(size=ROWS)
    names = [f"X{v}" for v in range(n)]
    truth = bl.Network.from_edges(names, [(names[u], names[v]) for u, v in np.argwhere(weights)])
    return (rows - rows.mean(axis=0)) / rows.std(axis=0), truth


def network_of(names: tuple[str, ...], matrix: list[list[int]]) -> bl.Network | None:
    """A member of the class that a matrix shows [dor1992], if there is one."""
    found = np.array(matrix)
    n = len(names)
    parents = {v: {u for u in range(n) if found[u, v] == 1} for v in range(n)}
    near = {v: {u for u in range(n) if found[u, v] == 2} for v in range(n)}
    left, edges = set(range(n)), [(u, v) for v in parents for u in parents[v]]
    while left:
        for v in sorted(left):
            if any(v in parents[u] for u in left):
                continue
            beside = (parents[v] | near[v]) & left
            if all(
                u == w or w in parents[u] or u in parents[w] or w in near[u]
                for u in near[v] & left
                for w in beside
            ):
                edges += [(u, v) for u in near[v] & left]
                left.discard(v)
                break
        else:
            return None
    return bl.Network.from_edges(names, [(names[u], names[v]) for u, v in edges])


def by_peer(
    other: str, rows: np.ndarray[Any, Any], penalty: float, patience: float
) -> tuple[float, list[list[int]]] | str:
    """CPU seconds and matrix of another program, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        np.save(path / "rows.npy", np.ascontiguousarray(rows))
        command = [
            option("--python", sys.executable),
            "-c",
            PEERS.get(other, ""),
            str(path / "rows.npy"),
            str(penalty),
        ]
        if other == "bnlearn":
            if shutil.which("Rscript") is None:
                return "not there"
            header = ",".join(f"X{v}" for v in range(rows.shape[1]))
            np.savetxt(path / "rows.csv", rows, delimiter=",", header=header, comments="", fmt="%.17g")
            (path / "run.R").write_text(R)
            command = ["Rscript", str(path / "run.R"), str(path / "rows.csv"), str(penalty)]
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        environment = {**os.environ, **threads}
        environment.pop("LD_PRELOAD", None)
        limited = ["prlimit", f"--cpu={int(patience)}", *command]
        done = subprocess.run(limited, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["nothing said"])[-1]
        return f"given up after {patience:g} s" if done.returncode < 0 else why[:100]
    if other == "bnlearn":
        first, *lines = done.stdout.splitlines()
        return float(first), [[int(word) for word in line.split()] for line in lines]
    seconds, matrix = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), matrix


def score_of(table: bl.Table, network: bl.Network, penalty: float = 1.0) -> float:
    families = [(name, tuple(parents)) for name, parents in network.parents.items()]
    return float(bl.local_scores(table, families, score="bic-g", options={"penalty": penalty}).sum())


def main(full: bool) -> None:
    clock = option("--clock")
    if clock and os.environ.get("LD_PRELOAD") != clock:
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LD_PRELOAD": clock})
    path = results_of(__file__, full=full)
    done = {tuple(row[key] for key in KEY) for row in rows_of(path)}
    penalty = float(option("--penalty", "1"))
    seeds = [int(word) for word in options("--seeds")] or ([11, 12, 13] if full else [11])
    sizes = [int(word) for word in options("--variables")] or ([50, 200] if full else [50])
    for n in sizes:
        for degree in (4, 8):
            for seed in seeds:
                rows, truth = sample(n, degree, seed)
                table = bl.read_table(dict(zip(truth.names, rows.T, strict=True)), continuous="all")
                for other in options("--others") or OTHERS:
                    if (str(n), str(degree), str(seed), f"{penalty:g}", other) in done:
                        continue
                    row = compared(other, rows, table, truth, penalty)
                    put = {
                        "variables": n,
                        "degree": degree,
                        "seed": seed,
                        "penalty": f"{penalty:g}",
                        "other": other,
                    }
                    put |= row
                    print(json.dumps(put), flush=True)
                    budget = BUDGET if other != "nobody" else "seconds given"
                    put_row(path, {**put, "clock": "CPU" if clock else "wall"}, budget=budget, key=KEY)


def compared(
    other: str, rows: np.ndarray[Any, Any], table: bl.Table, truth: bl.Network, penalty: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"truth_score": round(score_of(table, truth, penalty), 4)}
    if other == "nobody":
        start = time.process_time()
        limit = None if len(rows) > len(table.names) else 10
        seconds = float(option("--seconds", "60"))
        result = bl.learn(
            table,
            score="bic-g",
            options={"penalty": penalty},
            time_limit=seconds,
            threads=2,
            max_parents=limit,
        )
        return {**row, "status": "done", **ours_of(result, truth, time.process_time() - start)}
    found = by_peer(other, rows, penalty, float(option("--patience", "120")))
    if isinstance(found, str):
        return {**row, "status": found}
    seconds, matrix = found
    network = network_of(table.names, matrix)
    if network is None:
        return {**row, "their_seconds": round(seconds, 3), "status": "no network has this picture"}
    start = time.process_time()
    result = bl.learn(
        table, score="bic-g", options={"penalty": penalty}, time_limit=max(LEAST, seconds), threads=1
    )
    ours = ours_of(result, truth, time.process_time() - start)
    theirs = score_of(table, network, penalty)
    return {
        **row,
        "status": "done",
        "their_score": round(theirs, 4),
        "ahead": round(result.score - theirs, 4),
        "their_seconds": round(seconds, 3),
        "their_distance": bl.compare(network, truth).distance_cpdag,
        **ours,
    }


def ours_of(result: bl.LearnResult, truth: bl.Network, seconds: float) -> dict[str, Any]:
    return {
        "our_score": round(result.score, 4),
        "our_seconds": round(seconds, 3),
        "our_distance": bl.compare(result.network, truth).distance_cpdag,
        "gap": round(result.gap, 1),
    }


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
