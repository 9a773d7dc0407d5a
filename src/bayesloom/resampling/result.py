"""What the replicates of a bootstrap agree on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayesloom.averaging.network import AveragedNetwork, averaged_network
from bayesloom.constraints.model import Constraints
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.credible_sets.posteriors import Posterior
from bayesloom.errors import unknown
from bayesloom.networks.network import Network
from bayesloom.resampling.threshold import significance_threshold

if TYPE_CHECKING:
    from bayesloom.networks.cpdag import Cpdag

__all__ = ["Bootstrap", "BootstrapEdge", "wilson_interval"]

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BootstrapEdge:
    """How often two variables are joined, and which way.

    Attributes
    ----------
    source, target
        The edge, in its more frequent direction.
    strength
        The share of replicates in which the two are joined, either way.
    direction
        Of these the share with this direction; an edge that equivalent networks turn counts half each way.
    low, high
        Confidence interval of the strength that infinitely many replicates would give (Wilson's interval for
        a binomial proportion).
    significant
        Whether the strength is above the threshold.
    """

    source: str
    target: str
    strength: float
    direction: float
    low: float
    high: float
    significant: bool


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The networks of the replicates; made by `bootstrap`.

    Attributes
    ----------
    names
        The variables.
    networks
        One network for each replicate that was learned, in their order.
    asked
        How many replicates were asked for; there are fewer `networks` if time or Ctrl-C ended it.
    level
        Of the intervals.
    classes
        Whether edges that equivalent networks turn count half each way.
    learner, score, options, max_parents, constraints, interventions, seed
        How each replicate was learned.
    interrupted
        Whether Ctrl-C ended it.
    taken_up
        How many blocks of an earlier run were resumed.
    seconds
        Time of each stage.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.bootstrap({"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}, replicates=20)
    >>> found.strength("rain", "wet"), found.direction("rain", "wet")
    (1.0, 0.5)
    """

    names: tuple[str, ...]
    networks: tuple[Network, ...]
    asked: int
    level: float = 0.95
    classes: bool = True
    learner: str = "auto"
    score: str = "bic"
    options: Mapping[str, float] = field(default_factory=dict)
    max_parents: int | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    interventions: tuple[tuple[str, ...], ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    interrupted: bool = False
    taken_up: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def replicates(self) -> int:
        """How many replicates were learned."""
        return len(self.networks)

    @property
    def complete(self) -> bool:
        """Whether all replicates that were asked for were learned."""
        return self.replicates == self.asked

    @cached_property
    def edge_frequencies(self) -> EdgePosterior:
        """The share of replicates with each directed edge, in the type in which `credible` gives posteriors.

        With `classes`, an edge that equivalent networks turn counts half each way.
        """
        n = len(self.names)
        counts = np.zeros((n, n))
        rules = Constraints.given(dict(self.constraints))
        for network in self.networks:
            if not self.classes:
                for j, up in enumerate(network.parent_indices):
                    counts[list(up), j] += 1.0
            elif rules or self.interventions:
                self._add(counts, network.cpdag_under(rules, interventions=self.interventions))
            else:
                drawn = network._core.cpdag()
                for i, j in drawn.directed:
                    counts[i, j] += 1.0
                for i, j in drawn.undirected:
                    counts[i, j] += 0.5
                    counts[j, i] += 0.5
        shares = _shares(counts, self.replicates)
        errors = np.sqrt(shares * (1 - shares) / self.replicates)
        return EdgePosterior(
            self.names,
            shares,
            0.5 / math.sqrt(self.replicates),
            np.maximum(errors, 1 / (self.replicates + 2)),
        )

    def _add(self, counts: Matrix, picture: Cpdag) -> None:
        index = {name: v for v, name in enumerate(self.names)}
        for a, b in picture.compelled:
            counts[index[a], index[b]] += 1.0
        for a, b in (*picture.reversible, *picture.undecided):
            counts[index[a], index[b]] += 0.5
            counts[index[b], index[a]] += 0.5

    @property
    def strengths(self) -> Matrix:
        """For each two variables the share of replicates in which they are joined."""
        shares = self.edge_frequencies.matrix
        return np.minimum(shares + shares.T, 1.0)

    def strength(self, a: str, b: str) -> float:
        """Return the share of replicates in which two variables are joined."""
        return self.edge_frequencies.adjacent(a, b)

    def direction(self, source: str, target: str) -> float:
        """Return the share of the direction among replicates in which the two are joined; 0 if in none."""
        joined = self.strength(source, target)
        return self.edge_frequencies.directed(source, target) / joined if joined > 0 else 0.0

    def interval(self, a: str, b: str) -> tuple[float, float]:
        """Return the interval of the strength of two variables."""
        return wilson_interval(self.strength(a, b), self.replicates, self.level)

    @cached_property
    def threshold(self) -> float:
        """The strength above which edges count, estimated from the strengths themselves [scutari2013]."""
        n = len(self.names)
        return significance_threshold(self.strengths[np.triu_indices(n, 1)])

    def edges(self, least: float = 0.0) -> list[BootstrapEdge]:
        """Return the edges whose strength is above `least`, the strongest first."""
        strengths, shares = self.strengths, self.edge_frequencies.matrix
        found = []
        for i, j in np.argwhere(np.triu(strengths, 1) > least).tolist():
            a, b = (i, j) if shares[i, j] >= shares[j, i] else (j, i)
            strength = float(strengths[i, j])
            low, high = wilson_interval(strength, self.replicates, self.level)
            found.append(
                BootstrapEdge(
                    self.names[a],
                    self.names[b],
                    strength,
                    float(shares[a, b]) / strength,
                    low,
                    high,
                    strength > self.threshold,
                )
            )
        index = {name: v for v, name in enumerate(self.names)}
        found.sort(key=lambda edge: (-edge.strength, -edge.direction, index[edge.source], index[edge.target]))
        return found

    def averaged_network(self, threshold: float | None = None) -> AveragedNetwork:
        """Return the network of the edges above a threshold, by default `threshold`.

        Directions are those of largest total frequency that make no cycle.  For the network of least mean
        distance from those of the replicates see `bayesloom.averaged_network`.
        """
        return averaged_network(
            self.edge_frequencies, threshold=self.threshold if threshold is None else threshold
        )

    def frequency(self, feature: Callable[[Network], float]) -> Posterior:
        """Return the mean of a function of a network over the replicates, with its standard error."""
        return Posterior.of_draws([float(feature(network)) for network in self.networks])

    def path_frequency(self, source: str, target: str) -> Posterior:
        """Return the share of replicates with a directed path from one variable to another."""
        for name in (source, target):
            if name not in self.names:
                raise unknown("variable", name, self.names)
        return self.frequency(lambda network: target in _below(network, source))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, as ``--json`` writes it."""
        return {
            "replicates": self.replicates,
            "asked": self.asked,
            "interrupted": self.interrupted,
            "learner": self.learner,
            "classes": self.classes,
            "seed": self.seed,
            "level": self.level,
            "threshold": self.threshold,
            "edges": [
                {
                    "from": edge.source,
                    "to": edge.target,
                    "strength": edge.strength,
                    "direction": edge.direction,
                    "low": edge.low,
                    "high": edge.high,
                    "significant": edge.significant,
                }
                for edge in self.edges()
            ],
            "averaged": self.averaged_network().to_json(),
            "variables": list(self.names),
            "max_parents": self.max_parents,
            "constraints": dict(self.constraints),
            "interventions": [list(target) for target in self.interventions],
            "score_name": self.score,
            "score_options": dict(self.options),
            "reading": dict(self.reading),
            "seconds": {name: round(value, 6) for name, value in self.seconds.items()},
        }

    def __repr__(self) -> str:
        return f"<Bootstrap: {self.replicates} replicates of {len(self.names)} variables>"


def _shares(counts: Matrix, replicates: int) -> Matrix:
    """Return the shares of directed edges so that those of a pair add up to its strength, rounded once.

    Two pairs that are joined equally often then have equal strengths, and neither is above a threshold that
    the other is at.  The more frequent direction has at least half of the strength, so subtracting it from
    the strength is exact (Sterbenz's lemma), and adding the two gives the strength again.
    """
    more = counts / replicates
    less = (counts + counts.T) / replicates - more.T
    found: Matrix = np.where(counts >= counts.T, more, less)
    ties = counts == counts.T
    found[ties] = ((counts + counts.T) / replicates / 2)[ties]
    return found


def _below(network: Network, source: str) -> set[str]:
    """Return the variables that a directed path leads to."""
    children: dict[str, list[str]] = {name: [] for name in network.names}
    for a, b in network.edges:
        children[a].append(b)
    found: set[str] = set()
    front = [source]
    while front:
        for child in children[front.pop()]:
            if child not in found:
                found.add(child)
                front.append(child)
    return found


def wilson_interval(share: float, count: int, level: float) -> tuple[float, float]:
    """Return the interval of a binomial share by its score test [wilson1927].

    >>> [round(end, 3) for end in wilson_interval(0.5, 100, 0.95)]
    [0.404, 0.596]
    >>> wilson_interval(1.0, 40, 0.95)[1], wilson_interval(0.0, 40, 0.95)[0]
    (1.0, 0.0)
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # The ends of 0 and 1 are these themselves, which rounding may miss.
    return (
        0.0 if share == 0 else max(0.0, (middle - half) / scale),
        1.0 if share == 1 else min(1.0, (middle + half) / scale),
    )
