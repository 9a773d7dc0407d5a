"""What the tables of this folder share: one run in a process of its own, and results kept line by line.

A run that is broken off goes on where it was: lines of the same commit are not measured again, and with
``--older`` those of any commit are kept.  ``--stop-after S`` ends after the line during which S seconds
have passed (exit code 3: there is more to do), so that a machine can be shared in turns.

``--clock LIBRARY`` preloads a library that makes a process see its CPU time as the time, for machines
that others use too: limits and seconds are CPU seconds of one thread then, and the column `clock` says so.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from measure import DATA, put_row, rows_of, stamp

LEARNERS = Path(__file__).parent / "learners.py"
OTHERS = ("pyagrum-hc", "pyagrum-tabu", "pgmpy-hc")
MORE_TO_DO = 3

__all__ = ["DATA", "OTHERS", "Results", "given_options", "name_of", "rows_of", "tables"]


def given_options(**defaults: Any) -> argparse.ArgumentParser:
    """Return the options that every table has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="all tables; otherwise a few minutes")
    parser.add_argument("--seconds", type=float, help="time limit of learn")
    parser.add_argument("--threads", type=int, default=defaults.get("threads", 1))
    parser.add_argument("--patience", type=float, default=60, help="seconds after which others are given up")
    parser.add_argument("--clock", metavar="LIBRARY", help="preloaded: CPU time as the clock")
    parser.add_argument("--stop-after", type=float, help="seconds; go on by running it again")
    parser.add_argument("--older", action="store_true", help="keep lines of other commits")
    parser.add_argument("--only", nargs="*", default=[], help="tables whose name contains one of these")
    return parser


def tables(full: bool, raw: bool = False) -> list[Path]:
    """All tables of uci and networks/samples; in quick mode those below 60 KB."""
    folders = ["uci", "uci/derived", *(["uci/raw"] if raw else []), "networks/samples"]
    found = [path for folder in folders for path in sorted((DATA / folder).glob("*.*.gz"))]
    return [path for path in found if full or path.stat().st_size < 60_000]


def name_of(path: Path) -> str:
    """The name of a table in results: raw tables carry their folder."""
    name = path.name.removesuffix(".gz")
    return f"raw/{name}" if path.parent.name == "raw" else name


class Results:
    """A CSV file that gains a line per run; `key` names the columns that tell lines apart."""

    def __init__(self, folder: Path, key: tuple[str, ...], given: argparse.Namespace) -> None:
        self.path, self.key, self.given = folder / ("results.csv" if given.full else "quick.csv"), key, given
        self.begin = time.time()
        if given.clock and os.environ.get("LD_PRELOAD") != given.clock:
            environment = {**os.environ, "LD_PRELOAD": given.clock}
            os.execve(sys.executable, [sys.executable, *sys.argv], environment)
        self.rows: list[dict[str, Any]] = list(rows_of(self.path))
        self.commit = stamp("")["commit"]

    def has(self, **key: object) -> bool:
        """Whether a line need not be measured again."""
        if self.given.only and not any(
            word in str(value) for word in self.given.only for value in key.values()
        ):
            return True
        return any(
            all(str(row.get(name)) == str(value) for name, value in key.items())
            and (self.given.older or row["commit"] == self.commit)
            for row in self.rows
        )

    def add(self, row: dict[str, Any]) -> None:
        """Put a line in place of the one with its key, and write the file."""
        line = {**row, "clock": "CPU" if self.given.clock else "wall", "commit": self.commit}
        print({name: value for name, value in row.items() if name not in ("solver", "peak_mb")}, flush=True)
        put_row(self.path, line, budget="as long as the other took", key=self.key)
        self.rows = list(rows_of(self.path))
        if self.given.stop_after is not None and time.time() - self.begin > self.given.stop_after:
            sys.exit(MORE_TO_DO)

    def run_one(
        self, learner: str, path: Path, seconds: float, threads: int = 1, truth: Path | None = None
    ) -> dict[str, Any]:
        """Run a learner; one that was cut off, or fails, says so in ``status``.

        ``process_seconds`` counts everything from the start of Python to its end.
        """
        arguments = [
            learner,
            path,
            seconds,
            threads,
            self.given.patience,
            *([] if truth is None else [truth]),
        ]
        used, begin = _children_cpu(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, str(LEARNERS), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )
        process = _children_cpu() - used if self.given.clock else time.perf_counter() - begin
        if done.returncode != 0:
            return {"learner": learner, "status": (done.stderr.strip().splitlines() or ["killed"])[-1][:200]}
        return {**json.loads(done.stdout.splitlines()[-1]), "process_seconds": round(process, 2)}

    def run_forked(
        self, learner: str, path: Path, seconds: float, threads: int = 1, truth: Path | None = None
    ) -> dict[str, Any]:
        """Like `run_one` in a copy of this process, which has imported the packages: that takes seconds."""
        import learners

        learners.import_all()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                row = learners.run(
                    learner,
                    str(path),
                    seconds,
                    threads,
                    self.given.patience,
                    None if truth is None else str(truth),
                )
            except BaseException as error:
                row = {"learner": learner, "status": f"{type(error).__name__}: {error}"[:200]}
            os.write(writing, json.dumps(row).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            text = answer.read()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            return {"learner": learner, "status": f"not done in {self.given.patience:g} s"}
        if not text:
            return {"learner": learner, "status": f"ended with {status}"}
        found: dict[str, Any] = json.loads(text)
        return found


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
