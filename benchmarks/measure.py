"""What every benchmark shares: the data folder, the stamp on results, the one writer, one run in a fresh process.

A table is a folder with ``run.py`` (quick mode, and ``--full``), ``README.md``, ``results.csv`` and, where something
is compared, ``paper.csv`` or ``peer.csv``. Full mode writes ``results.csv``; quick mode writes ``quick.csv`` beside it,
which the repository does not keep, so that a try never replaces what was measured with care.
"""

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

__all__ = [
    "DATA",
    "ROOT",
    "in_fresh_process",
    "keep",
    "machine",
    "option",
    "options",
    "put_row",
    "results_of",
    "rows_of",
    "stamp",
    "warm_up",
    "write_rows",
]
Row = dict[str, Any]


def option(name: str, default: str = "") -> str:
    """The word after an option on the command line."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def options(name: str) -> list[str]:
    """The words after an option, between commas; none without it."""
    return option(name).split(",") if name in sys.argv else []


def machine() -> str:
    """Processor and number of usable cores, in a few words."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {len(os.sched_getaffinity(0))} cores"


def stamp(budget: str) -> dict[str, str]:
    """Budget, commit, machine, its load, and the day: what a figure is worth nothing without.

    The commit is dirty if a program differs from it, not if results do.
    """

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", "src", "*.py")
    return {
        "budget": budget,
        "commit": (git("describe", "--always") or "unknown") + ("-dirty" if changed else ""),
        "machine": machine(),
        "load": f"{os.getloadavg()[0]:.1f}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def in_fresh_process(code: str, *arguments: str) -> Row:
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


def results_of(script: str, *, full: bool) -> Path:
    """Where the rows of a table go, given its ``run.py``."""
    return Path(script).resolve().parent / ("results.csv" if full else "quick.csv")


def rows_of(path: Path) -> list[dict[str, str]]:
    """Rows kept earlier, to go on from or to compare with; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: list[Row]) -> None:
    """Write a CSV file with every column that some row has; the old file stays until the new one is whole."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=columns)
        writer.writeheader()
        writer.writerows(rows)
    part.replace(path)


def keep(path: Path, rows: list[Row], *, budget: str) -> None:
    """Write rows anew, with the stamp on each; a row's own budget stands."""
    marks = stamp(budget)
    write_rows(path, [{**row, **{key: row.get(key, mark) for key, mark in marks.items()}} for row in rows])
    print(f"written to {path.relative_to(ROOT)}")


def put_row(path: Path, row: Row, *, budget: str, key: tuple[str, ...] = ()) -> None:
    """Put one row with its stamp into the file at once, so that it stays if the run is broken off.

    It takes the place of the first row that agrees in the columns of `key` (others like it go), or comes last.
    """
    marks = stamp(budget)
    row = {**row, **{name: row.get(name, mark) for name, mark in marks.items()}}
    rows: list[Row] = list(rows_of(path))
    same = [k for k, old in enumerate(rows) if key and all(str(old.get(n)) == str(row[n]) for n in key)]
    rows = [old for k, old in enumerate(rows) if k not in same[1:]]
    if same:
        rows[same[0]] = row
    else:
        rows.append(row)
    write_rows(path, rows)
