"""The posterior over networks as an object: edges, parent sets, paths, blankets, any feature, with errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.averaging.network import AveragedNetwork, averaged_network
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.credible_sets.posteriors import PairPosterior, Posterior
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.networks.averaged_effects import AveragedEffect, averaged_effect
from bayesloom.networks.network import Network
from bayesloom.posterior_sampling import options as tuned
from bayesloom.posterior_sampling.diagnostics import Diagnostics, error_of_batches
from bayesloom.posterior_sampling.left_out import LeftOut
from bayesloom.scoring.cache import ScoreCache

__all__ = ["NetworkPosterior"]

Rows = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class NetworkPosterior:
    """The posterior over the networks of a score cache; made by `posterior`.

    Every network counts with ``exp(score)``: equal priors.

    Attributes
    ----------
    cache
        The candidates it is about.
    method
        ``"exact"``: sums over all networks, and independent draws; or ``"chains"``.
    left_out
        What the candidates leave out of the posterior over all networks.
    rows
        Networks drawn by posterior, one row of candidates each: chain by chain, or independent.
    chains
        How many chains the rows are from; 0 if they are independent.
    diagnostics
        Whether the chains agree; None if there are none.
    exact_candidates
        The exact posterior of each candidate, if it was found.
    log_total
        ln of the sum of ``exp(score)`` over all networks, if it was found.
    deviation
        Of exact sums, by how much posteriors that should add up to 1 miss it: what rounding did.
    interrupted, stopped
        Whether Ctrl-C, or the time limit, ended it before it was as exact as was asked for.
    seconds
        Time of each stage.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.posterior({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> found.method, round(found.edge_posterior.adjacent("rain", "wet"), 4)
    ('exact', 1.0)
    """

    cache: ScoreCache
    method: str
    left_out: LeftOut
    rows: Rows
    chains: int = 0
    diagnostics: Diagnostics | None = None
    exact_candidates: npt.NDArray[np.float64] | None = None
    log_total: float | None = None
    deviation: float = 0.0
    interrupted: bool = False
    stopped: bool = False
    seed: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.cache.names

    @property
    def reliable(self) -> bool:
        """Whether the sums are exact or the chains agree."""
        return self.diagnostics is None or self.diagnostics.agree

    @property
    def claim(self) -> str:
        """What is known, in words."""
        how = "exact sums over all networks" if self.diagnostics is None else str(self.diagnostics)
        return f"{how}; {self.left_out}"

    def __len__(self) -> int:
        """The number of networks drawn."""
        return len(self.rows)

    def network(self, number: int) -> Network:
        """Return one of the networks drawn."""
        return Network(self.names, [self._parents(int(c)) for c in self.rows[number]])

    @property
    def networks(self) -> list[Network]:
        """The networks drawn by posterior, with repetition."""
        return [self.network(number) for number in range(len(self))]

    @cached_property
    def candidate_posterior(self) -> npt.NDArray[np.float64]:
        """The posterior of each candidate of the cache."""
        if self.exact_candidates is not None:
            return self.exact_candidates
        counts = np.bincount(self.rows.ravel().astype(np.int64), minlength=self.cache.candidate_count)
        return counts / len(self)

    @cached_property
    def edge_posterior(self) -> EdgePosterior:
        """The posterior of every edge and adjacency, with standard errors."""
        n = len(self.names)
        directed = np.zeros((n, n))
        first, parent_first, parents = self.cache.first, self.cache.parent_first, self.cache.parents
        owner = np.repeat(np.arange(n), np.diff(first).astype(np.int64))
        lengths = np.diff(parent_first).astype(np.int64)
        np.add.at(
            directed,
            (np.asarray(parents, dtype=np.int64), np.repeat(owner, lengths)),
            np.repeat(self.candidate_posterior, lengths),
        )
        directed = np.minimum(directed, 1.0)
        if self.exact_candidates is not None:
            return EdgePosterior(self.names, directed)
        errors = np.full((n, n), self._least_error)
        np.fill_diagonal(errors, 0.0)
        ids, means = self._batched_edges
        errors[ids // n, ids % n] = error_of_batches(means, self._least_error)
        return EdgePosterior(self.names, directed, float(errors.max(initial=0.0)), errors)

    def parent_set_posterior(self, variable: str) -> list[tuple[float, tuple[str, ...]]]:
        """Return the parent sets of a variable with their posterior, the most probable first."""
        v = self.cache.index(variable)
        found = [
            (float(self.candidate_posterior[c]), tuple(self.names[p] for p in self._parents(c)))
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1]))
            if self.candidate_posterior[c] > 0
        ]
        return sorted(found, key=lambda entry: (-entry[0], entry[1]))

    def posterior(self, feature: Callable[[Network], float]) -> Posterior:
        """Return the mean of a function of a network over the networks drawn, with its standard error."""
        values = np.array([float(feature(self.network(number))) for number in range(len(self))])
        return self._mean(values)

    def v_structure_posterior(self, a: str, child: str, b: str) -> Posterior:
        """Return the posterior of ``a -> child <- b`` with `a` and `b` not adjacent."""
        i, x, j = (self.cache.index(name) for name in (a, child, b))
        if len({i, x, j}) < 3:
            raise InputError(f"a v-structure has three different variables, got {a!r}, {child!r}, {b!r}.")

        def has(parent: int, of: int) -> npt.NDArray[np.bool_]:
            begin, end = int(self.cache.first[of]), int(self.cache.first[of + 1])
            held = np.array([parent in self._parents(c) for c in range(begin, end)])
            return np.asarray(held[self.rows[:, of].astype(np.int64) - begin])

        return self._mean((has(i, x) & has(j, x) & ~has(i, j) & ~has(j, i)).astype(float))

    def path_posterior(self, source: str, target: str) -> Posterior:
        """Return the posterior of a directed path from one variable to another."""
        return self._of_pair(self.path_posteriors, source, target)

    @cached_property
    def path_posteriors(self) -> PairPosterior:
        """For each two variables the posterior of a directed path from the first to the second."""
        return self._pairs(ancestor=True)

    @cached_property
    def markov_blankets(self) -> PairPosterior:
        """For each two variables the posterior that one is in the other's Markov blanket."""
        return self._pairs(ancestor=False)

    def averaged_network(self) -> AveragedNetwork:
        """Return the network of least mean distance from all, see `bayesloom.averaged_network`."""
        return averaged_network(self.edge_posterior)

    def effect(
        self,
        table: object,
        x: str,
        y: str,
        *,
        method: Literal["ml", "dirichlet"] = "dirichlet",
        ess: float = 1.0,
    ) -> AveragedEffect:
        """Return what setting x does to y in the networks drawn: a distribution over them.

        Each network is fitted to the table; drawn by posterior, all have the same weight.

        Examples
        --------
        >>> import bayesloom as bl
        >>> rows = {"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 0] * 25}
        >>> effect = bl.posterior(rows, samples=200).effect(rows, "rain", "wet")
        >>> len(effect.effects), 0.4 < effect.no_effect < 0.6  # the edge may be either way round
        (2, True)
        """
        weighted = ((network, 1.0) for network in self.networks)
        return averaged_effect(weighted, table, x, y, method=method, ess=ess, drawn=True)

    def draw(self, count: int, *, seed: int = 0) -> list[Network]:
        """Return networks by posterior, with repetition: some of those drawn, at random."""
        check_count("count", count, least=0)
        check_count("seed", seed, least=0)
        chosen = np.random.Generator(np.random.PCG64(seed)).integers(0, len(self), size=count)
        return [self.network(int(number)) for number in chosen]

    # Inside

    def _parents(self, candidate: int) -> tuple[int, ...]:
        begin, end = int(self.cache.parent_first[candidate]), int(self.cache.parent_first[candidate + 1])
        return tuple(self.cache.parents[begin:end].tolist())

    @property
    def _batches(self) -> tuple[int, int]:
        """How many groups of batches, and batches in each."""
        if self.chains:
            return self.chains, min(tuned.OPTIONS.batches, len(self) // self.chains)
        return 1, min(len(self), 50)

    @property
    def _least_error(self) -> float:
        """What a standard error is at least: one more draw could differ."""
        if self.diagnostics is None:
            return 1 / (len(self) + 2)
        # The rule of three: what n independent draws never show has a posterior of at most 3/n, with 95 %
        # confidence.
        return 1.5 / (min(self.diagnostics.effective, self.diagnostics.effective_edges) + 2)

    def _batched(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the means of batches of values, one row each: groups, batches, columns."""
        groups, batches = self._batches
        by_group = values.reshape(groups, len(self) // groups, -1)
        return np.stack(
            [np.stack([part.mean(axis=0) for part in np.array_split(group, batches)]) for group in by_group]
        )

    @cached_property
    def _batched_edges(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Edges that were seen, as parent * n + child, and their shares by group and batch."""
        return batched_edges(self.cache, self.rows, *self._batches)

    def _mean(self, values: npt.NDArray[np.float64]) -> Posterior:
        if self.diagnostics is None:
            return Posterior.of_draws(values)
        error = error_of_batches(self._batched(values), self._least_error)
        return Posterior(float(values.mean()), float(error[0]))

    def _pairs(self, *, ancestor: bool) -> PairPosterior:
        n = len(self.names)
        groups, batches = self._batches
        by_group = self.rows.reshape(groups, -1, n)
        pieces = [piece for group in by_group for piece in np.array_split(group, batches)]
        counts = [
            _core.pair_counts(self.cache.core, np.ascontiguousarray(piece.ravel()), ancestor)
            for piece in pieces
        ]
        shares = np.sum(counts, axis=0).reshape(n, n) / len(self)
        if self.diagnostics is None:
            errors = np.maximum(np.sqrt(shares * (1 - shares) / len(self)), self._least_error)
        else:
            lengths = np.array([len(piece) for piece in pieces], dtype=float)[:, None]
            means = (np.array(counts) / lengths).reshape(groups, batches, n * n)
            errors = error_of_batches(means, self._least_error).reshape(n, n)
        np.fill_diagonal(errors, 0.0)
        return PairPosterior(self.names, shares, float(errors.max(initial=0.0)), errors)

    def _of_pair(self, pairs: PairPosterior, a: str, b: str) -> Posterior:
        i, j = self.cache.index(a), self.cache.index(b)
        error = pairs.error if pairs.errors is None else float(pairs.errors[i, j])
        return Posterior(float(pairs.matrix[i, j]), error)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, as ``--json`` writes it."""
        edges = self.edge_posterior
        index = {name: v for v, name in enumerate(self.names)}
        errors = np.zeros_like(edges.matrix) if edges.errors is None else edges.errors
        return {
            "method": self.method,
            "claim": self.claim,
            "reliable": self.reliable,
            "interrupted": self.interrupted,
            "stopped": self.stopped,
            "left_out": {"most": self.left_out.most, "among": self.left_out.among},
            "log_total": self.log_total,
            "deviation": self.deviation,
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_json(),
            "draws": len(self),
            "edges": [
                {
                    "from": a,
                    "to": b,
                    "posterior": directed,
                    "adjacent": adjacent,
                    "error": float(errors[index[a], index[b]]),
                }
                for a, b, directed, adjacent in edges.rows()
            ],
            "edges_error": edges.error,
            "averaged": self.averaged_network().to_json(),
            "seed": self.seed,
            "variables": list(self.names),
            "max_parents": self.cache.info.get("max_parents"),
            "constraints": self.cache.info.get("constraints", {}),
            "interventions": self.cache.info.get("interventions", []),
            "score_name": self.cache.info.get("score"),
            "score_options": self.cache.info.get("options", {}),
            "reading": self.cache.info.get("reading", {}),
            "seconds": {name: round(value, 6) for name, value in self.seconds.items()},
        }

    def __repr__(self) -> str:
        how = "exact" if self.diagnostics is None else f"{self.chains} chains"
        return f"<NetworkPosterior: {len(self.names)} variables, {how}, {len(self):,} networks drawn>"


def batched_edges(
    cache: ScoreCache, rows: Rows, groups: int, batches: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the edges of some networks, as parent * n + child, and their shares by group and batch."""
    n = cache.variable_count
    length = len(rows) // groups
    batch_of_row = np.concatenate([np.full(len(part), k) for k, part in _pieces(length, batches)])
    batch = (np.repeat(np.arange(groups) * batches, length) + np.tile(batch_of_row, groups)).astype(np.int64)
    chosen = rows.astype(np.int64).ravel()
    begin = cache.parent_first.astype(np.int64)
    lengths = begin[chosen + 1] - begin[chosen]
    at = np.repeat(begin[chosen] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(
        int(lengths.sum())
    )
    parents = cache.parents.astype(np.int64)[at]
    child = np.repeat(np.tile(np.arange(n), len(rows)), lengths)
    owner = np.repeat(np.repeat(batch, n), lengths)
    ids, inverse = np.unique(parents * n + child, return_inverse=True)
    counts = np.bincount(owner * len(ids) + inverse, minlength=groups * batches * len(ids))
    sizes = np.bincount(batch, minlength=groups * batches)[:, None]
    shares = counts.reshape(groups * batches, len(ids)) / np.maximum(sizes, 1)
    return ids, shares.reshape(groups, batches, len(ids))


def _pieces(length: int, batches: int) -> list[tuple[int, range]]:
    """Cut a length as `numpy.array_split` does."""
    each, more = divmod(length, batches)
    ends = np.cumsum([each + (k < more) for k in range(batches)]).tolist()
    return [(k, range(end - each - (k < more), end)) for k, end in enumerate(ends)]


def largest_difference(
    cache: ScoreCache, rows: Rows, chains: int
) -> tuple[float, tuple[str, str] | None, float]:
    """Return by how much chains differ on an edge, which edge, and the least effective size of an edge."""
    n = cache.variable_count
    batches = min(tuned.OPTIONS.batches, len(rows) // chains)
    ids, means = batched_edges(cache, rows, chains, batches)
    if not len(ids):
        return 0.0, None, float(len(rows))
    by_chain = means.mean(axis=1)
    apart = by_chain.max(axis=0) - by_chain.min(axis=0)
    worst = int(np.argmax(apart))
    share = by_chain.mean(axis=0)
    open_ones = (share > 0.05) & (share < 0.95)
    effective = float(len(rows))
    if open_ones.any():
        errors = error_of_batches(means[:, :, open_ones], 1e-9)
        effective = float((share[open_ones] * (1 - share[open_ones]) / errors**2).min())
    edge = (cache.names[int(ids[worst]) // n], cache.names[int(ids[worst]) % n])
    return float(apart[worst]), edge, min(effective, float(len(rows))) if math.isfinite(effective) else 0.0
