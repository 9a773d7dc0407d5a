"""What more threads bring: every kernel that shares its work, at 1, 2, 4, 8 and 16 threads.

    python run.py [--full] [--threads 1,2,4,8,16] [--only NAME,NAME]

Every run in a process of its own. Runs on whatever machine it is given: beside wall time, which says little where
threads are more than cores or others are at work, it shows

    cpu         CPU seconds of the process, and their ratio to one thread: what sharing costs
    share       CPU seconds inside shared work / all CPU seconds: the rest has one thread
    balance     CPU seconds of the busiest thread / mean, over all shared work; with more threads than cores the
                threads that run first take most tasks, so it is an upper bound there
    expect_16   speed-up over one thread to expect on 16 cores: CPU seconds at one thread / (those outside shared work
                + those inside, shared by 16 with the same cost of sharing)

Quick mode: small inputs, at 1, 2 and 16 threads. Rows whose data are not there are left out, with a line that says so.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, ROOT, in_fresh_process, option, options, put_row, results_of

KEPT = ROOT / "build" / "scaling"

CODE = """
import json, sys, time
import bayesloom as bl
from bayesloom import _core
what, threads = json.loads(sys.argv[1]), int(sys.argv[2])
given, kind = what["options"], what["kind"]
held = None
if kind in ("score", "credible", "classes", "listing", "learn"):
    held = bl.read_table(what["input"], discrete=True)
elif kind == "search":
    held = bl.read_cache(what["input"])
if kind in ("classes", "listing"):
    held = bl.credible(held, what["factor"], threads=threads)
_core.parallel_use(True)
wall, cpu = time.perf_counter(), time.process_time()
if kind == "score":
    answer = bl.score(held, threads=threads, **given).candidate_count
elif kind == "search":
    found = bl.search(held, threads=threads, **given)
    answer = f"{found.status} {found.score:.6f} gap {found.gap:.6f}"
elif kind == "credible":
    answer = bl.credible(held, what["factor"], threads=threads, **given).count
elif kind == "classes":
    answer = held.classes.count
elif kind == "listing":
    answer = held.write(what["output"])
else:
    answer = f"{bl.learn(held, threads=threads, **given).score:.3f}"
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(json.dumps({"wall": wall, "cpu": cpu, "answer": str(answer), **{"p_" + k: v for k, v in
                  _core.parallel_use(False).items()}}))
"""


def table_like_alarm(rows: int) -> Path:
    """A table of 37 variables sampled from a random network; made once."""
    path = KEPT / f"sampled{rows}.csv"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        made = _sampled(37, rows, path)
        if "error" in made:
            raise SystemExit(made["error"])
    return path


def _sampled(variables: int, rows: int, path: Path) -> dict[str, Any]:
    code = """
import json, random, sys
n, rows, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(1)
parents = [rng.sample(range(max(0, v - 8), v), min(v, rng.randint(0, 3))) for v in range(n)]
tables = [{} for _ in range(n)]
with open(path, "w") as file:
    file.write(",".join(f"v{v}" for v in range(n)) + "\\n")
    for _ in range(rows):
        row = []
        for v in range(n):
            key = tuple(row[p] for p in parents[v])
            if key not in tables[v]:
                tables[v][key] = [rng.random() ** 3 + 0.02 for _ in range(2 + v % 3)]
            row.append(rng.choices(range(2 + v % 3), tables[v][key])[0])
        file.write(",".join(map(str, row)) + "\\n")
print(json.dumps({}))
"""
    return in_fresh_process(code, str(variables), str(rows), str(path))


def dense_cache(variables: int) -> Path:
    """All pairs of parents of so many variables, with random scores; made once."""
    path = KEPT / f"dense{variables}.jkl"
    if not path.exists():
        code = """
import itertools, json, random, sys
n, path = int(sys.argv[1]), sys.argv[2]
rng = random.Random(n)
with open(path, "w") as file:
    file.write(f"{n}\\n")
    for v in range(n):
        rest = [u for u in range(n) if u != v]
        sets = [s for k in range(3) for s in itertools.combinations(rest, k)]
        file.write(f"{v} {len(sets)}\\n")
        for s in sets:
            file.write(f"{-100 + 4 * len(s) + rng.random():.6f} {len(s)} {' '.join(map(str, s))}".rstrip() + "\\n")
