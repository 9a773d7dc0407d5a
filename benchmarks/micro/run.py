"""Run every micro-benchmark, print a table, and keep it as CSV with commit and machine.

Usage: python benchmarks/micro/run.py [NAME...]     (names of files in this folder; all by default)
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from measure import keep


def main(names: list[str]) -> None:
    chosen = names or sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")
    measured = []
    for name in chosen:
        for row in importlib.import_module(name).rows():
            measured.append({"benchmark": name, **row})
            print(f"{name:12}  {row['name']:52}  {row['seconds']:12.9f} s  {row['detail']}", flush=True)
    keep("micro", measured)


if __name__ == "__main__":
    main(sys.argv[1:])
