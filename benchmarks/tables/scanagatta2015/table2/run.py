"""scanagatta2015 Table 2: independence selection against greedy and sequential selection.

Usage: python benchmarks/tables/scanagatta2015/table2/run.py [--full] [--seconds S]

Sixteen binary tables with 100 to 1,556 variables, three files each. For every file and method one score cache is
made at S seconds per variable and at most 6 parents, two threads; `asobs`, `obs` and `inobs` then search it for
10 s each. Quick mode: the tables of up to 200 variables at 0.02 s. Full mode: all 48 files at 0.1 s, some two hours.
"""

from __future__ import annotations

import sys
from math import comb
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, in_fresh_process, keep

SETS = {
    "baudio": 100, "jester": 100, "bnetflix": 100, "accidents": 111, "tretail": 135, "pumsb_star": 163,
    "dna": 180, "kosarek": 190, "msweb": 294, "book": 500, "tmovie": 500, "cwebkb": 839, "cr52": 889,
    "c20ng": 910, "bbc": 1058, "ad": 1556,
}  # fmt: skip
METHODS = ("independence", "greedy", "sequential")
SOLVERS = ("asobs", "obs", "inobs")
LIMITS = (
    ("above 10", 10),
    ("6 to 10", 6),
    ("2 to 6", 2),
    ("-2 to 2", -2),
    ("-6 to -2", -6),
    ("-10 to -6", -10),
)

CODE = """
import json, sys, time
import bayesloom as bl
path, method, seconds, search_seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
table = bl.read_table(path)
start = time.perf_counter()
cache = bl.score(table, method=method, max_parents=6, time_per_variable=seconds, threads=2)
scored = time.perf_counter() - start
out = {"candidates": cache.candidate_count, "score_seconds": round(scored, 2)}
for solver in json.loads(sys.argv[5]):
    out[solver] = bl.search(cache, solver=solver, time_limit=search_seconds, seed=1, threads=1).score
print(json.dumps(out))
"""


def classes(differences: list[float]) -> dict[str, int]:
    """Count differences of BIC by the paper's classes of evidence."""
    counts = dict.fromkeys([name for name, _ in LIMITS] + ["below -10"], 0)
    for difference in differences:
        counts[next((name for name, least in LIMITS if difference > least), "below -10")] += 1
    return counts


def sign_test(differences: list[float]) -> float:
    """P-value of as many differences above 2 or more, if above and not above were equally likely."""
    n, above = len(differences), sum(d > 2 for d in differences)
    return sum(comb(n, k) for k in range(above, n + 1)) / 2**n


def main(full: bool, seconds: float) -> None:
    rows: list[dict[str, Any]] = []
    names = [name for name, variables in SETS.items() if full or variables <= 200]
    for name in names:
        for part in ("ts", "valid", "test"):
            file = DATA / "debd" / f"{name}.{part}.data.gz"
            for method in METHODS:
                solvers = '["asobs", "obs", "inobs"]'
                found = in_fresh_process(
                    CODE, str(file), method, str(seconds), "10" if full else "3", solvers
                )
                row = {"table": f"{name}.{part}", "variables": SETS[name], "method": method}
                row |= {"seconds_per_variable": seconds, **found}
                print(row, flush=True)
                rows.append(row)
    keep("scanagatta2015-table2" + ("" if full else "-quick"), rows)
    by_key = {(row["table"], row["method"]): row for row in rows}
    tables = sorted({row["table"] for row in rows})
    for solver in SOLVERS:
        for other in ("greedy", "sequential"):
            differences = [
                by_key[table, "independence"][solver] - by_key[table, other][solver] for table in tables
            ]
            print(
                f"{solver}: independence against {other}: {classes(differences)}, p = {sign_test(differences):.2g}"
            )


if __name__ == "__main__":
    whole = "--full" in sys.argv[1:]
    given = sys.argv[sys.argv.index("--seconds") + 1] if "--seconds" in sys.argv else None
    main(whole, float(given) if given else (0.1 if whole else 0.02))
