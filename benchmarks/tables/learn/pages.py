"""Write the tables and pictures of the pages in this folder from their results.csv.

    python pages.py

What stands above the line of MARK in a README.md is kept.  The pictures need matplotlib.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
import measure
import pictures

MARK = "<!-- below: written by pages.py -->"
OTHERS = {"pyagrum-hc": "pyAgrum hc", "pyagrum-tabu": "pyAgrum tabu", "pgmpy-hc": "pgmpy hc"}
COLOURS = {"pyagrum-hc": "#1f77b4", "pyagrum-tabu": "#ff7f0e", "pgmpy-hc": "#2ca02c", "bayesloom": "#222222"}
Row = dict[str, str]


def rows_of(table: str) -> list[Row]:
    return measure.rows_of(HERE / table / "results.csv")


def number(text: str | None, digits: int = 1) -> str:
    return f"{float(text):,.{digits}f}" if text else ""


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    rule = ["---" if k < left else "---:" for k in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines)) + "\n"


def measured(rows: Sequence[Row]) -> str:
    """A sentence on how the rows were measured."""
    commits = ", ".join(sorted({row["commit"] for row in rows}))
    machines = "; ".join(sorted({row["machine"].rpartition(",")[0] for row in rows}))
    how = {
        "wall": "wall time, pinned to one core",
        "CPU": "CPU time as the clock, on a shared core",
    }
    clocks = [f"{sum(row['clock'] == clock for row in rows)} lines {text}" for clock, text in how.items()]
    told = "; ".join(text for text in clocks if not text.startswith("0 "))
    timed = [row for row in rows if row.get("cpu_seconds") and float(row["seconds"]) > 1]
    busy = sum(float(row["cpu_seconds"]) < 0.9 * float(row["seconds"]) for row in timed)
    shared = f" {busy} of them had to share the core: see CPU seconds in `results.csv`." if busy else ""
    return f"Measured at {commits} on {machines}: {told}.{shared}\n"


def defaults() -> str:
    rows = rows_of("defaults")
    proved = [row for row in rows if row["status"] == "optimal"]
    whole = [row for row in proved if row["complete"] == "True"]
    slowest = max(float(row["process_seconds"]) for row in rows)
    text = f"{len(rows)} tables, none failed; {len(whole)} proved optimal over all networks, "
    text += (
        f"{len(proved) - len(whole)} more over the parent sets scored, {len(rows) - len(proved)} with a gap. "
    )
    text += f"The slowest took {slowest:.1f} s from start to end of the process.\n\n"
    lines = [
        [
            row["table"],
            row["variables"],
            row["rows"],
            number(row["bic"], 4),
            "0" if row["status"] == "optimal" else number(row["gap"]),
            {"optimalTrue": "optimal", "optimalFalse": "optimal over the sets scored"}.get(
                row["status"] + row["complete"], "stopped"
            ),
            number(row["process_seconds"]),
            row["peak_mb"],
            (number(row.get("known"), 4) + f" ({row['known_is']})") if row.get("known") else "",
        ]
        for row in rows
    ]
    head = ["table", "variables", "rows", "BIC", "gap", "status", "s", "MB", "known before"]
    return text + measured(rows) + "\n" + markdown(head, lines)


def against_packages() -> str:
    rows = rows_of("against_packages")
    done = [row for row in rows if row["ahead"]]
    ahead = [float(row["ahead"]) for row in done]
    better, equal = sum(a > 1e-3 for a in ahead), sum(abs(a) <= 1e-3 for a in ahead)
    text = f"{len(done)} comparisons: better in {better}, equal in {equal}, worse in {len(done) - better - equal}. "
    text += f"In {len(rows) - len(done)} the other was not done in 60 s and was given up.\n\n"
    cell: dict[tuple[str, str], str] = {}
    for row in rows:
        if row["ahead"]:
            cell[row["table"], row["other"]] = (
                f"{number(row['their_bic'])} in {float(row['their_seconds']):.2f} s: "
                f"**+{number(row['ahead'], 3 if float(row['ahead']) < 1 else 1)}** in {float(row['our_seconds']):.2f} s"
            )
        else:
            cell[row["table"], row["other"]] = row["their_status"]
    names = list(dict.fromkeys(row["table"] for row in rows))
    size = {row["table"]: (row["variables"], row["rows"]) for row in reversed(rows) if row["variables"]}
    lines = [
        [name, *size.get(name, ("", "")), *(cell.get((name, other), "") for other in OTHERS)]
        for name in names
    ]
    text += "A cell: BIC of the other and its time; then how much better `learn` is, and its time.\n\n"
    text += "![how far ahead](ahead.png)\n\n"
    draw_ahead(done)
    return text + measured(rows) + "\n" + markdown(["table", "variables", "rows", *OTHERS.values()], lines)


def draw_ahead(done: Sequence[Row]) -> None:
    figure, axes = pictures.figure(7.5, 4)
    axes.grid(visible=True, alpha=0.3)
    for other, title in OTHERS.items():
        points = [row for row in done if row["other"] == other]
        x = [float(row["their_seconds"]) for row in points]
        y = [max(1e-6, 100 * float(row["ahead"]) / abs(float(row["their_bic"]))) for row in points]
        axes.scatter(x, y, s=14, label=title, color=COLOURS[other])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("seconds, of either")
    axes.set_ylabel("BIC of learn better by, % (1e-6: equal)")
    axes.legend()
    pictures.save(figure, HERE / "against_packages" / "ahead.png")


def structure() -> str:
    rows = rows_of("structure")
    learners = ("bayesloom", *OTHERS)
    found = {(row["network"], row["sample_rows"], row["learner"]): row for row in rows}
    lines = []
    for network, count in dict.fromkeys((row["network"], row["sample_rows"]) for row in rows):
        cells = []
        for learner in learners:
            row = found.get((network, count, learner), {})
            cells.append(
                f"{row['distance']} ({number(row['bic'])}, {float(row['seconds']):.1f} s)"
                if row.get("distance")
                else row.get("status", "")
            )
        lines.append([network, count, *cells])
    shared = [
        key
        for key in dict.fromkeys((row["network"], row["sample_rows"]) for row in rows)
        if all(found.get((*key, learner), {}).get("distance") for learner in learners)
    ]
    sums = {one: sum(int(found[*key, one]["distance"]) for key in shared) for one in learners}
    text = f"Over the {len(shared)} samples that all four finished, the distances add up to "
    text += ", ".join(f"{sums[one]} ({OTHERS.get(one, 'learn')})" for one in learners) + ".\n\n"
    text += "A cell: pairs of variables that differ from the true CPDAG (BIC, seconds).\n\n"
    text += "![distances](distance.png)\n\n"
    draw_distances(found, learners)
    head = ["network", "rows", "learn", *OTHERS.values()]
    return text + measured(rows) + "\n" + markdown(head, lines)


def draw_distances(found: dict[tuple[str, str, str], Row], learners: Sequence[str]) -> None:
    figure, axes = pictures.figure(9, 4)
    axes.grid(visible=True, alpha=0.3)
    keys = list(dict.fromkeys((network, count) for network, count, _ in found))
    for k, learner in enumerate(learners):
        x = [i + 0.2 * k - 0.3 for i in range(len(keys))]
        y = [int(found.get((*key, learner), {}).get("distance") or 0) for key in keys]
        title = OTHERS.get(learner, "learn")
        axes.bar(x, y, width=0.2, label=title, color=COLOURS[learner])
    axes.set_xticks(range(len(keys)), [f"{a}\n{int(b) // 1000}k" for a, b in keys], fontsize=7, rotation=60)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_ylabel("pairs that differ (none: 0, or not done)")
    axes.legend()
    pictures.save(figure, HERE / "structure" / "distance.png")


def large() -> str:
    rows = rows_of("large")
    lines = [
        [
            row["table"],
            row["variables"],
            row["rows"],
            row["threads"],
            number(row["bic"]),
            number(row["gap"]),
            number(row["process_seconds"]),
            row["peak_mb"],
            row["edges"],
            number(row.get("ahead_of_others")),
            number(row.get("truth_bic")),
            number(row.get("ahead_of_truth")),
            row.get("distance") or "",
            number(row.get("cpu_seconds")),
        ]
        for row in rows
    ]
    head = [
        "table",
        "variables",
        "rows",
        "threads",
        "BIC",
        "gap",
        "s",
        "MB",
        "edges",
        "ahead of the best other",
        "BIC of the truth",
        "ahead of the truth",
        "distance of CPDAGs",
        "CPU s",
    ]
    # Lines of wall time are of several threads here.
    told = measured(rows).replace(" wall time, pinned to one core", " wall time, on a shared machine")
    return told + "\n" + markdown(head, lines)


PAGES: dict[str, Callable[[], str]] = {
    "defaults": defaults,
    "against_packages": against_packages,
    "structure": structure,
    "large": large,
}

if __name__ == "__main__":
    for table, page in PAGES.items():
        if rows_of(table):
            path = HERE / table / "README.md"
            above = path.read_text(encoding="utf-8").split(MARK)[0].rstrip()
            path.write_text(f"{above}\n\n{MARK}\n\n{page()}", encoding="utf-8")
            print(path)
