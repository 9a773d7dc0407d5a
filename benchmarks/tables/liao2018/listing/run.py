"""How fast the credible networks of one table are written: hepatitis, F = 150, 5,591,502 networks.

    python run.py [--full] [--threads 1 2]

Each format in a process of its own, to a temporary file; peak memory tells that it is bounded. Quick mode: F = 20,
87,169 networks, one thread.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))
import measure

ONCE = """
import json, os, sys, tempfile, time
import bayesloom as bl
path, kind, threads, factor = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
begin, cpu = time.perf_counter(), time.process_time()
found = bl.credible(bl.read_table(path, discrete=True), factor, threads=threads)
out = {"networks": found.count, "count_seconds": time.perf_counter() - begin,
       "count_cpu": time.process_time() - cpu}
import resource
out["counted_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
begin, cpu = time.perf_counter(), time.process_time()
if kind == "walk":
    stream, written = found._core.stream(), 0
    while (taken := len(stream.take(65536)[1])) > 0:
        written += taken
elif kind == "classes":
    written = found.classes.count
else:
    with tempfile.TemporaryDirectory() as folder:
        written = found.write(os.path.join(folder, "all." + kind))
        out["bytes"] = os.path.getsize(os.path.join(folder, "all." + kind))
out |= {"listed": written, "seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
print(json.dumps(out))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--threads", nargs="*", type=int)
    given = parser.parse_args()
    lines: list[dict[str, Any]] = []
    for kind in ("walk", "jsonl", "parquet", "classes"):
        for threads in given.threads or ([1, 2] if given.full else [1]):
            path = str(measure.DATA / "uci" / "hepatitis.csv.gz")
            found = measure.in_fresh_process(ONCE, path, kind, str(threads), "150" if given.full else "20")
            if "cpu" in found:
                found["networks_per_cpu_second"] = round(found["networks"] / found["cpu"])
            rounded = {key: round(v, 2) if isinstance(v, float) else v for key, v in found.items()}
            lines.append({"what": kind, "threads": threads, **rounded})
            print(lines[-1], flush=True)
    measure.keep(measure.results_of(__file__, full=given.full), lines, budget="to the end")


if __name__ == "__main__":
    main()
