"""How probable each edge is, within a credible set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayesloom.errors import InputError, unknown
from bayesloom.networks.network import Network

__all__ = ["EdgePosterior"]


@dataclass(frozen=True, eq=False)
class EdgePosterior:
    """The posterior of every directed edge and of every adjacency.

    Attributes
    ----------
    names
        The variables.
    matrix
        ``matrix[i, j]`` is the posterior of the edge from variable i to variable j. The posterior
        that i and j are adjacent is ``matrix[i, j] + matrix[j, i]``: no network has both.
    error
        0 if all networks were counted; else the most that the standard errors can be.
    errors
        The standard error of each entry of the matrix, where it is known.

    Examples
    --------
    >>> import numpy as np
    >>> posterior = EdgePosterior(("A", "B"), np.array([[0.0, 0.75], [0.25, 0.0]]))
    >>> posterior.directed("A", "B"), posterior.adjacent("A", "B")
    (0.75, 1.0)
    >>> posterior.rows()
    [('A', 'B', 0.75, 1.0), ('B', 'A', 0.25, 1.0)]
    """

    names: tuple[str, ...]
    matrix: npt.NDArray[np.float64]
    error: float = 0.0
    errors: npt.NDArray[np.float64] | None = None

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise unknown("variable", name, self.names)
        return self.names.index(name)

    def directed(self, source: str, target: str) -> float:
        """Return the posterior of the edge from `source` to `target`."""
        return float(self.matrix[self._index(source), self._index(target)])

    def adjacent(self, a: str, b: str) -> float:
        """Return the posterior that the two are joined, either way."""
        i, j = self._index(a), self._index(b)
        return min(1.0, float(self.matrix[i, j] + self.matrix[j, i]))

    def rows(self, least: float = 0.0) -> list[tuple[str, str, float, float]]:
        """Return ``(from, to, posterior, adjacent)`` of all edges above `least`.

        Pairs that are most surely adjacent come first, and of a pair the likelier direction.
        """
        found = [
            (i, j, float(self.matrix[i, j]), min(1.0, float(self.matrix[i, j] + self.matrix[j, i])))
            for i, j in np.argwhere(self.matrix > least).tolist()
        ]
        found.sort(key=lambda row: (-row[3], min(row[:2]), max(row[:2]), -row[2], row[0]))
        return [(self.names[i], self.names[j], directed, adjacent) for i, j, directed, adjacent in found]

    def threshold_network(self, threshold: float = 0.5) -> Network:
        """Return the network of the edges above a threshold, see `CredibleSet.threshold_network`."""
        if not (isinstance(threshold, (int, float)) and 0 <= threshold <= 1 and math.isfinite(threshold)):
            raise InputError(f"threshold must lie between 0 and 1, got {threshold!r}.")
        parents: list[set[int]] = [set() for _ in self.names]

        def leads(source: int, target: int) -> bool:
            front = [target]
            seen = {target}
            while front:
                for p in parents[front.pop()] - seen:
                    seen.add(p)
                    front.append(p)
            return source in seen

        edges = np.argwhere(self.matrix > threshold).tolist()
        for i, j in sorted(edges, key=lambda edge: (-self.matrix[edge[0], edge[1]], edge)):
            if not leads(j, i):
                parents[j].add(i)
        return Network(self.names, [sorted(up) for up in parents])
