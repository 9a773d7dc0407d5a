"""Predict a variable from the others, and fill in missing values, for many rows at once.

Rows go to the core together, sorted by what is known of them, so that rows which know the same variables
share one plan of elimination, and equal rows are answered once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, unknown
from bayesloom.limits import check_count
from bayesloom.networks.inference import HIDDEN, Codes, Floats, ask
from bayesloom.networks.joint import refuse_interventions
from bayesloom.networks.rows import as_new_table, codes_of, different_rows, values_of
from bayesloom.table.state_names import MISSING

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork
    from bayesloom.table import Table

__all__ = ["completed", "distributions", "impute", "predict", "predict_proba", "without_missing"]

ImputeMethod = Literal["mode", "joint", "draw"]
METHODS = {"mode": "modes", "joint": "most_probable", "draw": "draw"}


def predict_proba(fitted: FittedNetwork, rows: object, target: str, threads: int | None = None) -> Floats:
    """Return the distribution of a variable for each row; see `FittedNetwork.predict_proba`."""
    v = fitted.network.index(target)
    refuse_interventions(rows, "predict")
    return distributions(fitted, codes_of(fitted, rows, without=[target]), v, threads)


def predict(fitted: FittedNetwork, rows: object, target: str, threads: int | None = None) -> NDArray[Any]:
    """Return the most probable state of a variable for each row; see `FittedNetwork.predict`."""
    states = fitted.states[fitted.network.index(target)]
    given = as_new_table(rows, fitted)
    best = predict_proba(fitted, given, target, threads).argmax(axis=1)
    return np.asarray(values_of(states, given, target)[best])


def impute(
    fitted: FittedNetwork,
    table: object,
    method: ImputeMethod = "mode",
    seed: int = 0,
    threads: int | None = None,
) -> Table:
    """Return a table with all that is missing filled in; see `FittedNetwork.impute`."""
    from bayesloom.table import Table

    if method not in METHODS:
        raise unknown("method of impute", method, METHODS)
    check_count("seed", seed, least=0)
    refuse_interventions(table, "impute")
    fitted, rows = without_missing(fitted, codes_of(fitted, table))
    filled = completed(fitted, rows, method, seed, threads)
    weights = table.weights if isinstance(table, Table) else None
    return Table.from_codes(fitted.names, fitted.states, list(filled.T), source="imputed", weights=weights)


def completed(
    fitted: FittedNetwork, rows: Codes, method: ImputeMethod, seed: int = 0, threads: int | None = None
) -> Codes:
    """Return rows of codes with what is hidden filled in."""
    holes = np.flatnonzero((rows < 0).any(axis=1))
    if not holes.size:
        return rows
    partial = rows[holes]
    hidden = np.flatnonzero((partial < 0).any(axis=0))
    if method == "draw":
        order = np.argsort(_patterns(partial), kind="stable")
        found = ask(fitted, partial[order], "draw", seed=seed, threads=threads)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
    else:
        different, back = different_rows(partial)
        found = ask(fitted, different, METHODS[method], hidden.tolist(), threads=threads)
    _check_possible(found["logs"][back], holes)
    answer = rows.copy()
    answer[holes] = found["codes"].reshape(-1, len(fitted.names))[back]
    return answer


def distributions(fitted: FittedNetwork, rows: Codes, v: int, threads: int | None) -> Floats:
    """Return P(v | row) for each row, in which v is hidden."""
    different, back = different_rows(rows)
    found = ask(fitted, different, "joint", [v], threads=threads)
    _check_possible(found["logs"][back], np.arange(len(rows)))
    values: Floats = found["values"].reshape(-1, len(fitted.states[v]))[back]
    return values


def _patterns(rows: Codes) -> NDArray[np.intp]:
    """Return a number for each row, the same for rows in which the same variables are hidden."""
    packed = np.ascontiguousarray(np.packbits(rows < 0, axis=1))
    as_bytes = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    return np.asarray(np.unique(as_bytes, return_inverse=True)[1]).reshape(-1)


def _check_possible(logs: Floats, places: NDArray[np.intp]) -> None:
    impossible = np.flatnonzero(logs == -math.inf)
    if impossible.size:
        raise InputError(
            f"row {places[impossible[0]] + 1}: the network holds the values of this row impossible, so"
            f" nothing follows from them ({impossible.size:,} such rows). A network fitted with"
            " method='dirichlet' knows no zeros."
        )


def without_missing(fitted: FittedNetwork, rows: Codes) -> tuple[FittedNetwork, Codes]:
    """Return the network without states named ``missing``, which become hidden values.

    Each distribution is that of the other states, given that the value is there.
    """
    from bayesloom.networks.fitted import FittedNetwork

    gone = states_of_missing(fitted.states)
    if not gone:
        return fitted, rows
    tables = [
        table_without(table, (*fitted.network.parent_indices[v], v), gone)
        for v, table in enumerate(fitted.tables)
    ]
    states = [without_state(own, gone.get(v)) for v, own in enumerate(fitted.states)]
    smaller = FittedNetwork(fitted.network, states, tables, missing_values=fitted.missing_values)
    return smaller, codes_without(rows, gone)


def states_of_missing(states: Sequence[Sequence[str]]) -> dict[int, int]:
    """Return which state of which variable stands for a missing value, where there are others."""
    return {v: own.index(MISSING) for v, own in enumerate(states) if MISSING in own and len(own) > 1}


def without_state(states: Sequence[str], gone: int | None) -> tuple[str, ...]:
    """Return the states without one, if there is such."""
    return tuple(state for k, state in enumerate(states) if k != gone)


def table_without(table: Floats, axes: Sequence[int], gone: Mapping[int, int]) -> Floats:
    """Return a table without some states of its variables, each distribution given that it is another."""
    table = cells_without(table, axes, gone)
    sums = table.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, table / np.where(sums > 0, sums, 1), 1 / table.shape[-1])


def cells_without(array: Floats, axes: Sequence[int], gone: Mapping[int, int]) -> Floats:
    """Return an array whose first axes are those of variables without some of their states."""
    for axis, u in enumerate(axes):
        if u in gone:
            array = np.delete(array, gone[u], axis=axis)
    return array


def codes_without(rows: Codes, gone: Mapping[int, int]) -> Codes:
    """Return codes in the states that are left: hidden where the state is gone."""
    rows = rows.copy()
    for v, k in gone.items():
        column = rows[:, v]
        rows[:, v] = np.where(column == k, HIDDEN, column - (column > k))
    return rows
