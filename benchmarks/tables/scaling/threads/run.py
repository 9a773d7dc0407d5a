"""What more threads bring: every kernel that shares its work, at 1, 2, 4, 8 and 16 threads.

    python run.py [--full] [--threads 1,2,4,8,16] [--only NAME,NAME] [--resume]

Every run in a process of its own, on whatever machine it is given.  Wall time says little where threads are more than
cores or others are at work; so the table shows what a machine with few cores can tell of one with many:

    cpu         CPU seconds of the process, and their ratio to one thread: what sharing costs
    alone       CPU seconds outside shared work, which more threads do not shorten; what they are is named below
    balance     work of the busiest thread / mean, if every thread had a core of its own: every task has the CPU
                seconds it took here, and goes in its order to the thread that is free first
    waiting     share of the threads' time in shared work that they would wait for the busiest, in that order
    expect      speed-up over one thread to expect with so many cores: CPU seconds at one thread / (`alone` + those of
                the busiest thread)
    copy        (first lines) GB/s that threads copy at once: where that does not grow with the threads, nothing that
                reads and writes more memory than the caches hold can

Quick mode: small inputs, at 1, 2 and 16 threads.  Rows whose data are not there are left out, with a line that says so.
The most telling rows come first, and every row is kept once it is measured: a run that was broken off goes on with
`--resume`, which leaves what is there of this commit and this machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, ROOT, in_fresh_process, option, options, put_row, results_of, rows_of, stamp

KEPT = ROOT / "build" / "scaling"
FIGURES = ("wall", "cpu", "cpu_ratio", "alone", "balance", "waiting", "expect")
LEAST_EXPECTED, MOST_RATIO, MOST_BALANCE = 8.0, 1.2, 1.5  # at 16 threads

CODE = """
import json, resource, sys, time
import bayesloom as bl
from bayesloom import _core
what, threads = json.loads(sys.argv[1]), int(sys.argv[2])
given, kind = what["options"], what["kind"]
held = None
if kind in ("score", "credible", "classes", "listing", "learn"):
    held = bl.read_table(what["input"], discrete=True)
elif kind == "search":
    held = bl.read_cache(what["input"])
if kind == "credible":
    held = bl.score(held, bayes_factor=what["factor"], threads=threads)
if kind in ("classes", "listing"):
    held = bl.credible(held, what["factor"], threads=threads)
waits = -resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
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
    found = bl.learn(held, threads=threads, **given)
    answer = f"{found.score:.3f} gap {found.gap:.3f}"
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
waits += resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
print(json.dumps({"wall": wall, "cpu": cpu, "waits": waits, "answer": str(answer),
                  **{"p_" + k: v for k, v in _core.parallel_use(False).items()}}))
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


def dense_cache(variables: int, parents: int = 2) -> Path:
    """All sets of up to so many parents of so many variables, with random scores; made once.

    Scores rise with the number of parents, so that every set is a candidate that bounds do not cut off.
    """
    path = KEPT / f"dense{variables}-{parents}.jkl"
    if not path.exists():
        code = """
import itertools, json, random, sys
n, most, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(n)
with open(path, "w") as file:
    file.write(f"{n}\\n")
    for v in range(n):
        rest = [u for u in range(n) if u != v]
        sets = [s for k in range(most + 1) for s in itertools.combinations(rest, k)]
        file.write(f"{v} {len(sets)}\\n")
        for s in sets:
            score = -100 + 4 * len(s) ** 0.5 + 3 * rng.random()
            file.write(f"{score:.6f} {len(s)} {' '.join(map(str, s))}".rstrip() + "\\n")
print(json.dumps({}))
"""
        KEPT.mkdir(parents=True, exist_ok=True)
        made = in_fresh_process(code, str(variables), str(parents), str(path))
        if "error" in made:
            raise SystemExit(made["error"])
    return path


def cases(full: bool) -> list[dict[str, Any]]:
    """What is run: a name, a kind, an input, options, and what of it is not shared; in quick mode less of all."""
    uci, scores, samples = DATA / "uci", DATA / "scores", DATA / "networks" / "samples"
    soybean, steel = scores / "soybean_BIC.jkl.gz", scores / "steel_BIC.jkl.gz"
    factor = 150 if full else 20
    most = 5 if full else 3
    counted = {"method": "independence", "sets_per_variable": 20_000 if full else 4000, "max_parents": 6}

    def one(name: str, kind: str, path: Path, alone: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "kind": kind, "input": str(path), "alone": alone, "options": {}, **more}

    putting = "putting the candidates into one cache"
    order = "a short order search first, and reading the best network back"
    root = "the root of the relaxation, and branching"
    small = [
        one(
            "dp dense",
            "search",
            dense_cache(26 if full else 22, 3 if full else 2),
            order,
            options={"solver": "dp"},
        ),
        one("credible", "credible", uci / "hepatitis.csv.gz", "the live sets", factor=factor),
        one("score sampled", "score", table_like_alarm(1000), putting, options={"max_parents": most}),
        one("score spectf", "score", uci / "spectf.csv.gz", putting, options={"max_parents": most}),
        one("anytime scoring", "score", table_like_alarm(1000), putting, options=counted),
        one("listing", "listing", uci / "hepatitis.csv.gz", "writing the file", factor=factor),
        one("classes", "classes", uci / "hepatitis.csv.gz", "joining the classes of threads", factor=20),
        one("astar dense", "search", dense_cache(22), order, options={"solver": "astar"}),
        one("bfbnb dense", "search", dense_cache(22), order, options={"solver": "bfbnb"}),
    ]
    if not full:
        return small
    learning = {
        "kind": "learn",
        "path": DATA / "debd" / "bbc.ts.data.gz",
        "alone": "dual prices, and the steps of climbs",
    }
    munin = scores / "munin-5000.BLIP-BIC-k6.jkl.gz"
    return [
        one("auto soybean", "search", soybean, root),
        one("bblp soybean", "search", soybean, root, options={"solver": "bblp"}),
        one("learn bbc", **learning, options={"time_limit": 30}, timed=True),
        one("auto munin", "search", munin, root, options={"time_limit": 25}, timed=True),
        one("dp steel", "search", steel, order, options={"solver": "dp"}),
        one("bfbnb steel", "search", steel, order, options={"solver": "bfbnb"}),
        one("auto steel", "search", steel, root),
        *small,
        one("score alarm", "score", samples / "alarm1000.csv.gz", putting, options={"max_parents": 5}),
        one("score soybean", "score", uci / "soybean.csv.gz", putting),
        one("astar steel", "search", steel, order, options={"solver": "astar"}),
    ]


