"""Chains against exact sums: differences in standard errors, how often 95 % intervals hold, samples a second.

Usage: python benchmarks/tables/posterior/exact/run.py [--full]

Tables drawn from random networks of 6 to 16 variables, 100 rows, all parent sets: the posterior of every edge by
exact sums, and by chains with the default options. Quick mode takes 6 tables, full mode 30, and 30 more (from 100) that
no choice was ever made on: every number of the kernels was chosen before they were drawn.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from measure import put_row, results_of

import bayesloom as bl

SIZES = (6, 8, 10, 12, 14, 16)


def one(number: int) -> dict[str, Any]:
    n = SIZES[number % len(SIZES)]
    table = bl.random_network(n, states=(2, 3), max_parents=3, seed=number).sample(100, seed=number)
    used = time.process_time()
    exact = bl.posterior(table, threads=1, samples=20)
    exact_cpu = time.process_time() - used
    used = time.process_time()
    found = bl.posterior(exact.cache, method="chains", threads=1, seed=number)
    cpu = time.process_time() - used
    edges, wanted = found.edge_posterior, exact.edge_posterior.matrix
    off = ~np.eye(n, dtype=bool)
    apart = np.abs(edges.matrix - wanted)[off]
    errors = edges.errors[off]
    open_ones = (wanted[off] > 0.05) & (wanted[off] < 0.95)
    return {
        "table": number,
        "variables": n,
        "exact_cpu": exact_cpu,
        "chains_cpu": cpu,
        "agree": found.diagnostics.agree,
        "r_hat": found.diagnostics.r_hat,
        "effective": found.diagnostics.effective,
        "effective_edges": found.diagnostics.effective_edges,
        "sweeps": found.diagnostics.sweeps,
        "edges": int(off.sum()),
        "beyond_3_errors": int((apart > 3 * errors).sum()),
        "largest": float((apart / errors).max()),
        "largest_difference": float(apart.max()),
        "open_edges": int(open_ones.sum()),
        "open_in_95": int((apart[open_ones] <= 1.96 * errors[open_ones]).sum()),
        "deviation": exact.deviation,
    }


if __name__ == "__main__":
    full = "--full" in sys.argv[1:]
    out = results_of(__file__, full=full)
    for number in [*range(30), *range(100, 130)] if full else range(6):
        row = one(number)
        put_row(out, row, budget="to the end", key=("table",))
        print({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
