"""A generated problem of the size of the paper's largest, epigenetic: 33 variables, solved to proof.

    python run.py [--full --scratch DIR] [--memory GB] [--dense auto|never|always]

Killed or stopped, it goes on when it is called again with the same arguments. Quick mode: the same kind of problem with
20 variables, in a temporary directory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import bayesloom as bl
from bayesloom.solvers import order_graph
from bayesloom.solvers.protocol import SearchLimits

sys.path.insert(0, str(Path(__file__).parents[3]))
import measure

ROWS, MAX_PARENTS, SEED = 500, 4, 0


def generated_cache(scratch: Path, variables: int) -> bl.ScoreCache:
    """The score cache, from the scratch directory if it was made before."""
    file = scratch / f"generated{variables}-{ROWS}-{MAX_PARENTS}-{SEED}.blc"
    if not file.exists():
        network = bl.random_network(variables, states=(2, 2), max_parents=MAX_PARENTS, seed=SEED)
        bl.score(network.sample(ROWS, seed=SEED)).write(file)
    return bl.read_cache(file)


def peak_memory() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--scratch", type=Path, help="full mode: a directory with 50 GB of room")
    parser.add_argument("--memory", type=float, default=7.0, help="gigabytes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dense", choices=("auto", "never", "always"), default="auto")
    given = parser.parse_args()
    if not given.full:
        with tempfile.TemporaryDirectory() as folder:
            run(given, Path(folder), 20)
    elif given.scratch is None:
        parser.error("--full needs --scratch")
    else:
        run(given, given.scratch, 33)


def run(given: argparse.Namespace, scratch: Path, variables: int) -> None:
    """Solve the problem and keep the row."""
    cache = generated_cache(scratch, variables)
    limits = SearchLimits(
        seconds=None,
        work=None,
        threads=given.threads,
        memory_bytes=1e9 * given.memory,
        seed=0,
        progress=None,
    )
    wall, cpu = time.perf_counter(), time.process_time()
    options = order_graph.Bfbnb(scratch=scratch, resume=True, dense=given.dense)
    answer = options.solve(cache, limits)
    line = {
        "variables": variables,
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
    }
    measure.keep(
        measure.results_of(__file__, full=given.full), [line], budget=f"{given.memory:g} GB, to proof"
    )
    print(line)


if __name__ == "__main__":
    main()
