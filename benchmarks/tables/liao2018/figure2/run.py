"""Rebuild Figure 2 of liao2018: how far the k-th best network is below the best, BDeu with ess 1.

    python run.py [--full] [--k 1000] [--rows NAME ...]

The rows are table, k, nats below the best. Quick mode: k up to 100 of four tables, no picture; the picture needs
matplotlib.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import bayesloom as bl

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))
import measure
import pictures

FILES = {
    "tic-tac-toe": "uci/tic-tac-toe.csv.gz",
    "wine": "uci/wine.csv.gz",
    "adult": "uci/adult.csv.gz",
    "nltcs": "debd/nltcs.test.data.gz",
    "letter": "uci/letter.csv.gz",
    "voting": "uci/voting.csv.gz",
    "zoo": "uci/zoo.csv.gz",
    "hepatitis": "uci/hepatitis.csv.gz",
}
QUICK = ("tic-tac-toe", "wine", "voting", "zoo")
SHOWN = sorted({round(10 ** (i / 20)) for i in range(61)})


def losses(name: str, k: int) -> list[float]:
    """Nats that each of the k best networks lies below the best."""
    table = bl.read_table(measure.DATA / FILES[name], discrete=True)
    best = bl.k_best(table, k, score="bdeu", options={"ess": 1})
    return [best.entries[0].score - entry.score for entry in best.entries]


def draw(found: dict[str, list[float]], path: Path) -> None:
    figure, axes = pictures.figure(7, 4.5)
    for name, values in found.items():
        axes.plot(range(1, len(values) + 1), values, label=name, linewidth=1.3)
    for factor in (3, 20, 150):
        axes.axhline(math.log(factor), color="0.6", linestyle="--", linewidth=0.8)
        axes.text(1, math.log(factor), f" F = {factor}", va="bottom", fontsize=8, color="0.4")
    axes.set(xscale="log", xlabel="k", ylabel="nats below the best network", ylim=(0, None))
    axes.legend(fontsize=8, frameon=False)
    pictures.save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--k", type=int)
    parser.add_argument("--rows", nargs="*")
    given = parser.parse_args()
    most = given.k or (1000 if given.full else 100)
    found = {name: losses(name, most) for name in given.rows or (FILES if given.full else QUICK)}
    rows = []
    for name, values in found.items():
        kept = [k for k in SHOWN if k <= len(values)]
        rows += [{"table": name, "k": k, "nats": round(values[k - 1], 6)} for k in kept]
        inside = {factor: sum(value <= math.log(factor) for value in values) for factor in (3, 20, 150)}
        print(f"{name}: {inside} of the {len(values)} best")
    measure.keep(measure.results_of(__file__, full=given.full), rows, budget=f"the {most} best")
    if given.full:
        draw(found, HERE / "figure2.png")


if __name__ == "__main__":
    main()
