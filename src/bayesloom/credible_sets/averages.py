"""Model averages over a credible set: posteriors of parent sets, edges and any other feature.

Each network counts with the weight ``exp(score - best)``, divided by the sum of all of them: the
posterior under equal priors, within the set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.credible_sets import options
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.credible_sets.entries import CHUNK, CredibleNetwork
from bayesloom.credible_sets.posteriors import PairPosterior, Posterior
from bayesloom.credible_sets.stages import Run
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import check_count, resolve_memory
from bayesloom.networks.averaged_effects import AveragedEffect, averaged_effect
from bayesloom.networks.network import Network
from bayesloom.progress import kernel_progress
from bayesloom.scoring.cache import UNITS, ScoreCache

__all__ = ["Averages"]

EXACT_TIME = 0.7  # of the time of a posterior; if that is not enough, the rest is for an estimate
STOPPED = (
    "the posterior was stopped before all networks were seen, and a part of them would mislead. Allow more "
    "time, or a smaller Bayes factor."
)


class Averages:
    """The part of `CredibleSet` that averages over its networks."""

    cache: ScoreCache
    _core: _core.CredibleSet
    _weight: float | None
    _parents: list[tuple[int, ...]]
    _run: Run
    count: int
    count_is_exact: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.cache.names

    @cached_property
    def candidate_posterior(self) -> npt.NDArray[np.float64]:
        """The posterior of each candidate of the cache, within the set: weights ``exp(score)``.

        Estimated by random walks if the set was not counted to the end; `EdgePosterior.error` tells.
        """
        posterior = np.array(self._shares[0])
        posterior.flags.writeable = False
        return posterior

    @cached_property
    def edge_posterior(self) -> EdgePosterior:
        """The posterior of every edge and adjacency, within the set."""
        n = self._square()
        directed = np.zeros((n, n))
        posterior = self.candidate_posterior
        for v in range(n):
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1])):
                if posterior[c] > 0:
                    directed[list(self._parents[c]), v] += posterior[c]
        return EdgePosterior(self.names, np.minimum(directed, 1.0), self._shares[1])

    def parent_set_posterior(self, variable: str) -> list[tuple[float, tuple[str, ...]]]:
        """Return the parent sets of a variable with their posterior, the most probable first."""
        v = self.cache.index(variable)
        found = [
            (float(self.candidate_posterior[c]), tuple(self.names[p] for p in self._parents[c]))
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1]))
            if self.candidate_posterior[c] > 0
        ]
        return sorted(found, key=lambda entry: (-entry[0], entry[1]))

    def posterior(self, feature: Callable[[Network], float]) -> Posterior:
        """Return the mean of a function of a network over the set, weighted by posterior.

        For whether a network has something, return True or False. All networks are listed, whatever
        `limit` says; if there are more than a million the mean is that of 10,000 networks drawn by
        posterior, and has an error.
        """
        if self._too_many(options.OPTIONS.listed_in_python):
            return Posterior.of_draws([float(feature(self._network(row))) for row in self._drawn_rows()])
        values: list[float] = []
        weights: list[float] = []
        for candidates, scores in self._chunks(None):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                weight = math.exp((score - self._core.best) / UNITS)
                values.append(weight * feature(self._network(row)))
                weights.append(weight)
        return Posterior(math.fsum(values) / math.fsum(weights))

    def path_posterior(self, source: str, target: str) -> Posterior:
        """Return the posterior of a directed path from one variable to another."""
        i, j = self.cache.index(source), self.cache.index(target)
        return Posterior(self.path_posteriors.matrix[i, j], self.path_posteriors.error)

    def v_structure_posterior(self, a: str, child: str, b: str) -> Posterior:
        """Return the posterior of ``a -> child <- b`` with `a` and `b` not adjacent."""
        i, x, j = (self.cache.index(name) for name in (a, child, b))
        if len({i, x, j}) < 3:
            raise InputError(f"a v-structure has three different variables, got {a!r}, {child!r}, {b!r}.")
        has = {v: np.array([v in up for up in self._parents]) for v in (i, j)}

        def holds(rows: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
            into = has[i][rows[:, x]] & has[j][rows[:, x]]
            return np.asarray(into & ~has[i][rows[:, j]] & ~has[j][rows[:, i]])

        if self._too_many(options.OPTIONS.listed):
            return Posterior.of_draws(holds(self._drawn_rows()).astype(float))
        having = 0.0
        total = 0.0
        for rows, scores in self._chunks(None):
            weights = np.exp((scores - self._core.best) / UNITS)
            having += math.fsum(weights[holds(rows)])
            total += math.fsum(weights)
        return Posterior(having / total)

    @cached_property
    def path_posteriors(self) -> PairPosterior:
        """For each two variables the posterior of a directed path from the first to the second."""
        return self._pair_posterior(ancestor=True)

    @cached_property
    def markov_blankets(self) -> PairPosterior:
        """For each two variables the posterior that one is in the other's Markov blanket."""
        return self._pair_posterior(ancestor=False)

    @property
    def markov_blanket_posterior(self) -> npt.NDArray[np.float64]:
        """The matrix of `markov_blankets`."""
        return self.markov_blankets.matrix

    def effect(
        self,
        table: object,
        x: str,
        y: str,
        *,
        method: Literal["ml", "dirichlet"] = "dirichlet",
        ess: float = 1.0,
    ) -> AveragedEffect:
        """Return what setting x does to y, averaged over the set: a distribution over its networks.

        Each network is fitted to the table and weighted by its posterior within the set. All networks are
        listed, whatever `limit` says; if there are more than a million, 10,000 are drawn by posterior.

        Examples
        --------
        >>> import bayesloom as bl
        >>> rows = {"rain": [0, 0, 1, 1] * 25, "wet": [0, 0, 1, 0] * 25}
        >>> bl.credible(rows, 20).effect(rows, "rain", "wet")
        <AveragedEffect of 'rain' on 'wet': 2 different in 2 networks, none in 0.5 of the weight>
        """
        drawn = self._too_many(options.OPTIONS.listed_in_python)
        return averaged_effect(self._weighted(drawn), table, x, y, method=method, ess=ess, drawn=drawn)

    def _weighted(self, drawn: bool) -> Iterator[tuple[Network, float]]:
        """Yield networks with their weights: all of them, or some that are drawn by weight."""
        if drawn:
            for row in self._drawn_rows():
                yield self._network(row), 1.0
            return
        for candidates, scores in self._chunks(None):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                yield self._network(row), math.exp((score - self._core.best) / UNITS)

    def threshold_network(self, threshold: float = 0.5) -> Network:
        """Return the network of the edges whose posterior is above a threshold.

        Edges come in by posterior, the most probable first; one that would close a cycle, which
        several edges above one half can, is left out.
        """
        return self.edge_posterior.threshold_network(threshold)

    def draw(self, count: int, *, seed: int = 0) -> list[CredibleNetwork]:
        """Draw networks of the set by posterior, with repetition.

        Raises
        ------
        ResourceError
            If the set was not counted to the end, or its states did not fit the memory.
        """
        check_count("count", count, least=0)
        check_count("seed", seed, least=0)
        candidates, scores = self._core.draw(count, seed)
        rows = candidates.reshape(-1, len(self.names))
        return [
            CredibleNetwork(self._network(row), _core.to_nats(score), self._share(score))
            for row, score in zip(rows, scores.tolist(), strict=True)
        ]

    # Inside

    def _network(self, row: npt.NDArray[np.uint64]) -> Network:
        return Network(self.names, [self._parents[c] for c in row.tolist()])

    def _drawn_rows(self) -> npt.NDArray[np.uint64]:
        """Networks drawn by posterior, one row of candidates each."""
        candidates, _ = self._core.draw(options.OPTIONS.drawn, self._run.seed)
        return candidates.reshape(-1, len(self.names))

    def _too_many(self, most: int) -> bool:
        return self._core.drawable and self.count > most

    def _square(self) -> int:
        """Return the number of variables, if the memory holds a number for each pair of them."""
        n = len(self.names)
        # The matrix, a copy while it is made, and what adjacency adds.
        if 3 * 8 * n * n > resolve_memory(self._run.memory):
            raise ResourceError(f"posteriors of all pairs of {n:,} variables do not fit in memory.")
        return n

    def _pair_posterior(self, *, ancestor: bool) -> PairPosterior:
        n = self._square()
        if not self._too_many(options.OPTIONS.listed):
            weights = self._core.pair_weights(
                ancestor,
                seconds=self._run.begin().left(),
                progress=kernel_progress(self._run.progress, "posterior"),
            )
            if weights is not None:
                return PairPosterior(self.names, np.minimum(weights.reshape(n, n) / self._total_weight, 1.0))
            if not self._core.drawable:
                raise ResourceError(STOPPED)
        rows = self._drawn_rows()
        counts = self._core.pair_counts(rows.reshape(-1), ancestor)
        return PairPosterior(self.names, counts.reshape(n, n) / len(rows), error=0.5 / math.sqrt(len(rows)))

    @cached_property
    def _shares(self) -> tuple[npt.NDArray[np.float64], float]:
        """The share of each candidate in the weight, and the most that the standard errors can be."""
        progress = kernel_progress(self._run.progress, "posterior")
        clock = self._run.begin()
        if self.count_is_exact:
            weights = self._core.candidate_weights(seconds=clock.left(EXACT_TIME), progress=progress)
            if weights is not None:
                # Every network has one candidate of the first variable.
                return weights / math.fsum(weights[: int(self.cache.first[1])]), 0.0
        shares, effective = self._core.estimated_shares(
            options.OPTIONS.share_probes, self._run.seed, seconds=clock.left()
        )
        if effective == 0:
            raise ResourceError(STOPPED)
        return shares, 0.5 / math.sqrt(effective)

    @cached_property
    def _total_weight(self) -> float:
        if self._weight is None:
            raise ResourceError("the set was not counted to the end, so its weight is not known.")
        return self._weight

    def _share(self, score: int) -> float:
        if self._weight is None:
            return math.nan
        return math.exp((score - self._core.best) / UNITS) / self._total_weight

    def _chunks(
        self, limit: int | None, size: int = CHUNK
    ) -> Iterator[tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]:
        stream = self._core.stream()
        left = limit
        while left is None or left > 0:
            most = size if left is None else min(size, left)
            candidates, scores = stream.take(most)
            if len(scores) == 0:
                return
            yield candidates.reshape(-1, len(self.names)), scores
            if left is not None:
                left -= len(scores)
