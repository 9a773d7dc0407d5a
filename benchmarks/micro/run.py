"""Run every micro-benchmark, print a table, and keep it as CSV with commit and machine.

Usage: python benchmarks/micro/run.py [NAME...]     (names of files in this folder; all by default)
"""

from __future__ import annotations

import csv
import importlib
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"


def machine() -> str:
    """Processor and number of usable cores, in a few words."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}"


def commit() -> str:
    """The commit measured, marked if the tree has changes."""
    out = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return out.stdout.strip() or "unknown"


def main(names: list[str]) -> None:
    sys.path.insert(0, str(HERE))
    chosen = names or sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")
    stamp = {"commit": commit(), "machine": machine(), "date": datetime.now(UTC).strftime("%Y-%m-%d")}
    measured = []
    for name in chosen:
        for row in importlib.import_module(name).rows():
            measured.append({"benchmark": name, **row, **stamp})
            print(f"{name:12}  {row['name']:52}  {row['seconds']:12.9f} s  {row['detail']}", flush=True)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "micro.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(measured[0]))
        writer.writeheader()
        writer.writerows(measured)
    print(f"written to {path.relative_to(HERE.parent.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
