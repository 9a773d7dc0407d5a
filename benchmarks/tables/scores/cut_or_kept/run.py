"""Numbers cut into ranges, or kept: how much dependence is seen in rows that were held back.

Usage: python benchmarks/tables/scores/cut_or_kept/run.py [--full --folder DIR] [--by-default]

Every CSV file below DIR with 150 rows or more, 3 to 20 columns and a column of more than 20 numbers near a normal
distribution. Two thirds of the rows are learned from, twice: with BIC over three ranges of each such column, and with
`bic-cg` (`bic-g` where nothing else is there) over these columns as they are; columns that are far from normal are cut in
both. What a network sees is its log-likelihood on the last third, per row, less that of the network without edges over
the same variables. Every second file was not looked at before the rule was chosen. Quick mode: mixed tables drawn here.

With --by-default both networks are learned as who names nothing, or `score="bic"` alone, gets them: missing values, columns of many
texts and all else as `learn` reads them, up to 25 columns; held back are rows that both can read.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
import pandas as pd
from measure import option, put_row, results_of, rows_of

import bayesloom as bl
from bayesloom.table.distinct import Distinct
from bayesloom.table.normality import NEAR_NORMAL, normality

MOST_ROWS, LEAST_ROWS = 3000, 150
BUDGET = "30 s of learning, one thread"


def near_normal(column: pd.Series) -> bool:
    values, codes = np.unique(column.to_numpy(float), return_inverse=True)
    return normality(Distinct("real", values, codes, 0)) >= NEAR_NORMAL


def prepared(path: Path) -> tuple[pd.DataFrame, pd.DataFrame, list[str], list[str]] | None:
    """Rows to learn from, rows held back, columns that are kept as numbers, and those that are cut."""
    frame = pd.read_csv(path, low_memory=False)
    if str(frame.columns[0]).startswith("Unnamed"):  # names of rows
        frame = frame.iloc[:, 1:]
    frame = frame.dropna(axis=1, thresh=int(0.9 * len(frame))).dropna()
    if len(frame) < LEAST_ROWS:
        return None
    frame = frame.sample(min(len(frame), MOST_ROWS), random_state=1)
    numbers = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c]) and frame[c].nunique() > 20]
    frame = frame[[c for c in frame if c in numbers or frame[c].nunique() <= 12]]
    if not numbers or not 3 <= frame.shape[1] <= 20:
        return None
    cut = 2 * len(frame) // 3
    learned, held = frame.iloc[:cut], frame.iloc[cut:]
    for c in set(frame) - set(numbers):
        held = held[held[c].isin(learned[c].unique())]
    kept = [c for c in numbers if learned[c].nunique() > 20 and near_normal(learned[c])]
    if not kept or len(held) < 30 or any(learned[c].nunique() <= 20 for c in numbers):
        return None
    return learned, held, kept, [c for c in numbers if c not in kept]


def seen(result: bl.LearnResult, held: pd.DataFrame) -> float:
    """What the network tells of a row held back, in nats, beyond the network without edges."""
    rows = result.table.like(held)
    alone = bl.Network.from_edges(result.table.names, ()).fit(result.table)
    return (result.fit().log_likelihood(rows) - alone.log_likelihood(rows)) / len(held)


def measured(path: Path, half: str) -> dict[str, object] | None:
    found = prepared(path)
    if found is None:
        return None
    learned, held, kept, cut = found
    states = [c for c in learned if c not in kept and c not in cut]
    common = {"time_limit": 30, "threads": 1, "discrete": states}
    ranges = bl.learn(learned, score="bic", discretize="quantile:3", **common)
    numbers = bl.learn(
        learned,
        score="bic-g" if len(kept) == learned.shape[1] else "bic-cg",
        continuous=kept,
        discretize=dict.fromkeys(cut, "quantile:3") or None,
        **common,
    )
    if set(ranges.table.names) != set(numbers.table.names):
        return None
    values = seen(ranges, held), seen(numbers, held)
    if not np.isfinite(values).all():
        return None
    return {
        "table": path.stem,
        "half": half,
        "rows": len(learned),
        "columns": learned.shape[1],
        "kept": len(kept),
        "by_ranges": round(values[0], 4),
        "by_numbers": round(values[1], 4),
        "more": round(values[1] - values[0], 4),
    }


def measured_by_default(path: Path, half: str) -> dict[str, object] | None:
    frame = pd.read_csv(path, low_memory=False)
    if str(frame.columns[0]).startswith("Unnamed"):  # names of rows
        frame = frame.iloc[:, 1:]
    if len(frame) < LEAST_ROWS or not 3 <= frame.shape[1] <= 25:
        return None
    frame = frame.sample(min(len(frame), MOST_ROWS), random_state=1)
    cut = 2 * len(frame) // 3
    learned, held = frame.iloc[:cut], frame.iloc[cut:]
    kinds = bl.learn(learned, time_limit=30, threads=1)
    if not kinds.table.continuous:
        return None
    ranges = bl.learn(learned, score="bic", time_limit=30, threads=1)
    if set(ranges.table.names) != set(kinds.table.names):
        return None
    known = [row for row in range(len(held)) if readable(held.iloc[row : row + 1], kinds, ranges)]
    held = held.iloc[known[:600]]
    if len(held) < 30:
        return None
    values = seen(ranges, held), seen(kinds, held)
    if not np.isfinite(values).all():
        return None
    return {
        "table": path.stem,
        "half": f"{half}, by default",
        "rows": len(learned),
        "columns": len(kinds.table.names),
        "kept": len(kinds.table.continuous),
        "by_ranges": round(values[0], 4),
        "by_numbers": round(values[1], 4),
        "more": round(values[1] - values[0], 4),
    }


def readable(row: pd.DataFrame, *results: bl.LearnResult) -> bool:
    """Whether a row is in the states of all results, or lacks a value only where they have a state for it."""
    try:
        return all(len(result.table.like(row)) == 1 for result in results)
    except bl.InputError:
        return False


def generated(folder: Path) -> list[Path]:
    """Mixed tables: states drive numbers, numbers drive numbers."""
    paths = []
    for seed in range(4):
        draw = np.random.default_rng(seed)
        columns: dict[str, object] = {"s0": draw.choice(["a", "b", "c"], 600)}
        columns["s1"] = np.where(draw.random(600) < 0.2 + 0.5 * (columns["s0"] == "a"), "yes", "no")
        before = 2.0 * (columns["s1"] == "yes")
        for k in range(4):
            before = 0.8 * before + draw.normal(size=600)
            columns[f"x{k}"] = before
        paths.append(folder / f"generated{seed}.csv")
        pd.DataFrame(columns).to_csv(paths[-1], index=False)
    return paths


def summary(path: Path) -> str:
    lines = []
    for half in ("looked at", "held back", "looked at, by default", "held back, by default"):
        more = [float(row["more"]) for row in rows_of(path) if row["half"] == half]
        if more:
            lines.append(
                f"{half}: {len(more)} tables; numbers see more in {sum(x > 0.01 for x in more)}, less in"
                f" {sum(x < -0.01 for x in more)}; median {statistics.median(more):+.3f} nats a row, mean"
                f" {statistics.mean(more):+.3f}, from {min(more):+.2f} to {max(more):+.2f}"
            )
    return "\n".join(lines)


def main(*, full: bool) -> None:
    results = results_of(__file__, full=full)
    folder = option("--folder")
    measure = measured_by_default if "--by-default" in sys.argv else measured
    if full and not folder:
        sys.exit("the tables are not here: give a folder of CSV files, --folder DIR (see README.md)")
    with tempfile.TemporaryDirectory() as own:
        there = (path for path in Path(folder).rglob("*.csv") if not path.name.startswith("."))
        paths = sorted(there, key=str) if folder else generated(Path(own))
        known: set[str] = set()
        for k, path in enumerate(paths):
            try:
                row = measure(path, "held back" if k % 2 else "looked at")
            except (bl.BayesloomError, ValueError) as error:
                print(f"{path.name}: left out, {error}", file=sys.stderr)
                continue
            if row is not None and path.stem not in known:
                known.add(path.stem)
                print(json.dumps(row), flush=True)
                put_row(results, row, budget=BUDGET, key=("table", "half"))
    print(summary(results))


if __name__ == "__main__":
    main(full="--full" in sys.argv[1:])
