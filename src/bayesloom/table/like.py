"""Read new rows in the states of an existing table: with its names, states and cut points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, did_you_mean, option, unknown

from .columns import Columns, code_type, counted, listed
from .dates import with_date_parts
from .discretize import interval_names
from .distinct import Distinct, distinct, number_in_text
from .interventions import INTERVENTIONS_NAME, Interventions, made
from .missing_codes import EVERY, without_codes
from .rare import OTHER
from .selection import Selection
from .sources import read_source
from .state_names import MISSING, twins
from .table import Table


def read_like(
    table: Table,
    source: object,
    *,
    missing: Literal["drop", "state", "keep"] | None,
    weights: object,
    interventions: object = None,
    header: bool | None,
    names: Sequence[str] | None,
    delimiter: str | None,
    sheet: str | None,
) -> Table:
    """Read a source in the states of a table; see `Table.like`."""
    if missing not in (None, "drop", "state", "keep"):
        raise unknown("value of missing", missing, ["drop", "state", "keep"])
    columns = read_source(source, header=header, names=names, delimiter=delimiter, lenient=True, sheet=sheet)
    absent_as = {k: own for k, own in table.missing_values.items() if k == EVERY or k in columns.names}
    no_values = [one for one in (weights, interventions) if isinstance(one, str)]
    no_values += [table.weight_name] if table.weights is not None else []
    no_values += [table.interventions.name] if table.interventions is not None else []
    columns = without_codes(columns, absent_as, aside={*no_values} - {*table.names})
    if not set(table.names) <= set(columns.names):  # some may be parts of dates
        columns = with_date_parts(columns, keep=set(table.names), all_parts=True)
    if not columns.row_count:
        raise InputError(f"{columns.source}: the table has no rows.")
    known = set(columns.names)
    if weights is None and table.weights is not None and table.weight_name in known - {*table.names}:
        weights = table.weight_name
    had = table.interventions
    if interventions is None and had is not None and had.name in known - {*table.names}:
        interventions = had.name
    if absent := [name for name in table.names if name not in known]:
        raise InputError(
            f"{columns.source}: there is no column {absent[0]!r}, which the table has."
            f"{did_you_mean(absent[0], columns.names)}"
        )
    columns = Selection.given(
        exclude=None, only=None, weights=weights, interventions=interventions
    ).of_columns(columns)
    own = set(table.names)
    notes = [*columns.notes]
    if more := [repr(name) for name in columns.names if name not in own]:
        notes.append(f"Left out, since the table has no such column: {listed(more)}.")
    position = {name: i for i, name in enumerate(columns.names)}
    coded: list[NDArray[Any]] = []
    lacking: NDArray[np.bool_] = np.zeros(columns.row_count, dtype=bool)
    for name, states in zip(table.names, table.states, strict=True):
        where = f"{columns.source}: column {name!r}"
        one = distinct(
            columns.arrays[position[name]],
            from_text=columns.from_text,
            declared=frozenset(states),
            where=where,
        )
        if not states:
            coded.append(numbers := _numbers(columns, name, one, missing))
            lacking |= np.isnan(numbers)
            continue
        rank = _rank(one, states, table.cut_points.get(name, ()))
        nowhere = _nowhere(columns, name, one, rank, states, missing)
        lacking |= nowhere[one.codes]
        coded.append(rank[one.codes])
    gaps = missing == "keep" and bool(lacking.any())
    gone = np.zeros_like(lacking) if missing == "keep" else lacking
    if gone.all():
        raise InputError(f"{columns.source}: no row is in the states of the table.")
    if count := int(np.count_nonzero(gone)):
        notes.append(f"{count} of {counted(gone.size, 'row')} dropped: a value is missing or no known state.")
    codes: Any = tuple(
        column[~gone].astype(code_type(len(states) + gaps) if states else np.float64)
        for column, states in zip(coded, table.states, strict=True)
    )
    found: Interventions | None = None
    if columns.regimes is not None:
        name = columns.target_name or INTERVENTIONS_NAME
        whole = made(columns.targets, columns.regimes[~gone], name)
        found = None if whole is None else whole.only(table.names)
    return replace(
        table,
        interventions=found,
        codes=codes,
        gaps=gaps,
        notes=tuple(notes),
        source=columns.source,
        weights=None if columns.weights is None else columns.weights[~gone],
        weight_name=columns.weight_name or table.weight_name,
        reading={},
    )


def _numbers(
    columns: Columns, name: str, one: Distinct, missing: Literal["drop", "state", "keep"] | None
) -> NDArray[np.float64]:
    """Return the numbers of a continuous column; NaN where there is none, if such rows may go."""
    numbers = one.numbers()
    kept = np.append(np.zeros(len(one), dtype=bool), missing == "keep")[one.codes]
    bad = np.flatnonzero(~np.isfinite(numbers) & ~kept)
    if bad.size and missing != "drop":
        raise InputError(
            f"{columns.source}, {columns.place(int(bad[0]))}: variable {name!r} is continuous and has no"
            f" finite number here. Leave such rows out with {option('missing', 'drop')}."
        )
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _rank(one: Distinct, states: Sequence[str], cuts: tuple[float, ...]) -> NDArray[np.int64]:
    """Return the state of each value of a column, and of a missing one at the end; -1 where there is none."""
    code_of: dict[str | float, int] = {state: k for k, state in enumerate(states)}
    if one.is_numeric or one.kind == "boolean":
        code_of.update(twins(states))
    keys: Sequence[str | float] = one.labels()
    if one.is_numeric and cuts:
        between = interval_names(cuts)
        keys = [between[k] for k in np.searchsorted(np.array(cuts), one.values, side="left")]
    elif one.is_numeric:
        for k, state in enumerate(states):
            if (number := number_in_text(state)) is not None:
                code_of.setdefault(number, k)
        keys = [
            label if label in code_of else float(value) for label, value in zip(keys, one.values, strict=True)
        ]
    other = code_of.get(OTHER, -1)  # rare texts were put together, and those never seen are rare too
    return np.array([*(code_of.get(key, other) for key in keys), code_of.get(MISSING, -1)], dtype=np.int64)


def _nowhere(
    columns: Columns,
    name: str,
    one: Distinct,
    rank: NDArray[np.int64],
    states: Sequence[str],
    missing: Literal["drop", "state", "keep"] | None,
) -> NDArray[np.bool_]:
    """Return which values have no state, and give them a code in `rank`; raise the error if none may."""
    nowhere = rank < 0
    if missing == "state" and MISSING in states:
        rank[nowhere] = states.index(MISSING)
        return np.zeros(len(rank), dtype=bool)
    if missing == "keep":
        refused = nowhere.copy()
        refused[-1] = False
    else:
        refused = nowhere
    rows = np.flatnonzero(refused[one.codes])
    if rows.size and missing != "drop":
        code = int(one.codes[rows[0]])
        where = f"{columns.source}, {columns.place(int(rows[0]))}: variable {name!r}"
        among = f"not among {listed([repr(state) for state in states])}"
        what = f"has state {one.labels()[code]!r}, {among}" if code < len(one) else f"is missing, {among}"
        raise InputError(f"{where} {what}. Leave such rows out with {option('missing', 'drop')}.")
    rank[nowhere] = len(states) if missing == "keep" else 0
    return nowhere
