"""What a result means, and what to do next: a few plain sentences from its numbers."""

from __future__ import annotations

import math

from bayesloom.result import SearchResult
from bayesloom.strength import DOUBTFUL
from bayesloom.table import Table

__all__ = ["gap_in_words", "next_steps"]

MOST_FOR_CREDIBLE = 30  # variables up to which `credible` is a matter of minutes


def gap_in_words(result: SearchResult) -> str:
    """Return what the gap of a result means.

    >>> from types import SimpleNamespace
    >>> gap_in_words(SimpleNamespace(gap=0.0, status="optimal", complete=True))
    'no better network exists'
    """
    if result.status == "optimal":
        if result.complete:
            return "no better network exists"
        return "no better network can be put together from the parent sets scored"
    share = result.gap / max(1.0, abs(result.score))
    of = f"{100 * share:.2g} % of the score" if share >= 1e-4 else "less than 0.01 % of the score"
    which = "a better network" if result.complete else "a better network from the parent sets scored"
    return f"{which} would gain {result.gap:,.4g} nats at most, {of}"


def next_steps(result: SearchResult, table: Table | None = None) -> list[str]:
    """Return what the user may want to do next, the most useful first."""
    steps = []
    if result.status != "optimal" or not result.complete:
        steps.append("more time may find a better network or a smaller gap: --time-limit 600")
    if "cut short by memory" in result.method:
        steps.append("memory ended the scoring of some variables: --memory GB allows more")
    weak = [edge for edge in result.edges if edge.strength < DOUBTFUL]
    if weak:
        many = f"{len(weak)} edge{'s are' if len(weak) > 1 else ' is'}"
        steps.append(f"{many} worth less than {DOUBTFUL:g} nats (a factor of 20): more rows would tell")
    if len(result.network.names) <= MOST_FOR_CREDIBLE:
        steps.append("all networks about as good as this one, and how sure each edge is: bayesloom credible")
    if result.network.cpdag.reversible and not result.constraints:
        steps.append(
            "reversible edges can point either way as far as the data tell; if you know an order in time, "
            "say so: --constraints FILE with tiers"
        )
    if table is not None and table.row_count < 10 * sum(math.log2(max(2, r)) for r in table.cardinalities):
        steps.append("there are few rows for so many variables: expect missing edges rather than false ones")
    return steps
