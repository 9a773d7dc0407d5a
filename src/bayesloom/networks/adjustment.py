"""Which variables to adjust for, to estimate the effect of x on y from data in which x was only observed.

A set Z meets the back-door criterion [pearl2009] if none of it is a descendant of x and it separates x from y
in the network without the edges out of x.  Then

    P(y | do(x))  =  sum over z of  P(y | x, z) P(z)

Separation is looked at in the moral graph of all ancestors of x and y [lauritzen1990].  Descendants of x may
not be adjusted for, so each is taken out and its neighbours are joined; the sets are what separates x and y
in the graph that is left.  The minimal ones, from which no variable can be left out, are found from the one
next to x on, by pushing one variable after the other to the side of x [berry2000].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.networks.interventions import check_two
from bayesloom.networks.network import Network

__all__ = ["AdjustmentSets", "adjustment_sets", "is_adjustment_set"]

Graph = list[set[int]]


class AdjustmentSets(list[tuple[str, ...]]):
    """Minimal adjustment sets, the smallest first; `complete` is False if there are more than the limit."""

    def __init__(self, sets: Iterable[tuple[str, ...]], complete: bool) -> None:
        super().__init__(sets)
        self.complete = complete


def adjustment_sets(network: Network, x: str, y: str, limit: int = 1000) -> AdjustmentSets:
    """Return the minimal back-door sets; see `Network.adjustment_sets`."""
    check_count("limit", limit, least=1)
    i, j = check_two(network, x, y)
    graph = _separation_graph(network, i, j, ())
    if j in graph[i]:  # y is a parent of x: nothing separates them, and x has no effect on y
        return AdjustmentSets([], complete=True)
    found, complete = _minimal_separators(graph, i, j, limit)
    named = [tuple(network.names[v] for v in sorted(one)) for one in found]
    return AdjustmentSets(sorted(named, key=lambda one: (len(one), one)), complete)


def is_adjustment_set(network: Network, x: str, y: str, adjusted: Sequence[str]) -> bool:
    """Return whether a set meets the back-door criterion; see `Network.is_adjustment_set`."""
    i, j = check_two(network, x, y)
    chosen = {network.index(name) for name in adjusted}
    if both := chosen & {i, j}:
        raise InputError(f"{network.names[both.pop()]!r} cannot be adjusted for: it is what is asked about.")
    if chosen & _descendants(network, i):
        return False
    graph = _moral(network, i, {i, j, *chosen})
    return j not in _reached(graph, i, chosen)


def _separation_graph(network: Network, i: int, j: int, extra: Iterable[int]) -> Graph:
    """The moral graph of the ancestors, without the variables that may not be adjusted for."""
    graph = _moral(network, i, {i, j, *extra})
    for v in _descendants(network, i) - {j}:
        near = graph[v]
        graph[v] = set()
        for u in near:
            graph[u] |= near
            graph[u] -= {u, v}
    return graph


def _moral(network: Network, i: int, of: set[int]) -> Graph:
    """Directions dropped and parents joined, among the ancestors of some, without the edges out of i."""
    parents = [tuple(p for p in up if p != i) for up in network.parent_indices]
    above: set[int] = set()
    open_ones = list(of)
    while open_ones:
        v = open_ones.pop()
        if v not in above:
            above.add(v)
            open_ones += parents[v]
    graph: Graph = [set() for _ in parents]
    for v in above:
        family = {v, *parents[v]}
        for u in family:
            graph[u] |= family - {u}
    return graph


def _descendants(network: Network, i: int) -> set[int]:
    children: list[list[int]] = [[] for _ in network.names]
    for v, up in enumerate(network.parent_indices):
        for p in up:
            children[p].append(v)
    found: set[int] = set()
    open_ones = list(children[i])
    while open_ones:
        v = open_ones.pop()
        if v not in found:
            found.add(v)
            open_ones += children[v]
    return found


def _reached(graph: Graph, start: int, without: set[int]) -> set[int]:
    found, open_ones = {start}, [start]
    while open_ones:
        for u in graph[open_ones.pop()]:
            if u not in found and u not in without:
                found.add(u)
                open_ones.append(u)
    return found


def _around(graph: Graph, inside: set[int]) -> set[int]:
    return set().union(*(graph[v] for v in inside)) - inside


def _minimal_separators(graph: Graph, i: int, j: int, limit: int) -> tuple[list[frozenset[int]], bool]:
    """Return all minimal separators of two vertices that are not adjacent, at most `limit` of them."""

    def beyond(inside: set[int]) -> frozenset[int] | None:
        """The separator next to a connected set around i, or None if the set touches j."""
        border = _around(graph, inside)
        return None if j in border else frozenset(_around(graph, _reached(graph, j, border)))

    first = beyond({i})
    assert first is not None
    found, waiting = {first: None}, deque([first])
    while waiting:
        separator = waiting.popleft()
        side = _reached(graph, i, set(separator))
        for v in separator:
            other = beyond(side | {v})
            if other is not None and other not in found:
                if len(found) == limit:
                    return list(found), False
                found[other] = None
                waiting.append(other)
    return list(found), True
