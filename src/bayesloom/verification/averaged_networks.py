"""Check an averaged network: acyclic, with the edges that its rule allows, and no other fits better.

By the rule without a threshold an edge from a to b gains ``2 p(a, b) + p(b, a) - 1``: it reduces the mean
number of pairs that are joined differently by this much.  With a threshold every pair that is joined with a
higher probability is joined, and an edge gains its probability.  Either way the sum of the gains must be the
largest of all acyclic networks.  Cycles lie within strong components of the graph of gains; if a component
has few enough members, its best order is found by the recurrence over last members.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bayesloom.verification.checks import Checklist
from bayesloom.verification.network import structure_problems

__all__ = ["verify_averaged"]

MOST_TOGETHER = 14  # members of a component: 2^14 sets of them
NEAR = 1e-6  # of a sum of gains, which the search adds up in units of 2^-30
ROUNDED = 1e-9  # of a mean distance, by adding up

Edge = tuple[str, str]


def verify_averaged(
    checks: Checklist,
    names: list[str],
    averaged: Mapping[str, Any],
    share: Mapping[Edge, float],
    threshold: float | None,
) -> None:
    """Check an averaged network against the probabilities of edges; those not given are 0."""
    parents: Mapping[str, list[str]] = averaged["parents"]
    if not checks.all_of("averaged.parents", structure_problems(names, parents), "a network, no cycle"):
        checks.skip("averaged", "what is wrong above must be mended first")
        return
    edges = [(a, b) for b in names for a in parents[b]]
    gains = _gains(share, threshold)
    joined = _joined(share)
    problems = []
    if threshold is None:
        for a, b in edges:
            if gains.get((a, b), -1.0) < -ROUNDED:
                problems.append(
                    f"the averaged network has {a!r} -> {b!r}, without which it is nearer to all."
                )
    else:
        above = {pair for pair, value in joined.items() if value > threshold}
        chosen = {frozenset(edge) for edge in edges}
        for pair in sorted(map(sorted, above ^ chosen)):
            has, lacks = ("joins", "not") if frozenset(pair) in chosen else ("does not join", "")
            problems.append(
                f"the averaged network {has} {pair[0]!r} and {pair[1]!r}, whose strength is"
                f" {lacks + ' ' if lacks else ''}above its threshold."
            )
    rule = "edges that bring it nearer" if threshold is None else "pairs above the threshold"
    checks.all_of("averaged", problems, f"{len(edges):,} edges, {rule}")
    _best(checks, averaged["exact"], edges, gains)
    total = math.fsum(share.values())
    less = [2 * share.get((a, b), 0.0) + share.get((b, a), 0.0) - 1 for a, b in edges]
    distance = max(0.0, total - math.fsum(less))
    given = averaged["expected_distance"]
    problem = f"expected_distance is {given!r}, the probabilities of edges give {distance!r}."
    near = abs(given - distance) <= ROUNDED * (1 + total)
    checks.all_of("averaged.expected_distance", [] if near else [problem], f"{distance!r}")


def _joined(share: Mapping[Edge, float]) -> dict[frozenset[str], float]:
    found: dict[frozenset[str], float] = {}
    for edge, value in share.items():
        found[frozenset(edge)] = found.get(frozenset(edge), 0.0) + value
    return found


def _gains(share: Mapping[Edge, float], threshold: float | None) -> dict[Edge, float]:
    """Return what each edge that can be of use gains."""
    if threshold is not None:
        joined = _joined(share)
        return {
            edge: value for edge, value in share.items() if value > 0 and joined[frozenset(edge)] > threshold
        }
    both = {*share, *((b, a) for a, b in share)}
    return {
        (a, b): gain
        for a, b in both
        if (gain := 2 * share.get((a, b), 0.0) + share.get((b, a), 0.0) - 1) > -ROUNDED
    }


def _best(checks: Checklist, exact: bool, edges: list[Edge], gains: Mapping[Edge, float]) -> None:
    """Check that no acyclic network gains more, where it is said that none does."""
    what = "averaged.exact"
    if not exact:
        checks.skip(what, "it is not said that no other network fits better")
        return
    parts = _components({edge for edge, gain in gains.items() if gain > 0})
    where = {name: k for k, part in enumerate(parts) for name in part}
    most = math.fsum(g for (a, b), g in gains.items() if g > 0 and where[a] != where[b])
    for part in parts:
        if len(part) > MOST_TOGETHER:
            checks.skip(what, f"{len(part)} variables lie on cycles together, too many to try all orders")
            return
        most += _best_order(sorted(part), gains)
    chosen = math.fsum(max(0.0, gains.get(edge, 0.0)) for edge in edges)
    problem = f"another network gains {most!r}, the averaged network {chosen!r}."
    checks.all_of(what, [problem] if most > chosen + NEAR else [], "no other network fits better")


def _best_order(part: list[str], gains: Mapping[Edge, float]) -> float:
    """Return the most that edges within a component gain without a cycle."""
    n = len(part)
    if n < 2:
        return 0.0
    gain = [[max(0.0, gains.get((a, b), 0.0)) for a in part] for b in part]
    best = [0.0] * (1 << n)
    for members in range(1, 1 << n):
        inside = [v for v in range(n) if members >> v & 1]
        best[members] = max(
            best[members & ~(1 << last)] + sum(gain[last][v] for v in inside if v != last) for last in inside
        )
    return best[-1]


def _components(edges: set[Edge]) -> list[set[str]]:
    """Return the strong components of a graph: who reaches each other, forwards and backwards."""
    out: dict[str, set[str]] = {}
    into: dict[str, set[str]] = {}
    for a, b in edges:
        for name in (a, b):
            out.setdefault(name, set())
            into.setdefault(name, set())
        out[a].add(b)
        into[b].add(a)
    left, parts = set(out), []
    while left:
        begin = left.pop()
        part = _reached(begin, out, left) & _reached(begin, into, left) | {begin}
        left -= part
        parts.append(part)
    return parts


def _reached(begin: str, graph: Mapping[str, set[str]], among: set[str]) -> set[str]:
    found, front = {begin}, [begin]
    while front:
        for name in graph[front.pop()]:
            if name in among and name not in found:
                found.add(name)
                front.append(name)
    return found
