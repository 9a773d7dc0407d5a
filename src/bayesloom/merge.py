"""Put the parts of a score cache together that were made apart, on one machine or on many.

``score(..., shard=(i, m))`` scores the parent sets of every m-th variable, beginning with the i-th;
the other variables get their empty parent set only.  All m parts together give the very cache that one
run gives, byte for byte where the method is deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayesloom.cache import ScoreCache
from bayesloom.errors import InputError

__all__ = ["merge"]


def merge(parts: Sequence[ScoreCache]) -> ScoreCache:
    """Return the score cache that the parts make up, given in any order.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.random_network(6, max_parents=2, seed=1).sample(200, seed=1)
    >>> parts = [bl.score(table, shard=(i, 3)) for i in (1, 2, 3)]
    >>> merge(parts) == bl.score(table)
    True
    """
    if not parts:
        raise InputError("there is nothing to merge: give the parts of a score cache.")
    by_number = _numbered(parts)
    count = len(by_number)
    first = [0]
    scores, parents, sizes = [], [], []
    for v in range(parts[0].variable_count):
        part = by_number[v % count]
        begin, end = int(part.first[v]), int(part.first[v + 1])
        offsets = part.parent_first[begin : end + 1]
        scores.append(part.scores[begin:end].astype(np.float64) / 2.0**30)
        sizes.append(np.diff(offsets))
        parents.append(part.parents[int(offsets[0]) : int(offsets[-1])])
        first.append(first[-1] + end - begin)
    return ScoreCache.from_arrays(
        parts[0].names,
        first,
        np.concatenate(scores),
        np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(np.concatenate(sizes), dtype=np.uint64)]),
        np.concatenate(parents),
        cardinalities=parts[0].cardinalities,
        info=_merged_info(by_number),
    )


def _numbered(parts: Sequence[ScoreCache]) -> list[ScoreCache]:
    """Return the parts in order of their numbers, after checking that they fit together."""
    numbered: dict[int, ScoreCache] = {}
    counts = set()
    for position, part in enumerate(parts, start=1):
        shard = part.info.get("shard")
        if shard is None:
            raise InputError(f"cache {position} is not a part: it was made without shard=.")
        number, count = shard
        counts.add(count)
        if number in numbered:
            raise InputError(f"part {number} of {count} is given twice.")
        numbered[number] = part
    if len(counts) > 1:
        raise InputError(f"the parts were made for different numbers of parts: {sorted(counts)}.")
    (count,) = counts
    if missing := [number for number in range(1, count + 1) if number not in numbered]:
        raise InputError(f"of {count} parts these are missing: {', '.join(map(str, missing))}.")
    ordered = [numbered[number] for number in range(1, count + 1)]
    for number, part in enumerate(ordered, start=1):
        if part.names != ordered[0].names or part.cardinalities != ordered[0].cardinalities:
            raise InputError(f"part {number} has other variables than part 1.")
        for key in ("score", "options", "rows", "method"):
            if part.info.get(key) != ordered[0].info.get(key):
                raise InputError(
                    f"part {number} was made with {key} {part.info.get(key)!r}, "
                    f"part 1 with {ordered[0].info.get(key)!r}."
                )
    return ordered


def _merged_info(parts: Sequence[ScoreCache]) -> dict[str, object]:
    infos = [part.info for part in parts]
    merged = {key: value for key, value in infos[0].items() if key != "shard"}
    factors = [info["complete_factor"] for info in infos if info.get("complete_factor") is not None]
    merged["complete_factor"] = min(factors) if len(factors) == len(infos) else None
    limits = [info["max_parents"] for info in infos if info.get("max_parents") is not None]
    merged["max_parents"] = max(limits) if limits else None
    if "finished_size" in merged:
        merged["finished_size"] = max(info["finished_size"] for info in infos)
    if "certified" in merged:
        merged["certified"] = sum(info["certified"] for info in infos)
    if any(info.get("interrupted") for info in infos):
        merged["interrupted"] = True
    return merged