print(json.dumps({}))
"""
        KEPT.mkdir(parents=True, exist_ok=True)
        made = in_fresh_process(code, str(variables), str(path))
        if "error" in made:
            raise SystemExit(made["error"])
    return path


def cases(full: bool) -> list[dict[str, Any]]:
    """What is run: a name, a kind, an input, options; in quick mode with less of everything."""
    uci, scores = DATA / "uci", DATA / "scores"
    soybean, steel = scores / "soybean_BIC.jkl.gz", scores / "steel_BIC.jkl.gz"
    factor = 150 if full else 20
    most = 5 if full else 3

    def one(name: str, kind: str, path: Path, **more: Any) -> dict[str, Any]:
        return {"name": name, "kind": kind, "input": str(path), "options": {}, **more}

    rows = [
        one("score sampled", "score", table_like_alarm(1000), options={"max_parents": most}),
        one("score spectf", "score", uci / "spectf.csv.gz", options={"max_parents": most}),
        one(
            "anytime scoring",
            "score",
            table_like_alarm(1000),
            options={"method": "independence", "time_per_variable": 0.2 if full else 0.05, "max_parents": 6},
        ),
        one("dp dense", "search", dense_cache(26 if full else 22), options={"solver": "dp"}),
        one("astar dense", "search", dense_cache(22), options={"solver": "astar"}),
        one("bfbnb dense", "search", dense_cache(22), options={"solver": "bfbnb"}),
        one("credible", "credible", uci / "hepatitis.csv.gz", factor=factor),
        one("classes", "classes", uci / "hepatitis.csv.gz", factor=20),
        one("listing", "listing", uci / "hepatitis.csv.gz", factor=factor),
    ]
    if full:
        rows += [
            one("score soybean", "score", uci / "soybean.csv.gz"),
            one("astar steel", "search", steel, options={"solver": "astar"}),
            one("bfbnb steel", "search", steel, options={"solver": "bfbnb"}),
            one("auto steel", "search", steel),
            one("bblp soybean", "search", soybean, options={"solver": "bblp"}),
            one("auto soybean", "search", soybean),
            one(
                "auto munin",
                "search",
                scores / "munin-5000.BLIP-BIC-k6.jkl.gz",
                options={"time_limit": 25},
            ),
            one("learn bbc", "learn", DATA / "debd" / "bbc.ts.data.gz", options={"time_limit": 30}),
        ]
    return rows


def measured(case: dict[str, Any], threads: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        return in_fresh_process(
            CODE, json.dumps({**case, "output": str(Path(folder) / "all.jsonl")}), str(threads)
        )


def row_of(case: dict[str, Any], threads: int, run: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    """The figures of a run beside those of the run on one thread."""
    row: dict[str, Any] = {"what": case["name"], "threads": threads}
    if "error" in run:
        return {**row, "error": run["error"]}
    shared, cost = run["p_cpu"], max(1.0, run["cpu"] / max(one["cpu"], 1e-9))
    inside = one["cpu"] * min(1.0, shared / max(run["cpu"], 1e-9))
    return {
        **row,
        "wall": round(run["wall"], 2),
        "cpu": round(run["cpu"], 2),
        "cpu_ratio": round(run["cpu"] / max(one["cpu"], 1e-9), 2),
        "share": round(shared / max(run["cpu"], 1e-9), 2),
        "balance": round(run["p_busiest"] * threads / shared, 2) if shared > 0 else "",
        "regions": int(run["p_regions"]),
        "expect_16": round(one["cpu"] / max(one["cpu"] - inside + inside * cost / 16, 1e-9), 1),
        "answer": run["answer"],
        "peak_mb": run["peak_mb"],
    }


def main() -> None:
    full = "--full" in sys.argv
    counts = [int(word) for word in option("--threads", "1,2,4,8,16" if full else "1,2,16").split(",")]
    only = options("--only")
    for case in cases(full):
        if only and case["name"] not in only:
            continue
        if not Path(case["input"]).exists():
            print(f"{case['name']}: left out, {Path(case['input']).name} is not in the data folder ({DATA}).")
            continue
        one: dict[str, Any] | None = None
        for threads in [1, *(count for count in counts if count != 1)]:
            run = measured(case, threads)
            if one is None and "error" not in run:
                one = run
            row = row_of(case, threads, run, one or run)
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            put_row(results_of(__file__, full=full), row, budget="to the end", key=("what", "threads"))


if __name__ == "__main__":
    main()
