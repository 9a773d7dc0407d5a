"""One network from the probabilities of edges: acyclic, and nearest to all networks on average.

Let p(i, j) be the probability of the edge from i to j, and a = p(i, j) + p(j, i) that the two are joined.
The
structural Hamming distance of two networks is the number of pairs that are joined differently, so its mean
over the networks that the probabilities come from is a sum over pairs:

    joined i -> j:  1 - p(i, j)          not joined:  a

and the edge i -> j gains ``a - (1 - p(i, j)) = 2 p(i, j) + p(j, i) - 1``.  By directed edges (an edge turned
counts twice: one is missing, one added) it gains ``2 p(i, j) - 1``.  The network of least mean distance is
the acyclic one of largest total gain.  Only edges that gain can be in it, and of those only the ones within a
strong component of their graph can close a cycle: all others are taken, and for each component the search of
this package finds the best acyclic choice over a score cache of edge gains, and proves it.

With a threshold, as of a bootstrap [scutari2013]: every pair that is joined with more than this probability
is joined, and the directions are those of largest total probability without a cycle.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.averaging import options as tuned
from bayesloom.constraints.model import Constraints
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.errors import InputError, shown
from bayesloom.limits import is_number
from bayesloom.networks.network import Network
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.api import search
from bayesloom.solvers.auto import Auto

__all__ = ["AveragedNetwork", "averaged_network"]

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AveragedNetwork:
    """A network that stands for many.

    Attributes
    ----------
    network
        The network.
    expected_distance
        Its mean distance from the networks that the probabilities come from.
    distance
        ``"pairs"``, the structural Hamming distance, or ``"edges"``, the number of directed edges that one of
        the two has and the other has not.
    threshold
        The probability above which pairs are joined, if one was given: the network then has the best
        directions for these, and not the least distance.
    exact
        Whether the choice among cycles is proved the best.
    """

    network: Network
    expected_distance: float
    distance: Literal["pairs", "edges"]
    threshold: float | None
    exact: bool

    def breaks(self, constraints: object) -> list[str]:
        """Return which constraints the network breaks, one phrase each.

        Each of the networks that it stands for may keep a limit on parents, or an order, and the edges that
        many of them have may break it.

        >>> half = EdgePosterior(("a", "b", "c"), np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]))
        >>> averaged_network(half, threshold=0.4).breaks({"max_parents": {"c": 1}})
        ["'c' has 2 parents, more than 1"]
        """
        return Constraints.given(constraints).broken_by(self.network)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "parents": {name: list(up) for name, up in self.network.parents.items()},
            "expected_distance": self.expected_distance,
            "distance": self.distance,
            "threshold": self.threshold,
            "exact": self.exact,
        }


def averaged_network(
    edges: object,
    *,
    distance: Literal["pairs", "edges"] = "pairs",
    threshold: float | None = None,
    threads: int | None = None,
) -> AveragedNetwork:
    """Return the network that is nearest, on average, to those that edge probabilities come from.

    Parameters
    ----------
    edges
        An `EdgePosterior`, or what has one: the result of `credible`, `posterior` or `bootstrap`.
    distance
        What is least on average: ``"pairs"``, pairs of variables that are joined differently (the structural
        Hamming distance), or ``"edges"``, directed edges that differ, an edge turned counting twice.
    threshold
        Instead join every pair whose probability is above this, in the directions of largest total
        probability that make no cycle.
    threads
        As in `bayesloom.search`.

    Examples
    --------
    Three edges that are probable by themselves and make a cycle together: the least probable gives way.

    >>> import numpy as np
    >>> matrix = np.array([[0, 0.9, 0.0], [0.0, 0, 0.8], [0.7, 0.0, 0]])
    >>> found = averaged_network(EdgePosterior(("a", "b", "c"), matrix), distance="edges")
    >>> found.network.edges, found.exact, round(found.expected_distance, 6)
    ([('a', 'b'), ('b', 'c')], True, 1.0)
    """
    posterior = _edges_of(edges)
    if distance not in ("pairs", "edges"):
        raise InputError(f"distance must be 'pairs' or 'edges', got {shown(distance)}.")
    p = np.array(posterior.matrix, dtype=float)
    np.fill_diagonal(p, 0.0)
    joined = p + p.T
    if threshold is not None:
        if not is_number(threshold) or not 0 <= threshold <= 1:
            raise InputError(f"threshold must lie between 0 and 1, got {shown(threshold)}.")
        gain = np.where(joined > threshold, p, 0.0)
    else:
        gain = joined + p - 1.0 if distance == "pairs" else 2.0 * p - 1.0
    parents, exact = _best_acyclic(gain, posterior.names, threads)
    if threshold is not None:
        _join_the_rest(parents, joined > threshold)
    network = Network(posterior.names, parents)
    return AveragedNetwork(network, _mean_distance(network, p, distance), distance, threshold, exact)


def _edges_of(given: object) -> EdgePosterior:
    for name in ("edge_posterior", "edge_frequencies"):
        if hasattr(given, name):
            given = getattr(given, name)
            break
    if not isinstance(given, EdgePosterior):
        raise InputError(
            "edges must be an EdgePosterior or the result of credible, posterior or bootstrap,"
            f" got {shown(given)}."
        )
    return given


def _mean_distance(network: Network, p: Matrix, distance: str) -> float:
    """Return the mean distance of a network from those with these edge probabilities."""
    total = math.fsum(p.ravel())
    gains = [
        p[i, j] + p[j, i] - (1 - p[i, j]) if distance == "pairs" else 2 * p[i, j] - 1
        for j, up in enumerate(network.parent_indices)
        for i in up
    ]
    return max(0.0, total - math.fsum(gains))


def _best_acyclic(gain: Matrix, names: tuple[str, ...], threads: int | None) -> tuple[list[list[int]], bool]:
    """Return the parents in the acyclic network of largest total gain, and whether that is proved."""
    wanted = [np.flatnonzero(gain[:, j] > 0).tolist() for j in range(len(names))]
    parents: list[list[int]] = [[] for _ in names]
    exact = True
    for part in _core.strong_components(wanted):
        inside = set(part)
        for j in part:
            parents[j] = [i for i in wanted[j] if i not in inside]
        if len(part) > 1:
            held, proved = _best_of_component(gain, sorted(part), threads)
            exact = exact and proved
            for j, up in held.items():
                parents[j] = sorted(parents[j] + up)
    return parents, exact


def _best_of_component(
    gain: Matrix, part: list[int], threads: int | None
) -> tuple[dict[int, list[int]], bool]:
    up = {j: [i for i in part if gain[i, j] > 0] for j in part}
    if max(map(len, up.values())) > tuned.OPTIONS.most_parents:
        return _one_by_one(gain, part), False
    lists = {
        str(j): [
            (math.fsum(gain[i, j] for i in chosen), [str(i) for i in chosen])
            for size in range(len(up[j]) + 1)
            for chosen in itertools.combinations(up[j], size)
        ]
        for j in part
    }
    cache = ScoreCache.from_candidates([str(j) for j in part], lists)
    # Both give the same network every time, also where several gain the same.
    solver = "dp" if len(part) <= Auto.dp_first else "bblp"
    found = search(cache, solver=solver, time_limit=tuned.OPTIONS.seconds, threads=threads)
    chosen = {int(name): [int(i) for i in held] for name, held in found.network.parents.items()}
    return chosen, found.status == "optimal"


def _one_by_one(gain: Matrix, part: list[int]) -> dict[int, list[int]]:
    """Take edges by gain, the largest first, each if it closes no cycle."""
    above: dict[int, set[int]] = {j: {j} for j in part}
    chosen: dict[int, list[int]] = {j: [] for j in part}
    edges = [(-gain[i, j], i, j) for j in part for i in part if gain[i, j] > 0]
    for _, i, j in sorted(edges):
        if j not in above[i]:
            chosen[j].append(i)
            for one in part:
                if j in above[one]:
                    above[one] |= above[i]
    return chosen


def _join_the_rest(parents: list[list[int]], joined: npt.NDArray[np.bool_]) -> None:
    """Join pairs that have no direction with a probability, along the order of the network."""
    order = _core.Network(parents).order
    place = {v: k for k, v in enumerate(order)}
    for i, j in np.argwhere(np.triu(joined, 1)).tolist():
        if i not in parents[j] and j not in parents[i]:
            first, second = (i, j) if place[i] < place[j] else (j, i)
            parents[second] = sorted([*parents[second], first])
