"""Joint states of several columns as one number, which is how tables of counts are indexed.

    index(row) = (...(x_1 r_2 + x_2) r_3 + ...) r_k + x_k

the same number that a C-ordered array of shape ``(r_1, ..., r_k)`` gives the cell ``[x_1, ..., x_k]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError

if TYPE_CHECKING:
    from bayesloom.table import Interventions


class TableLike(Protocol):
    """What is needed of a `bayesloom.Table`."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def states(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def codes(self) -> tuple[NDArray[Any], ...]: ...
    @property
    def row_count(self) -> int: ...


def joint_index(columns: Sequence[NDArray[Any]], cardinalities: Sequence[int]) -> NDArray[np.int64]:
    """Number the joint states of some columns, the last varying fastest.

    No columns have one joint state: a single zero, which stands for every row.

    >>> joint_index([np.array([0, 1]), np.array([2, 0])], [2, 3])
    array([2, 3])
    """
    if not columns:
        return np.zeros(1, dtype=np.int64)
    index = columns[0].astype(np.int64)
    for column, cardinality in zip(columns[1:], cardinalities[1:], strict=True):
        index *= cardinality
        index += column
    return index


def weights_of(table: TableLike) -> NDArray[np.uint32] | None:
    """Return how often each row of the table counts; None if each counts once."""
    return getattr(table, "weights", None)


def complete_rows(table: TableLike, columns: Sequence[int]) -> NDArray[np.bool_] | None:
    """Return which rows have a value in each of some columns; None if all have, or the table has no gaps."""
    if not getattr(table, "gaps", False):
        return None
    here: NDArray[np.bool_] = np.ones(table.row_count, dtype=bool)
    for c in columns:
        column = table.codes[c]
        here &= column < len(table.states[c]) if table.states[c] else ~np.isnan(column)
    return None if here.all() else here


def rows_that_count(table: TableLike, columns: Sequence[int], child: int) -> NDArray[np.bool_] | None:
    """Return which rows count for a family: complete on it, its child not set from outside; None if all."""
    here = complete_rows(table, columns)
    free = not_set(table, table.names[child])
    if free is None:
        return here
    return free if here is None else here & free


def interventions_of(table: object) -> Interventions | None:
    """Return what a table says was set from outside; a data frame may have a column of that name."""
    found = getattr(table, "interventions", None)
    return found if hasattr(found, "was_set") else None


def refuse_interventions(table: object, verb: str) -> None:
    """Refuse a table in which variables were set, if the answer would be that of rows in which none was."""
    if interventions_of(table) is not None:
        raise InputError(
            f"{verb}: variables were set in some rows of the table, and values are found as if none had been."
            " Read it without interventions, or take the network of `do`."
        )


def not_set(table: TableLike, name: str) -> NDArray[np.bool_] | None:
    """Return in which rows a variable was not set from outside; None if it was in none."""
    interventions = interventions_of(table)
    if interventions is None:
        return None
    was_set = interventions.was_set(name)
    return ~was_set if was_set.any() else None


def table_columns(names: Sequence[str], table: TableLike) -> list[int]:
    """Return where in the table each of the names is."""
    position = {name: i for i, name in enumerate(table.names)}
    if missing := [name for name in names if name not in position]:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise InputError(f"the table lacks {len(missing)} of the network's variables: {shown}.")
    return [position[name] for name in names]
