"""Seconds per megabyte of every reader of text, on texts made to be slow; the most that is allowed is 1.

Usage: python benchmarks/tables/input/hostile/run.py [--full] [READER...]

Every text of ``tests/made/texts`` is read at 1/16 MB and at 1/4 MB. The slowest of each reader, by its time
and by how it grows, are then read at 1 MB (quick mode, minutes) or at 20 MB (full mode, an hour or so). A reading is
broken off after 20 times what is allowed and told as such. One core; the peak of memory is that of the
largest text.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from typing import Any

sys.path[:0] = [str(__import__("pathlib").Path(__file__).parents[k]) for k in (3,)]
from measure import ROOT, keep, results_of

sys.path.insert(0, str(ROOT / "tests"))
from made.texts import Reader, readers

SMALL, MIDDLE, MB = 1 << 16, 1 << 18, 1 << 20
ALLOWED = 1.0  # seconds per MB
KEPT = 4  # texts of each reader that are read at full size


def outcome(reader: Reader, data: bytes) -> tuple[float, str]:
    """Read one text; return the seconds of processor time and what came of it."""
    start = time.process_time()
    try:
        reader.read(data)
        what = "read"
    except Exception as error:  # what a user would see as a traceback is a finding, not an end
        from bayesloom.errors import BayesloomError

        what = (
            "refused"
            if isinstance(error, BayesloomError)
            else f"FAILED: {type(error).__name__}: {error}"[:80]
        )
    return time.process_time() - start, what


def _child(reader: Reader, data: bytes, pipe: Any) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pipe.send((*outcome(reader, data), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000))


def guarded(reader: Reader, data: bytes) -> tuple[float, str, int]:
    """Read one text in a process of its own, which is ended if it takes far too long."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    process = fork.Process(target=_child, args=(reader, data, there))
    process.start()
    there.close()
    limit = 20 * ALLOWED * max(0.1, len(data) / MB)
    try:
        found = here.recv() if here.poll(limit) else (limit, "BROKEN OFF", 0)
    except EOFError:
        found = (0.0, "DIED", 0)
    process.kill()
    process.join()
    return found


def measured(reader: Reader, size: int) -> list[dict[str, Any]]:
    """Return a row for each of the slowest texts of a reader."""
    screened = []
    for (label, small), (_, middle) in zip(reader.texts(SMALL), reader.texts(MIDDLE), strict=True):
        few, what, _ = guarded(reader, small)
        many, what, _ = guarded(reader, middle) if what != "BROKEN OFF" else (few * 16, what, 0)
        growth = many / max(few, 1e-3)
        screened.append((many, growth, label, what))
    by_time = sorted(screened, key=lambda row: -row[0])[:KEPT]
    by_growth = sorted((row for row in screened if row[0] > 0.02), key=lambda row: -row[1])[:KEPT]
    failed = [row for row in screened if row[3].isupper() or row[3].startswith("FAILED")]
    chosen = dict.fromkeys(row[2] for row in (*by_time, *by_growth, *failed[:KEPT]))
    rows = []
    for label, data in reader.texts(size, only=chosen):
        seconds, what, peak = guarded(reader, data)
        per_mb = seconds / (len(data) / MB)
        rows.append(
            {
                "reader": reader.name,
                "texts_screened": len(screened),
                "megabytes": round(len(data) / MB, 2),
                "seconds": round(seconds, 3),
                "seconds_per_mb": round(per_mb, 4),
                "allowed_per_mb": ALLOWED,
                "outcome": what,
                "peak_mb": peak,
                "text": label.replace("\n", " "),
            }
        )
        print(f"{reader.name:24} {per_mb:8.3f} s/MB  {what:10} {label[:120]}", flush=True)
    return rows


def main(arguments: list[str]) -> int:
    full = "--full" in arguments
    known = readers()
    chosen = [name for name in arguments if name != "--full"] or list(known)
    rows = [row for name in chosen for row in measured(known[name], (20 if full else 1) * MB)]
    if set(chosen) == set(known):
        keep(results_of(__file__, full=full), rows, budget=f"{ALLOWED:g} s per MB allowed, one core")
    slow = [
        row for row in rows if row["seconds_per_mb"] > ALLOWED or row["outcome"] not in ("read", "refused")
    ]
    worst = max(rows, key=lambda row: row["seconds_per_mb"])
    print(
        f"{len(rows)} texts, slowest {worst['seconds_per_mb']} s/MB ({worst['reader']}); {len(slow)} not allowed"
    )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
