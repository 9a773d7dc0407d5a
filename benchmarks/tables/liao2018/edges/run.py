"""Edge posteriors of a real table, as a user would want to read them: zoo, BIC, F = 20.

    python run.py [--full]

It takes a second; README's table goes to the terminal. Full mode: the picture too, which needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bayesloom as bl

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))
import measure
import pictures

# The file has no header; these are the columns of the UCI original, in its order, without the name.
NAMES = [
    "hair",
    "feathers",
    "eggs",
    "milk",
    "airborne",
    "aquatic",
    "predator",
    "toothed",
    "backbone",
    "breathes",
    "venomous",
    "fins",
    "legs",
    "tail",
    "domestic",
    "catsize",
    "type",
]
FACTOR = 20


def draw(found: bl.CredibleSet, path: Path) -> None:
    """A matrix: rows are parents, columns children; shade is the posterior."""
    matrix = found.edge_posterior.matrix
    order = found.threshold_network(0.0).order  # causes above, effects below, as far as there is an order
    places = [found.names.index(name) for name in order]
    shown = matrix[places][:, places]
    figure, axes = pictures.figure(7.2, 6.4)
    image = axes.imshow(shown, cmap="Greens", vmin=0, vmax=1)
    for i in range(len(order)):
        for j in range(len(order)):
            if shown[i, j] >= 0.005:
                colour = "white" if shown[i, j] > 0.6 else "black"
                text = f"{100 * shown[i, j]:.0f}"
                axes.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
    axes.set_xticks(range(len(order)), order, rotation=60, ha="right")
    axes.set_yticks(range(len(order)), order)
    axes.set(xlabel="to", ylabel="from")
    axes.set_title(f"Posterior of each edge in %, {found.count:,} networks within F = {FACTOR}", fontsize=10)
    figure.colorbar(image, shrink=0.8)
    pictures.save(figure, path)


def main() -> None:
    table = bl.read_table(measure.DATA / "uci" / "zoo.csv.gz", discrete=True, names=NAMES)
    found = bl.credible(table, FACTOR)
    print(f"{found.claim}; {found.classes.count} equivalence classes")
    rows = found.edge_posterior.rows()
    full = "--full" in sys.argv[1:]
    lines = [
        {"from": a, "to": b, "posterior": round(one, 6), "adjacent": round(both, 6)}
        for a, b, one, both in rows
    ]
    measure.keep(measure.results_of(__file__, full=full), lines, budget="to the end")
    print("| pair | adjacent | -> | <- |\n|---|---|---|---|")
    matrix = found.edge_posterior
    for a, b in dict.fromkeys(tuple(sorted(row[:2], key=table.names.index)) for row in rows):
        one, other = matrix.directed(a, b), matrix.directed(b, a)
        print(f"| {a}, {b} | {matrix.adjacent(a, b):.3f} | {one:.3f} | {other:.3f} |")
    if full:
        draw(found, HERE / "edges.png")


if __name__ == "__main__":
    main()
