"""One search in a fresh process, as the tables of the relaxation need it: score, bound, CPU seconds, trace.

A cache is made once per table, limit and score, and kept under build/caches:
the time of scoring is apart from that of the search.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from measure import DATA, ROOT, in_fresh_process

import bayesloom as bl

CACHES = ROOT / "build" / "caches"

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


def cache_of(file: str, *, score: str = "bic", max_parents: int | None = None, **options: Any) -> Path:
    """The score cache of a file below the data directory; made on the first call."""
    stem = Path(file).name.split(".csv")[0].removesuffix(".gz").replace(".", "-")
    parts = [stem, score, *([] if max_parents is None else [f"k{max_parents}"]), *sorted(options)]
    path = CACHES / ("-".join(parts) + ".blc")
    if not path.exists():
        CACHES.mkdir(parents=True, exist_ok=True)
        begin = time.process_time()
        table = bl.read_table(DATA / file, discrete=True)
        bl.score(table, score=score, max_parents=max_parents, **options).write(path)
        print(f"{path.name}: {time.process_time() - begin:.1f} s of CPU", flush=True)
    return path


def converted(file: str) -> Path:
    """A score file of another program as a cache of our own."""
    path = CACHES / (Path(file).name.split(".jkl")[0] + ".blc")
    if not path.exists():
        CACHES.mkdir(parents=True, exist_ok=True)
        bl.read_cache(DATA / file).write(path)
    return path


def search(path: Path, *, solver: str, **limits: Any) -> dict[str, Any]:
    """Search a cache file in a fresh process; the keys are those of CODE, or ``error``."""
    given = {"file": str(path), "solver": solver, **limits}
    return in_fresh_process(CODE, json.dumps(given))


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row without its trace, and return it so."""
    row = {key: value for key, value in row.items() if key != "trace"}
    print(row, flush=True)
    return row
