"""Table 1 of jaakkola2010: the gap in percent after at most five minutes, at most 4 parents.

Usage: python benchmarks/tables/jaakkola2010/table1/run.py [--full]

Quick mode: the tables of at most 20 variables with BIC. Full mode: all, with BIC and BDeu, one thread.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import keep, results_of, rows_of
from proofs import search, shown
from score_caches import cache_of

PAPER = rows_of(
    Path(__file__).with_name("paper.csv")
)  # gaps in percent: BBLP, and SL of de Campos and others
QUICK = ["adult", "car", "letter", "nursery", "zoo"]


def main() -> None:
    full = "--full" in sys.argv
    rows, seconds = [], 300.0 if full else 60.0
    for paper in PAPER:
        if not full and paper["table"] not in QUICK:
            continue
        for score in ("bic", "bdeu") if full else ("bic",):
            cache = cache_of(paper["file"], score=score, max_parents=4)
            row = {"table": paper["table"], "local_score": score}
            row |= {"paper_bblp": paper["bblp"], "paper_sl": paper["sl"]}
            row |= search(cache, solver="bblp", threads=1, time_limit=seconds)
            rows.append(shown(row))
    keep(results_of(__file__, full=full), rows, budget=f"{seconds:g} s, one thread")


if __name__ == "__main__":
    main()
