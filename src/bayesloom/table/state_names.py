"""States that mean the same under another name, and that of a missing value (read without pyarrow)."""

from __future__ import annotations

from collections.abc import Sequence

MISSING = "missing"
"""The state of a missing value, as ``missing="state"`` names it."""


def twins(states: Sequence[str]) -> dict[str, int]:
    """Return the states that true and false are where 0 and 1 are states, and the other way round.

    >>> twins(["0", "1"]), twins(["false", "true", "missing"]), twins(["1", "2"])
    ({'false': 0, 'true': 1}, {'0': 0, '1': 1}, {})
    """
    own = {state for state in states if state != MISSING}
    for known, others in ((("0", "1"), ("false", "true")), (("false", "true"), ("0", "1"))):
        if own and own <= set(known):
            pairs = zip(known, others, strict=True)
            return {other: list(states).index(state) for state, other in pairs if state in own}
    return {}
