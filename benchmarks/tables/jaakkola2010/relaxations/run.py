"""Cycles against cycles and clusters (jaakkola2010, sections 4 and 7), and what the solver's root reaches.

Usage: python benchmarks/tables/jaakkola2010/relaxations/run.py [--full] [--seconds 120]

Quick mode: alarm with at most 3 parents. Full mode: the tables of the paper that we have
and four score files of BLIP, at most 120 seconds of CPU for each relaxation. Rows that are in the file already are
left out: a run can be broken off and gone on with.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3]))
from linear import Relaxation
from measure import option, put_row, results_of, rows_of
from proofs import shown
from score_caches import cache_of, converted

import bayesloom as bl

KINDS = {"cycles": ("cycle",), "clusters": ("cluster",), "clusters, need 2": ("cluster", "need 2")}


def value_of(cache: bl.ScoreCache, kinds: tuple[str, ...], seconds: float) -> dict[str, Any]:
    """The value of a relaxation, or of what was reached in time: a bound either way."""
    begin, relaxation = time.process_time(), Relaxation(cache)
    while True:
        value, rows = relaxation.solve(), relaxation.violated(kinds)
        used = time.process_time() - begin
        if not rows or used > seconds:
            return {
                "value": value,
                "rows": len(relaxation.seen),
                "complete": not rows,
                "cpu_seconds": round(used, 2),
            }
        for row in rows:
            relaxation.add(row)


def root_of(cache: bl.ScoreCache, *, seconds: float) -> dict[str, Any]:
    """What the solver reaches at its root."""
    begin = time.process_time()
    root = bl.search(cache, solver="bblp", options={"branch": False}, threads=1, time_limit=seconds)
    used = round(time.process_time() - begin, 2)
    return {"value": root.bound, "rows": "", "complete": True, "cpu_seconds": used, "score": root.score}


def main() -> None:
    full = "--full" in sys.argv
    caches = {"alarm1000": cache_of("networks/samples/alarm1000.csv.gz", max_parents=3)}
    if full:
        caches = {
            name: cache_of(f"uci/{name}.csv.gz", max_parents=4)
            for name in ("zoo", "lung-cancer", "soybean", "wdbc")
        }
        caches["alarm1000"] = cache_of("networks/samples/alarm1000.csv.gz", max_parents=4)
        caches |= {
            f"{name}-5000": converted(f"scores/{name}-5000.BLIP-BIC-k6.jkl.gz")
            for name in ("child", "insurance", "alarm", "hailfinder")
        }
    limit = float(option("--seconds", "120"))
    out = results_of(__file__, full=full)
    done = {(row["table"], row["relaxation"], row["max_parents"]) for row in rows_of(out) if full}
    for name, path in caches.items():
        cache = bl.read_cache(path)
        parents = str(cache.info.get("max_parents"))
        roots = {"bblp, root": root_of(cache, seconds=limit)}
        score = roots["bblp, root"].pop("score")
        for relaxation in [*KINDS, *roots]:
            if (name, relaxation, parents) in done:
                continue
            found = roots.get(relaxation) or value_of(cache, KINDS[relaxation], limit)
            row = {
                "table": name,
                "max_parents": parents,
                "relaxation": relaxation,
                "time_limit": limit,
                **found,
            }
            row |= {"score": score, "gap": round(found["value"] - score, 4)}
            put_row(
                out, shown(row), budget=f"{limit:g} s of CPU each", key=("table", "relaxation", "max_parents")
            )


if __name__ == "__main__":
    main()
