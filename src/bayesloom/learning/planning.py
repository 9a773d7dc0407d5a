"""The plan of `learn`: what it will do with a table, decided before it starts.

================================================  ====================================================
at most 200 million local scores (`estimate`) in  every parent set that can matter is scored (method
60 seconds, in proportion to the time given       ``exhaustive``), then `search` with ``auto``: the
                                                  answer is exact if the search ends in time
more, or scoring did not end in half of the time  ``closed_loop``: scoring and search take turns
                                                  for three quarters of the time, then a bound over all
                                                  parent sets scored, by `search` with ``auto``
================================================  ====================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesloom.learning import options as tuned
from bayesloom.scoring.estimation import estimate
from bayesloom.scoring.registry import AUTO
from bayesloom.words import counted

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["LOOP", "OWN_METHODS", "USUAL_SECONDS", "Plan", "plan"]

USUAL_SECONDS = tuned.OPTIONS.usual_seconds
LOOP = "loop"
OWN_METHODS = {
    "auto": "exhaustive if that should fit half of the time, else loop.",
    LOOP: "scoring and search in turns, for tables that are too large to score all parent sets.",
}
"""Methods that `learn` has beside those of `bayesloom.score`, with a sentence each."""


@dataclass(frozen=True)
class Plan:
    """What `learn` will do with a table.

    Attributes
    ----------
    method
        How parent sets are found: a method of `bayesloom.score`, or ``"loop"``.
    local_scores
        How many local scores a complete score cache takes at most.
    reason
        Why this method, in words.
    """

    method: str
    local_scores: float
    reason: str


def plan(
    table: Table | object,
    *,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    time_limit: float | None = USUAL_SECONDS,
) -> Plan:
    """Return how `learn` would go about a table.

    >>> import bayesloom as bl
    >>> plan(bl.random_network(10, seed=1).sample(100, seed=1)).method
    'exhaustive'
    """
    work = estimate(table, score=score, options=options, max_parents=max_parents)
    share = 1.0 if time_limit is None else min(1.0, time_limit / USUAL_SECONDS)
    if work.local_scores <= tuned.OPTIONS.most_local_scores * share:
        if work.local_scores <= tuned.OPTIONS.quick_local_scores:
            few = f"at most {counted(int(work.local_scores), 'local score')}, a moment's work"
            return Plan("exhaustive", work.local_scores, f"{few}: all of them are computed")
        what = f"{work}, which should fit half of the time: the aim is to compute all of them"
        return Plan("exhaustive", work.local_scores, what)
    much = f"{work}, more than fits the time: scored where the search needs them"
    return Plan(LOOP, work.local_scores, much)