COPY = """
import json, sys, threading, time
import numpy as np
threads, megabytes = int(sys.argv[1]), 64
each = [(np.ones(megabytes << 17), np.empty(megabytes << 17)) for _ in range(threads)]
def copy(pair):
    for _ in range(4):
        np.copyto(pair[1], pair[0])
best = 0.0
for _ in range(3):
    workers = [threading.Thread(target=copy, args=(pair,)) for pair in each]
    begin = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    best = max(best, threads * 8 * megabytes * 2**20 / 1e9 / (time.perf_counter() - begin))
print(json.dumps({"copied": best}))
"""
"""GB/s that so many threads read and write together, each in a place of its own beyond the caches."""


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
    shared, longest = run["p_cpu"], run["p_longest"]
    alone = max(0.0, run["cpu"] - shared)
    row |= {
        "wall": round(run["wall"], 2),
        "cpu": round(run["cpu"], 2),
        "cpu_ratio": round(run["cpu"] / max(one["cpu"], 1e-9), 2),
        "alone": round(alone, 2),
        "balance": round(longest * threads / shared, 2) if shared > 0 else "",
        "waiting": round(1 - shared / (threads * longest), 2) if longest > 0 else "",
        "expect": "" if case.get("timed") else round(one["cpu"] / max(alone + longest, 1e-9), 1),
        "regions": int(run["p_regions"]),
        "tasks": int(run["p_tasks"]),
        "waits": int(run["waits"]),
        "answer": run["answer"],
        "peak_mb": run["peak_mb"],
        "not_shared": case["alone"],
    }
    return row


def kept(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Rows of this commit and this machine, by name and number of threads."""
    here = stamp("")
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for row in rows_of(path):
        if row.get("error") or any(row[name] != here[name] for name in ("commit", "machine")):
            continue
        numbers = {name: float(row[name]) for name in FIGURES if row[name] != ""}
        rows[row["what"], int(row["threads"])] = {**row, **numbers, "threads": int(row["threads"])}
    return rows


def verdict(row: dict[str, Any]) -> str:
    """What a row at 16 threads misses, in words."""
    missed = []
    if row["expect"] != "" and row["expect"] < LEAST_EXPECTED:
        missed.append(f"{row['expect']}x: {row['alone']} s alone ({row['not_shared']})")
    if row["expect"] != "" and row["cpu_ratio"] > MOST_RATIO:
        missed.append(f"{row['cpu_ratio']} times the CPU seconds of one thread")
    if row["balance"] != "" and row["balance"] > MOST_BALANCE:
        missed.append(f"busiest thread {row['balance']} times the mean")
    return "; ".join(missed) or "ok"


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    columns = ("what", "threads", *FIGURES)
    print("\n" + "".join(f"{name:>{18 if name == 'what' else 10}}" for name in columns))
    for row in rows:
        if "error" in row:
            print(f"{row['what']:>18}{row['threads']:>10}  {row['error']}")
            continue
        line = "".join(f"{row[name]:>{18 if name == 'what' else 10}}" for name in columns)
        print(line + (f"  {verdict(row)}" if row["threads"] >= 16 else ""))


def main() -> None:
    full = "--full" in sys.argv
    counts = [int(word) for word in option("--threads", "1,2,4,8,16" if full else "1,2,16").split(",")]
    only = options("--only")
    for threads in sorted({1, *counts, len(os.sched_getaffinity(0))}):
        if threads <= len(os.sched_getaffinity(0)):
            copied = in_fresh_process(COPY, str(threads)).get("copied", 0.0)
            print(f"copy: {threads} threads {copied:.1f} GB/s", flush=True)
    path = results_of(__file__, full=full)
    done = kept(path) if "--resume" in sys.argv else {}
    shown = []
    for case in cases(full):
        if only and case["name"] not in only:
            continue
        if not Path(case["input"]).exists():
            print(f"{case['name']}: left out, {Path(case['input']).name} is not in the data folder ({DATA}).")
            continue
        one: dict[str, Any] | None = None
        for threads in [1, *(count for count in counts if count != 1)]:
            if (row := done.get((case["name"], threads))) is not None:
                one = one or row
                shown.append(row)
                continue
            run = measured(case, threads)
            if one is None and "error" not in run:
                one = run
            row = row_of(case, threads, run, one or run)
            shown.append(row)
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            put_row(path, row, budget="to the end", key=("what", "threads"))
    show(shown)


if __name__ == "__main__":
    main()
