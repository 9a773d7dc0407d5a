"""The info of a score cache: one canonical JSON text, checked against the keys that are known.

The keys are described in :mod:`bayesloom.cache`.  Unknown keys are kept as they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from bayesloom.errors import InputError


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

    def is_number(value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

    def is_whole(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0

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
    }
    for key, (words, fits) in expected.items():
        if key in info and not fits(info[key]):
            raise InputError(
                f"the info of a score cache has {key} = {json.dumps(info[key])[:60]}; expected {words}."
            )
    return info
