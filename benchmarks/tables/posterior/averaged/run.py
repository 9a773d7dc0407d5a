"""Averaged networks beside the single best: how far each is from the network that the rows were drawn from.

Usage: python benchmarks/tables/posterior/averaged/run.py [--full]

Random networks of 10 variables, tables of 50 to 2,000 rows. The best network; the averaged network of the credible
set (factor 20), of the exact posterior, and of 200 bootstrap replicates, by least mean distance and by the threshold of
Scutari and Nagarajan. Distances are between equivalence classes. Quick mode takes 3 networks, full mode 20.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import put_row, results_of

import bayesloom as bl

ROWS = (50, 200, 500, 2000)


def one(number: int, rows: int) -> list[dict[str, Any]]:
    truth = bl.random_network(10, states=(2, 3), max_parents=3, seed=number)
    table = truth.sample(rows, seed=number)
    true = truth.network
    out = []

    def add(how: str, find: Any) -> None:
        used = time.process_time()
        network = find()
        cpu = time.process_time() - used
        found = bl.compare(network, true)
        out.append(
            {
                "network": number,
                "rows": rows,
                "how": how,
                "distance_class": found.distance_cpdag,
                "distance_moral": found.distance_moral,
                "edges": len(network.edges),
                "true_edges": len(true.edges),
                "cpu": cpu,
            }
        )

    add("best", lambda: bl.search(bl.score(table, threads=1), threads=1).network)
    add("credible", lambda: bl.averaged_network(bl.credible(table, threads=1)).network)
    add("posterior", lambda: bl.averaged_network(bl.posterior(table, threads=1, samples=20)).network)
    again: list[bl.Bootstrap] = []

    def by_bootstrap() -> bl.Network:
        again.append(bl.bootstrap(table, 200, threads=1))
        return bl.averaged_network(again[0]).network

    add("bootstrap", by_bootstrap)
    add("bootstrap, threshold", lambda: again[0].averaged_network().network)
    return out


if __name__ == "__main__":
    full = "--full" in sys.argv[1:]
    out = results_of(__file__, full=full)
    for number in range(20 if full else 3):
        for rows in ROWS:
            for row in one(number, rows):
                put_row(out, row, budget="to the end", key=("network", "rows", "how"))
        print(number, flush=True)
