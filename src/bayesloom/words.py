"""Numbers with their nouns, for sentences that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["counted", "what_is_kept", "with_at_most"]


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in the right form.

    >>> counted(1, "edge"), counted(2000, "edge"), counted(0, "class")
    ('1 edge', '2,000 edges', '0 classes')
    """
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def with_at_most(parents: int | None) -> str:
    """Return a limit on parents as words after "network"; nothing if there is none.

    >>> with_at_most(1), with_at_most(None)
    (' with at most 1 parent each', '')
    """
    return "" if parents is None else f" with at most {counted(parents, 'parent')} each"


def what_is_kept(constraints: Mapping[str, Any], *, short: bool = False) -> str:
    """Return how to call constraints: those that only the score brings are no constraints to who gave none.

    `short` leaves out what the rule is.

    >>> what_is_kept({"leaves": ["a"]})
    'the constraints'
    >>> what_is_kept({"tiers": [["a"], ["x"]], "of_score": True})
    'the rule of the score (a discrete variable has discrete parents only)'
    """
    if constraints.get("of_score"):
        return (
            "the rule of the score"
            if short
            else "the rule of the score (a discrete variable has discrete parents only)"
        )
    return "the constraints"
