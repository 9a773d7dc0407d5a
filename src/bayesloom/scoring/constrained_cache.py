"""Constraints compiled into a score cache.

Edges, tiers, roots, leaves and limits on parents decide for each candidate by itself whether it may stay.  An
order "a before b" does not: it restricts paths.  But it holds if and only if the network stays acyclic with
one more edge from a to b.  So the solvers get a cache in which a is added to every candidate of b, at the
same score (``src/core/cache/orders_as_edges.hpp``).  Candidates keep their numbers, so a solver's choice is a
choice in the original cache.

Removing candidates with forbidden parents, or with too many, keeps a complete cache complete: whatever was
pruned was beaten by a subset, which is allowed if the larger set is, since fewer edges break no tier, limit
or order.  Required parents are different: the subset may lack them.  `bayesloom.score` takes the constraints
and scores all that is needed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InfeasibleError, option
from bayesloom.scoring.cache import UNITS, ScoreCache

__all__ = [
    "CandidateLists",
    "Constrained",
    "allowed",
    "constrain",
    "constrained_for_counting",
    "orders_of",
    "with_lists",
]

CandidateLists = tuple[list[int], list[int], list[int]]
"""Scores in units of 2^-30 nat, where each candidate's parents end, and all parents."""


@dataclass(frozen=True)
class Constrained:
    """A score cache under constraints.

    Attributes
    ----------
    constraints
        All that hold: those given and those the cache was scored with.
    plain
        The candidates that they allow.
    shown
        What a solver is given: `plain`, with parents that stand for an order added. Candidates have the
        same numbers in both.
    """

    constraints: Constraints
    plain: ScoreCache
    shown: ScoreCache


def constrain(cache: ScoreCache, constraints: object = None, *, shown: bool = True) -> Constrained:
    """Return the cache under these constraints and those it was scored with.

    Unless `shown`, no cache with orders is made for a solver.

    Examples
    --------
    >>> lists = {"a": [(-1, ["b"]), (-2, [])], "b": [(-1, ["a"]), (-2, [])]}
    >>> cache = ScoreCache.from_candidates("ab", lists)
    >>> constrain(cache, {"forbidden": [("a", "b")]}).plain.candidates("b")
    [(-2.0, ())]
    """
    known = Constraints.given(cache.info.get("constraints"))
    more = Constraints.given(constraints)  # type: ignore[arg-type]
    if not known and not more:
        return Constrained(known, cache, cache)
    more.check(cache.names)
    both = known.together_with(more)
    both.check(cache.names, cache.info.get("max_parents"))
    plain = cache if both == known else _newly_allowed(cache, both, known)
    pairs = [(cache.index(a), cache.index(b)) for a, b in both.before]
    if not pairs or not shown:
        return Constrained(both, plain, plain)
    return Constrained(both, plain, ScoreCache(plain.core.with_orders(pairs)))


def constrained_for_counting(cache: ScoreCache, constraints: object = None) -> ScoreCache:
    """Return the candidates that constraints allow, with the constraints in ``info``; see `orders_of`."""
    return constrain(cache, constraints, shown=False).plain


def orders_of(cache: ScoreCache) -> list[tuple[int, int]]:
    """Return the orders that networks of a cache are to keep, as pairs of variables' numbers.

    >>> cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-1, [])]})
    >>> orders_of(constrained_for_counting(cache, {"before": [("b", "a")]}))
    [(1, 0)]
    """
    held = Constraints.given(cache.info.get("constraints"))
    return [(cache.index(a), cache.index(b)) for a, b in held.before]


def _newly_allowed(cache: ScoreCache, constraints: Constraints, known: Constraints) -> ScoreCache:
    info = {**cache.info, "constraints": constraints.to_json()}
    if set(constraints.required) - set(known.required):
        info["complete_factor"] = None
    return allowed(cache, constraints).with_info(info)


def allowed(
    cache: ScoreCache, constraints: Constraints, *, among: Container[int] | None = None
) -> ScoreCache:
    """Return the candidates that constraints allow, each looked at by itself.

    Where only some variables have been scored, `among` says which: the others keep what they have.
    """
    import numpy as np

    keep = np.ones(cache.candidate_count, dtype=np.bool_)
    first, flat = cache.parent_first.astype(np.int64), cache.parents
    for v, (required, forbidden, most) in enumerate(constraints.rules(cache.names)):
        if (not required and not forbidden and most is None) or (among is not None and v not in among):
            continue
        begin, end = int(cache.first[v]), int(cache.first[v + 1])
        edges = first[begin : end + 1]
        parents, sizes = flat[edges[0] : edges[-1]], np.diff(edges)
        owner = np.repeat(np.arange(end - begin), sizes)
        ok = np.bincount(owner, np.isin(parents, required), end - begin) == len(required)
        ok &= np.bincount(owner, np.isin(parents, forbidden), end - begin) == 0
        if most is not None:
            ok &= sizes <= most
        if not ok.any():
            raise InfeasibleError(
                f"no candidate of {cache.names[v]!r} in the score cache satisfies the constraints. "
                f"Score the table with the same {option('constraints', metavar='FILE', subject=True)}."
            )
        keep[begin:end] = ok
    return cache.select(keep)


def with_lists(cache: ScoreCache, lists: Mapping[int, CandidateLists]) -> ScoreCache:
    """Return the cache with the candidates of some variables replaced."""
    if not lists:
        return cache
    import numpy as np

    sizes, scores, parents, first = [], [], [], [0]
    for v in range(cache.variable_count):
        if v in lists:
            own, ends, flat = (np.asarray(part, dtype=np.int64) for part in lists[v])
            edges = np.concatenate(([0], ends))
        else:
            begin, end = int(cache.first[v]), int(cache.first[v + 1])
            edges = cache.parent_first[begin : end + 1].astype(np.int64)
            own, flat = cache.scores[begin:end], cache.parents[edges[0] : edges[-1]].astype(np.int64)
        sizes.append(np.diff(edges))
        scores.append(own / UNITS)
        parents.append(flat)
        first.append(first[-1] + len(own))
    ends = np.concatenate(([0], np.cumsum(np.concatenate(sizes))))
    return ScoreCache.from_arrays(
        cache.names,
        first,
        np.concatenate(scores),
        ends,
        np.concatenate(parents),
        cardinalities=cache.cardinalities,
        info=cache.info,
    )
