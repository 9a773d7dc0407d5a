"""What is true of a small table or cache under constraints and limits, found without Bayesloom.

`Truth` holds the score of every allowed network (n <= 5) or, with more variables, the best of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from reference.enumeration import acyclic, best_by_subsets, class_ids, network_scores, networks
from reference.local_scores import local_score

Rules = Mapping[str, Any]
NEAR = 1e-6  # nats; scores are whole numbers of 2^-30 nat in Bayesloom and doubles here


OPTIONS = {"bdeu": "ess", "bds": "ess", "ebic": "gamma"}


def bit_mask(names: Sequence[str], chosen: Sequence[str]) -> int:
    return sum(1 << names.index(name) for name in chosen)


def score_options(score: str, number: float) -> dict[str, float]:
    """The option of a score with this number, if it has one."""
    return {OPTIONS[score]: number} if score in OPTIONS else {}


def scores_of_table(
    rows: Sequence[tuple[int, ...]],
    cardinalities: Sequence[int],
    score: str,
    number: float,
    most: int,
    targets: Sequence[int] = (),
) -> npt.NDArray[np.float64]:
    """The local score of every set of at most `most` parents, by the textbook, over the rows not set."""
    n = len(cardinalities)
    option = score_options(score, number)
    found = np.full((n, 2**n), -np.inf)
    for v in range(n):
        others = [u for u in range(n) if u != v]
        kept = [row for k, row in enumerate(rows) if not (targets and targets[k] >> v & 1)]
        for size in range(min(most, n - 1) + 1):
            for parents in combinations(others, size):
                mask = sum(1 << u for u in parents)
                found[v, mask] = local_score(kept, cardinalities, v, parents, score, **option)
    return found


def allowed_sets(names: Sequence[str], rules: Rules, most: int | None) -> npt.NDArray[np.bool_]:
    """Which parent sets keep the constraints, those on orders aside."""
    n = len(names)
    index = {name: v for v, name in enumerate(names)}
    masks = np.arange(2**n)
    sizes = np.array([int(mask).bit_count() for mask in masks])
    fits = np.array([(masks >> v & 1) == 0 for v in range(n)])
    for a, b in rules.get("required", ()):
        fits[index[b]] &= (masks >> index[a] & 1) == 1
    for a, b in rules.get("forbidden", ()):
        fits[index[b]] &= (masks >> index[a] & 1) == 0
    tier_of = {name: k for k, tier in enumerate(rules.get("tiers", ())) for name in tier}
    for a, b in ((a, b) for a in tier_of for b in tier_of if tier_of[a] > tier_of[b]):
        fits[index[b]] &= (masks >> index[a] & 1) == 0
    for name in rules.get("roots", ()):
        fits[index[name]] &= masks == 0
    for name in rules.get("leaves", ()):
        fits[:, (masks >> index[name] & 1) == 1] = False
    limits = rules.get("max_parents") or {}
    for v, name in enumerate(names):
        own = limits.get(name, limits.get("*"))
        for limit in (own, most):
            if limit is not None:
                fits[v] &= sizes <= limit
    return fits


@dataclass(frozen=True)
class Truth:
    """Local scores with minus infinity for what is not allowed, and pairs (a, b): a before b in one order."""

    scores: npt.NDArray[np.float64]
    before: tuple[tuple[int, int], ...] = ()

    @property
    def n(self) -> int:
        return len(self.scores)

    @cached_property
    def keeps(self) -> npt.NDArray[np.bool_]:
        """Which networks are allowed, in the order of `networks`."""
        keeps = np.isfinite(network_scores(self.scores))
        if self.before and keeps.any():
            rows = networks(self.n).copy()
            for a, b in self.before:
                rows[:, b] |= 1 << a
            keeps &= acyclic(rows)
        return keeps

    @cached_property
    def all_scores(self) -> npt.NDArray[np.float64]:
        """The score of every allowed network, best first."""
        found = network_scores(self.scores)[self.keeps]
        return np.sort(found)[::-1]

    @cached_property
    def best(self) -> float | None:
        """The best score, or None if no network is allowed."""
        if self.before or self.n <= 5:
            return float(self.all_scores[0]) if len(self.all_scores) else None
        best = best_by_subsets(self.scores)
        return best if np.isfinite(best) else None

    def score_of(self, parents: Sequence[int]) -> float:
        """The score of one network, minus infinity if it is not allowed."""
        row = np.array([parents], dtype=np.uint16)
        for a, b in self.before:
            row[0, b] |= 1 << a
        if not acyclic(row)[0]:
            return -np.inf
        return float(sum(self.scores[v, mask] for v, mask in enumerate(parents)))

    def classes_within(self, loss: float) -> int:
        """How many equivalence classes have an allowed network at most `loss` below the best."""
        scores = network_scores(self.scores)
        assert self.best is not None
        near = self.keeps & (scores >= self.best - loss)
        return len(np.unique(class_ids(self.n)[near]))

    def can_turn(self, parents: Sequence[int], targets: Sequence[int] = ()) -> set[tuple[int, int]]:
        """Edges that some allowed network of the same class has the other way round.

        Of the same interventional class: it has the same edges into each set of targets from outside it.
        """
        rows = networks(self.n)
        own = int(np.flatnonzero((rows == np.array(parents, dtype=np.uint8)).all(axis=1))[0])
        members = rows[(class_ids(self.n) == class_ids(self.n)[own]) & self.keeps]
        for target in {*targets}:
            for v in range(self.n):
                outside = 0 if target >> v & 1 == 0 else ~target & (2**self.n - 1)
                members = members[(members[:, v] & outside) == (parents[v] & outside)]
        return {
            (a, b)
            for b, mask in enumerate(parents)
            for a in range(self.n)
            if mask >> a & 1 and bool((members[:, a] >> b & 1).any())
        }


def edge_shares(truth: Truth, loss: float) -> npt.NDArray[np.float64]:
    """The posterior of each edge [from, to] over the networks at most `loss` below the best."""
    scores = network_scores(truth.scores)
    assert truth.best is not None
    near = truth.keeps & (scores >= truth.best - loss)
    weights = np.exp(scores[near] - truth.best)
    rows = networks(truth.n)[near]
    return np.array(
        [[float(weights @ (rows[:, b] >> a & 1)) for b in range(truth.n)] for a in range(truth.n)]
    ) / float(weights.sum())
