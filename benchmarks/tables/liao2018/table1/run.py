"""Rebuild Table 1 of liao2018: the credible networks and classes at F = 3, 20 and 150 with BIC.

    python run.py [--full] [--rows NAME ...] [--time-limit SECONDS] [--output FILE]
    python run.py --show             # the results measured so far, as a table

Every line is a process of its own on one thread: reading, scoring, counting, classes. Rows measured before
are kept, those measured now replaced. Times are CPU seconds, so other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))
import measure

QUICK = ("tic-tac-toe", "wine", "voting", "zoo", "nltcs", "hepatitis")
FACTORS = (3, 20, 150)
ONCE = """
import json, sys, time
import bayesloom as bl
path, factor, limit = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
bl.score(bl.read_table(path, discrete=True), max_parents=0)  # loads what is loaded when first used
begin = time.process_time()
table = bl.read_table(path, discrete=True)
cache = bl.score(table, bayes_factor=factor, threads=1)
scored = time.process_time()
out = {"n": len(table.names), "rows": table.row_count, "score_cpu": scored - begin,
       "candidates": cache.candidate_count}
try:
    found = bl.credible(cache, factor, threads=1, time_limit=limit)
except bl.ResourceError as error:
    print(json.dumps({**out, "note": str(error)[:70], "count_cpu": time.process_time() - scored}))
else:
    counted = time.process_time()
    out |= {"count_cpu": counted - scored, "networks": found.count, "exact": found.count_is_exact,
            "error": found.count_error, "complete": found.complete, "largest": max(found.component_sizes),
            "at_least": found.count_bounds[0], "at_most": found.count_bounds[1],
            "worth": found.count_effective, "by": found.count_by, "wide": found._core.backend == "diagram"}
    if found.count_bounds[1] is not None:
        classes = found.classes
        out |= {"classes": classes.count, "classes_complete": classes.complete}
        if not classes.complete:
            out |= dict(zip(("classes_estimate", "classes_error"), classes.estimate))
        out["classes_cpu"] = time.process_time() - counted
    print(json.dumps(out))
"""


def measured(row: dict[str, str], factor: int, limit: float) -> dict[str, Any]:
    found = measure.in_fresh_process(ONCE, str(measure.DATA / row["file"]), str(factor), str(limit))
    found = {key: round(value, 3) if isinstance(value, float) else value for key, value in found.items()}
    paper = {f"paper_{what}": row[f"{what}_{factor}"] for what in ("seconds", "networks", "classes")}
    total = sum(found.get(key, 0.0) for key in ("score_cpu", "count_cpu", "classes_cpu"))
    if row[f"seconds_{factor}"] and found.get("exact"):
        paper["times_faster"] = f"{float(row[f'seconds_{factor}']) / max(total, 0.01):.0f}"
    return {"table": row["table"], "bayes_factor": factor, **found, **paper, "time_limit": limit}


def show(path: Path) -> None:
    """Print the results beside the paper's numbers."""

    def number(text: str) -> str:
        return f"{int(float(text)):,}" if text else "-"

    print(
        "| table | n | F | networks, paper | ours | classes, paper | ours | seconds, paper | scoring | rest "
        "| faster, with scoring | without |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in measure.rows_of(path):
        rest = sum(float(row[key] or 0) for key in ("count_cpu", "classes_cpu"))
        scoring = float(row["score_cpu"])
        networks = number(row["networks"]) if row["exact"] == "True" else "not counted"
        if row["networks"] and row["exact"] == "False":
            networks = f"at least {number(row['at_least'])}"
            if row["at_most"]:
                networks = f"{number(row['at_least'])} to {number(row['at_most'])}"
            elif float(row["worth"] or 0) >= 10:
                how = " by populations" if row["by"] == "populations" else ""
                networks += f"; estimated{how} {float(row['networks']):.2g}, error {float(row['error']):.1g}"
        classes = number(row["classes"])
        if row["classes_complete"] == "False":
            classes = f"at least {classes}"
            if row["classes_estimate"] not in ("", "nan"):
                about, error = float(row["classes_estimate"]), float(row["classes_error"])
                classes = f"{about:.3g} (estimated, error {error:.1g})"
        paper = [row["paper_seconds"] or "out of time", f"{scoring:.2f}", f"{rest:.2f}", "-", "-"]
        if row["paper_seconds"] and row["exact"] == "True":
            theirs = float(row["paper_seconds"])
            paper[3:] = [f"{theirs / (scoring + rest):,.0f}x", f"{theirs / max(rest, 0.001):,.0f}x"]
        cells = [row["table"], row["n"], row["bayes_factor"], number(row["paper_networks"]), networks]
        print("| " + " | ".join([*cells, number(row["paper_classes"]), classes, *paper]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all rows; else those that take seconds")
    parser.add_argument("--rows", nargs="*", help="these rows only")
    parser.add_argument("--factors", nargs="*", type=int, default=FACTORS)
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for each stage")
    parser.add_argument("--output", type=Path, help="another file than results.csv, quick.csv")
    parser.add_argument("--show", action="store_true", help="print the results as a table; measure nothing")
    given = parser.parse_args()
    output = given.output or measure.results_of(__file__, full=given.full)
    if given.show:
        show(given.output or HERE / "results.csv")
        return
    paper = measure.rows_of(HERE / "paper.csv")
    wanted = given.rows or ([row["table"] for row in paper] if given.full else QUICK)
    for row in paper:
        if row["table"] not in wanted:
            continue
        if not (measure.DATA / row["file"]).exists():
            print(f"{row['table']}: no data")
            continue
        for factor in given.factors:
            line = measured(row, factor, given.time_limit)
            print(line, flush=True)
            limit = f"{given.time_limit:g} s a stage, one thread"
            measure.put_row(output, line, budget=limit, key=("table", "bayes_factor"))


if __name__ == "__main__":
    main()
