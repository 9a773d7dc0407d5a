"""Table 1 of jaakkola2010: the gap in percent after at most five minutes, at most 4 parents.

Usage: python benchmarks/tables/jaakkola2010/table1/run.py [--full]

Quick mode: the tables of at most 20 variables with BIC. Full mode: all, with BIC and BDeu, one thread.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import keep
from proofs import cache_of, search, shown

# file, gap in percent printed for BBLP and for the branch and bound of de Campos
PAPER: dict[str, tuple[str, float, float]] = {
    "adult": ("uci/adult.csv.gz", 0, 5.1),
    "car": ("uci/derived/car.csv.gz", 0, 0),
    "letter": ("uci/letter.csv.gz", 0, 0),
    "nursery": ("uci/derived/nursery.csv.gz", 0, 0),
    "zoo": ("uci/zoo.csv.gz", 0, 0),
    "mushroom": ("uci/mushroom.csv.gz", 5, 10),
    "lung": ("uci/lung-cancer.csv.gz", 0.002, 2.5),
    "wdbc": ("uci/wdbc.csv.gz", 0, 6.8),
    "alarm": ("networks/samples/alarm1000.csv.gz", 0, 20),
}
QUICK = ["adult", "car", "letter", "nursery", "zoo"]


def main() -> None:
    full = "--full" in sys.argv
    rows = []
    for name in PAPER if full else QUICK:
        file, bblp, other = PAPER[name]
        for score in ("bic", "bdeu") if full else ("bic",):
            cache = cache_of(file, score=score, max_parents=4)
            row = {"table": name, "local_score": score, "paper_bblp": bblp, "paper_sl": other}
            row |= search(cache, solver="bblp", threads=1, time_limit=300.0 if full else 60.0)
            rows.append(shown(row))
    keep("jaakkola2010-table1", rows)


if __name__ == "__main__":
    main()
