"""The last step of `learn`: a network that no single edge improves, and a bound that still holds.

A search over a score cache knows the parent sets that were scored and no others, and one that time ends
may leave moves undone.  `polish_network` takes, adds and turns single edges while that raises the score
(``src/core/parent_sets/polish.hpp``): at the end no removal over all parent sets, scored before or not,
and no addition, removal or turn over the candidates improves the network.

The network may then use sets that the cache has not, and what bounds all networks over the cache does not
bound it.  `polish` therefore speaks of the cache with these sets added.  A network that uses some of the
added sets can be turned into one over the old cache: each added set Q of a variable v is replaced by the
best old candidate inside of it.  That takes edges away only, so no cycle arises, and it costs
s(v, Q) - max { s(v, P) : P candidate of v, P inside Q }.  Hence

    bound over the larger cache  <=  bound over the old one + the sum of these costs

with one added set for a variable, which is how many a polished network needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InternalError
from bayesloom.networks.network import Network
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import CandidateLists, with_lists
from bayesloom.solvers.result import SearchResult, TracePoint
from bayesloom.table import Table
from bayesloom.verification import verify

__all__ = ["PolishedNetwork", "Polisher"]


@dataclass(frozen=True)
class PolishedNetwork:
    """A network that no single edge improves.

    Attributes
    ----------
    network
        The network.
    scores
        Its local scores in units of 2^-30 nat.
    added
        Its parent sets that are not in the cache, by the number of their variable.
    steps, work
        Changes made, and local scores computed for it.
    interrupted
        Whether Ctrl-C ended it, so that some edge may still improve the network.
    """

    network: Network
    scores: tuple[int, ...]
    added: Mapping[int, tuple[int, ...]]
    steps: int
    work: int
    interrupted: bool

    @property
    def score(self) -> int:
        """The score of the network in units of 2^-30 nat."""
        return sum(self.scores)

    def extended(self, cache: ScoreCache) -> ScoreCache:
        """Return the cache with the sets that were added.

        >>> cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-2, [])]})
        >>> found = PolishedNetwork(Network("ab", {"b": ["a"]}), (-(2**30), -(2**30)), {1: (0,)}, 1, 0, False)
        >>> found.extended(cache).candidates("b")
        [(-1.0, ('a',)), (-2.0, ())]
        """
        lists: dict[int, CandidateLists] = {}
        for v, parents in self.added.items():
            begin, end = int(cache.first[v]), int(cache.first[v + 1])
            edges = cache.parent_first[begin : end + 1]
            flat = [*cache.parents[int(edges[0]) : int(edges[-1])].tolist(), *parents]
            ends = [int(edge - edges[0]) for edge in edges[1:]]
            lists[v] = ([*cache.scores[begin:end].tolist(), self.scores[v]], [*ends, len(flat)], flat)
        return with_lists(cache, lists)

    def bound(self, cache: ScoreCache, bound: int) -> int | None:
        """Return a bound over `cache` with the sets added, from one over `cache` without them."""
        for v, parents in self.added.items():
            inside = cache.core.best_within(v, list(parents))
            if inside is None:
                return None
            bound += max(0, self.scores[v] - int(cache.scores[inside]))
        return bound


@dataclass(frozen=True)
class Polisher:
    """What `learn` was asked to keep to while single edges change."""

    table: Table
    score: str
    options: dict[str, float]
    constraints: Constraints
    max_parents: int | None
    threads: int

    def network(self, cache: ScoreCache, network: Network, *, work: int | None = None) -> PolishedNetwork:
        """Change single edges of a network while that raises its score."""
        names = list(cache.names)
        index = {name: v for v, name in enumerate(names)}
        held, given = self.constraints, network.parents
        out = _core.polish(
            self.table.encoded,
            self.score,
            self.options,
            cache.core,
            [[index[parent] for parent in given[name]] for name in names],
            threads=self.threads,
            rules=held.rules(names, self.max_parents) if held or self.max_parents is not None else [],
            before=[(index[a], index[b]) for a, b in held.before],
            work=work,
        )
        chosen: list[list[int]] = out["parents"]
        known = _core.check_candidates(cache.first, cache.scores, cache.parent_first, cache.parents, chosen)
        # Of millions of nats a cache keeps what fits a double: its numbers, so that bound and score agree.
        scores = [
            int(float(own)) if kept is None else kept for own, kept in zip(out["scores"], known, strict=True)
        ]
        return PolishedNetwork(
            Network(names, chosen),
            tuple(scores),
            {v: tuple(chosen[v]) for v, units in enumerate(known) if units is None},
            int(out["steps"]),
            int(out["work"]),
            bool(out["interrupted"]),
        )

    def result(self, cache: ScoreCache, result: SearchResult) -> tuple[SearchResult, ScoreCache]:
        """Polish what a search over the cache found; also return the cache that the bound is over."""
        found = self.network(cache, result.network)
        if found.steps == 0:
            return replace(result, interrupted=result.interrupted or found.interrupted), cache
        if found.added and cache.complete:
            raise InternalError(
                "a set that scores higher is missing from a score cache that was said to be complete. "
                f"Please report this with the table; variable {cache.names[min(found.added)]!r}."
            )
        bound = found.bound(cache, result.fixed_bound)
        if bound is None:
            raise InternalError("no candidate lies inside of a parent set of the polished network.")
        score = found.score
        better = replace(
            result,
            network=found.network,
            score=_core.to_nats(score),
            bound=_core.to_nats(bound),
            status="optimal" if score == bound else "stopped",
            work=result.work + found.work,
            candidates=result.candidates + len(found.added),
            trace=(
                *result.trace,
                TracePoint(
                    sum(result.seconds.values()),
                    result.work + found.work,
                    _core.to_nats(score),
                    _core.to_nats(bound),
                ),
            ),
            local_scores={
                name: _core.to_nats(units) for name, units in zip(cache.names, found.scores, strict=True)
            },
            interrupted=result.interrupted or found.interrupted,
            fixed_score=score,
            fixed_bound=bound,
        )
        self._check(better)
        return better, found.extended(cache) if found.added else cache

    def _check(self, result: SearchResult) -> None:
        """Have the independent verifier look at network, sum and bound."""
        lists = {
            name: [(result.local_scores[name], tuple(parents))]
            for name, parents in result.network.parents.items()
        }
        check = verify(
            result.network,
            cache=ScoreCache.from_candidates(result.network.names, lists),
            claimed_score=result.score,
            bound=result.bound,
            constraints=self.constraints or None,
        )
        if not check.ok:
            raise InternalError(f"the polished network failed verification: {' '.join(check.problems)}")
