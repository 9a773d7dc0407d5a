"""A bound over all networks, where not all parent sets are scored.

Every variable gets one candidate more that stands for all sets that were not scored: no parents, so that it
is part of no cycle, and the most that such a set can score (`bayesloom.scoring.unscored`).  No network scores
above the best choice of one candidate for each variable without a cycle, so a bound over these lists is one
over all networks.

Where little is scored, that lets every variable be explained completely, which no network does: its local
log-likelihoods add up to no more than the log-likelihood J of the table itself.  So for any lam from 0 to 1

    score  =  sum of s(i, P)  <=  lam J  +  sum over i of max over P of [ s(i, P) - lam L(i | P) ]

with L the log-likelihood.  For scores that are L less a penalty pen(P), what is in brackets is
(1 - lam) s - lam pen; for others it is at most (1 - lam) s, because no score here is above L.  The lam
with the least bound is taken.  Where variables were set from outside in some rows, the rows that count differ
by variable, J says nothing of the sum, and lam is 0: a bound of each variable over its own rows is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import BayesloomError
from bayesloom.scoring.cache import UNITS, ScoreCache
from bayesloom.scoring.constrained_cache import Constrained, constrain
from bayesloom.scoring.unscored import Unscored

__all__ = ["AllNetworks", "bound_all_networks"]

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # lam
SAFETY = 1e-6  # nats: what sums of floating-point numbers may be off, for each variable
MOST_TOGETHER = 500_000  # candidates up to which cycles are looked at
MOST_CHARGE = 2.0**29  # nats: what a penalty is cut to, see penalised.hpp
WORK = 100_000  # steps on prices where no time limits them

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AllNetworks:
    """A bound over all networks, and where it comes from.

    Attributes
    ----------
    bound
        No network scores above this, in units.
    gains
        For each variable how much more than the network's a set that was not scored can score, at most, in
        nats.
    """

    bound: int
    gains: dict[str, float]


def bound_all_networks(
    unscored: Unscored,
    score: str,
    options: Mapping[str, float],
    local_scores: Mapping[str, float],
    *,
    constraints: Constraints | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> AllNetworks:
    """Return a bound over all networks that keep constraints.

    Parameters
    ----------
    unscored
        The sets scored, and what is known of the others.
    score, options
        The score.
    local_scores
        Of the network found.
    constraints
        What every network keeps.  Of variables with required parents no more is known than the fit: sets that
        lack these do not rule out others.
    seconds, seed
        Of the search for a better bound.

    Examples
    --------
    >>> import bayesloom as bl
    >>> from bayesloom.scoring.unscored import unscored_sets
    >>> table = bl.random_network(6, seed=1).sample(500, seed=1)
    >>> best = bl.learn(table)
    >>> some = unscored_sets(table, "bic", {}, most_parents=1)
    >>> found = bound_all_networks(some, "bic", {}, best.local_scores)
    >>> found.bound >= best.fixed_score
    True
    """
    rules = Constraints() if constraints is None else constraints
    held = constrain(unscored.scored, replace(rules, required=()))
    cache = held.plain
    names = cache.names
    most = np.array(unscored.most)
    fits = np.array(unscored.fits)
    for _, child in rules.required:
        most[cache.index(child)] = fits[cache.index(child)]
    gains = {name: max(0.0, float(most[v]) - local_scores[name]) for v, name in enumerate(names)}
    scored = _Scored(held, score, options, unscored.rows)
    tried = []
    joint = 0.0 if unscored.joint is None else unscored.joint
    for share in SHARES if unscored.joint is not None else SHARES[:1]:
        left = _unscored_values(most, fits, share, scored.penalised)
        tops = np.maximum(left, scored.best(share))
        total = math.fsum([share * joint, *tops]) + len(names) * SAFETY
        tried.append((total, share))
    total, share = min(tried)
    bound = math.ceil(total * UNITS) + len(names)
    bounds = [bound]
    for lam in {0.0, share}:
        left = _unscored_values(most, fits, lam, scored.penalised)
        bounds += _with_cycles(scored, left, lam, lam * joint, seconds, seed)
    return AllNetworks(min(bounds), gains)


def _unscored_values(most: Floats, fits: Floats, share: float, penalised: bool) -> Floats:
    """Return s - lam L of the sets not scored, at most."""
    none = most == -math.inf
    values = np.where(none, 0.0, most)
    values = values - share * fits if penalised else (1 - share) * values
    found: Floats = np.where(none, -math.inf, values)
    return found


class _Scored:
    """The sets scored, with s - lam L of each, at most."""

    def __init__(self, held: Constrained, score: str, options: Mapping[str, float], rows: int) -> None:
        self.shown = held.shown  # with parents that stand for orders, which cost nothing
        cache = held.plain
        cardinalities = cache.cardinalities
        self.first = cache.first.astype(np.int64)
        self.edges = cache.parent_first.astype(np.int64)
        self.scores = cache.scores / UNITS
        bic = math.log(rows) / 2
        times = float(options.get("penalty", 1.0))
        self.charge = {"bic": times * bic, "ebic": bic, "aic": 1.0}.get(score)
        self.penalised = self.charge is not None
        if self.charge is not None:
            logs = np.log(np.array(cardinalities, dtype=np.float64))
            sums = np.concatenate(([0.0], np.cumsum(logs[cache.parents])))
            states = np.exp(np.minimum(sums[self.edges[1:]] - sums[self.edges[:-1]], 40.0))
            own = np.repeat(np.array(cardinalities, dtype=np.float64) - 1, np.diff(self.first))
            # Rounded down a little: a smaller penalty makes a larger bound.
            self.penalty = np.minimum(self.charge * own * states * (1 - 1e-9), MOST_CHARGE)
            if score == "ebic":
                edge = options["gamma"] * math.log(max(1.0, len(cardinalities) - 1.0))
                self.penalty += edge * np.diff(self.edges) * (1 - 1e-9)

    def values(self, share: float) -> Floats:
        """Return s - lam L of each candidate, at most."""
        if share == 0.0:
            return self.scores
        values: Floats = (1 - share) * self.scores
        if self.penalised:
            values -= share * self.penalty
        return values + SAFETY / 2

    def best(self, share: float) -> Floats:
        """Return the largest value of each variable."""
        found: Floats = np.maximum.reduceat(self.values(share), self.first[:-1])
        return found


def _with_cycles(
    scored: _Scored, left: Floats, share: float, joint: float, seconds: float | None, seed: int
) -> list[int]:
    """Return a bound that knows of cycles, if it can be had: one number or none."""
    values = scored.values(share)
    owner = np.repeat(np.arange(len(left)), np.diff(scored.first))
    chosen = np.flatnonzero(values > left[owner])
    if len(chosen) > MOST_TOGETHER:
        return []
    lists: list[dict[tuple[int, ...], float]] = [{} for _ in left]
    for v, most in enumerate(left):
        if most > -math.inf:
            lists[v][()] = float(most) + SAFETY
    shown = scored.shown
    edges = shown.parent_first.astype(np.int64)
    for c in chosen.tolist():
        own = lists[owner[c]]
        parents = tuple(shown.parents[edges[c] : edges[c + 1]].tolist())
        own[parents] = max(own.get(parents, -math.inf), float(values[c]))
    names = shown.names
    cache = ScoreCache.from_candidates(
        names,
        {
            name: [(_up(value), [names[p] for p in parents]) for parents, value in lists[v].items()]
            for v, name in enumerate(names)
        },
    )
    limits = {"seconds": seconds} if seconds is not None else {"work": WORK}
    try:
        found = _core.bblp(cache.core, seed=seed, **limits)
    except BayesloomError:  # bounds are optional
        return []
    rounded = math.ceil(joint * UNITS) + len(names) if share > 0 else 0
    return [int(found["bound"]) + rounded]


def _up(value: float) -> float:
    """Return a number that is not below a value once it is rounded to units."""
    exact = abs(value) < 2.0**22 and (value * UNITS).is_integer()
    return value if exact else value + 2 / UNITS + abs(value) * 2.0**-51
