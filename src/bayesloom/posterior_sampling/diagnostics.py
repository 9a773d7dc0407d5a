"""Whether chains agree: R-hat, effective sample size, and the edges on which they differ most.

R-hat compares the variance between half chains with the variance within them [vehtari2021]: near 1 if all
sample the same distribution.  The effective sample size is how many independent draws the samples are worth,
by their autocorrelations (Geyer's initial positive sequence).  Standard errors are computed from batch means:
each chain is cut into consecutive batches, long enough that their means are about independent.  If whole
chains differ more than that, the error is computed from the means of the chains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayesloom.posterior_sampling import options as tuned

__all__ = ["Diagnostics", "effective_size", "error_of_batches", "r_hat"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of a set of chains.

    Attributes
    ----------
    chains, samples
        How many chains, and how many networks of each.
    sweeps
        Moves of each variable between two of them.
    r_hat
        Split R-hat of the weight of the partition; near 1 if the chains sample the same distribution.
    effective
        The effective sample size of that weight, over all chains.
    effective_edges
        The least effective sample size of an edge, among those whose posterior is between 0.05 and 0.95; all
        samples if there is none.
    largest_difference
        The largest difference of the shares of an edge in two chains.
    largest_edge
        That edge.
    accepted
        The share of moves accepted, by their kind; ``"exchange"`` between temperatures.
    agree
        Whether the chains agree by all of this.
    """

    chains: int
    samples: int
    sweeps: int
    r_hat: float
    effective: float
    effective_edges: float
    largest_difference: float
    largest_edge: tuple[str, str] | None
    accepted: Mapping[str, float]

    @property
    def agree(self) -> bool:
        """Whether the chains agree."""
        options = tuned.OPTIONS
        return (
            self.r_hat <= options.most_r_hat
            and self.largest_difference <= options.most_difference
            and self.effective >= options.least_effective
            and self.effective_edges >= options.least_effective_edges
        )

    def __str__(self) -> str:
        numbers = (
            f"R-hat {self.r_hat:.3f}, effective samples {self.effective:,.0f}"
            f", {self.effective_edges:,.0f} of the least certain edge"
        )
        edge = ""
        if self.largest_edge is not None:
            a, b = self.largest_edge
            edge = f", edge {a} -> {b} differs by {self.largest_difference:.2f} between two of them"
        if self.agree:
            return f"the {self.chains} chains agree ({numbers}{edge})"
        return (
            f"the {self.chains} chains do NOT agree ({numbers}{edge}): these posteriors are not"
            " to be relied on. Give more time."
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "chains": self.chains,
            "samples": self.samples,
            "sweeps": self.sweeps,
            "r_hat": self.r_hat if math.isfinite(self.r_hat) else None,
            "effective": self.effective,
            "effective_edges": self.effective_edges,
            "largest_difference": self.largest_difference,
            "largest_edge": None if self.largest_edge is None else list(self.largest_edge),
            "accepted": dict(self.accepted),
            "agree": self.agree,
        }


def r_hat(values: Array) -> float:
    """Return the split R-hat of chains, one in each row.

    >>> r_hat(np.array([[0.0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0]])) < 1.05
    True
    >>> r_hat(np.array([[0.0, 1, 0, 1, 0, 1], [5, 6, 5, 6, 5, 6]])) > 3
    True
    """
    half = values.shape[1] // 2
    if half < 2:
        return math.inf
    halves = np.concatenate([values[:, :half], values[:, values.shape[1] - half :]])
    within = float(halves.var(axis=1, ddof=1).mean())
    between = half * float(halves.mean(axis=1).var(ddof=1))
    if within <= 1e-12 * (1 + float(np.abs(halves).max())):  # all the same, up to rounding
        return 1.0 if between <= half * 1e-9 else math.inf
    return math.sqrt(((half - 1) / half * within + between / half) / within)


def effective_size(values: Array) -> float:
    """Return how many independent draws the values of all chains are worth.

    >>> draw = np.random.default_rng(1)
    >>> 700 < effective_size(draw.normal(size=(4, 250))) < 1300
    True
    """
    chains, length = values.shape
    if length < 4:
        return 0.0
    centred = values - values.mean(axis=1, keepdims=True)
    size = 2 ** math.ceil(math.log2(2 * length))
    spectrum = np.fft.rfft(centred, size, axis=1)
    covariance = np.fft.irfft(spectrum * np.conj(spectrum), size, axis=1)[:, :length] / length
    within = float((covariance[:, 0] * length / (length - 1)).mean())
    means = float(values.mean(axis=1).var(ddof=1)) if chains > 1 else 0.0
    total = within * (length - 1) / length + means
    if total <= 1e-18 * (1 + float(np.abs(values).max()) ** 2):
        return float(chains * length)
    correlation = 1 - (within - covariance.mean(axis=0) * length / (length - 1)) / total
    correlation[0] = 1.0
    time, least = -1.0, math.inf
    for k in range(0, length - 1, 2):  # pairs are positive and fall
        pair = float(correlation[k] + correlation[k + 1])
        if pair <= 0:
            break
        least = min(least, pair)
        time += 2 * least
    return float(min(chains * length, chains * length / max(time, 1e-3)))


def error_of_batches(means: Array, least: float) -> Array:
    """Return the standard error of the mean of each column of batch means: chains, batches, columns.

    `least` is what an error is at least, where all batches agree: one more draw could differ.
    """
    chains, batches = means.shape[:2]
    flat = means.reshape(chains * batches, -1)
    by_batch = flat.var(axis=0, ddof=1) / (chains * batches)
    by_chain = means.mean(axis=1).var(axis=0, ddof=1) / chains if chains > 1 else 0.0
    return np.asarray(np.maximum(np.sqrt(np.maximum(by_batch, by_chain)), least))
