"""scanagatta2015 Figure 1: which parent sets of one variable are looked at, and when, as a picture.

Usage: python benchmarks/tables/scanagatta2015/figure1/run.py

Budgets of 5, 10, .. 500 parent sets for one variable of `bnetflix.test`; what a budget adds to the one before was
scored in that step (all scored sets are kept, dominated ones too). Independence selection as in the paper
(`additive`) and as corrected (`conditional`), greedy and sequential. The picture needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, keep

import bayesloom as bl

VARIABLE, STEP, STEPS = 40, 5, 100
METHODS = {
    "independence, conditional": {"method": "independence"},
    "independence, additive": {"method": "independence", "estimate": "additive"},
    "greedy": {"method": "greedy"},
    "sequential": {"method": "sequential"},
}


def steps(table: bl.Table, method: dict[str, str]) -> list[tuple[int, float]]:
    """(how many sets had been scored, score) of every set, in steps."""
    seen: set[tuple[str, ...]] = set()
    points = []
    name = table.names[VARIABLE]
    for count in range(STEP, STEP * STEPS + 1, STEP):
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


def main() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    table = bl.read_table(DATA / "debd" / "bnetflix.test.data.gz")
    figure, axes = plt.subplots(1, len(METHODS), figsize=(14, 3.6), sharey=True)
    rows = []
    for axis, (title, method) in zip(axes, METHODS.items(), strict=True):
        points = steps(table, method)
        axis.plot([at for at, _ in points], [score for _, score in points], ".", markersize=3)
        best, line = float("-inf"), []
        for at, score in points:
            best = max(best, score)
            line.append((at, best))
        axis.step([at for at, _ in line], [score for _, score in line], where="post", color="tab:red")
        axis.set(title=title, xlabel="parent sets scored")
        axis.grid(alpha=0.3)
        row = {"table": "bnetflix.test", "variable": table.names[VARIABLE], "method": title}
        row |= {
            f"best_after_{at}": round(max(s for a, s in points if a <= at), 2) for at in (10, 50, 100, 500)
        }
        row["mean_score"] = round(sum(score for _, score in points) / len(points), 2)
        print(row, flush=True)
        rows.append(row)
    axes[0].set_ylabel("BIC of the parent set")
    figure.tight_layout()
    figure.savefig(Path(__file__).parent / "figure1.svg")
    keep("scanagatta2015-figure1", rows)


if __name__ == "__main__":
    main()
