"""Run tests on a build that counts, and say which share of the lines of Python and C++ they run.

Usage: python tools/coverage_figures.py FOLDER [--write] [--every K] [ARGUMENTS OF PYTEST...]. FOLDER holds
the build that `make coverage` makes; pages with every line go there. With --write the figures replace
docs/coverage.md; with --every 10 only every tenth test is run, and the figures are lower bounds.
Commands that tests start are counted; a process that a test kills is not, since it cannot write its counts.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
Count = tuple[int, int]
"""How many lines were run, of how many."""

TEXT = """# Coverage

Which share of the lines the tests run, by folder: measured by `make coverage` on {day} at commit
`{commit}`, tests `{tests}` ({closing}).{bound} A line that is run is not yet a line that is checked; what
checks are made of is in [design](design.md). Nothing is left out but blocks for type checkers. Lines of
processes that tests kill are not counted.

| | lines run | of | |
|---|---|---|---|
| **Python** | {python[0]:,} | {python[1]:,} | **{python_share}** |
| **C++, the core** | {core[0]:,} | {core[1]:,} | **{core_share}** |
| branches of Python | {branches[0]:,} | {branches[1]:,} | {branches_share} |

## Python, by folder

{python_rows}

## C++, by folder

{core_rows}
"""


def share(count: Count) -> str:
    """Return a share as people read it, rounded down."""
    run, of = count
    return f"{int(1000 * run / of) / 10:.1f} %" if of else "-"


def by_folder(counts: Iterable[tuple[str, Count]]) -> dict[str, Count]:
    """Add up counts of files by the folder that their path begins with; files beside folders together."""
    found: dict[str, Count] = collections.defaultdict(lambda: (0, 0))
    for path, (run, of) in counts:
        folder = path.split("/")[0] if "/" in path else "(files of no folder)"
        found[folder] = found[folder][0] + run, found[folder][1] + of
    return dict(sorted(found.items()))


def rows(counts: dict[str, Count]) -> str:
    """Return a table of folders."""
    lines = ["| folder | lines run | of | |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {run:,} | {of:,} | {share((run, of))} |" for name, (run, of) in counts.items()]
    return "\n".join(lines)


def run_tests(folder: Path, arguments: list[str], every: int) -> tuple[str, int]:
    """Run the tests under the counting build; return the closing line and the exit code."""
    for old in [*folder.glob(".coverage*"), *folder.glob("cmake/**/*.gcda")]:
        old.unlink()
    here = dict(
        os.environ, PYTHONPATH=f"{folder / 'site'}:{ROOT / 'tools'}", COVERAGE_FILE=str(folder / ".coverage")
    )
    here["EVERY_KTH"] = str(every)
    here["COVERAGE_RCFILE"] = str(ROOT / "pyproject.toml")
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-n", "0", "--durations=0"]
    told = subprocess.Popen(
        [*command, "-p", "no:cacheprovider", "-p", "every_kth", *arguments],
        cwd=ROOT,
        env=here,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert told.stdout is not None
    last = ""
    for line in told.stdout:
        print(line, end="", flush=True)
        last = line if line.strip() else last
    return last.strip(" =\n"), told.wait()


def of_python(folder: Path) -> dict[str, object]:
    """Put the counts of all processes together and return them, file by file."""
    here = dict(os.environ, COVERAGE_FILE=str(folder / ".coverage"))
    for verb in (
        ["combine", "-q"],
        ["html", "-q", "-d", f"{folder}/python"],
        ["json", "-q", "-o", f"{folder}/python.json"],
    ):
        subprocess.run([sys.executable, "-m", "coverage", *verb], cwd=ROOT, env=here, check=True)
    found: dict[str, object] = json.loads((folder / "python.json").read_text(encoding="utf-8"))
    return found


def of_core(folder: Path) -> dict[str, Count]:
    """Return the counts of C++, file by file."""
    (folder / "core").mkdir(exist_ok=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "gcovr", "--root", str(ROOT), "--filter", "src/core/"),
            *("--gcov-ignore-parse-errors=negative_hits.warn", "--exclude-throw-branches"),
            *("--json-summary", str(folder / "core.json"), "--html-details", str(folder / "core/index.html")),
            str(folder / "cmake"),
        ],
        cwd=ROOT,
        check=True,
    )
    found = json.loads((folder / "core.json").read_text(encoding="utf-8"))["files"]
    return {
        one["filename"].removeprefix("src/core/"): (one["line_covered"], one["line_total"]) for one in found
    }


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    given, tests = parser.parse_known_args(arguments)
    folder = given.folder.resolve()
    closing, code = run_tests(folder, tests, given.every)
    if code not in (0, 1):
        raise SystemExit(f"the tests did not run: pytest ended with {code}.")
    files = of_python(folder)["files"]
    assert isinstance(files, dict)
    python = {
        name.split("/bayesloom/", 1)[1]: (one["summary"]["covered_lines"], one["summary"]["num_statements"])
        for name, one in files.items()
    }
    branches = [
        sum(one["summary"][key] for one in files.values()) for key in ("covered_branches", "num_branches")
    ]
    core = of_core(folder)
    whole = {
        "python": tuple(map(sum, zip(*python.values(), strict=True))),
        "core": tuple(map(sum, zip(*core.values(), strict=True))),
        "branches": tuple(branches),
    }
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    page = TEXT.format(
        day=date.today().isoformat(),
        commit=commit.stdout.strip() or "unknown",
        tests=shlex.join(["pytest", *tests]),
        closing=closing,
        bound=f" Only every {given.every}th test was run: all tests run more." if given.every > 1 else "",
        python_rows=rows(by_folder(python.items())),
        core_rows=rows(by_folder(core.items())),
        **whole,
        **{f"{name}_share": share(count) for name, count in whole.items()},  # type: ignore[arg-type]
    )
    (PAGE if given.write else folder / "figures.md").write_text(page, encoding="utf-8")
    print(page)
    if code:
        raise SystemExit("some tests failed: the figures are of a run that did not pass.")


if __name__ == "__main__":
    main(sys.argv[1:])
