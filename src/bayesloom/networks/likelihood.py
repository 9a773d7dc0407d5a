"""How probable the rows of a table are under a network; what is missing in a row is summed out.

    log L  =  sum over rows of  w_r ln P(what row r holds)

A row that is complete takes one look-up for each variable.  Of a row with holes the probability of the rest
is asked, as `log_probability` does.  Where variables were set from outside, a row tells how probable all else
is, given what was set.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.networks.inference import ask
from bayesloom.networks.interventions import without_parents
from bayesloom.networks.joint import interventions_of, joint_index, not_set, table_columns, weights_of
from bayesloom.networks.rows import codes_of, different_rows, is_coded, new_table

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork
    from bayesloom.table import Interventions

Floats = NDArray[np.float64]

__all__ = ["log_likelihood"]


def log_likelihood(fitted: FittedNetwork, source: object) -> float:
    """Return the log-likelihood of a table, or of anything that `read_table` takes."""
    given: Any = source if is_coded(source) else new_table(source, fitted)
    table_columns(fitted.names, given)
    rows = codes_of(fitted, given)
    if not len(rows):
        return 0.0
    weights = weights_of(given)
    whole = np.ones(len(rows), dtype=bool)
    for column in rows.T:
        whole &= column >= 0
    complete = bool(whole.all())
    total = 0.0
    for i, parents in enumerate(fitted.network.parent_indices):
        axes = (*parents, i)
        free = not_set(given, fitted.names[i])
        here: Any = slice(None) if complete and free is None else whole if free is None else whole & free
        cell = joint_index([rows[here, v] for v in axes], [len(fitted.states[v]) for v in axes])
        with np.errstate(divide="ignore"):
            logs = np.log(fitted.tables[i].reshape(-1)[cell])
        total += float(logs.sum() if weights is None else (logs * weights[here]).sum())
    if not complete:
        holes = np.flatnonzero(~whole)
        logs = _of_holes(fitted, rows[holes], holes, interventions_of(given))
        total += float(logs.sum() if weights is None else (logs * weights[holes]).sum())
    return total


def _of_holes(
    fitted: FittedNetwork, rows: NDArray[np.int32], places: NDArray[np.intp], own: Interventions | None
) -> Floats:
    """Return the log probability of what each row holds, given what was set in it."""
    logs = np.zeros(len(rows))
    regimes = np.full(len(rows), -1) if own is None else own.rows[places]
    for k in np.unique(regimes).tolist():
        here = regimes == k
        targets = () if own is None or k < 0 else own.targets[k]
        fixed = {fitted.network.index(name) for name in targets if name in fitted.names}
        different, back = different_rows(rows[here])
        logs[here] = ask(_free_of(fitted, fixed), different, "evidence")["logs"][back]
        for v in fixed:  # what the uniform tables in their place take away
            logs[here] += np.where(rows[here, v] >= 0, math.log(len(fitted.states[v])), 0.0)
    return logs


def _free_of(fitted: FittedNetwork, fixed: set[int]) -> FittedNetwork:
    if not fixed:
        return fitted
    tables = [
        np.full(len(fitted.states[v]), 1 / len(fitted.states[v])) if v in fixed else table
        for v, table in enumerate(fitted.tables)
    ]
    return type(fitted)(without_parents(fitted.network, fixed), fitted.states, tables)
