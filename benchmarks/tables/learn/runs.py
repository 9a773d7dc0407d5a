"""What the tables of this folder share: one run in a process of its own, and results kept line by line."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from measure import DATA, stamp

LEARNERS = Path(__file__).parent / "learners.py"
OTHERS = ("pyagrum-hc", "pyagrum-tabu", "pgmpy-hc")

__all__ = ["DATA", "LEARNERS", "OTHERS", "Results", "run_one", "tables"]


def run_one(
    learner: str, path: Path, seconds: float, threads: int, truth: Path | None = None, patience: float = 300
) -> dict[str, Any]:
    """Run a learner; one that takes more than `patience` seconds, or fails, says so in ``status``."""
    arguments = [learner, str(path), str(seconds), str(threads), *([] if truth is None else [str(truth)])]
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, str(LEARNERS), *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return {"learner": learner, "status": f"not done in {patience:g} s"}
    if done.returncode != 0:
        return {"learner": learner, "status": (done.stderr.strip().splitlines() or ["killed"])[-1][:200]}
    return {**json.loads(done.stdout.splitlines()[-1]), "wall_seconds": round(time.perf_counter() - begin, 2)}


def tables(full: bool) -> list[Path]:
    """All tables of uci and networks/samples; in quick mode those below 200 KB."""
    found = sorted((DATA / "uci").glob("*.csv.gz")) + sorted((DATA / "uci" / "derived").glob("*.csv.gz"))
    found += sorted((DATA / "networks" / "samples").glob("*.*.gz"))
    return [path for path in found if full or path.stat().st_size < 60_000]


class Results:
    """A CSV file that gains a line per run, so that a stopped benchmark keeps what it has."""

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, []  # type: Path, list[dict[str, Any]]
        self.stamp = stamp()

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append({**row, **self.stamp})
        print({key: value for key, value in row.items() if key not in ("solver", "peak_mb")}, flush=True)
        columns = list(dict.fromkeys(key for line in self.rows for key in line))
        with self.path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=columns)
            writer.writeheader()
            writer.writerows(self.rows)
