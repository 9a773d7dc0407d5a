"""Every tuned number of the bootstrap: what it is, its unit and its range."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPTIONS", "BootstrapOptions"]


@dataclass(frozen=True)
class BootstrapOptions:
    """The numbers."""

    block: int = 5
    """Replicates, 1 or more handed out together and kept in one file: so many that this costs little
    beside learning, so few that little is lost by Ctrl-C.  Another number starts kept ones anew."""
    exact_local_scores: float = 1e6
    """Local scores (`estimate`), 0 or more: up to so many, the learner ``auto`` is ``exact``; some ten
    milliseconds for each replicate, about 16 variables."""


OPTIONS = BootstrapOptions()
"""Those in use."""
