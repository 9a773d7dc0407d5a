"""What a result means, and what to do next: a few plain sentences from its numbers."""

from __future__ import annotations

import math

from bayesloom.result import SearchResult
from bayesloom.scores import scores
from bayesloom.strength import DOUBTFUL
from bayesloom.table import Table

__all__ = ["gap_in_words", "next_steps"]

MOST_FOR_CREDIBLE = 30  # variables up to which `credible` is a matter of minutes


def gap_in_words(result: SearchResult) -> str:
    """Return what the gap of a result means.

    >>> from types import SimpleNamespace
    >>> gap_in_words(SimpleNamespace(gap=0.0, status="optimal", complete=True, among=""))
    'no better network exists'
    """
    if result.status == "optimal":
        if result.complete:
            return f"no better network{result.among} exists"
        return f"no better network{result.among} can be put together from the parent sets scored"
    share = result.gap / max(1.0, abs(result.score))
    of = f"{100 * share:.2g} % of the score" if share >= 1e-4 else "less than 0.01 % of the score"
    which = f"a better network{'' if result.complete else ' from the parent sets scored'}{result.among}"
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
    if result.cpdag.reversible:
        steps.append(_reversible_in_words(result))
    if table is not None and table.row_count < 10 * sum(math.log2(max(2, r)) for r in table.cardinalities):
        steps.append("there are few rows for so many variables: expect missing edges rather than false ones")
    return steps


def _reversible_in_words(result: SearchResult) -> str:
    """Return what reversible edges mean under the score, and what would direct them."""
    known = scores.get(result.score_name or "")
    own = (
        ""
        if known is None or known.equivalent
        else f" ({result.score_name!r} does not score them alike: that is the score's choice, not the data's)"
    )
    more = "more of it to the constraints" if result.constraints.get("tiers") else "so"
    say = "add" if result.constraints.get("tiers") else "say"
    return (
        "reversible edges can point either way: equivalent networks fit the data equally well"
        f"{own}; if you know an order in time, {say} {more}: --constraints FILE with tiers"
    )
