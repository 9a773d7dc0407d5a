"""What a network with continuous variables answers: densities, means, effects, values filled in."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, unknown
from bayesloom.limits import check_count, is_number
from bayesloom.networks.gaussian import GaussianNetwork, Regression
from bayesloom.networks.gaussian_posterior import (
    Completed,
    Floats,
    Rows,
    ancestors_of,
    completed_rows,
    normal_of,
)
from bayesloom.networks.gaussian_rows import rows_of
from bayesloom.networks.inference import Explanation
from bayesloom.networks.intervals import is_unknown, state_of
from bayesloom.networks.interventions import Effect, check_two, check_values, without_parents
from bayesloom.networks.interventions import effect as discrete_effect
from bayesloom.networks.joint import interventions_of, refuse_interventions, table_columns, weights_of
from bayesloom.networks.prediction import (
    cells_without,
    codes_without,
    states_of_missing,
    table_without,
    without_state,
)
from bayesloom.networks.rows import as_new_table, is_coded, new_table, values_of
from bayesloom.table.columns import listed
from bayesloom.table.state_names import MISSING

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = [
    "Density",
    "MeanEffect",
    "do",
    "effect",
    "impute",
    "log_likelihood",
    "most_probable",
    "predict",
    "query",
]


@dataclass(frozen=True, eq=False)
class Density:
    """What is known of continuous variables: a normal distribution, or a mixture of some.

    Attributes
    ----------
    names
        The variables.
    weights
        Of each part of the mixture, in sum 1; one part if no discrete variable is unknown.
    means, covariances
        Of each part: a number for each variable, and a matrix.
    """

    names: tuple[str, ...]
    weights: Floats
    means: Floats
    covariances: Floats

    @property
    def mean(self) -> Any:
        """The mean: a number, or an array for several variables."""
        mean = self.weights @ self.means
        return float(mean[0]) if len(self.names) == 1 else mean

    @property
    def covariance(self) -> Any:
        """The covariance: a number, the variance, of one variable, or a matrix for several."""
        away = self.means - self.weights @ self.means
        whole = np.tensordot(self.weights, self.covariances, axes=1)
        whole = whole + (away * self.weights[:, None]).T @ away
        return float(whole[0, 0]) if len(self.names) == 1 else whole

    @property
    def sd(self) -> Any:
        """The standard deviation of each variable."""
        return math.sqrt(self.covariance) if len(self.names) == 1 else np.sqrt(np.diag(self.covariance))

    def __repr__(self) -> str:
        parts = f", a mixture of {len(self.weights)}" if len(self.weights) > 1 else ""
        if len(self.names) == 1:
            return f"<Density of {self.names[0]}: mean {self.mean:.4g}, sd {self.sd:.4g}{parts}>"
        return f"<Density of {listed(self.names)}{parts}>"


@dataclass(frozen=True, eq=False)
class MeanEffect:
    """What setting x does to the mean of a continuous y.

    Attributes
    ----------
    x, y
        The variable that is set, and the one whose distribution is given.
    slope
        Of a continuous x: how much the mean of y grows if x is set one higher. None of a discrete x.
    means
        Of a discrete x: the mean of y for each state that x is set to. None of a continuous x.
    """

    x: str
    y: str
    slope: float | None
    means: dict[str, float] | None

    def __float__(self) -> float:
        if self.slope is None:
            raise InputError(f"{self.x!r} is discrete: means has the mean of {self.y!r} for each state.")
        return self.slope

    def difference(self, to: object, instead_of: object) -> float:
        """Return how much larger the mean of y is if x is set to one value and not to another."""
        if self.means is None:
            assert self.slope is not None
            return self.slope * (_number(self.x, to) - _number(self.x, instead_of))
        states = tuple(self.means)
        high, low = (states[state_of(self.x, states, one)] for one in (to, instead_of))
        return self.means[high] - self.means[low]

    def __repr__(self) -> str:
        shown = f"slope {self.slope:.4g}" if self.means is None else f"means {self.means}"
        return f"<MeanEffect of {self.x!r} on {self.y!r}: {shown}>"


def query(
    net: GaussianNetwork,
    target: str | Sequence[str] | None,
    evidence: Mapping[str, object] | None,
    *,
    joint: bool = True,
) -> Any:
    """Return what is known of some variables; see `GaussianNetwork.query`."""
    row = _row(net, evidence or {})
    if target is None:
        names = [name for v, name in enumerate(net.names) if not _is_known(row, v)]
        return {name: query(net, name, evidence) for name in names}
    names = [target] if isinstance(target, str) else list(target)
    chosen = [net.network.index(name) for name in names]
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"query: expected one or more different variables, got {names!r}.")
    for name, v in zip(names, chosen, strict=True):
        if _is_known(row, v):
            raise InputError(f"query: {name!r} is asked for and given as evidence.")
    if not joint:
        return {name: query(net, name, evidence) for name in names}
    kinds = {bool(net.states[v]) for v in chosen}
    if len(kinds) > 1:
        raise InputError(
            "query: discrete and continuous variables are not asked for together; ask for each by itself"
            " (joint=False), or for those of one kind."
        )
    if kinds == {True}:
        return _discrete_answer(net, row, names, chosen, evidence, alone=isinstance(target, str))
    return _density(net, row, names, chosen, evidence)


def _discrete_answer(
    net: GaussianNetwork,
    row: Rows,
    names: Sequence[str],
    chosen: Sequence[int],
    evidence: Mapping[str, object] | None,
    *,
    alone: bool,
) -> dict[Any, float]:
    if np.isnan(row.values).all():  # nothing continuous is known, and nothing continuous is above
        discrete = {name for name, own in zip(net.names, net.states, strict=True) if own}
        states = {name: value for name, value in (evidence or {}).items() if name in discrete}
        return net.discrete_part.query(names[0] if alone else list(names), states)
    found = _one(net, row, chosen, evidence)
    shape = [len(net.states[v]) for v in chosen]
    table = np.zeros(shape)
    np.add.at(table, tuple(found.codes[:, v] for v in chosen), found.weight)
    if alone:
        return dict(zip(net.states[chosen[0]], table.tolist(), strict=True))
    return {
        tuple(net.states[v][k] for v, k in zip(chosen, cell, strict=True)): float(table[cell])
        for cell in np.ndindex(*shape)
    }


def _density(
    net: GaussianNetwork,
    row: Rows,
    names: Sequence[str],
    chosen: Sequence[int],
    evidence: Mapping[str, object] | None,
) -> Density:
    found = _one(net, row, chosen, evidence)
    kept = np.flatnonzero(found.weight > 0)
    seen = [v for v in range(len(net.names)) if _is_known(row, v)]
    continuous = [v for v in ancestors_of(net, [*chosen, *seen]) if not net.states[v]]
    covariances = [_covariance(net, continuous, row.values[0], found.codes[k], chosen) for k in kept.tolist()]
    means = found.values[np.ix_(kept, np.array(chosen))]
    return Density(tuple(names), found.weight[kept], means, np.array(covariances))


def most_probable(
    net: GaussianNetwork, evidence: Mapping[str, object] | None, targets: str | Sequence[str] | None
) -> Explanation:
    """Return the values of highest joint density; see `GaussianNetwork.most_probable`."""
    known = evidence or {}
    row = _row(net, known)
    free = [name for v, name in enumerate(net.names) if not _is_known(row, v)]
    names = free if targets is None else [targets] if isinstance(targets, str) else list(targets)
    if not names:
        raise InputError("most_probable: every variable is given as evidence, so none is left to explain.")
    chosen = [net.network.index(name) for name in names]
    if len(set(chosen)) < len(chosen) or any(_is_known(row, v) for v in chosen):
        raise InputError(f"most_probable: expected different variables that are not known, got {names!r}.")
    found = _one(net, row, chosen, known)
    discrete = [v for v in chosen if net.states[v]]
    numbers = [v for v in chosen if not net.states[v]]
    seen = [v for v in range(len(net.names)) if _is_known(row, v)]
    needed = ancestors_of(net, [*chosen, *seen])
    summed = [net.names[v] for v in needed if net.states[v] and v not in chosen and v not in seen]
    if numbers and summed:
        raise InputError(
            f"most_probable: the density is a mixture over {listed(summed)}, which the targets depend on."
            " Add that to the targets, or to the evidence."
        )
    if not numbers:
        table: dict[tuple[int, ...], float] = {}
        for cell, share in zip(found.codes[:, discrete].tolist(), found.weight.tolist(), strict=True):
            table[tuple(cell)] = table.get(tuple(cell), 0.0) + share
        cell, share = max(table.items(), key=lambda entry: entry[1])
        states: dict[str, Any] = {net.names[v]: net.states[v][k] for v, k in zip(discrete, cell, strict=True)}
        return Explanation(states, min(1.0, share), math.log(share) + float(found.log[0]))
    continuous = [v for v in needed if not net.states[v]]
    best, at = -math.inf, 0
    for k in np.flatnonzero(found.weight > 0).tolist():
        covariance = _covariance(net, continuous, row.values[0], found.codes[k], numbers)
        certain = np.diag(covariance) == 0  # set from outside
        rest = np.linalg.slogdet(2 * math.pi * covariance[np.ix_(~certain, ~certain)])[1]
        density = math.log(found.weight[k]) - 0.5 * float(rest)
        if density > best:
            best, at = density, k
    values = {
        net.names[v]: net.states[v][found.codes[at, v]] if net.states[v] else float(found.values[at, v])
        for v in chosen
    }
    return Explanation(values, math.exp(best), best + float(found.log[0]))


def _covariance(
    net: GaussianNetwork,
    continuous: Sequence[int],
    known: Floats,
    codes: NDArray[np.int32],
    chosen: Sequence[int],
) -> Floats:
    """The covariance of the targets, given the known numbers, at one state of the discrete variables."""
    _, b, d = normal_of(net, continuous, codes)
    fixed = (d == 0) & (b == 0).all(axis=1)
    free = [k for k, v in enumerate(continuous) if np.isnan(known[v]) and not fixed[k]]
    c = np.eye(len(d)) - b
    rest = np.flatnonzero(~fixed)
    precision = c[rest].T @ (c[rest] / d[rest][:, None])
    whole = np.zeros((len(d), len(d)))
    if free:
        whole[np.ix_(free, free)] = np.linalg.inv(precision[np.ix_(free, free)])
    places = [list(continuous).index(v) for v in chosen]
    return np.asarray(whole[np.ix_(places, places)])


def log_probability(net: GaussianNetwork, evidence: Mapping[str, object]) -> float:
    """Return the logarithm of the density of some values."""
    return float(next(completed_rows(net, _row(net, evidence), ())).log[0])


def log_likelihood(net: GaussianNetwork, table: object) -> float:
    """Return the logarithm of the density of all rows, in each of which what is missing is summed out."""
    given: Any = table if is_coded(table) else new_table(table, net)
    table_columns(net.names, given)
    rows = rows_of(net, given)
    if not len(rows):
        return 0.0
    weights = weights_of(given)
    logs = np.concatenate([part.log for part in completed_rows(net, rows, ())])
    if (own := interventions_of(given)) is not None:
        for k, target in enumerate(own.targets):
            fixed = {net.network.index(v) for v in target if v in net.names}
            here = own.rows == k
            logs[here] = _log_of_others(net, rows, fixed)[here]
    return float(logs.sum() if weights is None else logs @ weights)


def _log_of_others(net: GaussianNetwork, rows: Any, fixed: set[int]) -> Floats:
    """Return the log density of all but some variables that were set, given these."""
    families = list(net.families)
    more = np.zeros(len(rows))  # what the families put in their place take away
    for v in fixed:
        if net.states[v]:
            families[v] = np.full(len(net.states[v]), 1 / len(net.states[v]))
            more += np.where(rows.codes[:, v] >= 0, math.log(len(net.states[v])), 0.0)
        else:
            values = rows.values[:, v]
            known = values[~np.isnan(values)]
            middle = float(known.mean()) if known.size else 0.0
            spread = (float(known.var()) if known.size else 0.0) or 1.0
            families[v] = {"intercept": middle, "coefficients": np.zeros(0), "variance": spread}
            taken = (math.log(2 * math.pi * spread) + (values - middle) ** 2 / spread) / 2
            more += np.where(np.isnan(values), 0.0, taken)
    free = GaussianNetwork(
        without_parents(net.network, fixed), net.states, families, missing_values=net.missing_values
    )
    more += np.concatenate([part.log for part in completed_rows(free, rows, ())])
    return more


def do(net: GaussianNetwork, interventions: Mapping[str, object]) -> GaussianNetwork:
    """Return the network with some variables set from outside."""
    if not interventions:
        raise InputError("do: expected one or more variables to set, got none.")
    check_values("do", interventions)
    row = _row(net, interventions)
    fixed = {net.network.index(name) for name in interventions}
    families = list(net.families)
    for v in fixed:
        if net.states[v]:
            families[v] = np.eye(len(net.states[v]))[row.codes[0, v]]
        else:
            families[v] = {"intercept": row.values[0, v], "coefficients": np.zeros(0), "variance": 0.0}
    return GaussianNetwork(
        without_parents(net.network, fixed), net.states, families, missing_values=net.missing_values
    )


def effect(net: GaussianNetwork, x: str, y: str) -> Effect | MeanEffect:
    """Return what setting x does to y."""
    i, j = check_two(net.network, x, y)
    if net.states[j]:
        if net.states[i]:
            return discrete_effect(net.discrete_part, x, y)
        raise InputError(f"{y!r} is discrete and {x!r} continuous: setting {x!r} changes nothing about it.")
    if net.states[i]:
        means = {state: float(do(net, {x: state}).query(y).mean) for state in net.states[i]}
        return MeanEffect(x, y, None, means)
    low, high = (float(do(net, {x: value}).query(y).mean) for value in (0.0, 1.0))
    return MeanEffect(x, y, high - low, None)


def predict(net: GaussianNetwork, rows: object, target: str) -> NDArray[Any]:
    """Return the most probable state or the mean of a variable for each row."""
    v = net.network.index(target)
    refuse_interventions(rows, "predict")
    if net.states[v]:
        table = as_new_table(rows, net)
        best = predict_proba(net, table, target).argmax(axis=1)
        return np.asarray(values_of(net.states[v], table, target)[best])
    given = rows_of(net, rows, without=[target])
    found = np.zeros(len(given))
    for part in completed_rows(net, given, [v]):
        _check_possible(part)
        found[part.rows] = np.bincount(part.row, part.weight * part.values[:, v], len(part.rows))
    return found


def predict_proba(net: GaussianNetwork, rows: object, target: str) -> Floats:
    """Return the distribution of a discrete variable for each row."""
    v = net.network.index(target)
    if not net.states[v]:
        raise InputError(f"predict_proba: {target!r} is continuous; predict gives its mean.")
    refuse_interventions(rows, "predict_proba")
    given = rows_of(net, rows, without=[target])
    found = np.zeros((len(given), len(net.states[v])))
    for part in completed_rows(net, given, [v]):
        _check_possible(part)
        own = np.zeros((len(part.rows), found.shape[1]))
        np.add.at(own, (part.row, part.codes[:, v]), part.weight)
        found[part.rows] = own
    return found


def impute(net: GaussianNetwork, table: object, method: str, seed: int) -> Table:
    """Return a table with all that is missing filled in."""
    from bayesloom.table import Table

    if method not in ("mode", "draw"):
        raise unknown("method of impute", method, ["mode", "draw"])
    check_count("seed", seed, least=0)
    refuse_interventions(table, "impute")
    net, given = without_missing(net, rows_of(net, table))
    codes, values = given.codes.copy(), given.values.copy()
    rng = np.random.Generator(np.random.PCG64(seed)) if method == "draw" else None
    for part in completed_rows(net, given, range(len(net.names)), rng):
        _check_possible(part)
        if rng is not None:
            at = _drawn(part, rng)
            codes[part.rows], values[part.rows] = part.codes[at], part.values[at]
            continue
        for v in range(len(net.names)):
            if net.states[v]:
                shares = np.zeros((len(part.rows), len(net.states[v])))
                np.add.at(shares, (part.row, part.codes[:, v]), part.weight)
                codes[part.rows, v] = shares.argmax(axis=1)
            else:
                mean = np.bincount(part.row, part.weight * part.values[:, v], len(part.rows))
                known = given.values[part.rows, v]
                values[part.rows, v] = np.where(np.isnan(known), mean, known)
    return _table(net, codes, values, "imputed", table.weights if isinstance(table, Table) else None, Table)


def without_missing(net: GaussianNetwork, rows: Rows) -> tuple[GaussianNetwork, Rows]:
    """Return the network without states named ``missing``, which become hidden values."""
    gone = states_of_missing(net.states)
    if not gone:
        return net, rows
    families: list[Any] = []
    for v, family in enumerate(net.families):
        up = [p for p in net.network.parent_indices[v] if net.states[p]]
        if isinstance(family, Regression):
            parts = ("intercept", "coefficients", "variance")
            families.append({part: cells_without(getattr(family, part), up, gone) for part in parts})
        else:
            families.append(table_without(family, (*up, v), gone))
    states = [without_state(own, gone.get(v)) for v, own in enumerate(net.states)]
    smaller = GaussianNetwork(net.network, states, families, missing_values=net.missing_values)
    return smaller, Rows(codes_without(rows.codes, gone), rows.values)


def sample_given(net: GaussianNetwork, n: int, seed: int, evidence: Mapping[str, object]) -> Table:
    """Draw rows that have some values."""
    from bayesloom.table import Table

    row = _row(net, evidence)
    rng = np.random.Generator(np.random.PCG64(seed))
    given = Rows(np.repeat(row.codes, n, axis=0), np.repeat(row.values, n, axis=0))
    codes, values = given.codes.copy(), given.values.copy()
    for part in completed_rows(net, given, range(len(net.names)), rng):
        _check_possible(part, evidence)
        at = _drawn(part, rng)
        codes[part.rows], values[part.rows] = part.codes[at], part.values[at]
    return _table(net, codes, values, "sampled", None, Table)


def _drawn(part: Completed, rng: np.random.Generator) -> NDArray[np.intp]:
    """Choose one of the states of each row by its weight."""
    starts = np.flatnonzero(np.r_[True, np.diff(part.row) > 0])
    sums = np.cumsum(part.weight)
    before = np.r_[0.0, sums][starts]
    ends = np.r_[starts[1:], len(part.row)]
    mark = before + rng.random(len(starts)) * (sums[ends - 1] - before)
    at = np.minimum(np.searchsorted(sums, mark, side="right"), ends - 1)
    while (empty := part.weight[at] == 0).any():  # only by rounding, at the end of a row
        at = np.where(empty, at - 1, at)
    return np.asarray(at)


def _table(net: GaussianNetwork, codes: Any, values: Any, source: str, weights: Any, table: Any) -> Table:
    columns = [codes[:, v] if net.states[v] else values[:, v] for v in range(len(net.names))]
    made: Table = table.from_codes(net.names, net.states, columns, source=source, weights=weights)
    return made


def _one(
    net: GaussianNetwork, row: Rows, chosen: Sequence[int], evidence: Mapping[str, object] | None
) -> Completed:
    found = next(completed_rows(net, row, chosen))
    _check_possible(found, evidence or {})
    return found


def _row(net: GaussianNetwork, evidence: Mapping[str, object]) -> Rows:
    codes = np.full((1, len(net.names)), -1, dtype=np.int32)
    values = np.full((1, len(net.names)), np.nan)
    for name, value in evidence.items():
        v = net.network.index(name)
        if is_unknown(value):
            if MISSING in net.states[v]:
                codes[0, v] = net.states[v].index(MISSING)
        elif net.states[v]:
            codes[0, v] = state_of(name, net.states[v], value)
        else:
            values[0, v] = _number(name, value)
    return Rows(codes, values)


def _number(name: str, value: object) -> float:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = float(value)
    if not is_number(value):
        raise InputError(f"variable {name!r} is continuous: expected a finite number, got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _is_known(row: Rows, v: int) -> bool:
    return bool(row.codes[0, v] >= 0 or not np.isnan(row.values[0, v]))


def _check_possible(part: Completed, evidence: Mapping[str, object] | None = None) -> None:
    impossible = np.flatnonzero(~(part.log > -math.inf))
    if not impossible.size:
        return
    if evidence is not None:
        shown = listed([f"{name} = {value}" for name, value in evidence.items()], 5)
        raise InputError(f"query: the network holds {shown} impossible, so nothing follows from it.")
    raise InputError(
        f"row {int(part.rows[impossible[0]]) + 1}: the network holds the values of this row impossible, so"
        " nothing follows from them."
    )
