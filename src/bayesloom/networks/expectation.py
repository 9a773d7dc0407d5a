"""All ways to fill in the missing values of a table, each with its probability under a fitted network.

Expectation maximisation [dempster1977] needs the expected log-likelihood of a completed table.  Here it is
that of one weighted table, which has for each row r

    every joint state z of its missing discrete values, with weight  w_r P(z | what is known of r)
    for each of these, where d numbers are missing, d + 1 points

The points of a row and a state have the mean m and the covariance C that its missing numbers have given all
that is known:  x_k = m + L t_k  with  L L' = C  and shares p_k,

    sum_k p_k t_k = 0        sum_k p_k t_k t_k' = 1

from a Householder matrix, so d + 1 points are enough.  A linear Gaussian likelihood reads counts, means and
covariances of a table in each cell and nothing else, so it reads the expected ones exactly.

*As real weights* (`Completion.weighted`) nothing is rounded.  *As whole numbers* (`Completion.table`), which
is what the core counts, a row is ``units`` of them: its weights are rounded down or up so that they add up
and are right on average (systematic sampling; one random start per row, the same in every turn).
A state of less weight than it has points gets as many points as it has weight, drawn at random.

A discrete row with more than `MOST_WAYS` joint states is completed by `DRAWS` exact draws in place of all of
them, each of the same weight.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, ResourceError, option
from bayesloom.limits import default_memory
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.gaussian import GaussianNetwork
from bayesloom.networks.gaussian_posterior import Rows, completed_rows
from bayesloom.networks.inference import HIDDEN, ask
from bayesloom.networks.rows import different_rows

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["Completion", "IncompleteRows", "Weighted", "expectation"]

MOST_WAYS = 1024
"""Joint states of the missing discrete values of a row, from 1 on, that are listed and not drawn."""
MOST_LISTED = 1 << 16
"""The same in a table with numbers, where nothing is drawn; at most what `completed_rows` lists."""
DRAWS = 100
"""Draws that stand for the joint states of a row where these are too many, from 1 on."""
LEAST_SHARE = 1e-12
"""Of a row, 0 to 1e-6: a joint state of less is left out."""

Floats = NDArray[np.float64]
AnyFitted = FittedNetwork | GaussianNetwork


@dataclass(frozen=True)
class Weighted:
    """Columns of a completed table with real weights, as `Network.fit` takes them."""

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: tuple[NDArray[Any], ...]
    weights: Floats

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return len(self.weights)


class IncompleteRows:
    """The rows of a table with gaps, equal ones merged where all variables are discrete."""

    def __init__(self, table: Table, seed: int = 0) -> None:
        self.table = table
        codes = np.full((table.row_count, len(table.names)), HIDDEN, dtype=np.int32)
        values = np.full(codes.shape, np.nan)
        for v, (states, column) in enumerate(zip(table.states, table.codes, strict=True)):
            if states:
                codes[:, v] = np.where(column < len(states), column.astype(np.int32), HIDDEN)
            else:
                values[:, v] = column
        weights: Floats = np.ones(len(codes)) if table.weights is None else table.weights.astype(np.float64)
        if not table.continuous:
            codes, back = different_rows(codes)
            weights = np.bincount(back, weights, minlength=len(codes)).astype(np.float64)
            values = np.full(codes.shape, np.nan)
        self.rows = Rows(codes, values)
        self.weights = weights
        self.total = float(weights.sum())
        self.starts: Floats = np.random.default_rng([seed, 23]).random(len(codes))
        self.drawn = self._drawn()

    def _drawn(self) -> NDArray[np.bool_]:
        """Which rows have too many joint states to list."""
        ways = np.ones(len(self.rows))
        for v, states in enumerate(self.table.states):
            if states:
                ways[self.rows.codes[:, v] < 0] *= len(states)
        many = ways > (MOST_LISTED if self.table.continuous else MOST_WAYS)
        if many.any() and self.table.continuous:
            raise ResourceError(
                f"{self.table.source}: the discrete values that one row lacks have {ways.max():.3g}"
                f" joint states, and structural EM of tables with numbers lists {MOST_LISTED:,} at"
                f" most. Leave"
                f" columns with many missing values out with {option('exclude', metavar='COLUMN')}, cut"
                f" numbers"
                f" into ranges with {option('score', 'bic')}, or use score 'pnal'."
            )
        rows = float(ways[~many].sum()) + DRAWS * float(many.sum())
        if (needed := 24 * len(self.table.names) * rows) > default_memory():
            raise ResourceError(
                f"{self.table.source}: {rows:,.0f} ways to fill in rows take {needed / 1e9:.3g} GB,"
                f" more than there"
                f" is. Use the hard form, {option('form', 'hard')}, or score 'pnal'."
            )
        return many

    @property
    def most_numbers(self) -> int:
        """How many numbers a row lacks at most."""
        numbers = [v for v, states in enumerate(self.table.states) if not states]
        return int(np.isnan(self.rows.values[:, numbers]).sum(axis=1).max()) if numbers else 0


@dataclass(frozen=True)
class Completion:
    """All ways to fill in each row.

    Attributes
    ----------
    row
        Which row of those given, ascending.
    codes
        The codes of its discrete variables, all there.
    share
        The probability of these codes given what is known of the row, in sum 1 for each row.
    log_likelihood
        Of the table, in nats: what is missing is summed out.
    """

    given: IncompleteRows
    net: GaussianNetwork
    row: NDArray[np.intp]
    codes: NDArray[np.int32]
    share: Floats
    log_likelihood: float

    @functools.cached_property
    def weighted(self) -> Weighted:
        """Return it as one table with real weights."""
        weights = self.given.weights[self.row] * self.share
        lacking = self._lacking()
        counts = lacking + 1
        source = np.repeat(np.arange(len(self.row)), counts)
        points = _points_of(counts, np.zeros_like(counts), lacking)
        own = self.net
        return Weighted(own.names, own.states, self._columns(source, points), (weights / counts)[source])

    def table(self, units: int) -> Table:
        """Return it as one table in which every row counts as so many."""
        whole = self._rounded(units)
        kept = np.flatnonzero(whole)
        lacking = self._lacking()[kept]
        counts = np.minimum(lacking + 1, whole[kept])
        source = np.repeat(kept, counts)
        parts = whole[source] // np.repeat(counts, counts)
        place = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        parts += place < (whole[kept] % counts).repeat(counts)
        points = _points_of(counts, whole[kept], lacking)
        return filled_with(self.given.table, self._columns(source, points), parts)

    def most_probable(self) -> Table:
        """Return the table with the most probable values, jointly in each row."""
        rows = Rows(self.codes, self.given.rows.values[self.row])
        means = rows.values
        logs = np.zeros(len(rows))
        for part in completed_rows(self.net, rows, range(len(self.net.names))):
            means[part.rows] = part.values
        for part in completed_rows(self.net, Rows(self.codes, means), range(len(self.net.names))):
            logs[part.rows] = part.log
        order = np.lexsort((-logs, self.row))
        first = order[np.flatnonzero(np.r_[True, np.diff(self.row[order]) > 0])]
        columns = [
            self.codes[first, v] if states else means[first, v] for v, states in enumerate(self.net.states)
        ]
        return filled_with(self.given.table, columns, self.given.table.weights)

    def _lacking(self) -> NDArray[np.intp]:
        numbers = [v for v, states in enumerate(self.net.states) if not states]
        return np.asarray(np.isnan(self.given.rows.values[:, numbers]).sum(axis=1))[self.row]

    def _rounded(self, units: int) -> NDArray[np.int64]:
        """Return whole weights: each row has its own times `units`."""
        sums = np.cumsum(self.share)
        first = np.flatnonzero(np.r_[True, np.diff(self.row) > 0])
        count = np.diff(np.r_[first, len(self.row)])
        before = np.repeat(np.r_[0.0, sums][first], count)
        whole = np.repeat(sums[first + count - 1], count) - before
        aim = self.given.weights[self.row] * units
        marks = np.floor((sums - before) / whole * aim + self.given.starts[self.row])
        marks[first + count - 1] = aim[first]  # whatever the last sum was rounded to
        below = np.r_[0.0, marks[:-1]]
        below[first] = 0
        return np.asarray(np.maximum(marks - below, 0).astype(np.int64))

    def _columns(self, source: NDArray[np.intp], points: Floats) -> tuple[NDArray[Any], ...]:
        codes = self.codes[source]
        if not points.shape[1]:
            own = self.given.rows.values[self.row[source]] if self.net.continuous else codes
            return tuple(codes[:, v] if states else own[:, v] for v, states in enumerate(self.net.states))
        rows = Rows(codes, self.given.rows.values[self.row[source]])
        values = rows.values
        for part in completed_rows(self.net, rows, range(len(self.net.names)), noise=points):
            values[part.rows] = part.values
        return tuple(codes[:, v] if states else values[:, v] for v, states in enumerate(self.net.states))


def expectation(
    fitted: AnyFitted, given: IncompleteRows, seed: int = 0, threads: int | None = None
) -> Completion:
    """Return all ways to fill in rows, with their probabilities under a fitted network."""
    net = (
        fitted
        if isinstance(fitted, GaussianNetwork)
        else GaussianNetwork(fitted.network, fitted.states, fitted.tables)
    )
    logs = np.zeros(len(given.rows))
    row, codes, share = [], [], []
    listed = np.flatnonzero(~given.drawn)
    some = Rows(given.rows.codes[listed], given.rows.values[listed])
    for part in completed_rows(net, some, range(len(net.names))):
        logs[listed[part.rows]] = part.log
        with np.errstate(invalid="ignore"):
            kept = part.weight > LEAST_SHARE
        row.append(listed[part.rows[part.row[kept]]])
        codes.append(part.codes[kept])
        share.append(part.weight[kept])
    if len(many := np.flatnonzero(given.drawn)):
        assert isinstance(fitted, FittedNetwork)
        found = ask(fitted, given.rows.codes[many], "draw", draws=DRAWS, seed=seed, threads=threads)
        logs[many] = found["logs"]
        row.append(np.repeat(many, DRAWS))
        codes.append(np.asarray(found["codes"], dtype=np.int32).reshape(-1, len(net.names)))
        share.append(np.full(len(many) * DRAWS, 1 / DRAWS))
    if not (logs > -np.inf).all():
        at = int(np.flatnonzero(~(logs > -np.inf))[0])
        raise InputError(
            f"{given.table.source}: the network holds the values of a row impossible"
            f" ({_shown(given, at)}), so nothing can be filled in by it."
        )
    every = np.concatenate(row)
    order = np.argsort(every, kind="stable")
    return Completion(
        given,
        net,
        every[order],
        np.concatenate(codes)[order],
        np.concatenate(share)[order],
        float(given.weights @ logs),
    )


def _shown(given: IncompleteRows, row: int) -> str:
    table = given.table
    known = [
        f"{name} = {states[k]}" if states else f"{name} = {x:g}"
        for name, states, k, x in zip(
            table.names, table.states, given.rows.codes[row], given.rows.values[row], strict=True
        )
        if k >= 0 or not np.isnan(x)
    ]
    return ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")


def _points_of(counts: NDArray[Any], whole: NDArray[Any], lacking: NDArray[Any]) -> Floats:
    """Return the points of some groups, a row for each point: see `_points`; 0 units stand for equal"
    " shares."""
    rng = np.random.default_rng(29)
    starts = np.cumsum(counts) - counts
    out = np.zeros((int(counts.sum()), int(lacking.max(initial=0))))
    if not out.shape[1]:
        return out
    whole = np.where(lacking > 0, whole, 0)
    kinds, back = np.unique(np.column_stack([counts, whole, lacking]), axis=0, return_inverse=True)
    back = np.asarray(back).reshape(-1)
    order = np.argsort(back, kind="stable")
    for kind, groups in zip(kinds, np.split(order, np.flatnonzero(np.diff(back[order])) + 1), strict=True):
        count, units, numbers = map(int, kind)
        at = starts[groups][:, None] + np.arange(count)
        if count <= numbers:  # fewer than these numbers need
            out[at, :numbers] = rng.standard_normal((len(groups), count, numbers))
        elif numbers:
            out[at, :numbers] = _points(count, units)
    return out


