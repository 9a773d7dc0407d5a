"""Why an edge points as it does: what would go wrong if it were turned.

The class of a network fixes an edge ``a -> b`` for one of four reasons [meek1995], each of which names the
variables that show it:

* it is part of a v-structure: another parent ``c`` of ``b`` is not joined to ``a``, which a table shows;
* turned, it would make a new v-structure ``c -> a <- b``;
* turned, it would close a cycle over ``a -> c -> b``;
* turned, two other edges would have to turn with it, and make a new v-structure at ``a``.

The last three lean on other compelled edges, so reading them one after the other ends at v-structures.
"""

from __future__ import annotations

from bayesloom.networks.cpdag import Cpdag, Edge, direction_of
from bayesloom.networks.network import Network

__all__ = ["Reason", "reasons_of"]

Reason = tuple[str, tuple[str, ...]]
"""The kind of the reason, and the variables beside the edge's own that show it."""

WORDS = {
    "v-structure": "part of the v-structure {a} \u2192 {b} \u2190 {0}: {a} and {0} are not joined",
    "new v-structure": "turned, {0} \u2192 {a} \u2190 {b} would be a new v-structure: {0} and {b} are not"
    " joined",
    "cycle": "turned, it would close a cycle over {a} \u2192 {0} \u2192 {b}",
    "both": "turned, {0} and {1} would have to point to {a}, a new v-structure: they are not joined",
    "interventions": "variables were set in some rows: some equivalent network turns it, none that fits"
    " these rows as well",
    "constraints": "the constraints, or the rule of the score that a discrete variable has discrete parents"
    " only: some equivalent network turns it, none that keeps them",
    "reversible": "some equivalent network turns it: a table cannot tell the direction",
    "undecided": "not found out: the search for a network that turns it was too long",
}


def reasons_of(network: Network, picture: Cpdag) -> dict[Edge, Reason]:
    """Return for every edge of a network why it has its direction in the picture.

    >>> network = Network("abcd", {"c": ["a", "b"], "d": ["c"]})
    >>> reasons_of(network, network.cpdag)
    {('a', 'c'): ('v-structure', ('b',)), ('b', 'c'): ('v-structure', ('a',)), \
('c', 'd'): ('new v-structure', ('a',))}
    """
    parents = {name: set(up) for name, up in network.parents.items()}
    joined: dict[str, set[str]] = {name: set(up) for name, up in parents.items()}
    for child, up in parents.items():
        for parent in up:
            joined[parent].add(child)
    fixed: dict[str, set[str]] = {name: set() for name in network.names}
    for a, b in network.cpdag.compelled:
        fixed[b].add(a)
    direction = direction_of(picture)
    order = {name: i for i, name in enumerate(network.names)}

    def first(names: set[str]) -> str | None:
        return min(names, key=order.__getitem__) if names else None

    def why(a: str, b: str) -> Reason:
        if (c := first(parents[b] - joined[a] - {a})) is not None:
            return "v-structure", (c,)
        if (c := first(fixed[a] - joined[b])) is not None:
            return "new v-structure", (c,)
        if (c := first({c for c in fixed[b] if a in fixed[c]})) is not None:
            return "cycle", (c,)
        near = sorted(fixed[b] & joined[a] - {a}, key=order.__getitem__)
        for k, c in enumerate(near):
            if (d := first(set(near[k + 1 :]) - joined[c])) is not None:
                return "both", (c, d)
        raise AssertionError("a compelled edge has one of the four reasons")

    by_targets = set(picture.set_apart)
    found: dict[Edge, Reason] = {}
    for a, b in network.edges:
        match direction[a, b]:
            case "compelled" if (a, b) in by_targets:
                found[a, b] = "interventions", ()
            case "compelled":
                found[a, b] = why(a, b)
            case "constrained":
                found[a, b] = "constraints", ()
            case other:
                found[a, b] = other, ()
    return found


def in_words(edge: Edge, reason: Reason) -> str:
    """Return a reason as words, with names as they are.

    >>> in_words(("a", "c"), ("cycle", ("b",))).replace("\u2192", "->")
    'turned, it would close a cycle over a -> b -> c'
    """
    kind, shown = reason
    return WORDS[kind].format(*shown, a=edge[0], b=edge[1])
