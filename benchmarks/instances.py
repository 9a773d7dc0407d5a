"""Score caches that several tables search: made once, kept in a folder, found by name.

=======================  ==========================================================================
name                     cache
=======================  ==========================================================================
``soybean``              complete, of a table in ``uci`` or ``networks/samples``; BIC
``steel:bdeu``           the same with BDeu, at most 5 parents
``baudio.ts``            of a file in ``debd``: independence selection, 0.1 s per variable, one thread,
                         at most 6 parents
``munin-5000``           the file ``scores/munin-5000.BLIP-BIC-k6.jkl.gz`` as it is
=======================  ==========================================================================
"""

from __future__ import annotations

import sys
from pathlib import Path

from measure import DATA, ROOT

import bayesloom as bl

DEFAULT_FOLDER = ROOT / "build" / "caches"


def cache_path(name: str, folder: Path) -> Path:
    """Return where the cache of this name lies, made now if it is not there yet."""
    published = DATA / "scores" / f"{name}.BLIP-BIC-k6.jkl.gz"
    if published.exists():
        return published
    path = folder / f"{name.replace(':', '.')}.blc"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _make(name).write(path)
    return path


def _make(name: str) -> bl.ScoreCache:
    print(f"making the cache of {name}", file=sys.stderr, flush=True)
    mined = DATA / "debd" / f"{name}.data.gz"
    if mined.exists():
        return bl.score(
            bl.read_table(mined), method="independence", max_parents=6, time_per_variable=0.1, threads=1
        )
    table, _, score = name.partition(":")
    for folder in ("uci", "uci/derived", "networks/samples"):
        file = DATA / folder / f"{table}.csv.gz"
        if file.exists():
            most = 5 if score == "bdeu" else None
            return bl.score(
                bl.read_table(file, discrete=True), score=score or "bic", max_parents=most, threads=1
            )
    raise SystemExit(f"no data for {name} in {DATA}")
