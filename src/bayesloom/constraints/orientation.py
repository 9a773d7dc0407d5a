"""Which edges of a network could point the other way.

Data alone cannot tell equivalent networks apart. Constraints can: an edge is *reversible* if some equivalent
network that keeps the constraints turns it, and *compelled* if none does. Most constraints speak of one edge
at a time, and the core draws what follows; orders and limits on the parents of single variables take a search
(``src/core/graph/directions.hpp``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from bayesloom import _core
from bayesloom.constraints.model import ALL, Constraints
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.networks.cpdag import Cpdag, Direction, Edge
from bayesloom.networks.network import Network

__all__ = ["cpdag_under"]


def cpdag_under(
    network: Network, constraints: object, work_limit: int, interventions: Iterable[Iterable[str]] = ()
) -> Cpdag:
    """Return the picture of the equivalent networks that keep constraints; see `Network.cpdag_under`."""
    rules = Constraints.given(constraints)  # type: ignore[arg-type]
    apart = set_apart(network.edges, interventions)
    if not rules and not apart:
        return network.cpdag
    by_targets: set[Edge] = set()
    if apart:
        groups = _groups(network, apart, [], [], 0)
        by_targets = set(groups["constrained"])
        if not rules:
            return _picture(network, groups, by_targets)
    rules.check(network.names)
    if broken := rules.broken_by(network):
        raise InputError(f"the network breaks the constraints: {broken[0]}.")
    groups = _groups(
        network,
        [*apart, *_known(network, rules)],
        _most(network, rules),
        rules.before,
        min(check_count("work_limit", work_limit, least=0), 2**62),
    )
    return _picture(network, groups, by_targets)


def set_apart(edges: Iterable[Edge], interventions: Iterable[Iterable[str]]) -> list[Edge]:
    """Return the edges one of whose ends was set without the other.

    >>> set_apart([("a", "b"), ("b", "c")], [["a"], ["b", "c"]])
    [('a', 'b')]
    """
    sets: dict[str, set[int]] = {}
    for k, target in enumerate(interventions):
        for name in target:
            sets.setdefault(name, set()).add(k)
    return [(a, b) for a, b in edges if sets.get(a, set()) != sets.get(b, set())]


def _groups(
    network: Network, known: Iterable[Edge], most: list[int], before: Iterable[Edge], work_limit: int
) -> dict[Direction, list[Edge]]:
    """Return the edges of the network by their direction."""
    index = {name: v for v, name in enumerate(network.names)}

    def indices(edges: Iterable[Edge]) -> list[tuple[int, int]]:
        return [(index[a], index[b]) for a, b in edges]

    labels, _ = _core.directions_under(
        network._core,
        indices(known),
        most,
        indices(before),
        work_limit,
    )
    groups: dict[Direction, list[Edge]] = {name: [] for name in get_args(Direction)}
    for edge, label in zip(network.edges, labels, strict=True):
        groups[get_args(Direction)[label]].append(edge)
    return groups


def _picture(network: Network, groups: dict[Direction, list[Edge]], by_targets: set[Edge]) -> Cpdag:
    index = {name: v for v, name in enumerate(network.names)}
    turnable = {tuple(sorted(edge, key=index.__getitem__)) for edge in groups["reversible"]}
    fixed = {*groups["compelled"], *groups["constrained"]}
    return Cpdag(
        network.names,
        compelled=tuple(edge for edge in network.edges if edge in fixed),
        reversible=tuple(edge for edge in network.cpdag.reversible if edge in turnable),
        constrained=tuple(edge for edge in groups["constrained"] if edge not in by_targets),
        set_apart=tuple(edge for edge in network.edges if edge in by_targets),
        undecided=tuple(groups["undecided"]),
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
