"""One search in a fresh process, as the tables of the relaxation need it: score, bound, CPU seconds, trace.

Score caches are made beforehand (`score_caches`), so that the time of scoring is apart from that of the search.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measure import in_fresh_process

CODE = """
import json, sys, time
import bayesloom as bl
given = json.loads(sys.argv[1])
cache = bl.read_cache(given.pop("file"))
wall, cpu = time.perf_counter(), time.process_time()
result = bl.search(cache, **given)
print(json.dumps({
    "variables": len(cache.names), "candidates": cache.candidate_count, "status": result.status,
    "score": result.score, "bound": result.bound, "gap": result.gap,
    "gap_percent": 100 * result.gap / abs(result.score) if result.score else 0.0,
    "cpu_seconds": round(time.process_time() - cpu, 3), "wall_seconds": round(time.perf_counter() - wall, 3),
    "solver": result.solver, "trace": [list(point) for point in result.trace]}))
"""


def search(path: Path, *, solver: str, **limits: Any) -> dict[str, Any]:
    """Search a cache file in a fresh process; the keys are those of CODE, or ``error``."""
    given = {"file": str(path), "solver": solver, **limits}
    return in_fresh_process(CODE, json.dumps(given))


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row without its trace, and return it so."""
    row = {key: value for key, value in row.items() if key != "trace"}
    print(row, flush=True)
    return row
