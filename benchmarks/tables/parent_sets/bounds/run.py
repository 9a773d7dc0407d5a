"""Complete scoring without a limit on parents under every score that has bounds of its own.

Usage: python benchmarks/tables/parent_sets/bounds/run.py [--full]

Quick mode (a minute or two): tables of up to 24 variables, and insurance1000 under bdeu. Full mode: more tables,
each score stopped after 300 seconds. Processor seconds, one thread: the machine may do other things meanwhile.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, in_fresh_process, put_row, results_of

SCORES = ("bic", "bdeu", "bds", "k2", "fnml", "qnml")
QUICK = ("uci/zoo.csv.gz", "uci/voting.csv.gz", "uci/wine.csv.gz", "uci/hepatitis.csv.gz")
FULL = (
    "networks/samples/insurance1000.csv.gz",
    "uci/parkinsons.csv.gz",
    "uci/horse.csv.gz",
    "uci/autos.csv.gz",
)

CODE = """
import json, math, sys, time
import bayesloom as bl
from bayesloom import _core
path, score, factor, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
table = bl.read_table(path, discrete=True)
start = time.process_time()
out = _core.exhaustive(table.encoded, list(table.names), score, {}, margin=math.log(factor), threads=1, seconds=seconds)
print(json.dumps({
    "variables": len(table.names), "rows": table.row_count, "candidates": out["cache"].candidate_count,
    "local_scores": out["scored"], "largest_set": out["finished_size"], "complete": out["exhausted"],
    "cpu_seconds": round(time.process_time() - start, 2)}))
"""


def run(path: Path, file: str, score: str, factor: float, seconds: float) -> None:
    """One row, written at once."""
    row: dict[str, Any] = {"table": Path(file).name.split(".")[0], "score": score, "bayes_factor": factor}
    row |= in_fresh_process(CODE, str(DATA / file), score, str(factor), str(seconds))
    print(row, flush=True)
    put_row(path, row, budget=f"{seconds:g} s of wall time", key=("table", "score", "bayes_factor"))


def main(full: bool) -> None:
    path = results_of(__file__, full=full)
    for file in QUICK:
        for score in SCORES:
            run(path, file, score, 1.0, 300 if full else 60)
    run(path, "networks/samples/insurance1000.csv.gz", "bdeu", 1.0, 600 if full else 120)
    if full:
        run(path, "networks/samples/insurance1000.csv.gz", "bdeu", 20.0, 900)
        for file in FULL:
            for score in SCORES:
                run(path, file, score, 1.0, 300)


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
