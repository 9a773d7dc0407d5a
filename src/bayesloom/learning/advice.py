"""What a result means, and what to do next: a few plain sentences from its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayesloom.scoring.chance import ChanceEdges, chance_edges
from bayesloom.scoring.registry import scores
from bayesloom.scoring.strength import DOUBTFUL, EdgeStrength
from bayesloom.solvers.result import SearchResult
from bayesloom.words import what_is_kept, with_at_most

if TYPE_CHECKING:
    from bayesloom.networks.network import Network
    from bayesloom.table import Table

__all__ = [
    "absence_in_words",
    "all_networks_in_words",
    "chance_in_words",
    "gap_in_words",
    "gaps_in_words",
    "next_steps",
]

MOST_FOR_CREDIBLE = 30  # variables up to which `credible` is a matter of minutes


def gap_in_words(result: SearchResult) -> str:
    """Return what the gap of a result means.

    >>> from types import SimpleNamespace
    >>> gap_in_words(SimpleNamespace(gap=0.0, proof="all networks", among=""))
    'no better network exists'
    """
    if result.proof == "all networks":
        return f"no better network{result.among} exists"
    if result.proof == "sets scored":
        return f"no better network{result.among} can be put together from the parent sets scored"
    share = result.gap / max(1.0, abs(result.score))
    of = f"{100 * share:.2g} % of the score" if share >= 1e-4 else "less than 0.01 % of the score"
    which = f"a better network{'' if result.complete else ' from the parent sets scored'}{result.among}"
    return f"{which} would gain {result.gap:,.4g} nats at most, {of}"


def all_networks_in_words(result: SearchResult) -> str | None:
    """Return what is known of networks with parent sets that were not scored, if there are any.

    >>> from types import SimpleNamespace
    >>> known = {"complete": False, "proof": None, "max_parents": None, "constraints": {}, "score": -900.0}
    >>> gains = {"a": 60.0, "b": 0.0, "c": 45.5}
    >>> all_networks_in_words(SimpleNamespace(**known, gap_all_networks=90.0, unscored_gains=gains))
    "no network at all would gain more, 10 % of the score; parent sets not scored may gain for 2 of 3 \
variables, most for 'a' (60 nats)"
    """
    gap = result.gap_all_networks
    if result.complete or gap is None or result.proof == "all networks":
        return None
    share = f"{100 * gap / max(1.0, abs(result.score)):.2g} % of the score"
    kept = with_at_most(result.max_parents)
    kept += f" that keeps {what_is_kept(result.constraints, short=True)}" if result.constraints else ""
    left = {name: gain for name, gain in result.unscored_gains.items() if gain > 0}
    first = max(left, key=lambda name: left[name], default=None)
    which = ""
    if first is not None:
        some = f"{len(left):,} of {len(result.unscored_gains):,} variables"
        which = f"; parent sets not scored may gain for {some}, most for {first!r} ({left[first]:,.4g} nats)"
    return f"no network{kept or ' at all'} would gain more, {share}{which}"


def chance_in_words(chance: ChanceEdges | None, edges: int) -> str | None:
    """Return what chance alone would give, if that is much beside the edges found.

    >>> print(chance_in_words(ChanceEdges(124_750, 1794.2), 891))
    Some edges may be chance: if no column were related to any other, about 1,794 of the 124,750 pairs \
