"""scanagatta2015 Figure 1: which parent sets of one variable are looked at, and when, as a picture.

Usage: python benchmarks/tables/scanagatta2015/figure1/run.py [--full]

Budgets of 5, 10, .. 500 parent sets for one variable of `bnetflix.test`; what a budget adds to the one before was
scored in that step (all scored sets are kept, dominated ones too). Independence selection as in the paper
(`additive`) and as corrected (`conditional`), greedy and sequential. Quick mode: up to 50 sets
and no picture; the picture needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import pictures
from measure import DATA, keep, results_of

import bayesloom as bl

VARIABLE, STEP = 40, 5
METHODS = {
    "independence, conditional": {"method": "independence"},
    "independence, additive": {"method": "independence", "estimate": "additive"},
    "greedy": {"method": "greedy"},
    "sequential": {"method": "sequential"},
}


def steps(table: bl.Table, method: dict[str, str], most: int) -> list[tuple[int, float]]:
    """(how many sets had been scored, score) of every set, in steps."""
    seen: set[tuple[str, ...]] = set()
    points = []
    name = table.names[VARIABLE]
    for count in range(STEP, most + 1, STEP):
        cache = bl.score(
            table,
            **method,
            max_parents=6,
            sets_per_variable=count,
            bayes_factor=1e300,
            shard=(VARIABLE + 1, len(table.names)),
            threads=1,
        )
        for score, parents in cache.candidates(name):
            if len(parents) > 1 and parents not in seen:
                seen.add(parents)
                points.append((count, score))
    return points


def draw(found: dict[str, list[tuple[int, float]]]) -> None:
    """Every set as a point, the best so far as a line."""
    figure, axes = pictures.figure(14, 3.6, len(found), sharey=True)
    for axis, (title, points) in zip(axes, found.items(), strict=True):
        axis.plot([at for at, _ in points], [score for _, score in points], ".", markersize=3)
        best, line = float("-inf"), []
        for at, score in points:
            best = max(best, score)
            line.append((at, best))
        axis.step([at for at, _ in line], [score for _, score in line], where="post", color="tab:red")
        axis.set(title=title, xlabel="parent sets scored")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("BIC of the parent set")
    pictures.save(figure, Path(__file__).with_name("figure1.png"))


def main(full: bool) -> None:
    table = bl.read_table(DATA / "debd" / "bnetflix.test.data.gz")
    found = {title: steps(table, method, 500 if full else 50) for title, method in METHODS.items()}
    rows = []
    for title, points in found.items():
        row = {"table": "bnetflix.test", "variable": table.names[VARIABLE], "method": title}
        row |= {
            f"best_after_{at}": round(max(s for a, s in points if a <= at), 2)
            for at in ((10, 50, 100, 500) if full else (10, 50))
        }
        row["mean_score"] = round(sum(score for _, score in points) / len(points), 2)
        print(row, flush=True)
        rows.append(row)
    keep(results_of(__file__, full=full), rows, budget=f"{500 if full else 50} sets a method")
    if full:
        draw(found)


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
