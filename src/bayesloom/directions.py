"""Which edges of a network could as well point the other way.

Data alone cannot tell equivalent networks apart. Constraints can: an edge is *reversible* if some equivalent
network that keeps the constraints turns it, and *compelled* if none does. Most constraints speak of one edge
at a time, and the core draws what follows; orders and limits on the parents of single variables take a search
(``src/core/graph/directions.hpp``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from bayesloom import _core
from bayesloom.constraints import ALL, Constraints
from bayesloom.cpdag import Cpdag, Edge
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.network import Network

__all__ = ["Direction", "cpdag_under", "direction_of", "edges_in_words"]

Direction = Literal["compelled", "constrained", "reversible", "undecided"]
"""The same in all equivalent networks; in all that keep the constraints; not so; or not found out."""


def cpdag_under(network: Network, constraints: object, work_limit: int) -> Cpdag:
    """Return the picture of the equivalent networks that keep constraints; see `Network.cpdag_under`."""
    rules = Constraints.given(constraints)  # type: ignore[arg-type]
    if not rules:
        return network.cpdag
    rules.check(network.names)
    if broken := rules.broken_by(network):
        raise InputError(f"the network breaks the constraints: {broken[0]}.")
    index = {name: v for v, name in enumerate(network.names)}

    def indices(edges: Iterable[Edge]) -> list[tuple[int, int]]:
        return [(index[a], index[b]) for a, b in edges]

    labels, _ = _core.directions_under(
        network._core,
        indices(_known(network, rules)),
        _most(network, rules),
        indices(rules.before),
        min(check_count("work_limit", work_limit, least=0), 2**62),
    )
    groups: dict[Direction, list[Edge]] = {name: [] for name in get_args(Direction)}
    for edge, label in zip(network.edges, labels, strict=True):
        groups[get_args(Direction)[label]].append(edge)
    turnable = {tuple(sorted(edge, key=index.__getitem__)) for edge in groups["reversible"]}
    fixed = {*groups["compelled"], *groups["constrained"]}
    return Cpdag(
        network.names,
        compelled=tuple(edge for edge in network.edges if edge in fixed),
        reversible=tuple(edge for edge in network.cpdag.reversible if edge in turnable),
        constrained=tuple(groups["constrained"]),
        undecided=tuple(groups["undecided"]),
    )


def direction_of(picture: Cpdag) -> dict[Edge, Direction]:
    """Return the direction of every edge of a picture; reversible ones both ways.

    >>> direction_of(Network("ABCD", {"C": ["A", "B"], "D": ["A"]}).cpdag)["D", "A"]
    'reversible'
    """
    found: dict[Edge, Direction] = dict.fromkeys(picture.compelled, "compelled")
    found |= dict.fromkeys(picture.constrained, "constrained")
    found |= dict.fromkeys(picture.undecided, "undecided")
    for a, b in picture.reversible:
        found[a, b] = found[b, a] = "reversible"
    return found


def edges_in_words(picture: Cpdag, *, constraints: bool) -> str:
    """Return how many edges are compelled and reversible, and what that means.

    >>> chain = Network("ABC", {"B": ["A"], "C": ["B"]})
    >>> print(edges_in_words(chain.cpdag_under({"leaves": ["C"]}), constraints=True))
    2 edges: 1 compelled (same direction in every equivalent network that keeps the constraints; 1 by the \
constraints alone), 1 reversible (some equivalent network that keeps the constraints turns them)
    """
    count = len(picture.compelled) + len(picture.reversible) + len(picture.undecided)
    kept = " that keeps the constraints" if constraints else ""
    alone = f"; {len(picture.constrained):,} by the constraints alone" if picture.constrained else ""
    left = f", {len(picture.undecided):,} not decided (the search was too long)" if picture.undecided else ""
    return (
        f"{count:,} edge{'s' if count != 1 else ''}: "
        f"{len(picture.compelled):,} compelled (same direction in every equivalent network{kept}{alone}), "
        f"{len(picture.reversible):,} reversible (some equivalent network{kept} turns them){left}"
    )


def _known(network: Network, rules: Constraints) -> list[Edge]:
    """Return the edges that a constraint on them alone keeps from turning."""
    required, forbidden = set(rules.required), set(rules.forbidden)
    roots, leaves = set(rules.roots), set(rules.leaves)
    tier_of = {name: k for k, tier in enumerate(rules.tiers) for name in tier}
    return [
        (a, b)
        for a, b in network.edges
        if (a, b) in required
        or (b, a) in forbidden
        or a in roots
        or b in leaves
        or (a in tier_of and b in tier_of and tier_of[b] > tier_of[a])
    ]


def _most(network: Network, rules: Constraints) -> list[int]:
    """Return the limits on parents, or nothing if there are none."""
    if not rules.max_parents:
        return []
    free = rules.max_parents.get(ALL, len(network.names))
    return [min(rules.max_parents.get(name, free), len(network.names)) for name in network.names]
