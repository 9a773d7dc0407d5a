"""Score caches that several tables search: made once, kept in a folder, found by name or by what they are made of.

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
import time
from pathlib import Path
from typing import Any

from measure import DATA, ROOT

import bayesloom as bl

FOLDER = ROOT / "build" / "caches"


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


def cache_of(file: str, *, score: str = "bic", max_parents: int | None = None, **options: Any) -> Path:
    """The score cache of a file below the data directory; made on the first call."""
    stem = Path(file).name.split(".csv")[0].removesuffix(".gz").replace(".", "-")
    parts = [stem, score, *([] if max_parents is None else [f"k{max_parents}"]), *sorted(options)]
    path = FOLDER / ("-".join(parts) + ".blc")
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        begin = time.process_time()
        table = bl.read_table(DATA / file, discrete=True)
        bl.score(table, score=score, max_parents=max_parents, **options).write(path)
        print(f"{path.name}: {time.process_time() - begin:.1f} s of CPU", flush=True)
    return path


def converted(file: str) -> Path:
    """A score file of another program as a cache of our own."""
    path = FOLDER / (Path(file).name.split(".jkl")[0] + ".blc")
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        bl.read_cache(DATA / file).write(path)
    return path
