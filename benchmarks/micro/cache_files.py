"""How fast score caches are read and written.

``rows()`` returns one dictionary per measurement: name, seconds, detail.  The cache has ten million
candidates, 10,000 for each of 1,000 variables, with two or three parents and scores of 17 digits.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bayesloom import _core
from bayesloom.scoring.cache import ScoreCache

QUICK = {"variables": 200}
"""What `compare.py` measures: two million candidates."""


def large_cache(variables: int = 1000, per_variable: int = 10_000, seed: int = 1) -> ScoreCache:
    """Return a cache of distinct parent sets: 2 parents {i, j} and 3 parents {i, j, k} in turn."""
    rng = np.random.default_rng(seed)
    half = per_variable // 2
    side = int(half**0.5) + 1
    grid = np.arange(half)
    two = np.stack([grid // side, side + grid % side], axis=1)
    three = np.column_stack([two, np.full(half, 2 * side)])
    sizes = np.r_[np.full(half, 2), np.full(per_variable - half, 3)]
    parents = np.r_[two.ravel(), three[: per_variable - half].ravel()]
    if 2 * side + 2 >= variables:
        raise ValueError("too few variables for that many candidates each")
    offset = np.arange(variables)  # sets of variable v are shifted past v, and so never contain it
    shifted = (parents[None, :] + offset[:, None] + 1) % variables
    for at, size in ((0, 2), (2 * half, 3)):  # ascending within each set, though the shift wraps round
        block = shifted[:, at : at + size * half].reshape(-1, size)
        block.sort(axis=1)
        shifted[:, at : at + size * half] = block.reshape(variables, -1)
    return ScoreCache.from_arrays(
        [f"x{v}" for v in range(variables)],
        np.arange(variables + 1) * per_variable,
        -rng.exponential(1000, variables * per_variable),
        np.r_[0, np.cumsum(np.tile(sizes, variables))],
        shifted.ravel(),
    )


def rows(variables: int = 1000, per_variable: int = 10_000) -> list[dict[str, Any]]:
    """Measure; the best of three runs each."""
    results: list[dict[str, Any]] = []

    def measure(name: str, action: Callable[[], object], size: int) -> None:
        seconds = []
        for _ in range(3):
            start = time.process_time()
            action()
            seconds.append(time.process_time() - start)
        best = min(seconds)
        detail = f"{size / 1e6 / best:.0f} MB/s, {size / 1e6:.0f} MB"
        results.append({"name": name, "seconds": best, "detail": detail})

    cache = large_cache(variables, per_variable)
    count = f"{cache.candidate_count:,} candidates"
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "cache.blc")
        cache.write(binary)
        size = os.path.getsize(binary)
        measure(f"write .blc, {count}", lambda: cache.write(binary), size)
        measure(f"read .blc, {count}", lambda: ScoreCache.read(binary), size)
        text = os.path.join(folder, "cache.jkl")
        cache.write(text)
        size = os.path.getsize(text)
        measure(f"write .jkl, {count}", lambda: cache.write(text), size)
        measure(f"read .jkl, {count}", lambda: ScoreCache.read(text), size)
        content = _core.format_blc(cache.core)
        measure("XXH64", lambda: _core.xxh64(content), len(content))
    return results


if __name__ == "__main__":
    for row in rows():
        print(f"{row['name']:<36} {row['seconds']:8.3f} s   {row['detail']}")
