"""Posterior probabilities that say whether they are exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayesloom.errors import unknown

__all__ = ["PairPosterior", "Posterior"]


class Posterior(float):
    """A probability or mean; `error` is its standard error, 0 where it is exact.

    Examples
    --------
    >>> sure, drawn = Posterior(0.25), Posterior.of_draws([1, 0, 0, 1])
    >>> float(sure), sure.exact, float(drawn), drawn.exact
    (0.25, True, 0.5, False)
    """

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Posterior:
        made = super().__new__(cls, value)
        made.error = error
        return made

    @property
    def exact(self) -> bool:
        """Whether all networks were seen."""
        return self.error == 0

    @classmethod
    def of_draws(cls, values: Sequence[float] | npt.NDArray[np.float64]) -> Posterior:
        """Return the mean of values of networks that were drawn by posterior."""
        array = np.asarray(values, dtype=float)
        # Even where all draws agree the mean is not proved: one more draw could differ.
        least = 1 / (len(array) + 2)
        return cls(float(array.mean()), max(least, float(array.std()) / math.sqrt(len(array))))


@dataclass(frozen=True, eq=False)
class PairPosterior:
    """The posterior of a feature of each two variables.

    Attributes
    ----------
    names
        The variables.
    matrix
        ``matrix[i, j]`` is the posterior for variables i and j.
    error
        0 if all networks were seen; else the most that the standard errors can be.
    errors
        The standard error of each entry of the matrix, where it is known.

    Examples
    --------
    >>> import numpy as np
    >>> PairPosterior(("A", "B"), np.array([[0.0, 0.75], [0.25, 0.0]])).of("A", "B")
    0.75
    """

    names: tuple[str, ...]
    matrix: npt.NDArray[np.float64]
    error: float = 0.0
    errors: npt.NDArray[np.float64] | None = None

    def of(self, first: str, second: str) -> float:
        """Return the posterior for two variables."""
        for name in (first, second):
            if name not in self.names:
                raise unknown("variable", name, self.names)
        return float(self.matrix[self.names.index(first), self.names.index(second)])

    def rows(self, least: float = 0.0) -> list[tuple[str, str, float]]:
        """Return ``(first, second, posterior)`` of all pairs above `least`, the most probable first."""
        found = [(float(self.matrix[i, j]), i, j) for i, j in np.argwhere(self.matrix > least).tolist()]
        found.sort(key=lambda row: (-row[0], row[1:]))
        return [(self.names[i], self.names[j], value) for value, i, j in found]
