"""An upper bound on the work of scoring all parent sets of a table, before it starts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bayesloom import _core
from bayesloom.limits import check_count, check_factor
from bayesloom.networks.network import MAX_VARIABLES
from bayesloom.scoring.registry import AUTO, scored_table
from bayesloom.words import counted

__all__ = ["Estimate", "estimate"]

# What a local score costs, by benchmarks/tables/parent_sets/exhaustive: within a factor of two on tables of
# 267 to 5,456 rows.
NANOSECONDS_PER_SCORE = 120
NANOSECONDS_PER_ROW = 1
BYTES_PER_SCORE = 20


@dataclass(frozen=True)
class Estimate:
    """The most work that scoring all parent sets of a table can take."""

    local_scores: float
    """At most this many local scores are computed; pruning by subsets makes it fewer."""
    largest_set: int
    """No parent set of more variables than this can matter."""
    seconds: float
    """About the time of one thread if all of them are."""
    gigabytes: float
    """About the memory, likewise."""

    def __str__(self) -> str:
        many = (
            counted(int(self.local_scores), "local score")
            if self.local_scores < 1e12
            else f"{self.local_scores:.1e} local scores"
        )
        return (
            f"at most {many}, parent sets of up to {counted(self.largest_set, 'variable')}, "
            f"{_short(self.seconds)} s of one thread, {_short(self.gigabytes)} GB"
        )


def _short(value: float) -> str:
    return f"{value:.1e}" if value >= 1e6 else f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def estimate(
    table: object,
    *,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    bayes_factor: float = 1.0,
) -> Estimate:
    """Return how much work ``score(table, method="exhaustive")`` can be at most.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.random_network(20, states=(2, 2), seed=1).sample(200, seed=1)
    >>> print(bl.estimate(table))
    at most 333,280 local scores, parent sets of up to 5 variables, 0.051 s of one thread, 0.0067 GB
    """
    if max_parents is not None:
        check_count("max_parents", max_parents, least=0, most=MAX_VARIABLES)
    bayes_factor = check_factor(bayes_factor)
    given, found, values = scored_table(table, score, options)
    local_scores, largest = _core.estimate_exhaustive(
        given.encoded, found.name, values, max_parents, math.log(bayes_factor)
    )
    counted = local_scores / (largest + 1)  # one counting serves every member as a child
    per_count = given.encoded.unique_row_count * NANOSECONDS_PER_ROW
    seconds = 1e-9 * (local_scores * NANOSECONDS_PER_SCORE + counted * per_count)
    return Estimate(local_scores, largest, seconds, 1e-9 * local_scores * BYTES_PER_SCORE)
