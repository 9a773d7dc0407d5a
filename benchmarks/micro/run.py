"""Run every micro-benchmark, print a table, and keep it in results.csv with commit and machine.

Some of them only (NAME): in quick.csv.

Usage: python benchmarks/micro/run.py [NAME...]     (names of files in this folder; all by default)
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from measure import keep, results_of


def main(names: list[str]) -> None:
    chosen = names or sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "compare"))
    measured = []
    for name in chosen:
        for row in importlib.import_module(name).rows():
            measured.append({"benchmark": name, **row})
            print(f"{name:12}  {row['name']:52}  {row['seconds']:12.9f} s  {row['detail']}", flush=True)
    keep(results_of(__file__, full=not names), measured, budget="best of several")


if __name__ == "__main__":
    main(sys.argv[1:])
