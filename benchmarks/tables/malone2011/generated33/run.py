"""A generated problem of the size of the paper's largest, epigenetic: 33 variables, solved to proof.

    python run.py --scratch DIR [--memory GB] [--dense auto|never|always] [--output results.csv]

Killed or stopped, it goes on when it is called again with the same arguments.
"""

from __future__ import annotations

import argparse
import csv
import platform
import subprocess
import time
from pathlib import Path

import bayesloom as bl
from bayesloom.solvers import order_graph
from bayesloom.solvers.protocol import SearchLimits

HERE = Path(__file__).parent
VARIABLES, ROWS, MAX_PARENTS, SEED = 33, 500, 4, 0


def generated_cache(scratch: Path) -> bl.ScoreCache:
    """The score cache, from the scratch directory if it was made before."""
    file = scratch / f"generated33-{ROWS}-{MAX_PARENTS}-{SEED}.blc"
    if not file.exists():
        network = bl.random_network(VARIABLES, states=(2, 2), max_parents=MAX_PARENTS, seed=SEED)
        bl.score(network.sample(ROWS, seed=SEED)).write(file)
    return bl.read_cache(file)


def peak_memory() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scratch", type=Path, required=True, help="a directory with 50 GB of room")
    parser.add_argument("--memory", type=float, default=7.0, help="gigabytes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dense", choices=("auto", "never", "always"), default="auto")
    parser.add_argument("--output", type=Path, default=HERE / "results.csv")
    given = parser.parse_args()
    cache = generated_cache(given.scratch)
    limits = SearchLimits(
        seconds=None,
        work=None,
        threads=given.threads,
        memory_bytes=1e9 * given.memory,
        seed=0,
        progress=None,
    )
    wall, cpu = time.perf_counter(), time.process_time()
    options = order_graph.Bfbnb(scratch=given.scratch, resume=True, dense=given.dense)
    answer = options.solve(cache, limits)
    line = {
        "variables": VARIABLES,
        "candidates": cache.candidate_count,
        "status": "optimal" if answer.proved else "stopped",
        "score": answer.score / 2**30,
        "seconds": round(time.perf_counter() - wall, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "work": answer.work,
        "memory_bytes": peak_memory(),
        "disk_bytes": answer.disk_bytes,
        "threads": given.threads,
        "memory_limit": given.memory,
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False
        ).stdout.strip(),
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
    }
    with given.output.open("w", newline="") as out:
        writer = csv.DictWriter(out, line)
        writer.writeheader()
        writer.writerow(line)
    print(line)


if __name__ == "__main__":
    main()
