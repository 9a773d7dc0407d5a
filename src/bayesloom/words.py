"""Numbers with their nouns, for sentences that people read."""

from __future__ import annotations

__all__ = ["counted", "with_at_most"]


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