def _points(count: int, whole: int) -> Floats:
    """Return points of mean 0 and covariance 1 in one dimension less, with shares as equal as can be.

    `whole` units are shared among them; 0 stands for equal shares.

    >>> points = _points(3, 10)
    >>> shares = np.array([0.4, 0.3, 0.3])
    >>> bool(np.allclose(shares @ points, 0)), bool(np.allclose((points.T * shares) @ points, np.eye(2)))
    (True, True)
    """
    if not whole:
        shares = np.full(count, 1 / count)
    else:
        shares = (whole // count + (np.arange(count) < whole % count)) / whole
    root = np.sqrt(shares)
    away = root - np.eye(count)[0]
    reflection = np.eye(count) - 2 * np.outer(away, away) / (away @ away)  # takes the first axis to root
    return np.asarray(reflection[:, 1:] / root[:, None])


def filled_with(table: Table, codes: Sequence[Any], weights: Any) -> Table:
    """Return a table with other codes and weights, and no missing values."""
    from bayesloom.table import Table

    count = sum(int(table.lacking(name).sum()) for name in table.names)
    return Table.from_codes(
        table.names,
        table.states,
        codes,
        cut_points=table.cut_points,
        notes=(*table.notes, f"{count:,} missing values are filled in.") if count else table.notes,
        source=table.source,
        columns=table.columns,
        weights=weights,
        weight_name=table.weight_name,
    )
