"""`dp` where nothing can be left out: 26 variables with one thread, 29 with two, whatever the cache.

Usage: python benchmarks/tables/order_graph/dense/run.py [--full]

Two caches for each size: the first columns of wdbc, scored completely by BIC; and a generated one in which every set of
up to four others is a candidate of every variable, with a score drawn at random. Quick mode stops at 26. The median of
three runs, each right after another process has used as much memory. Nothing else should run.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, in_fresh_process, keep, results_of, warm_up

import bayesloom as bl

CODE = """
import json, sys
import bayesloom as bl
found = bl.search(bl.ScoreCache.read(sys.argv[1]), solver="dp", threads=int(sys.argv[2]))
print(json.dumps({"status": found.status, "score": found.score, "seconds": round(found.seconds["search"], 3)}))
"""


def columns_of_wdbc(n: int) -> bl.ScoreCache:
    """The complete BIC cache of the first n columns."""
    table = bl.read_table(DATA / "uci" / "wdbc.csv.gz", discrete=True)
    return bl.score(table.select(table.names[:n]), threads=1)


def every_small_set(n: int, most: int = 4) -> bl.ScoreCache:
    """All sets of up to `most` others as candidates of every variable; larger sets tend to score higher."""
    rng = np.random.default_rng(n)
    candidates = {}
    for v in range(n):
        others = [f"X{u}" for u in range(n) if u != v]
        sets = [parents for size in range(most + 1) for parents in itertools.combinations(others, size)]
        sizes = np.array([len(parents) for parents in sets])
        scores = -100 + 10 * sizes - rng.exponential(20, len(sets))
        candidates[f"X{v}"] = list(zip(scores.tolist(), sets, strict=True))
    return bl.ScoreCache.from_candidates([f"X{v}" for v in range(n)], candidates)


def main(full: bool) -> None:
    rows = []
    for (n, threads), (name, make) in itertools.product(
        ((26, 1), (29, 2)) if full else ((26, 1),),
        {"wdbc": columns_of_wdbc, "every set up to 4": every_small_set}.items(),
    ):
        cache = make(n)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cache.blc"
            cache.write(path)
            runs = []
            for _ in range(4):
                warm_up(runs[-1]["peak_mb"] if runs else 100)
                runs.append(in_fresh_process(CODE, str(path), str(threads)))
            runs = runs[1:]
        row = {
            "cache": name,
            "variables": n,
            "candidates": cache.candidate_count,
            "threads": threads,
            **runs[0],
        }
        row["seconds"] = statistics.median(run["seconds"] for run in runs)
        print(row, flush=True)
        rows.append(row)
    keep(results_of(__file__, full=full), rows, budget="to proof; median of three")


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
