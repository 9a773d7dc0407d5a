"""scanagatta2015 Table 2: independence selection against greedy and sequential selection.

Usage: python benchmarks/tables/scanagatta2015/table2/run.py [--full] [--seconds S] [--caches DIR]

Sixteen binary tables with 100 to 1,556 variables, three files each. For every file and method one score cache is
made at S seconds per variable and at most 6 parents, one thread; `asobs`, `obs` and `inobs` then search it for
3 s each. Quick mode: the tables of up to 200 variables at 0.02 s. Full mode: all 48 files, at 0.1 s up to 500
variables and 0.03 s beyond (equal for the three methods), some eighty minutes; rows already in the results are not
run again, so a run can be broken off. The caches of independence selection stay in DIR, for the tables that search
them. Table 3 (`asobs` against `obs`) comes from the same rows.
"""

from __future__ import annotations

import sys
from itertools import product
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, in_fresh_process, option, put_row, results_of, rows_of

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
path, method, seconds, search_seconds, kept = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
table = bl.read_table(path)
start = time.perf_counter()
cache = bl.score(table, method=method, estimate="additive", max_parents=6, time_per_variable=seconds, threads=1)
scored = time.perf_counter() - start
out = {"candidates": cache.candidate_count, "score_seconds": round(scored, 2)}
if kept:
    cache.write(kept)
for solver in ("asobs", "obs", "inobs"):
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


def evidence(rows: list[dict[str, str]]) -> None:
    """Print the paper's two tables from the rows of a run."""
    paper = rows_of(Path(__file__).with_name("paper.csv"))
    by_key = {(row["table"], row["method"]): row for row in rows}
    tables = sorted({row["table"] for row in rows if all((row["table"], m) in by_key for m in METHODS)})
    print(f"Table 2, {len(tables)} tables: independence selection against")
    for solver in SOLVERS:
        for other in ("greedy", "sequential"):
            differences = [
                float(by_key[table, "independence"][solver]) - float(by_key[table, other][solver])
                for table in tables
            ]
            print(f"  {other}, {solver}: {classes(differences)}, p = {sign_test(differences):.2g}")
            column = f"{solver}_{other}"
            if column in paper[0]:
                print("    in the paper:", {row["difference"]: int(row[column]) for row in paper})
    large = [table for table in tables if SETS[table.split(".")[0]] >= 500]
    for name, chosen in (("all", tables), ("500 variables and more", large)):
        print(f"Table 3, {name}, {len(chosen)} tables: asobs against")
        for method in METHODS:
            for other in ("obs", "inobs"):
                differences = [
                    float(by_key[t, method]["asobs"]) - float(by_key[t, method][other]) for t in chosen
                ]
                print(f"  {other}, {method}: {classes(differences)}, p = {sign_test(differences):.2g}")


def main(full: bool, given: str, caches: str) -> None:
    path = results_of(__file__, full=full)
    kept = rows_of(path) if full else []
    done = {(row["table"], row["method"], float(row["seconds_per_variable"])) for row in kept}
    names = [name for name, variables in SETS.items() if full or variables <= 200]
    for name, part, method in product(names, ("ts", "valid", "test"), METHODS):
        seconds = float(given) if given else 0.02 if not full else 0.1 if SETS[name] <= 500 else 0.03
        if (f"{name}.{part}", method, seconds) in done:
            continue
        file = DATA / "debd" / f"{name}.{part}.data.gz"
        kept = f"{caches}/{name}.{part}.blc" if caches and method == "independence" else ""
        found = in_fresh_process(CODE, str(file), method, str(seconds), "3" if full else "1", kept)
        row = {"table": f"{name}.{part}", "variables": SETS[name], "method": method}
        row |= {"seconds_per_variable": seconds, **found}
        print(row, flush=True)
        budget = f"{seconds:g} s a variable, then {3 if full else 1} s a search; one thread"
        put_row(path, row, budget=budget, key=("table", "method", "seconds_per_variable"))
    evidence(rows_of(path))


if __name__ == "__main__":
    whole = "--full" in sys.argv[1:]
    main(whole, option("--seconds", ""), option("--caches", ""))
