"""Join the parts of a score cache that were scored separately, on one machine or on many.

``score(..., shard=(i, m))`` scores the parent sets of every m-th variable, beginning with the i-th; the other
variables get their empty parent set only.  All m parts together give the same cache as one run, byte for byte
if the method is deterministic.

A part carries a description of its whole job: digests of the rows and of the states, the score and its
options, the method, its limits and budgets, the Bayes factor, the constraints, and the version of Bayesloom.
Only parts whose jobs agree in all of it are joined.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.errors import InputError, option
from bayesloom.scoring.cache import ScoreCache

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["as_part", "job_of", "merge"]

NAMED_FIRST = ("bayesloom", "score", "method")
"""If jobs differ in several ways, the first of these is reported; the others follow from it."""
FORMAT = 1
"""Of the description of a job; another one cannot be compared with this."""
OF_EACH_PART = {"shard", "job", "part_complete_factor", "complete_factor", "max_parents", "finished_size"}
OF_EACH_PART |= {"certified", "stopped", "interrupted", "cut_by_memory", "blocks_missing", "reading"}
"""Keys of the info in which parts of one job differ; in all others they must agree."""


def as_part(cache: ScoreCache, shard: tuple[int, int], table: Table, asked: Mapping[str, Any]) -> ScoreCache:
    """Return the cache as the part that it is: of a job on this table, with what was `asked`.

    What it proves about its own variables goes under a key of its own, so that no reader of
    ``complete_factor`` takes it for a proof about all of them.
    """
    info = cache.info
    proved = {"part_complete_factor": info["complete_factor"], "complete_factor": None}
    return cache.with_info({**info, **proved, "shard": list(shard), "job": job_of(table, asked)})


def job_of(table: Table, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a job that its parts carry."""
    from bayesloom import __version__

    states = json.dumps([table.names, table.states], separators=(",", ":"))
    return {
        "format": FORMAT,
        "bayesloom": __version__,
        "rows": f"{table.encoded.digest:016x}",
        "states": f"{_core.xxh64(states.encode(errors='surrogatepass')):016x}",
        **asked,
    }


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
    import numpy as np

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
        if part.part is None:
            raise InputError(
                f"cache {position} is not a part: it was made without {option('shard', elsewhere='--shard')}."
            )
        number, count = part.part
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
        if part.info.get("job", {}).get("format") != FORMAT:
            raise InputError(
                f"part {number} was made by another version of Bayesloom, whose parts do not say in the same "
                f"way what they are parts of. Score all parts anew with one version."
            )
        if part.names != ordered[0].names or part.cardinalities != ordered[0].cardinalities:
            raise InputError(f"part {number} has other variables than part 1.")
        _check_same_job(part.info, ordered[0].info, number)
    return ordered


def _check_same_job(info: Mapping[str, Any], first: Mapping[str, Any], number: int) -> None:
    """Refuse a part of another job than part 1, saying what differs."""
    job, wanted = info["job"], first["job"]
    for key in (*NAMED_FIRST, *sorted(job.keys() | wanted.keys())):
        if job.get(key) == wanted.get(key):
            continue
        if key in ("rows", "states"):
            what = "rows" if key == "rows" else "states of the variables"
            raise InputError(
                f"part {number} was made from another table than part 1: the {what} differ. Score all parts "
                "of the same table, read in the same way."
            )
        shown = [_shown(key, each.get(key)) for each in (job, wanted)]
        raise InputError(
            f"part {number} was made {shown[0]}, part 1 {shown[1].replace(f'with {key}', 'with', 1)}. "
            "Score all parts with the same options."
        )
    for key in sorted(info.keys() | first.keys()):
        if key not in OF_EACH_PART and info.get(key) != first.get(key):
            raise InputError(
                f"the info of part {number} has {key} = {_short(info.get(key))}, that of part 1 has "
                f"{_short(first.get(key))}: these are not parts of one score cache."
            )


def _shown(key: str, value: object) -> str:
    """Return a setting in words.

    >>> _shown("max_parents", 3), _shown("max_parents", None), _shown("bayesloom", "1.2")
    ('with max_parents 3', 'without max_parents', 'with bayesloom 1.2')
    """
    if value is None or value == {}:
        return f"without {key}"
    return f"with {key} {value if key == 'bayesloom' else _short(value)}"


def _short(value: object) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


MOST_SHOWN = 120  # letters of a setting


def _merged_info(parts: Sequence[ScoreCache]) -> dict[str, object]:
    """Return the info that one run would have given; complete only if every part was, to its end."""
    infos = [part.info for part in parts]
    merged = {key: value for key, value in infos[0].items() if key not in OF_EACH_PART}
    if infos[0].get("reading") and all(info.get("reading") == infos[0]["reading"] for info in infos):
        merged["reading"] = infos[0]["reading"]  # else the same table was read in several ways
    ended = [info for info in infos if info.get("stopped") or info.get("interrupted")]
    factors = [factor for info in infos if (factor := info.get("part_complete_factor")) is not None]
    merged["complete_factor"] = min(factors) if not ended and len(factors) == len(infos) else None
    limits = [info["max_parents"] for info in infos if info.get("max_parents") is not None]
    merged["max_parents"] = max(limits) if limits else None
    if sizes := [info["finished_size"] for info in ended or infos if "finished_size" in info]:
        merged["finished_size"] = min(sizes) if ended else max(sizes)
    for key in ("certified", "cut_by_memory"):
        if counts := [info[key] for info in infos if key in info]:
            merged[key] = sum(counts)
    for key in ("stopped", "interrupted"):
        if any(info.get(key) for info in infos):
            merged[key] = True
    return merged
