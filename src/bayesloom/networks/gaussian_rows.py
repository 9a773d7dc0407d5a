"""Rows of a table for a network with continuous variables: codes, and numbers; -1 and NaN if not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom.errors import InputError, option
from bayesloom.networks.gaussian_posterior import Rows
from bayesloom.networks.rows import NewTable, is_coded, new_columns, no_state, rank_of
from bayesloom.table.columns import Columns, listed
from bayesloom.table.distinct import distinct
from bayesloom.table.state_names import MISSING

if TYPE_CHECKING:
    from bayesloom.networks.gaussian import GaussianNetwork

__all__ = ["rows_of"]


def rows_of(net: GaussianNetwork, source: object, *, without: Sequence[str] = ()) -> Rows:
    """Return the rows of a table, or of anything that `read_table` takes."""
    if isinstance(source, NewTable):
        return _of_columns(net, source.columns, without)
    if is_coded(source):
        return _of_table(net, source, without)
    return _of_columns(net, new_columns(source, net), without)


def _empty(net: GaussianNetwork, names: Sequence[str], count: int, source: str) -> Rows:
    if not any(name in net.network._index for name in names):
        shown = listed([repr(name) for name in net.names], 5)
        raise InputError(f"{source}: no column is a variable of the network, which has {shown}.")
    shape = (count, len(net.names))
    return Rows(np.full(shape, -1, dtype=np.int32), np.full(shape, np.nan))


def _of_table(net: GaussianNetwork, table: Any, without: Sequence[str]) -> Rows:
    rows = _empty(net, table.names, int(table.row_count), "the table")
    for c, name in enumerate(table.names):
        v = net.network._index.get(name)
        if v is None or name in without:
            continue
        if not net.states[v]:
            if table.states[c]:
                raise InputError(
                    f"variable {name!r} is continuous in the network and has states in the table; read the"
                    f" table with {option('continuous', name)}."
                )
            rows.values[:, v] = table.codes[c]
            continue
        own = {state: k for k, state in enumerate(net.states[v])}
        if not table.states[c]:
            raise InputError(f"variable {name!r} is discrete in the network and has numbers in the table.")
        gap = own.get(MISSING, -1)  # of values that are missing, where the table has such
        rank = np.array([*(own.get(state, -1) for state in table.states[c]), gap], dtype=np.int32)
        for k, state in enumerate(table.states[c]):
            if state not in own and state != MISSING and (at := np.flatnonzero(table.codes[c] == k)).size:
                raise no_state("table", f"row {at[0] + 1}", name, state, net.states[v])
        rows.codes[:, v] = rank[table.codes[c]]
    return rows


def _of_columns(net: GaussianNetwork, columns: Columns, without: Sequence[str]) -> Rows:
    rows = _empty(net, columns.names, columns.row_count, columns.source)
    for c, name in enumerate(columns.names):
        v = net.network._index.get(name)
        if v is None or name in without:
            continue
        states = net.states[v]
        one = distinct(
            columns.arrays[c],
            from_text=columns.from_text,
            declared=frozenset(states),
            where=f"{columns.source}: column {name!r}",
        )
        if states:
            rank = rank_of(one, states)
            if (bad := np.flatnonzero(rank[: len(one)] < 0)).size and (
                at := np.flatnonzero(np.isin(one.codes, bad))
            ).size:
                label = one.labels()[int(one.codes[at[0]])]
                raise no_state(columns.source, columns.place(int(at[0])), name, label, states)
            rows.codes[:, v] = rank[one.codes]
            continue
        if len(one) and not one.is_numeric:
            raise InputError(
                f"{columns.source}: column {name!r} holds texts, and the variable is continuous."
            )
        numbers = np.r_[np.asarray(one.values, dtype=np.float64), np.nan][one.codes]
        if (bad := np.flatnonzero(np.isinf(numbers))).size:
            raise InputError(f"{columns.source}, {columns.place(int(bad[0]))}: {name!r} is not finite.")
        rows.values[:, v] = numbers
    return rows
