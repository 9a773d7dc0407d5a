"""Search over orders over the cache of ten thousand variables.

Usage: python benchmarks/tables/order_search/ten_thousand/run.py CACHE [--full]

CACHE comes from `benchmarks/tables/parent_sets/ten_thousand/run.py --full CACHE`. Seconds to the first local
optimum, the score as time goes on (300 s; quick mode 20 s), and what the process grows by while it searches, beside the
size of the cache; two threads. A search of a small cache comes first, so that the program's own pages are not counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import in_fresh_process, keep, results_of

CODE = """
import json, resource, sys, time
import bayesloom as bl
def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
small = bl.score(bl.random_network(20, seed=0).sample(500, seed=0))
bl.search(small, solver=sys.argv[2], time_limit=0.2, threads=2)
cache = bl.ScoreCache.read(sys.argv[1])
arrays = (cache.first, cache.scores, cache.parent_first, cache.parents)
size = sum(array.nbytes for array in arrays) / 1e6
before = memory()
found = bl.search(cache, solver=sys.argv[2], time_limit=float(sys.argv[3]), seed=0, threads=2)
grown = memory() - before
climb = bl.search(cache, solver="inobs", options={"climbs": 1}, seed=0, threads=1)
out = {"variables": cache.variable_count, "candidates": cache.candidate_count, "cache_mb": round(size, 2),
       "search_mb": round(grown, 2), "times_cache": round(grown / size, 2),
       "first_optimum_seconds": round(climb.seconds["search"], 3), "first_optimum": round(climb.score, 1),
       "score": round(found.score, 1)}
for moment in (1, 5, 10, 20, 60, 120, 180, 240, 300):
    reached = [p.score for p in found.trace if p.seconds <= moment]
    if moment <= float(sys.argv[3]) and reached:
        out[f"after_{moment}s"] = round(reached[-1], 1)
print(json.dumps(out))
"""


def main(full: bool, cache: str) -> None:
    rows = []
    for solver in ("minobs",):
        row = {
            "solver": solver,
            "threads": 2,
            **in_fresh_process(CODE, cache, solver, "300" if full else "20"),
        }
        print(row, flush=True)
        rows.append(row)
    keep(results_of(__file__, full=full), rows, budget=f"{300 if full else 20} s, two threads")


if __name__ == "__main__":
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if not paths:
        raise SystemExit(__doc__)
    main("--full" in sys.argv[1:], paths[0])