would gain from an edge by chance alone; 891 edges were found.
    """
    if chance is None or not chance.matter(edges):
        return None
    number = f"{chance.expected:,.0f}" if chance.expected >= 10 else f"{chance.expected:.2g}"
    return (
        f"Some edges may be chance: if no column were related to any other, about {number} of the "
        f"{chance.pairs:,} pairs would gain from an edge by chance alone; {edges:,} "
        f"edge{'s were' if edges != 1 else ' was'} found."
    )


def gaps_in_words(table: Table, network: Network) -> str | None:
    """Return how missing values were treated, and how many rows the families of a network rest on.

    >>> import bayesloom as bl
    >>> table = bl.read_table({"a": [0, 1, None, 1] * 9, "b": [0, 1, 1, 1] * 9}, missing="keep")
    >>> gaps_in_words(table, bl.Network.from_edges("ab", [("a", "b")]))
    'Missing values: each variable is scored by the rows that have a value of it and of its parents, 75 % of \
all or more. No row is dropped, nothing is filled in; values must be missing completely at random.'
    """
    import numpy as np

    if not table.gaps:
        return None
    weights = np.ones(table.row_count) if table.weights is None else table.weights
    least = 1.0
    for child, parents in network.parents.items():
        gone = np.logical_or.reduce([table.lacking(name) for name in (child, *parents)])
        least = min(least, 1 - float(weights[gone].sum()) / table.total_weight)
    return (
        "Missing values: each variable is scored by the rows that have a value of it and of its parents,"
        f" {100 * least:.0f} % of all or more. No row is dropped, nothing is filled in; values must be"
        " missing completely at random."
    )


def unseen_in_words(table: Table) -> str | None:
    """Return which states count though no row shows them, if there are any.

    >>> from bayesloom import Table
    >>> print(unseen_in_words(Table.from_codes("a", [["x", "y", "z"]], [[0, 2]])))
    1 variable has states that no row shows, and they count: 'a' (1 of 3).
    """
    from bayesloom.table.columns import listed

    if not table.unseen:
        return None
    which = "1 variable has" if len(table.unseen) == 1 else f"{len(table.unseen)} variables have"
    some = [f"{n!r} ({len(gone)} of {len(table.states[table.index(n)])})" for n, gone in table.unseen.items()]
    return f"{which} states that no row shows, and they count: {listed(some)}."


def absence_in_words(edges: Sequence[EdgeStrength]) -> str | None:
    """Return which edges rest on values missing together, if any.

    >>> print(absence_in_words([EdgeStrength("a", "b", False, 9.0, True)]))
    1 edge rests on values missing together: 'a' -> 'b'. Where both are present, it gains hardly anything.
    """
    from bayesloom.table.columns import listed

    marked = [f"{edge.source!r} -> {edge.target!r}" for edge in edges if edge.by_missing]
    if not marked:
        return None
    one = len(marked) == 1
    which, gains = ("1 edge rests", "it gains") if one else (f"{len(marked)} edges rest", "they gain")
    little = f"Where both are present, {gains} hardly anything."
    return f"{which} on values missing together: {listed(marked)}. {little}"


def next_steps(
    result: SearchResult, table: Table | None = None, again: str = "DATA", units: int | None = None
) -> list[str]:
    """Return what the user may want to do next, the most useful first; commands name the table `again`.

    `units` is what structural EM counted each row as.  Above 1, `again` is the table before it was filled in:
    in the other one edges look that many times as sure as they are.
    """
    steps = []
    if units is not None:
        pass  # what chance alone gives is not known of values that were filled in
    elif result.chance is not None and result.chance.matter(len(result.network.edges)):
        if against := _against_chance(result):
            steps.append(against)
    elif table is not None and result.chance is None and result.null is None:
        by_bic = chance_edges(table)  # its own score has no formula: BIC says whether to look
        if by_bic is not None and by_bic.matter(len(result.network.edges)):
            steps.append("some edges may be chance: --null says what chance alone gives")
    if time := _more_time(result):
        steps.append(time)
    if fewer := _fewer_parents(result):
        steps.append(fewer)
    if result.cut_by_memory:
        some = f"{result.cut_by_memory:,} of {len(result.network.names):,} variables"
        steps.append(f"memory ended the scoring of {some}: --memory GB allows more")
    weak = [edge for edge in result.edges if edge.strength / (units or 1) < DOUBTFUL]
    if weak:
        how_many = f"{len(weak)} edge{'s are' if len(weak) > 1 else ' is'}"
        steps.append(f"{how_many} worth less than {DOUBTFUL:g} nats (a factor of 20): more rows would tell")
    if units is not None and units > 1:
        steps.append(
            "how sure each edge is, rows with their gaps, under another score (not of the table filled in,"
            f" whose rows count {units:,} times): bayesloom bootstrap {again}"
        )
    elif len(result.network.names) <= MOST_FOR_CREDIBLE and again.split()[0] != "-":  # read once
        sure = "all networks about as good as this one, and how sure each edge is"
        steps.append(f"{sure}: bayesloom credible {again}")
    if result.cpdag.reversible:
        steps.append(_reversible_in_words(result))
    return steps


def _reversible_in_words(result: SearchResult) -> str:
    """Return what reversible edges mean under the score, and what would direct them."""
    known = scores.get(result.score_name or "")
    own = (
        ""
        if known is None or known.equivalent
        else f" ({result.score_name!r} does not score them alike: that is the score's choice, not the data's)"
    )
    have = result.constraints.get("tiers") and not result.constraints.get("of_score")
    say, more = ("add", "more of it to the constraints") if have else ("say", "so")
    which = "networks of the same interventional class" if result.interventions else "equivalent networks"
    return (
        f"reversible edges can point either way: {which} fit the data equally well"
        f"{own}; if you know an order in time, {say} {more}: --constraints FILE with tiers"
    )


def _against_chance(result: SearchResult) -> str | None:
    """Return how to tell edges by chance from others: only what was not done yet."""
    ways = []
    if result.null is None:
        ways.append("--null measures it on the shuffled table")
    if result.score_name == "bic":
        ways.append("--score ebic keeps most such edges out")
    elif result.score_name == "bic-g":
        ways.append("a larger penalty keeps more such edges out: --score-option penalty=2")
    elif result.score_name == "ebic":
        ways.append("a larger gamma keeps more such edges out: --score-option gamma=2")
    elif result.score_name == "aic":
        ways.append("--score bic or ebic keeps more such edges out")
    return f"some edges may be chance: {'; '.join(ways)}" if ways else None


def _more_time(result: SearchResult) -> str | None:
    """Return what more time can do, if anything; it never promises a smaller gap."""
    if result.proof == "all networks":
        return None
    spent = sum(result.seconds.values())
    limit = f"--time-limit {max(600, 100 * round(spent / 10)):d}"
    if result.complete:
        return f"more time may find a better network, or prove that there is none: {limit}"
    if result.proof == "sets scored":
        return f"more time may find a better network: parent sets not scored are not ruled out: {limit}"
    return (
        f"more time may find a better network: {limit} (the gap is over the parent sets scored, and can grow "
        "as more are)"
    )


def _fewer_parents(result: SearchResult) -> str | None:
    """Return what lowers the gap over all networks, where that is the one that is open."""
    gap = result.gap_all_networks
    if result.complete or gap is None or gap <= 2 * result.gap or result.proof == "all networks":
        return None
    used = max(map(len, result.network.parents.values()), default=0)
    limit = max(1, used)
    if result.max_parents is not None and result.max_parents <= limit:
        return None
    return (
        "the gap over all networks is that of parent sets not scored: it falls as more are, and "
        f"--max-parents {limit} asks about fewer"
    )
