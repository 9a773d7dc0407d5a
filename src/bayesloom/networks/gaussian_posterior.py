"""Rows of a mixed network completed: discrete values that are hidden listed, continuous ones by their means.

Each row is repeated for every joint state of its hidden discrete variables.  Given those, the hidden
continuous variables m of a row are normal with

    mean = mu_m - K_mm^-1 K_mo (x_o - mu_o),    covariance = K_mm^-1

(K the precision, o what is known), and the known ones have the density

    ln p(x_o)  =  ln p(x_o, mean)  +  |m|/2 ln 2 pi  -  1/2 ln det K_mm

so that only the small matrix K_mm is ever factored, for all rows that hide the same variables at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import default_memory
from bayesloom.networks.gaussian import Regression
from bayesloom.networks.joint import joint_index

if TYPE_CHECKING:
    from bayesloom.networks.gaussian import GaussianNetwork

__all__ = ["Completed", "Rows", "ancestors_of", "completed_rows", "normal_of"]

MOST_STATES = 1 << 16  # joint states of the hidden discrete variables of one row
PART_BYTES = 2e8  # of the numbers that are worked on at once
ROWS_OF_A_PATTERN = 20  # that a pattern needs on average to be worth a turn of its own
LOG_2PI = math.log(2 * math.pi)

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Rows:
    """Rows as they are given: codes of discrete variables, -1 if hidden; numbers, NaN if hidden."""

    codes: Codes
    values: Floats

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Completed:
    """Rows repeated for each joint state of what is hidden and discrete.

    `row` says which row of those given, `weight` how probable the states are given the row (in sum 1 for each
    row), `log` the logarithm of the density of the row, in the order of `rows`.
    """

    rows: NDArray[np.intp]
    row: NDArray[np.intp]
    codes: Codes
    values: Floats
    weight: Floats
    log: Floats


@dataclass(frozen=True)
class _Noise:
    """Standard normal numbers: drawn, or as they are given for each row."""

    rng: np.random.Generator | None
    given: Floats | None

    def of(self, rows: NDArray[np.intp]) -> _Noise:
        return self if self.given is None else _Noise(None, self.given[rows])

    def normal(self, rows: NDArray[np.intp], count: int) -> Floats:
        if self.given is not None:
            return self.given[rows, :count]
        assert self.rng is not None
        return self.rng.standard_normal((len(rows), count))


def ancestors_of(net: GaussianNetwork, variables: Iterable[int]) -> list[int]:
    """Return some variables and all above them, ascending."""
    found: set[int] = set()
    waiting = list(variables)
    while waiting:
        v = waiting.pop()
        if v not in found:
            found.add(v)
            waiting += net.network.parent_indices[v]
    return sorted(found)


def completed_rows(
    net: GaussianNetwork,
    rows: Rows,
    targets: Iterable[int],
    rng: np.random.Generator | None = None,
    *,
    noise: Floats | None = None,
) -> Iterator[Completed]:
    """Yield all rows completed, part by part; with a generator, hidden numbers are drawn and not means.

    `noise` has a row of standard normal numbers for each row given, for what would be drawn: the k-th is
    that of its k-th hidden number. All discrete variables are known then.
    """
    seen = np.flatnonzero((rows.codes >= 0).any(axis=0) | ~np.isnan(rows.values).all(axis=0))
    needed = ancestors_of(net, [*seen.tolist(), *targets])
    discrete = [v for v in needed if net.states[v]]
    hidden = rows.codes[:, discrete] < 0
    counts = np.ones(len(rows))
    for k, v in enumerate(discrete):
        counts[hidden[:, k]] *= len(net.states[v])
    if len(rows) and counts.max() > MOST_STATES:
        at = int(counts.argmax())
        raise ResourceError(
            f"query: the discrete variables that are not known have {counts[at]:.3g} joint states in row"
            f" {at + 1}, and at most {MOST_STATES:,} are listed. Give more evidence."
        )
    width = 24 * max(1, len(net.names))
    ends = np.cumsum(counts * width)
    start = 0
    while start < len(rows):
        before = ends[start - 1] if start else 0.0
        end = max(start + 1, int(np.searchsorted(ends, before + PART_BYTES)))
        yield _completed_part(net, rows, np.arange(start, min(end, len(rows))), needed, discrete, rng, noise)
        start = end


def _completed_part(
    net: GaussianNetwork,
    given: Rows,
    which: NDArray[np.intp],
    needed: Sequence[int],
    discrete: Sequence[int],
    rng: np.random.Generator | None,
    noise: Floats | None,
) -> Completed:
    row, codes = _listed(net, given.codes[which], discrete)
    draw = None if rng is None and noise is None else _Noise(rng, None if noise is None else noise[which])
    values = given.values[which][row]
    log = np.zeros(len(row))
    for v in discrete:
        axes = (*net.network.parent_indices[v], v)
        cell = joint_index([codes[:, u] for u in axes], [len(net.states[u]) for u in axes])
        with np.errstate(divide="ignore"):
            log += np.log(net.families[v].reshape(-1)[cell])
    continuous = [v for v in needed if not net.states[v]]
    if continuous:
        _fill_in(net, codes, values, log, continuous, draw)
    best = np.full(len(which), -math.inf)
    np.maximum.at(best, row, log)
    with np.errstate(invalid="ignore"):
        weight = np.exp(log - best[row])
    weight[np.isnan(weight)] = 0
    total = np.bincount(row, weight, minlength=len(which))
    with np.errstate(divide="ignore", invalid="ignore"):
        return Completed(which, row, codes, values, weight / total[row], best + np.log(total))


def _listed(net: GaussianNetwork, codes: Codes, discrete: Sequence[int]) -> tuple[NDArray[np.intp], Codes]:
    """Repeat each row for all joint states of what it hides."""
    hidden = codes[:, discrete] < 0
    if not hidden.any():
        return np.arange(len(codes)), codes
    found: list[tuple[NDArray[np.intp], Codes]] = []
    patterns, back = np.unique(hidden, axis=0, return_inverse=True)
    back = np.asarray(back).reshape(-1)
    for k, pattern in enumerate(patterns):
        at = np.flatnonzero(back == k)
        free = [v for v, gone in zip(discrete, pattern, strict=True) if gone]
        shape = [len(net.states[v]) for v in free]
        cells = np.indices(shape).reshape(len(free), -1).T if free else np.zeros((1, 0), dtype=np.int64)
        row = np.repeat(at, len(cells))
        own = codes[row].copy()
        own[:, free] = np.tile(cells, (len(at), 1))
        found.append((row, own))
    row = np.concatenate([one for one, _ in found])
    order = np.argsort(row, kind="stable")
    return row[order], np.concatenate([one for _, one in found])[order]


def normal_of(
    net: GaussianNetwork, continuous: Sequence[int], codes: NDArray[np.int32]
) -> tuple[Floats, Floats, Floats]:
    """Return intercepts, coefficients (a row for each variable) and variances at one discrete state."""
    place = {v: k for k, v in enumerate(continuous)}
    a, b, d = np.zeros(len(place)), np.zeros((len(place), len(place))), np.zeros(len(place))
    for v, k in place.items():
        family: Regression = net.families[v]
        up = net.network.parent_indices[v]
        cell = tuple(int(codes[p]) for p in up if net.states[p])
        a[k], d[k] = family.intercept[cell], family.variance[cell]
        b[k, [place[p] for p in up if not net.states[p]]] = family.coefficients[cell]
    return a, b, d


def _fill_in(
    net: GaussianNetwork,
    codes: Codes,
    values: Floats,
    log: Floats,
    continuous: Sequence[int],
    draw: _Noise | None,
) -> None:
    """Fill in hidden numbers, and add the density of the others to `log`, in place."""
    if 40 * len(continuous) ** 2 > default_memory():
        raise ResourceError(f"query: a matrix of {len(continuous):,} variables does not fit in memory.")
    parents = sorted({p for v in continuous for p in net.network.parent_indices[v] if net.states[p]})
    if parents:
        _, first, back = np.unique(codes[:, parents], axis=0, return_index=True, return_inverse=True)
        back = np.asarray(back).reshape(-1)
        order = np.argsort(back, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(back[order])) + 1)
    else:
        first, groups = np.zeros(1, dtype=np.intp), [np.arange(len(codes))]
    for example, group in zip(first, groups, strict=True):
        a, b, d = normal_of(net, continuous, codes[example])
        where = np.ix_(group, np.array(continuous))
        own = values[where]
        here = None if draw is None else draw.of(group)
        log[group] += _completed_normals(net, own, a, b, d, continuous, here)
        values[where] = own


def _completed_normals(
    net: GaussianNetwork,
    x: Floats,
    a: Floats,
    b: Floats,
    d: Floats,
    continuous: Sequence[int],
    draw: _Noise | None,
) -> Floats:
    """Fill in what is hidden in rows of one normal distribution; return the log-density of the rest."""
    log = np.zeros(len(x))
    fixed = (d == 0) & (b == 0).all(axis=1)  # set from outside
    for k in np.flatnonzero(fixed):
        known = ~np.isnan(x[:, k])
        log[known & (x[:, k] != a[k])] = -math.inf
        x[:, k] = a[k]
    free = np.flatnonzero(~fixed)
    if not free.size:
        return log
    if (d[free] == 0).any():
        name = net.names[continuous[int(free[(d[free] == 0).argmax()])]]
        raise InputError(
            f"query: variable {name!r} is an exact function of its parents (variance 0), so it has no"
            " density. Leave it out of the network."
        )
    shift = a[free] + x[:, fixed] @ b[np.ix_(free, np.flatnonzero(fixed))].T  # a row each
    c = np.eye(len(free)) - b[np.ix_(free, free)]
    precision = c.T @ (c / d[free][:, None])
    own = x[:, free]
    hidden = np.isnan(own)
    mean = np.linalg.solve(c, shift.T).T
    away = np.where(hidden, 0.0, own - mean)
    pull = away @ precision
    for at, gone in _by_pattern(hidden):
        matrix = precision[gone[:, :, None], gone[:, None, :]]
        away[at[:, None], gone] = -_solved(matrix, pull[at[:, None], gone])
        log[at] += gone.shape[1] / 2 * LOG_2PI - 0.5 * np.linalg.slogdet(matrix)[1]
    own[hidden] = (mean + away)[hidden]
    rest = own @ c.T - shift
    log -= 0.5 * (rest**2 / d[free] + np.log(d[free]) + LOG_2PI).sum(axis=1)
    if draw is not None:
        for at, gone in _by_pattern(hidden):
            low = np.linalg.cholesky(precision[gone[:, :, None], gone[:, None, :]])
            own[at[:, None], gone] += _solved(low.transpose(0, 2, 1), draw.normal(at, gone.shape[1]))
    x[:, free] = own
    return log


def _solved(matrix: NDArray[Any], right: Floats) -> Floats:
    """Solve for each row of `right`, with a matrix of its own or one for all."""
    if len(matrix) == 1:
        return np.asarray(np.linalg.solve(matrix[0], right.T).T)
    return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0])


def _by_pattern(hidden: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield rows with the columns that they hide: a list for each row, or one list for all of them.

    Rows that hide nothing are left out. Rows that hide equally many columns go together if most hide others.
    """
    counts = hidden.sum(axis=1)
    for count in np.unique(counts[counts > 0]).tolist():
        rows = np.flatnonzero(counts == count)
        packed = np.ascontiguousarray(np.packbits(hidden[rows], axis=1))
        keys = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
        back = np.asarray(np.unique(keys, return_inverse=True)[1]).reshape(-1)
        size = max(1, int(PART_BYTES / (8 * count**2)))
        if back.max() + 1 > len(rows) / ROWS_OF_A_PATTERN:
            for at in (rows[k : k + size] for k in range(0, len(rows), size)):
                yield at, np.nonzero(hidden[at])[1].reshape(len(at), count)
            continue
        order = np.argsort(back, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(back[order])) + 1):
            yield rows[group], np.flatnonzero(hidden[rows[group[0]]])[None, :]
