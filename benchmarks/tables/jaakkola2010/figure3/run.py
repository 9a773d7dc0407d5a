"""Figure 3 of jaakkola2010: bound and score over time, as numbers and as a picture.

Usage: python benchmarks/tables/jaakkola2010/figure3/run.py [--full]

Quick mode: alarm (1000 rows, BIC, at most 4 parents). Full mode: soybean and wdbc as well, and pictures, which need
matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
import pictures
from measure import keep, results_of
from proofs import search
from score_caches import cache_of

TABLES = {
    "alarm": "networks/samples/alarm1000.csv.gz",
    "soybean": "uci/soybean.csv.gz",
    "wdbc": "uci/wdbc.csv.gz",
}


def draw(name: str, points: list[dict[str, Any]]) -> None:
    """Bound and score as steps over seconds, the optimum or the last score as a line."""
    figure, axes = pictures.figure(6, 3.6)
    seconds = [point["seconds"] for point in points]
    # The trivial bound is far off: the scale begins with the second point.
    axes.step(seconds[1:], [point["bound"] for point in points[1:]], where="post", label="bound")
    axes.step(seconds, [point["score"] for point in points], where="post", label="score")
    axes.set(title=name, xlabel="seconds", ylabel="score", xscale="log")
    axes.legend()
    pictures.save(figure, Path(__file__).with_name(f"{name}.png"))


def main() -> None:
    full = "--full" in sys.argv
    rows: list[dict[str, Any]] = []
    for name in TABLES if full else ["alarm"]:
        found = search(cache_of(TABLES[name], max_parents=4), solver="bblp", threads=1, time_limit=120.0)
        if "error" in found:
            print(name, found["error"])
            continue
        points = [
            {"table": name, "seconds": s, "work": w, "score": score, "bound": bound}
            for s, w, score, bound in found["trace"]
        ]
        print(f"{name}: {found['status']} after {found['cpu_seconds']} s of CPU, {len(points)} points")
        rows += points
    keep(results_of(__file__, full=full), rows, budget="120 s, one thread")
    if full:
        for name in TABLES:
            draw(name, [point for point in rows if point["table"] == name])


if __name__ == "__main__":
    main()
