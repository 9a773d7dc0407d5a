"""Independence selection on random networks of up to ten thousand variables.

Usage: python benchmarks/tables/parent_sets/ten_thousand/run.py [--full]

Quick mode: 1,000 and 2,000 variables at 0.01 s each. Full mode: 2,000, 4,000 and 10,000 variables at 0.1 s each,
two threads: about half an hour. 5,000 rows, states 2 to 4, parents 0 to 6, seed 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import in_fresh_process, keep, results_of

CODE = """
import json, sys, time
import bayesloom as bl
from bayesloom import _core
n, budget, threads = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
table = bl.random_network(n, states=(2, 4), max_parents=6, seed=1).sample(5000, seed=1)
start = time.perf_counter()
data = table.encoded
encoded = time.perf_counter()
out = _core.anytime_parent_sets(data, list(table.names), "bic", {}, "independence", max_parents=6,
                                seconds_per_variable=budget, threads=threads)
done = time.perf_counter()
cache = bl.ScoreCache(out["cache"])
if len(sys.argv) > 4:
    cache.write(sys.argv[4])
print(json.dumps({"encode_seconds": round(encoded - start, 3), "pair_seconds": round(out["pair_seconds"], 2),
    "seconds": round(done - encoded, 1), "local_scores": out["scored"], "candidates": cache.candidate_count,
    "largest_set": cache.max_parents_seen}))
"""


def main(full: bool, cache: str | None) -> None:
    rows = []
    for n in (2000, 4000, 10_000) if full else (1000, 2000):
        budget = 0.1 if full else 0.01
        keep_cache = [cache] if cache is not None and n == 10_000 else []
        found = in_fresh_process(CODE, str(n), str(budget), "2", *keep_cache)
        row = {"variables": n, "rows": 5000, "seconds_per_variable": budget, "threads": 2, **found}
        print(row, flush=True)
        rows.append(row)
    keep(results_of(__file__, full=full), rows, budget="see seconds_per_variable; two threads")


if __name__ == "__main__":
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    main("--full" in sys.argv[1:], paths[0] if paths else None)
