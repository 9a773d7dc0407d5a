"""Every tuned number of averaged networks: what it is, its unit and its range."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPTIONS", "AveragingOptions"]


@dataclass(frozen=True)
class AveragingOptions:
    """The numbers."""

    most_parents: int = 16
    """Parents, 1 to 20, of one variable that lie on a cycle of edges worth having: all 2^16 sets of them are
    candidates of the search, which is a second's work; beyond, edges come in one by one."""
    seconds: float = 60.0
    """Seconds, above 0, for the search for the best acyclic network, which takes far less as a rule."""


OPTIONS = AveragingOptions()
"""Those in use."""
