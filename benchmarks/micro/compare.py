"""Micro-benchmarks of this tree beside those of the last release, on one machine, turn by turn.

Usage: python benchmarks/micro/compare.py [--base REF] [--tolerance SHARE] [--rounds N] [NAME...]   (`make speed`)

The base is REF, or the newest tag `v*`, or, before the first release, the commit of `results.csv`. It is built into
build/speed; the benchmarks of this tree, at the sizes of their `QUICK`, then run with either package in turn, in
processes of their own, and of each line the least CPU time of each counts. A line that is slower by more than the
tolerance is measured again, up to MORE times; if it still is, the exit code is 1. A line that the base cannot run is told
and not compared.

Times are CPU seconds of one thread, so the machine need not be quiet: a disturbance passes, a slower kernel stays, and a
line must stay slower through all rounds to be called so. It takes a minute of CPU beside the build of the base; at a load
of 15 on two cores, 75 lines of the same code differed by at most 12 %, and one of five files was measured again.
(Bases before 2026-11-19 time `counting` by the clock.)
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOLERANCE = 0.15
"""How much slower a line may be."""
ROUNDS = 2
"""How often every file is run with either package."""
MORE = 5
"""How often files with slow lines are run again, as many rounds each time."""
Times = dict[str, float]


def git(*arguments: str) -> str:
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return told.stdout.strip() if told.returncode == 0 else ""


def measured_commit() -> str:
    """Return the commit that the figures of `results.csv` are of."""
    with (HERE / "results.csv").open(encoding="utf-8") as file:
        return next(csv.DictReader(file))["commit"]


def built(commit: str) -> Path:
    """Build the package of a commit, once; return the folder to import it from."""
    place = ROOT / "build" / "speed" / commit
    site = place / "site"
    if not (site / "bayesloom").exists():
        source = place / "source"
        source.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(source)], input=packed, check=True)
        here = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps"]
        options = ["-C", "cmake.args=--preset=release", "-C", "build-dir=build/release"]
        subprocess.run([*install, "--target", str(site), *options, "."], cwd=source, env=here, check=True)
    return site


def measured(name: str, site: Path | None) -> Times:
    """Run one benchmark in a process of its own, with the package of a folder or the installed one."""
    here = dict(os.environ, PYTHONPATH=str(site)) if site else os.environ.copy()
    told = subprocess.run(
        [sys.executable, str(Path(__file__)), "--only", name],
        env=here,
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        print(f"{name}: not run by {'the release' if site else 'this tree'}: {told.stderr.strip()[-200:]}")
        return {}
    return {row["name"]: row["seconds"] for row in json.loads(told.stdout.splitlines()[-1])}


def rows_of(name: str) -> list[dict[str, object]]:
    """Return name and seconds of every line; lines of one name are told apart by their place."""
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    found, seen = [], set()
    module = importlib.import_module(name)
    for row in module.rows(**getattr(module, "QUICK", {})):
        title = f"{name}: {row['name']}"
        while title in seen:
            title += " (next)"
        seen.add(title)
        found.append({"name": title, "seconds": row["seconds"]})
    return found


def best(old: Times, new: Times) -> Times:
    return {name: min(old.get(name, seconds), seconds) for name, seconds in {**old, **new}.items()}


def compare(names: list[str], site: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Return the best seconds of each line that both run: of the release, of this tree."""
    before: Times = {}
    now: Times = {}
    for name in names:
        for turn in range(rounds):
            pair = [(before, site), (now, None)]
            for times, where in pair if turn % 2 == 0 else reversed(pair):  # neither is always first
                times.update(best(times, measured(name, where)))
    for name in sorted(set(before) ^ set(now)):
        print(f"{name}: only {'the release' if name in before else 'this tree'} has it")
    return {name: (before[name], now[name]) for name in before if name in now}


def slower(pairs: dict[str, tuple[float, float]], tolerance: float) -> list[str]:
    """Return the lines that take longer than they may."""
    return [name for name, (old, new) in pairs.items() if new > old * (1 + tolerance)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="files of this folder; all by default")
    parser.add_argument("--base", help="a tag or a commit; the newest tag v* by default")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        print(json.dumps(rows_of(given.only)))
        return
    base = given.base or git("describe", "--tags", "--abbrev=0", "--match", "v*") or measured_commit()
    commit = git("rev-parse", "--short", f"{base}^{{commit}}")
    if not commit:
        raise SystemExit(f"{base} is no tag or commit of this repository.")
    names = given.names or sorted(p.stem for p in HERE.glob("*.py") if p.stem not in ("run", "compare"))
    site = built(commit)
    pairs = compare(names, site, given.rounds)
    for _ in range(MORE):
        again = sorted({name.partition(":")[0] for name in slower(pairs, given.tolerance)})
        if not again:
            break
        print(f"measured again: {', '.join(again)}", flush=True)
        for name, (old, new) in compare(again, site, given.rounds).items():
            pairs[name] = min(pairs[name][0], old), min(pairs[name][1], new)
    for name, (old, new) in pairs.items():
        print(f"{name:70} {old:12.9f} s {new:12.9f} s  {new / old:5.2f}")
    late = slower(pairs, given.tolerance)
    print(
        f"{len(pairs)} lines beside {base} ({commit}): {len(late)} slower by more than {given.tolerance:.0%}"
    )
    sys.exit(bool(late))


if __name__ == "__main__":
    main()
