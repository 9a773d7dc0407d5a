"""What every benchmark shares: where the data are, the stamp on results, and one run in a fresh process."""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from data_folder import DATA

__all__ = ["DATA", "ROOT", "add_row", "in_fresh_process", "keep", "machine", "rows_of", "stamp", "warm_up"]
RESULTS = ROOT / "benchmarks" / "results"


def machine() -> str:
    """Processor and number of usable cores, in a few words."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {len(os.sched_getaffinity(0))} cores"


def stamp() -> dict[str, str]:
    """Commit, machine, its load, and the day: what a figure is worth nothing without."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {
        "commit": described.stdout.strip() or "unknown",
        "machine": machine(),
        "load": f"{os.getloadavg()[0]:.1f}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def in_fresh_process(code: str, *arguments: str) -> dict[str, Any]:
    """Run Python code that prints one JSON object; adds its peak memory in MB."""
    tail = "\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)"
    run = subprocess.run(
        [sys.executable, "-c", code + tail, *arguments], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        return {"error": run.stderr.strip().splitlines()[-1]}
    *_, result, memory = run.stdout.strip().splitlines()
    return {**json.loads(result), "peak_mb": int(memory)}


def warm_up(megabytes: int) -> None:
    """Take so much memory and let go of it.

    A virtual machine gives memory that nobody holds back to its host after a few seconds, and to touch it again
    then costs 2 s per GB on the one this was written on. What runs right after this does not pay for it.
    """
    subprocess.run([sys.executable, "-c", f"b'\\1' * ({megabytes} << 20)"], check=True)


def keep(name: str, rows: list[dict[str, Any]]) -> Path:
    """Write rows to benchmarks/results/NAME.csv with the stamp on each."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    marked = [{**row, **stamp()} for row in rows]
    columns = list(dict.fromkeys(key for row in marked for key in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=columns)
        writer.writeheader()
        writer.writerows(marked)
    print(f"written to {path.relative_to(ROOT)}")
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    """Rows kept earlier, to go on from; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def add_row(path: Path, row: dict[str, Any]) -> None:
    """Append one row with its stamp: what was measured stays if the run is broken off."""
    marked = {**row, **stamp()}
    new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(marked))
        if new:
            writer.writeheader()
        writer.writerow(marked)
