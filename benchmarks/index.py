"""Write README.md of this folder: one page with every table, from the tables' own folders.

    python benchmarks/index.py [--check]

What a table shows, how far it is from its paper or peer and how long it takes stand at the head of its README.md;
commit and day come from its results.csv. ``--check`` says whether the page is up to date and writes nothing.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = HERE / "tables"
PAGE = HERE / "README.md"
HEAD = """# Benchmarks

Written by `benchmarks/index.py` from the folders; a test fails if it is out of date.

A table is a folder: `run.py` (quick mode, and `--full`), `README.md` with what was found, `results.csv` with what was
measured (each row with commit and machine; new ones with budget, load and day too), and `paper.csv` or `peer.csv` with
the numbers it is compared with. Quick mode writes `quick.csv`, which is not kept. Full results are replaced only by `--full`. Times are rough,
for a quiet machine of two cores. The data are found by `BAYESLOOM_DATA` (see `CONTRIBUTING.md`).

`make bench` runs the micro-benchmarks in `micro/`, in CPU time: counting, reading, cache files, the insert kernel, the stages of
credible sets. Shared code: `measure.py` (stamp, the one writer, fresh processes), `pictures.py`, `score_caches.py` (made
once and kept in `build/caches`), `proofs.py` (one search in a fresh process).
"""
FIELDS = ("Shows", "Distance", "Takes")


def head_of(folder: Path) -> dict[str, str]:
    """The title and the fields at the head of a table's page."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    found = {"Title": text.splitlines()[0].removeprefix("# ")}
    for field in FIELDS:
        match = re.search(rf"^- {field}: (.+)\.$", text, re.MULTILINE)
        if match is None:
            raise SystemExit(f"{folder.relative_to(HERE)}/README.md has no line '- {field}: ... .'")
        found[field] = match[1]
    return found


def measured(folder: Path) -> str:
    """Commits and last day of the rows kept."""
    path = folder / "results.csv"
    if not path.exists():
        return "not kept"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    commits = list(dict.fromkeys(row["commit"] for row in rows))
    told = ", ".join(commits) if len(commits) <= 3 else f"{len(commits)} commits, last {commits[-1]}"
    day = max((row.get("date") or "" for row in rows), default="")
    return f"{told}; {day}" if day else told


def folders() -> list[Path]:
    return sorted(path.parent for path in TABLES.glob("*/*/run.py"))


def page() -> str:
    text = HEAD
    for group in dict.fromkeys(folder.parent for folder in folders()):
        text += f"\n## {group.name}\n\n| table | shows | beside paper or peer | takes | measured at |\n"
        text += "|---|---|---|---|---|\n"
        for folder in (one for one in folders() if one.parent == group):
            head = head_of(folder)
            link = f"[{head['Title']}]({folder.relative_to(HERE)}/README.md)"
            cells = [link, *(head[field] for field in FIELDS), measured(folder)]
            text += "| " + " | ".join(cells) + " |\n"
    return text


def main() -> int:
    new = page()
    if "--check" in sys.argv[1:]:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == new
        print("up to date" if same else "out of date: run python benchmarks/index.py")
        return 0 if same else 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
