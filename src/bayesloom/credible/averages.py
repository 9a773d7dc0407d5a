"""Model averages over a credible set: posteriors of parent sets, edges and any other feature.

Each network counts with the weight ``exp(score - best)``, divided by the sum of all of them: the
posterior under equal priors, within the set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.credible.entries import CHUNK
from bayesloom.edge_posterior import EdgePosterior
from bayesloom.errors import ResourceError
from bayesloom.network import Network
from bayesloom.progress import ProgressFunction, kernel_progress

__all__ = ["UNIT", "Averages"]

UNIT = 2**30


class Averages:
    """The part of `CredibleSet` that averages over its networks."""

    cache: ScoreCache
    _core: _core.CredibleSet
    _mass: float | None
    _parents: list[tuple[int, ...]]
    _progress: ProgressFunction | None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.cache.names

    @cached_property
    def candidate_posterior(self) -> npt.NDArray[np.float64]:
        """The posterior of each candidate of the cache, within the set: weights ``exp(score)``."""
        masses = self._core.candidate_masses(progress=kernel_progress(self._progress, "posterior"))
        if masses is None:
            raise ResourceError("computing the posterior was stopped.")
        # Every network has one candidate of the first variable.
        posterior = np.asarray(masses / math.fsum(masses[: int(self.cache.first[1])]))
        posterior.flags.writeable = False
        return posterior

    @cached_property
    def edge_posterior(self) -> EdgePosterior:
        """The posterior of every edge and adjacency, within the set."""
        n = len(self.names)
        directed = np.zeros((n, n))
        posterior = self.candidate_posterior
        for v in range(n):
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1])):
                if posterior[c] > 0:
                    directed[list(self._parents[c]), v] += posterior[c]
        return EdgePosterior(self.names, np.minimum(directed, 1.0))

    def parent_set_posterior(self, variable: str) -> list[tuple[float, tuple[str, ...]]]:
        """Return the parent sets of a variable with their posterior, the most probable first."""
        v = self.cache.index(variable)
        found = [
            (float(self.candidate_posterior[c]), tuple(self.names[p] for p in self._parents[c]))
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1]))
            if self.candidate_posterior[c] > 0
        ]
        return sorted(found, key=lambda entry: (-entry[0], entry[1]))

    def posterior(self, feature: Callable[[Network], float]) -> float:
        """Return the mean of a function of a network over the set, weighted by posterior.

        All networks are listed, whatever `limit` says. For whether a network has something, return
        True or False.
        """
        values: list[float] = []
        weights: list[float] = []
        for candidates, scores in self._chunks(None):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                weight = math.exp((score - self._core.best) / UNIT)
                values.append(weight * feature(self._network(row)))
                weights.append(weight)
        return math.fsum(values) / math.fsum(weights)

    def path_posterior(self, source: str, target: str) -> float:
        """Return the posterior of a directed path from one variable to another."""
        start, end = self.cache.index(source), self.cache.index(target)

        def has_path(network: Network) -> bool:
            up = network.parent_indices
            seen, front = {end}, [end]
            while front:
                for p in up[front.pop()]:
                    if p == start:
                        return True
                    if p not in seen:
                        seen.add(p)
                        front.append(p)
            return False

        return self.posterior(has_path)

    def v_structure_posterior(self, a: str, child: str, b: str) -> float:
        """Return the posterior of ``a -> child <- b`` with `a` and `b` not adjacent."""
        i, x, j = (self.cache.index(name) for name in (a, child, b))

        def has_it(network: Network) -> bool:
            up = network.parent_indices
            return i in up[x] and j in up[x] and i not in up[j] and j not in up[i]

        return self.posterior(has_it)

    @cached_property
    def markov_blanket_posterior(self) -> npt.NDArray[np.float64]:
        """For each pair of variables the posterior that one is in the other's Markov blanket.

        All networks are listed for it.
        """
        n = len(self.names)
        total = np.zeros((n, n))
        mass = 0.0
        for candidates, scores in self._chunks(None):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                blanket = np.zeros((n, n), dtype=bool)
                for v, c in enumerate(row.tolist()):
                    family = [v, *self._parents[c]]
                    blanket[np.ix_(family, family)] = True
                weight = math.exp((score - self._core.best) / UNIT)
                total += weight * blanket
                mass += weight
        np.fill_diagonal(total, 0.0)
        return total / mass

    def threshold_network(self, threshold: float = 0.5) -> Network:
        """Return the network of the edges whose posterior is above a threshold.

        Edges come in by posterior, the most probable first; one that would close a cycle, which
        several edges above one half can, is left out.
        """
        return self.edge_posterior.threshold_network(threshold)

    # Inside

    def _network(self, row: npt.NDArray[np.uint64]) -> Network:
        return Network(self.names, [self._parents[c] for c in row.tolist()])

    @cached_property
    def _total_mass(self) -> float:
        if self._mass is not None:
            return self._mass
        masses = self._core.candidate_masses()
        if masses is None:
            raise ResourceError("computing the posterior was stopped.")
        return math.fsum(masses[: int(self.cache.first[1])])

    def _share(self, score: int) -> float:
        return math.exp((score - self._core.best) / UNIT) / self._total_mass

    def _chunks(self, limit: int | None) -> Iterator[tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]:
        stream = self._core.stream()
        left = limit
        while left is None or left > 0:
            most = CHUNK if left is None else min(CHUNK, left)
            candidates, scores = stream.take(most)
            if len(scores) == 0:
                return
            yield candidates.reshape(-1, len(self.names)), scores
            if left is not None:
                left -= len(scores)
