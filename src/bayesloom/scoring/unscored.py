"""What the parent sets of a table that were not scored can score at most.

Scoring goes through parent sets by their size (method ``exhaustive``).  Stopped at any time, it knows of each
variable a bound on every larger set that could matter, from the score's own bounds on supersets: the fit by
all other variables, less the penalty of the smallest set that is left, and what counting showed of its
subsets (``src/core/parent_sets/exhaustive.hpp``).  Sets that cannot score above one of their subsets do not
count: some best network does without them.  `bayesloom.learning.all_networks` makes a bound over all networks
of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesloom import _core
from bayesloom.errors import ResourceError
from bayesloom.progress import KernelProgress
from bayesloom.scoring.cache import ScoreCache

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["Unscored", "unscored_sets"]

MOST_SETS = 2**33  # of one size: as many as the core numbers


@dataclass(frozen=True)
class Unscored:
    """The parent sets that were not scored.

    Attributes
    ----------
    scored
        The sets that were, as far as they can matter; without constraints.
    size
        All sets of up to so many parents were looked at.
    most
        For each variable: no other set that can matter scores above this, in nats; minus infinity if there
        is none.
    fits
        For each variable: the log-likelihood given any parents is not above this.
    joint
        The log-likelihood of the table if every row has the probability of its share: the local
        log-likelihoods of a network never add up to more.
    interrupted
        Whether Ctrl-C ended it.
    """

    scored: ScoreCache
    size: int
    most: tuple[float, ...]
    fits: tuple[float, ...]
    joint: float
    interrupted: bool

    @property
    def none(self) -> bool:
        """Whether no set that can matter is left."""
        return all(most == -math.inf for most in self.most)


def unscored_sets(
    table: Table,
    score: str,
    options: dict[str, float],
    *,
    most_parents: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    memory_bytes: float = 0.0,
    progress: KernelProgress | None = None,
) -> Unscored:
    """Score parent sets by their size for a while, and bound what is left then.

    Parameters
    ----------
    table, score, options
        What is scored, and how: options in full.
    most_parents
        The largest sets to look at; larger ones are left.  None means as large as there is time for.
    seconds, threads, memory_bytes, progress
        As for every kernel; memory that does not suffice makes it stop at smaller sets.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5, "c": [0, 1] * 10})
    >>> unscored_sets(table, "bic", {}).none
    True
    >>> [round(most, 2) for most in unscored_sets(table, "bic", {}, most_parents=0).most]
    [-3.0, -3.0, -16.86]
    """
    limit = _numbered(len(table.names), most_parents)
    while True:
        try:
            out = _core.exhaustive(
                table.encoded,
                list(table.names),
                score,
                options,
                max_parents=limit,
                threads=threads,
                memory_bytes=memory_bytes,
                seconds=seconds,
                progress=progress,
            )
            break
        except ResourceError:  # of the sets of this size
            if limit == 0:
                raise
            limit = 1 if limit > 1 else 0
    import numpy as np

    weights = table.encoded.weights.astype(np.float64)
    rows = float(weights.sum())
    return Unscored(
        scored=ScoreCache(out["cache"]),
        size=out["finished_size"],
        most=tuple(out["unscored"]),
        fits=tuple(out["fits"]),
        joint=float((weights * np.log(weights / rows)).sum()),
        interrupted=out["interrupted"],
    )


def _numbered(n: int, most_parents: int | None) -> int:
    """Return the largest sets that can be numbered, child included."""
    size = 1
    while size < n - 1 and math.comb(n, size + 2) <= MOST_SETS:
        size += 1
    return size if most_parents is None else min(size, most_parents)
