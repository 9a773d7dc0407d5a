"""Complete scoring and proofs of linear Gaussian tables as they grow.

Usage: python benchmarks/tables/continuous/complete/run.py [--full] [--proofs] [--variables 30] [--degree 2] [--rows 1000]
                                                           [--limit 0] [--seeds 1] [--seconds 60] [--solver auto]

Rows of random linear Gaussian networks (each pair joined with equal probability, `--degree` neighbours on average,
coefficients 0.5 to 1.5 either way round, noise 0.5 to 1.5), `bic-g`, one thread, processor seconds.

Without `--proofs`: all sets up to 5 parents, of 10 to 20 variables (full: 30), how many local scores a second; and without a limit.
With `--proofs`: complete scoring, then `search`; the gap that is left. `--limit 0` is no limit on parents.
Quick mode: 20 variables.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import in_fresh_process, option, put_row, results_of

CODE = """
import json, sys, time
import numpy as np
import bayesloom as bl
from bayesloom import _core
n, degree, rows, limit, seed = (int(word) for word in sys.argv[1:6])
seconds, solver = float(sys.argv[6]), sys.argv[7]
rng = np.random.default_rng(seed)
order, share = rng.permutation(n), degree / (n - 1)
values = np.zeros((rows, n))
for place in range(n):
    i = order[place]
    parents = [order[before] for before in range(place) if rng.random() < share]
    values[:, i] = rng.normal(size=rows) * rng.uniform(0.5, 1.5)
    for j in parents:
        values[:, i] += values[:, j] * rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)
columns = {f"v{k}": values[:, k] for k in range(n)}
table = bl.read_table(columns, continuous=list(columns))
table.encoded
start = time.process_time()
done = _core.exhaustive(table.encoded, list(columns), "bic-g", {}, max_parents=limit or None, threads=1, seconds=seconds)
scored = time.process_time() - start
out = {"candidates": done["cache"].candidate_count, "finished": not done["stopped"], "local_scores": done["scored"],
       "score_cpu_seconds": round(scored, 3), "millions_a_second": round(done["scored"] / scored / 1e6, 1)}
if solver:
    cache = bl.score(table, score="bic-g", max_parents=limit or None, threads=1, time_limit=seconds)
    start = time.process_time()
    found = bl.search(cache, solver=solver, threads=1, seed=1, time_limit=seconds)
    out |= {"solver": found.solver, "score": round(found.score, 6), "gap": round(found.gap, 6), "status": found.status,
            "search_cpu_seconds": round(time.process_time() - start, 2)}
print(json.dumps(out))
"""
KEY = ("variables", "degree", "rows", "limit", "seed", "asked")


def run(
    path: Path, n: int, degree: int, rows: int, limit: int, seed: int, seconds: float, solver: str
) -> None:
    """One row, written at once."""
    row: dict[str, Any] = {"variables": n, "degree": degree, "rows": rows, "limit": limit or "", "seed": seed}
    words = [str(word) for word in (n, degree, rows, limit, seed, seconds, solver)]
    row |= {"asked": solver} | in_fresh_process(CODE, *words)
    print(row, flush=True)
    put_row(path, row, budget=f"{seconds:g} s of wall time for scoring, and for the search", key=KEY)


def main(full: bool) -> None:
    path = results_of(__file__, full=full)
    seconds = float(option("--seconds", "60"))
    if "--proofs" in sys.argv:
        for n in [int(word) for word in option("--variables", "20").split(",")]:
            for degree in [int(word) for word in option("--degree", "2").split(",")]:
                for rows in [int(word) for word in option("--rows", "1000").split(",")]:
                    for limit in [int(word) for word in option("--limit", "0").split(",")]:
                        for seed in [int(word) for word in option("--seeds", "1").split(",")]:
                            run(path, n, degree, rows, limit, seed, seconds, option("--solver", "auto"))
        return
    for n in range(10, 31 if full else 21, 5):
        run(path, n, 4, 1000, 5, 1, seconds, "")
        run(path, n, 2, 1000, 0, 1, seconds, "")


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
