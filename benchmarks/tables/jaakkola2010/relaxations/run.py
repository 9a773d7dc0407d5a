"""Cycles against cycles and clusters (jaakkola2010, sections 4 and 7), and what the solver's root reaches.

Usage: python benchmarks/tables/jaakkola2010/relaxations/run.py [--full]

Quick mode: alarm with at most 3 parents. Full mode: the tables of the paper that we have
and four score files of BLIP, at most 120 seconds of CPU for each relaxation. Needs highspy.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3]))
from linear import Relaxation
from measure import keep
from proofs import cache_of, converted, shown

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
    rows = []
    for name, path in caches.items():
        cache = bl.read_cache(path)
        begin = time.process_time()
        root = bl.search(cache, solver="bblp", options={"branch": False}, threads=1)
        seconds = round(time.process_time() - begin, 2)
        reached = {"value": root.bound, "complete": True, "cpu_seconds": seconds}
        for relaxation, found in {
            **{kind: value_of(cache, rules, 120.0 if full else 60.0) for kind, rules in KINDS.items()},
            "bblp, root": reached,
        }.items():
            row = {"table": name, "relaxation": relaxation, **found, "score": root.score}
            rows.append(shown(row | {"gap": round(found["value"] - root.score, 4)}))
    keep("jaakkola2010-relaxations", rows)


if __name__ == "__main__":
    main()
