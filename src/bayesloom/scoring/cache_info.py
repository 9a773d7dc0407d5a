"""The info of a score cache: one canonical JSON text, checked against the keys that are known.

The keys are described in :mod:`bayesloom.scoring.cache`.  Unknown keys are kept as they are.

What a cache claims about what it holds is one key: ``complete_factor``, or ``part_complete_factor`` of a
part, which speaks of the variables of that part only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from bayesloom.errors import InputError
from bayesloom.limits import is_number


def part_of(info: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return (i, m) if this is the info of the i-th of m parts, else None.

    >>> part_of({"shard": [2, 3]})
    (2, 3)
    """
    shard = info.get("shard")
    return None if shard is None else (int(shard[0]), int(shard[1]))


def check_whole(info: Mapping[str, Any], cannot: str) -> None:
    """Refuse a part where a whole cache is needed; `cannot` says what for.

    >>> check_whole({"shard": [2, 3]}, "be searched")
    Traceback (most recent call last):
    ...
    bayesloom.errors.InputError: this score cache is part 2 of 3 and holds the parent sets of some variables \
only: it cannot be searched. Put the 3 parts together with `merge` first.
    """
    if (part := part_of(info)) is not None:
        raise InputError(
            f"this score cache is part {part[0]} of {part[1]} and holds the parent sets of some variables "
            f"only: it cannot {cannot}. Put the {part[1]} parts together with `merge` first."
        )


def claims(info: Mapping[str, Any]) -> float | None:
    """Return the Bayes factor within which completeness is claimed, of the whole or of a part."""
    factor = info.get(claim_key(info))
    return None if factor is None else float(factor)


def claim_key(info: Mapping[str, Any]) -> str:
    """Return the key under which completeness is claimed."""
    return "complete_factor" if part_of(info) is None else "part_complete_factor"


def without_claims(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return the info of candidates about which nothing is proved any more."""
    return {**info, claim_key(info): None}


def info_text(info: Mapping[str, Any]) -> str:
    """Return the one JSON text of an info dictionary."""
    try:
        text = json.dumps(dict(info), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"the info of a score cache must be expressible as JSON: {error}.") from error
    checked_info(text)
    return text


def checked_info(text: str) -> dict[str, Any]:
    """Return the info dictionary of a JSON text, refusing what does not fit the schema."""
    try:
        info = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the info of this score cache is damaged: {error}.") from error
    if not isinstance(info, dict):
        raise InputError(f"the info of a score cache must be a JSON object, found {text[:60]!r}.")

    def is_whole(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0

    def is_shard(value: object) -> bool:
        return (
            isinstance(value, list)
            and [is_whole(v) for v in value] == [True, True]
            and 1 <= value[0] <= value[1]
        )

    def is_names(value: object) -> bool:
        return isinstance(value, list) and all(
            isinstance(one, list) and one and all(isinstance(name, str) for name in one) for one in value
        )

    expected: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "score": ("a name", lambda value: isinstance(value, str)),
        "options": ("a JSON object", lambda value: isinstance(value, dict)),
        "rows": ("a whole number", is_whole),
        "method": ("a name", lambda value: isinstance(value, str)),
        "max_parents": ("a whole number or null", lambda value: value is None or is_whole(value)),
        "complete_factor": (
            "a number of at least 1, or null",
            lambda value: value is None or (is_number(value) and value >= 1),
        ),
        "ties_dropped": ("true or false", lambda value: isinstance(value, bool)),
        "shard": ("[i, m] with i from 1 to m", is_shard),
        "interventions": ("a list of lists of names", is_names),
        "reading": ("a JSON object", lambda value: isinstance(value, dict)),
        "job": ("a JSON object", lambda value: isinstance(value, dict)),
        "finished_size": ("a whole number", is_whole),
        "certified": ("a whole number", is_whole),
        "cut_by_memory": ("a whole number", is_whole),
    }
    expected["part_complete_factor"] = expected["complete_factor"]
    for key, (words, fits) in expected.items():
        if key in info and not fits(info[key]):
            raise InputError(
                f"the info of a score cache has {key} = {json.dumps(info[key])[:60]}; expected {words}."
            )
    return info
