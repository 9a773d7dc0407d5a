"""Which edges are compelled, by other means than the core's: orientation rules, and search where they end.

An edge a -> b of a network is compelled if every equivalent network that keeps the constraints has it so.
Equivalent networks have the same adjacencies and the same v-structures (two parents of one child that are
not joined). So: direct v-structures, then what the constraints say of single edges, and close under

    R1  c -> a, a - b, c and b not joined               a -> b, or there would be a new v-structure
    R2  a -> c -> b, a - b                              a -> b, or there would be a cycle
    R3  a - c -> b, a - d -> b, c and d not joined, a - b       a -> b
    R4  c -> d -> b, a - b, a joined to c and d, c and b not    a -> b

This finds all compelled edges if constraints speak of single edges [meek1995]. Orders of variables and
limits on parents do not: there a network with the edge turned is sought, one edge after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from bayesloom.constraints.model import Constraints
from bayesloom.verification.every_network import Allowed

__all__ = ["class_members", "compelled_edges"]

MOST_STEPS = 20_000  # of a search for networks that turn an edge

Edge = tuple[str, str]


class _Graph:
    """Adjacencies, some of them directed."""

    def __init__(self, joined: Mapping[str, frozenset[str]]) -> None:
        self.joined = joined
        self.into: dict[str, set[str]] = {name: set() for name in joined}
        self.out: dict[str, set[str]] = {name: set() for name in joined}
        self.open: dict[str, set[str]] = {name: set(near) for name, near in joined.items()}

    def copy(self) -> _Graph:
        """Return a graph that can be changed by itself."""
        made = _Graph(self.joined)
        for mine, its in ((self.into, made.into), (self.out, made.out), (self.open, made.open)):
            for name, near in mine.items():
                its[name] = set(near)
        return made

    def direct(self, edges: Sequence[Edge]) -> bool:
        """Direct edges, then all that follows; return False if one is directed the other way already."""
        placed = [self._put(a, b) for a, b in edges]  # all of them, before any rule looks at the rest
        if False in placed:
            return False
        waiting = list(edges)
        while waiting:
            a, b = waiting.pop()
            near = [(x, y) for x in (a, b, *self.out[b]) for y in self.open[x]]
            for x, y in (*near, *((y, x) for x, y in near)):
                if y in self.open[x] and self._follows(x, y):
                    self._put(x, y)
                    waiting.append((x, y))
        return True

    def _put(self, a: str, b: str) -> bool:
        """Direct one edge; return False if it is directed the other way already."""
        self.open[a].discard(b)
        self.open[b].discard(a)
        if b in self.into[a]:
            return False
        self.into[b].add(a)
        self.out[a].add(b)
        return True

    def _follows(self, a: str, b: str) -> bool:
        """Whether a rule directs the open edge between a and b from a to b."""
        if self.into[a] - self.joined[b] - {b} or self.out[a] & self.into[b]:  # R1, R2
            return True
        both = self.open[a] & self.into[b]
        if any(d not in self.joined[c] for c, d in itertools.combinations(both, 2)):  # R3
            return True
        near = self.joined[a]
        return any((self.into[d] & near) - self.joined[b] - {b} for d in self.into[b] & near)  # R4


def compelled_edges(
    parents: Mapping[str, Sequence[str]],
    rules: Constraints | None = None,
    max_parents: int | None = None,
    interventions: Iterable[Iterable[str]] = (),
) -> dict[Edge, bool | None]:
    """Return for each edge of a network whether it is compelled; None where it could not be decided.

    `parents` is acyclic and keeps the rules; `max_parents` is a limit that every network keeps.
    With `interventions`, sets of variables that were set together in some rows, networks count only if edges
    between variables of which one was set without the other are the same in them [hauser2012].

    >>> compelled_edges({"a": [], "b": [], "c": ["a", "b"], "d": ["a"]})
    {('a', 'c'): True, ('b', 'c'): True, ('a', 'd'): False}
    >>> compelled_edges({"a": [], "d": ["a"]}, Constraints(tiers=[["a"], ["d"]]))
    {('a', 'd'): True}
    """
    rules = rules or Constraints()
    allowed = Allowed(rules, max_parents)
    edges = [(a, b) for b, given in parents.items() for a in given]
    graph, meets = _class_graph(parents)
    graph.direct([(a, b) for a, b in edges if not allowed.edge(b, a)])
    for one in map(set, interventions):
        graph.direct([(a, b) for a, b in edges if len(one & {a, b}) == 1])
    beyond_edges = bool(rules.before) or max_parents is not None or bool(rules.max_parents)
    found: dict[Edge, bool | None] = {}
    steps = [MOST_STEPS]
    for a, b in edges:
        if a in graph.into[b]:
            found[a, b] = True
        elif not beyond_edges:
            found[a, b] = False
        else:
            turned = _member(graph.copy(), (b, a), meets, rules, allowed, steps)
            found[a, b] = None if turned is None else not turned
    return found


def class_members(parents: Mapping[str, Sequence[str]]) -> list[dict[str, list[str]]] | None:
    """Return all networks of the equivalence class of a network, or None if there are too many to look at.

    >>> len(class_members({"a": [], "b": ["a"], "c": ["b"]}))
    3
    """
    graph, meets = _class_graph(parents)
    found: list[dict[str, list[str]]] = []
    stack: list[tuple[_Graph, Edge | None]] = [(graph, None)]
    for _ in range(MOST_STEPS):
        if not stack:
            return found
        graph, edge = stack.pop()
        if edge is not None and not graph.direct([edge]):
            continue
        free = next(((x, y) for x, group in graph.open.items() for y in group), None)
        if free is not None:
            stack += [(graph.copy(), free), (graph, (free[1], free[0]))]
        elif _keeps(graph, meets, Constraints()):
            found.append({name: [p for p in parents if p in group] for name, group in graph.into.items()})
    return None


def _class_graph(parents: Mapping[str, Sequence[str]]) -> tuple[_Graph, set[tuple[str, str, str]]]:
    """Return the adjacencies of a network, directed where all of its class agree, and its v-structures."""
    near: dict[str, set[str]] = {name: set() for name in parents}
    for b, given in parents.items():
        for a in given:
            near[a].add(b)
            near[b].add(a)
    graph = _Graph({name: frozenset(group) for name, group in near.items()})
    meets = _v_structures(parents, near)
    graph.direct([(a, b) for one, b, two in meets for a in (one, two)])
    return graph, meets


def _v_structures(
    parents: Mapping[str, Sequence[str]], near: Mapping[str, set[str]]
) -> set[tuple[str, str, str]]:
    return {
        (min(a, c), b, max(a, c))
        for b, given in parents.items()
        for a, c in itertools.combinations(given, 2)
        if c not in near[a]
    }


def _member(
    graph: _Graph,
    edge: Edge,
    meets: set[tuple[str, str, str]],
    rules: Constraints,
    allowed: Allowed,
    steps: list[int],
) -> bool | None:
    """Return whether some network of the class has this edge too and keeps all, None if steps ran out."""
    stack = [(graph, edge)]
    while stack:
        graph, edge = stack.pop()
        steps[0] -= 1
        if steps[0] < 0:
            return None
        if not graph.direct([edge]) or any(
            (most := allowed.most(name)) is not None and len(group) > most
            for name, group in graph.into.items()
        ):
            continue
        free = next(((x, y) for x, group in graph.open.items() for y in group), None)
        if free is not None:
            stack += [(graph.copy(), free), (graph, (free[1], free[0]))]
        elif _keeps(graph, meets, rules):
            return True
    return False


def _keeps(graph: _Graph, meets: set[tuple[str, str, str]], rules: Constraints) -> bool:
    """Whether a graph without open edges is a network of the class that keeps the rules."""
    left = {name: set(group) for name, group in graph.into.items()}
    ready = [name for name, group in left.items() if not group]
    taken = 0
    while ready:
        name = ready.pop()
        taken += 1
        for child in graph.out[name]:
            left[child].discard(name)
            if not left[child]:
                ready.append(child)
    parents = {name: sorted(group) for name, group in graph.into.items()}
    same = _v_structures(parents, {name: set(group) for name, group in graph.joined.items()}) == meets
    return taken == len(left) and same and not rules.broken_by(parents)
