"""The two gaps of `learn`: over the parent sets scored, and over all networks.

    python run.py [--full] [--seconds S]

Random networks of 20 to 1,000 variables, each sampled with three numbers of rows: 33 tables, made on the spot. For each S
seconds (4; quick mode: six tables, 2 s) of `learn` with BIC on one thread. A run of `learn` with ten times the
seconds (full mode, up to 40 variables) shows whether a better network is within the bound. Rows that are in the file
already are left out: a run can be broken off and gone on with.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import option, put_row, results_of, rows_of

import bayesloom as bl

SIZES = (20, 25, 30, 40, 50, 64, 100, 200, 300, 500, 1000)
ROWS = (100, 1000, 5000)
QUICK = [(20, 1000), (30, 1000), (40, 100), (64, 1000), (100, 1000), (200, 100)]
CHECKED = 40  # variables up to which a longer run is made


def measured(n: int, rows: int, seconds: float, *, check: bool) -> dict[str, object]:
    table = bl.random_network(n, seed=n).sample(rows, seed=rows)
    begin = time.process_time()
    result = bl.learn(table, time_limit=seconds, threads=1)
    assert result.gap_all_networks is not None
    row: dict[str, object] = {
        "variables": n,
        "rows": rows,
        "score": f"{result.score:.4f}",
        "gap": f"{result.gap:.4f}",
        "gap_all_networks": f"{result.gap_all_networks:.4f}",
        "percent": f"{100 * result.gap_all_networks / abs(result.score):.2f}",
        "proof": result.proof or "none",
        "open_variables": sum(gain > 0 for gain in result.unscored_gains.values()),
        "cpu_seconds": f"{time.process_time() - begin:.1f}",
    }
    if check and result.proof != "all networks":
        longer = bl.learn(table, time_limit=10 * seconds, threads=1, start=result.network)
        assert result.bound_all_networks is not None
        assert longer.score <= result.bound_all_networks, (n, rows)
        row["longer"] = f"{longer.score:.4f}"
        row["longer_proof"] = longer.proof or "none"
    return row


def main() -> None:
    full = "--full" in sys.argv
    seconds = float(option("--seconds", "4" if full else "2"))
    path = results_of(__file__, full=full)
    done = {(row["variables"], row["rows"]) for row in rows_of(path) if full}
    for n, rows in [(n, rows) for n in SIZES for rows in ROWS] if full else QUICK:
        if (str(n), str(rows)) not in done:
            row = measured(n, rows, seconds, check=full and n <= CHECKED and "--no-check" not in sys.argv)
            put_row(path, row, budget=f"{seconds:g} s, one thread", key=("variables", "rows"))
            print(row, flush=True)
    percents = [float(row["percent"]) for row in rows_of(path)]
    print(
        f"{len(percents)} tables, median gap over all networks {statistics.median(percents):.1f} % of the score"
    )


if __name__ == "__main__":
    main()
