"""Run the fuzzers: ``python tests/fuzz/run.py KIND [--count N] [--seconds S] [--seed S] [--jobs J]``.

KIND is one of `KINDS`, or ``all``. Every case follows from its seed. What fails is made smaller and written
to ``--out`` as JSON; ``--replay FILE`` runs it again. The exit code is 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import multiprocessing
import multiprocessing.util
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

KINDS = ("tables", "kinds", "caches", "proofs", "files", "verbs")
CASES = {
    "tables": "TableCase",
    "caches": "CacheCase",
    "proofs": "ProofCase",
    "kinds": "KindCase",
    "files": "FileCase",
    "cache_files": "FileCase",
    "verbs": "VerbCase",
}
AT_ONCE = {
    "tables": 50,
    "kinds": 50,
    "caches": 50,
    "proofs": 50,
    "files": 100,
    "cache_files": 100,
    "verbs": 1,
}
HANGS = 900  # seconds after which a case is one that does not end, on any machine
TRIES = 300  # smaller cases that are tried
SHOWN = 3  # failures of one sort that are made smaller


Job = tuple[str, int, int]
"""A kind, its first seed, and the one after its last."""
Outcome = tuple[int, int, list[tuple[int, str]]]
"""How many cases and claims there were, and what was wrong at which seed."""


def module(kind: str) -> ModuleType:
    return importlib.import_module(f"fuzz.{kind}")


def sort_of(words: str) -> str:
    """What a failure is about, without its numbers."""
    return " ".join(words.split(":")[:2])[:60] if words.startswith("error") else words.split(":")[0][:60]


def run_seeds(job: Job) -> Outcome:
    """Run the cases of some seeds; how many, how many claims, and what was wrong."""
    kind, first, last = job
    claims, wrong = 0, []
    for seed in range(first, last):
        if HANGS:
            faulthandler.dump_traceback_later(HANGS, exit=True, file=sys.__stderr__)
        found, problems = module(kind).check(module(kind).random_case(seed))
        if HANGS:
            faulthandler.cancel_dump_traceback_later()
        claims += found
        wrong += [(seed, words) for words in problems[:1]]
    return last - first, claims, wrong


def own_folder() -> None:
    """Temporary files of a worker are its own, and go with it."""
    folder = tempfile.mkdtemp(prefix="fuzz-")
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = folder
    multiprocessing.util.Finalize(None, _remove, args=(folder,), exitpriority=0)


def _remove(folder: str) -> None:
    subprocess.run(["rm", "-rf", folder], check=False)


def shrink(kind: str, case: Any, sort: str) -> tuple[Any, str]:
    """A smaller case that fails in the same way."""
    here, tries = module(kind), 0
    words = ""
    going = True
    while going and tries < TRIES:
        going = False
        for next_case in here.smaller(case):
            if next_case == case:
                continue
            tries += 1
            try:
                problems = here.check(next_case)[1]
            except Exception:
                problems = []
            same = [problem for problem in problems if sort_of(problem) == sort]
            if same:
                case, words, going = next_case, same[0], True
                break
            if tries >= TRIES:
                break
    return case, words


def jobs_of(kind: str, seed: int, count: int | None, seconds: float | None) -> Iterator[Job]:
    begin, at, step = time.perf_counter(), seed, AT_ONCE[kind]
    while True:
        if count is not None and at >= seed + count:
            return
        if seconds is not None and time.perf_counter() - begin > seconds:
            return
        last = at + step if count is None else min(at + step, seed + count)
        yield kind, at, last
        at = last


def fuzz(
    kind: str, *, seed: int, count: int | None, seconds: float | None, jobs: int, out: Path
) -> tuple[int, int, int]:
    """Run one kind; print what is wrong and a line in the end; cases, claims, wrong ones."""
    begin, cases, claims = time.perf_counter(), 0, 0
    sorts: Counter[str] = Counter()
    work = jobs_of(kind, seed, count, seconds)
    results = map(run_seeds, work) if jobs == 1 else _in_processes(work, jobs)
    for done, found, wrong in results:
        cases += done
        claims += found
        for at, words in wrong:
            sort = sort_of(words)
            sorts[sort] += 1
            if sorts[sort] <= SHOWN:
                report(kind, at, words, sort, out)
    taken = time.perf_counter() - begin
    total = sum(sorts.values())
    what = f", {dict(sorts)}" if sorts else ""
    print(
        f"{kind}: {cases:,} cases (seeds {seed} to {seed + cases - 1}), {claims:,} claims, "
        f"{total} wrong{what}; {taken:.0f} s",
        flush=True,
    )
    return cases, claims, total


def _in_processes(work: Iterator[Job], jobs: int) -> Iterator[Outcome]:
    """Outcomes as they come, of work that is made only as fast as it is done.

    A process that dies takes the others with it: that is reported as wrong, with the seeds that were at work.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=own_folder) as pool:
        waiting = {pool.submit(run_seeds, job): job for job in _first(work, jobs)}
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                try:
                    yield future.result()
                except BrokenProcessPool:
                    seeds = sorted(seed for _, first, last in waiting.values() for seed in range(first, last))
                    yield (
                        0,
                        0,
                        [(seeds[0], f"crash: a process died at work on seeds {seeds[0]} to {seeds[-1]}")],
                    )
                    return
                del waiting[future]
                waiting |= {pool.submit(run_seeds, job): job for job in _first(work, 1)}


def _first(work: Iterator[Job], number: int) -> list[Job]:
    return [job for _, job in zip(range(number), work, strict=False)]


def report(kind: str, seed: int, words: str, sort: str, out: Path) -> None:
    """Make a failing case smaller, write it and say so; one that kills the process is only named."""
    if sort == "crash":
        print(f"WRONG {kind}: {words}\n  one by one: python {sys.argv[0]} {kind} --seed {seed} --jobs 1")
        return
    case, less = shrink(kind, module(kind).random_case(seed), sort)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{kind}-{seed}.json"
    path.write_text(
        json.dumps({"kind": kind, "seed": seed, "wrong": less or words, "case": case.plain()}, indent=1)
    )
    print(
        f"WRONG {kind} seed {seed}: {words}\n  smaller: {less}\n  again: python {sys.argv[0]} --replay {path}"
    )
    if hasattr(case, "script"):
        print(case.script())
    sys.stdout.flush()


def replay(path: Path) -> int:
    given = json.loads(path.read_text())
    here = module(given["kind"])
    case = getattr(here, CASES[given["kind"]]).from_plain(given["case"])
    claims, wrong = here.check(case)
    print(f"{claims} claims, {len(wrong)} wrong", *wrong, sep="\n")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", nargs="?", default="all", choices=[*CASES, "all"])
    parser.add_argument("--count", type=int, help="cases of each kind")
    parser.add_argument("--seconds", type=float, help="time for each kind")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--replay", type=Path)
    given = parser.parse_args()
    own_folder()
    if given.replay:
        return replay(given.replay)
    count = given.count if given.count or given.seconds else 1000
    wrong = 0
    for kind in KINDS if given.kind == "all" else (given.kind,):
        wrong += fuzz(
            kind, seed=given.seed, count=count, seconds=given.seconds, jobs=given.jobs, out=given.out
        )[2]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
