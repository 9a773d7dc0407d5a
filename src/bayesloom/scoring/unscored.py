"""Upper bounds on the local scores of parent sets that were not scored.

Method ``exhaustive`` scores parent sets in the order of their size.  Whenever it stops, it has for each
variable a bound on every larger set that could matter, from the score's own bounds on supersets: the fit by
all other variables, minus the penalty of the smallest set that is left, and what counting showed of its
subsets (``src/core/parent_sets/exhaustive.hpp``).  Sets that cannot score above one of their subsets are
ignored: some best network does not use them.  `bayesloom.learning.all_networks` derives a bound over all
networks from this.
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

__all__ = ["SCORES", "Unscored", "unscored_sets"]

SCORES = ("aic", "bdeu", "bds", "bic", "ebic", "fnml", "k2", "qnml")
"""Scores that are never above the log-likelihood, and whose bounds are held against brute force."""

MOST_SETS = 2**33  # of one size: as many as the core numbers


@dataclass(frozen=True)
class Unscored:
    """The parent sets that were not scored.

    Attributes
    ----------
    scored
        The sets that were, as far as they can matter; without constraints.
    rows
        Rows of the table.
    size
        All sets of up to so many parents were looked at.
    most
        For each variable: no other set that can matter scores above this, in nats; minus infinity if there
        is none.
    fits
        For each variable: the log-likelihood given any parents is not above this.
    joint
        The log-likelihood of the table if every row has the probability of its share: the local
        log-likelihoods of a network never add up to more.  None where rows differ by variable, since some
        were set from outside: nothing is known of the sum then.
    interrupted
        Whether Ctrl-C ended it.
    """

    scored: ScoreCache
    rows: int
    size: int
    most: tuple[float, ...]
    fits: tuple[float, ...]
    joint: float | None
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
    limit: int | None = None,
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
    limit
        No network takes more parents than this for a variable; None means that there is no limit.
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
    known = [most for most in (limit, most_parents) if most is not None]
    size = min([_numbered(len(table.names)), *known])
    while True:
        try:
            out = _core.exhaustive(
                table.encoded,
                list(table.names),
                score,
                options,
                max_parents=size,
                threads=threads,
                memory_bytes=memory_bytes,
                seconds=seconds,
                progress=progress,
            )
            break
        except ResourceError:  # of the sets of this size
            if size == 0:
                raise
            size = 1 if size > 1 else 0
    import numpy as np

    nothing = (-math.inf,) * len(table.names)
    weights = table.encoded.weights.astype(np.float64)
    rows = float(weights.sum())
    return Unscored(
        scored=ScoreCache(out["cache"]),
        rows=table.total_weight,
        size=out["finished_size"],
        most=nothing if out["finished_size"] == limit else tuple(out["unscored"]),
        fits=tuple(out["fits"]),
        joint=None if table.interventions else float((weights * np.log(weights / rows)).sum()),
        interrupted=out["interrupted"],
    )


def _numbered(n: int) -> int:
    """Return the largest sets that can be numbered, child included."""
    size = 1
    while size < n - 1 and math.comb(n, size + 2) <= MOST_SETS:
        size += 1
    return size
