"""Rebuild Table 1 of malone2011: scoring and search timed apart, memory and disk, beside the paper.

    python run.py [--full] [--rows NAME ...] [--scratch DIR]

Every search runs in a process of its own, so that its peak memory is its own.  Nothing else should run
on the machine; the column ``cpu_seconds`` tells whether something did.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import bayesloom as bl
from bayesloom.solvers import order_graph
from bayesloom.solvers.api import SOLVERS as SOLVERS_BY_NAME
from bayesloom.solvers.protocol import SearchLimits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))
import measure
from measure import DATA

SOLVERS = ("dp", "astar", "bfbnb")


def search_once(cache_file: str, solver: str, budget: dict, scratch: str) -> dict:
    """Run one search and return what it took; called in a process of its own."""
    cache = bl.read_cache(cache_file)
    limits = SearchLimits(
        seconds=budget["time_limit"],
        work=None,
        threads=budget["threads"],
        memory_bytes=1e9 * budget["disk_memory" if solver == "bfbnb" else "memory"],
        seed=0,
        progress=None,
    )
    options = order_graph.Bfbnb(scratch=scratch) if solver == "bfbnb" else SOLVERS_BY_NAME[solver]()
    wall, cpu = time.perf_counter(), time.process_time()
    answer = options.solve(cache, limits)
    return {
        "status": "optimal" if answer.proved else "stopped",
        "search_seconds": round(time.perf_counter() - wall, 3),
        "cpu_seconds": round(time.process_time() - cpu, 3),
        "optimum": answer.score / 2**30,
        "memory_bytes": peak_memory(),
        "disk_bytes": answer.disk_bytes,
    }


def peak_memory() -> int:
    """The most memory this process held; what ``getrusage`` tells begins with that of its parent."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 0


def in_own_process(cache_file: Path, solver: str, budget: dict, scratch: str) -> dict:
    arguments = json.dumps([str(cache_file), solver, budget, scratch])
    done = subprocess.run(
        [sys.executable, __file__, "--one", arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return {"status": (done.stderr.strip().splitlines() or ["killed"])[-1]}
    return json.loads(done.stdout)


def published_optima() -> dict[str, float]:
    """The scores that other programs print for exactly these files."""
    return {
        row["file"]: -float(
            row["cost_GOBNILP"] if row["cost_GOBNILP"] not in ("", "NA") else row["cost_CPBayes"]
        )
        for row in measure.rows_of(DATA / "scores" / "published_optima.csv")
        if row["score"] == "BIC" and row["status"] == "match"
    }


def run_row(name: str, spec: dict, paper: dict, scratch: str):
    """Score one table, search it with every solver, and yield a line for each."""
    file = spec["files"][name]
    start = time.perf_counter()
    table = bl.read_table(DATA / file, discrete=True)
    cache = bl.score(table, threads=spec["budget"]["threads"])
    seconds = time.perf_counter() - start
    cache_file = Path(scratch) / "cache.blc"
    cache.write(cache_file)
    published = published_optima().get(file)
    slowest = max(
        (float(paper[c]) for c in ("dp_seconds", "bfbnb_seconds") if _is_number(paper[c])), default=0
    )
    for solver in SOLVERS:
        outcome = in_own_process(cache_file, solver, spec["budget"], scratch)
        line = {
            "table": name,
            "n": len(cache.names),
            "rows": table.row_count,
            "candidates": cache.candidate_count,
            "score_seconds": round(seconds, 3),
            "solver": solver,
            "published": published,
            "paper_dp_seconds": paper["dp_seconds"],
            "paper_bfbnb_seconds": paper["bfbnb_seconds"],
            "paper_astar_seconds": paper["astar_seconds"],
            "paper_bfbnb_bytes": paper["bfbnb_bytes"],
            "time_limit": spec["budget"]["time_limit"],
            "memory_limit": spec["budget"]["disk_memory" if solver == "bfbnb" else "memory"],
            "threads": spec["budget"]["threads"],
            **outcome,
        }
        if "optimum" in outcome:
            # a tolerance of our choice; README.md has the differences
            line["agrees"] = "" if published is None else abs(outcome["optimum"] - published) < 0.02
            whole = seconds + outcome["search_seconds"]
            mine = float(paper["bfbnb_seconds"]) if _is_number(paper["bfbnb_seconds"]) else slowest
            line["times_faster"] = round(mine / whole, 1)
        yield line


def _is_number(text: str) -> bool:
    return text.replace(".", "").isdigit()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all rows, not only those that take seconds")
    parser.add_argument("--rows", nargs="*", help="only these rows")
    parser.add_argument("--scratch", help="a directory on disk for bfbnb")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(search_once(*json.loads(given.one))))
        return
    spec = tomllib.loads((HERE / "spec.toml").read_text(encoding="utf-8"))
    paper = {row["table"]: row for row in measure.rows_of(HERE / "paper.csv")}
    names = given.rows or (list(spec["files"]) if given.full else spec["quick"]["rows"])
    path = measure.results_of(__file__, full=given.full)
    budget = "{time_limit} s, {memory} GB, {threads} threads".format(**spec["budget"])
    with tempfile.TemporaryDirectory(dir=given.scratch) as scratch:
        for name in names:
            for line in run_row(name, spec, paper[name], scratch):
                measure.put_row(path, line, budget=budget, key=("table", "solver"))
                print(
                    f"{name:18} {line['solver']:6} {line['status']:8} score {line['score_seconds']:8.2f} s, "
                    f"search {line.get('search_seconds', float('nan')):8.2f} s, "
                    f"{line.get('memory_bytes', 0) / 1e6:7.0f} MB, "
                    f"{line.get('disk_bytes', 0) / 1e6:7.1f} MB disk, "
                    f"paper {line['paper_bfbnb_seconds']} s",
                    file=sys.stderr,
                )


if __name__ == "__main__":
    main()
