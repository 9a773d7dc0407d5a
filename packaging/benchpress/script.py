"""Learn a network of benchpress' table with Bayesloom and write its adjacency matrix."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import bayesloom as bl


def read(path: Path) -> dict[str, list[str]]:
    """Return the columns of a table; the second line, of cardinalities, is left out."""
    with path.open(encoding="utf-8", newline="") as file:
        names, _, *rows = csv.reader(file)
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def write(network: bl.Network, path: Path) -> None:
    """Write the adjacency matrix with a header line of names."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(network.names)
        edges = set(network.edges)
        out.writerows([int((one, other) in edges) for other in network.names] for one in network.names)


def main(
    table: str, matrix: str, score: str = "bic", timeout: str = "60", max_parents: str = "", seed: str = "0"
) -> None:
    limit = int(max_parents) if max_parents not in ("", "None", "null") else None
    result = bl.learn(
        read(Path(table)), score=score, time_limit=float(timeout), max_parents=limit, seed=int(seed)
    )
    write(result.network, Path(matrix))


if __name__ == "__main__":
    main(*sys.argv[1:])
