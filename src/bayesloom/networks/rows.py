"""Rows of a table as codes of a fitted network, negative where a value is not known.

A value is not known if it is missing, or if the table has no such column.  A network with a state named
``missing`` takes missing values for that state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, did_you_mean
from bayesloom.networks.intervals import bounds_of
from bayesloom.table.arrow_types import is_text
from bayesloom.table.columns import Columns, listed
from bayesloom.table.dates import with_date_parts
from bayesloom.table.distinct import Distinct, distinct, number_in_text
from bayesloom.table.interventions import INTERVENTIONS_NAME, Interventions, made
from bayesloom.table.missing_codes import EVERY, without_codes
from bayesloom.table.rare import OTHER
from bayesloom.table.selection import Selection
from bayesloom.table.sources import read_source
from bayesloom.table.state_names import MISSING, twins

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork

__all__ = [
    "NewTable",
    "as_new_table",
    "codes_of",
    "different_rows",
    "is_coded",
    "new_columns",
    "new_table",
    "no_state",
    "rank_of",
    "values_of",
]

HIDDEN = -1


def codes_of(
    fitted: FittedNetwork, source: object, *, without: Sequence[str] = (), refuse: bool = True
) -> NDArray[np.int32]:
    """Return a row of codes for each row of a table, or of anything that `read_table` takes.

    Columns named in `without`, and those that the network does not have, are not looked at. A value that is
    none of the states is refused, or else not known.

    Raises
    ------
    InputError
        If no column is a variable of the network, or a value is none of its states.
    """
    if isinstance(source, NewTable):
        return _of_columns(fitted, source.columns, without, refuse)
    if is_coded(source):
        return _of_table(fitted, source, without, refuse)
    return _of_columns(fitted, new_columns(source, fitted), without, refuse)


def is_coded(source: object) -> bool:
    """Return whether rows are those of a `Table`, with states and codes of their own."""
    return all(hasattr(source, name) for name in ("names", "states", "codes"))


class Names(Protocol):
    """What a fitted network says of the rows that it takes."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def missing_values(self) -> Mapping[str, Sequence[str]]: ...


def new_columns(source: object, net: Names) -> Columns:
    """Return the columns of new rows for a network, before any is coded, without what stands for missing."""
    names, codes = net.names, net.missing_values
    columns = read_source(source, header=None, names=None, delimiter=None, lenient=True)
    if codes:  # of the variables alone: a column of weights keeps all its numbers
        everywhere = codes.get(EVERY, ())
        own = {name: [*codes.get(name, ()), *everywhere] for name in columns.names if name in names}
        columns = without_codes(columns, own)
    if not set(names) <= set(columns.names):  # some may be parts of dates
        columns = with_date_parts(columns, keep=set(names), all_parts=True)
    return columns


@dataclass(frozen=True)
class NewTable:
    """New rows with their weights, and what was set in them, as their source says itself."""

    columns: Columns
    interventions: Interventions | None

    @property
    def names(self) -> Sequence[str]:
        return self.columns.names

    @property
    def weights(self) -> NDArray[np.uint32] | None:
        return self.columns.weights


def new_table(source: object, net: Names) -> NewTable:
    """Return new rows with weights and interventions, for a network."""
    columns = new_columns(source, net)
    columns = Selection.given(exclude=None, only=None, weights=None).of_columns(columns)
    if columns.regimes is None:
        return NewTable(columns, None)
    return NewTable(
        columns, made(columns.targets, columns.regimes, columns.target_name or INTERVENTIONS_NAME)
    )


def as_new_table(source: object, net: Names) -> Any:
    """Return rows as they are if they are coded, else as `codes_of` takes them, to be read once."""
    return source if is_coded(source) else NewTable(new_columns(source, net), None)


def values_of(states: Sequence[str], given: Any, name: str) -> NDArray[Any]:
    """Return the states of a variable as the values of a column: numbers, true and false, or texts.

    As the given rows have them: texts if they hold texts in the column, or are a `Table`. The state of a
    missing value is NaN among numbers.

    >>> values_of(["0", "1"], None, "x"), values_of(["false", "true"], None, "x")
    (array([0, 1]), array([False,  True]))
    >>> values_of(["a", "1"], None, "x")
    array(['a', '1'], dtype='<U1')
    """
    texts: NDArray[Any] = np.array(states)
    if given is not None and (is_coded(given) or _holds_texts(given.columns, name)):
        return texts
    own = [state for state in states if state != MISSING]
    made: list[Any]
    if own and set(own) <= {"false", "true"}:
        made = [np.nan if state == MISSING else state == "true" for state in states]
        return np.array(made, dtype=bool if len(own) == len(states) else object)
    numbers = [number_in_text(state) for state in own]
    if not own or any(number is None for number in numbers):
        return texts
    whole = all(_WHOLE.fullmatch(state) for state in own)
    made = [np.nan if state == MISSING else int(state) if whole else float(state) for state in states]
    return np.array(made)


_WHOLE = re.compile(r"-?[0-9]{1,18}")


def _holds_texts(columns: Columns, name: str) -> bool:
    if columns.from_text or name not in columns.names:
        return False
    kind = columns.arrays[list(columns.names).index(name)].type
    return is_text(getattr(kind, "value_type", kind))


def _of_table(fitted: FittedNetwork, table: Any, without: Sequence[str], refuse: bool) -> NDArray[np.int32]:
    rows = _empty(fitted, table.names, int(table.row_count), "the table", without)
    for c, name in enumerate(table.names):
        v = _place(fitted, name, without)
        if v is None:
            continue
        own = {state: k for k, state in enumerate(fitted.states[v])}
        gap = own.get(MISSING, HIDDEN)  # of values that are missing, where the table has such
        rank = np.array([*(own.get(state, HIDDEN) for state in table.states[c]), gap], dtype=np.int32)
        column = rank[table.codes[c]]
        for k, state in enumerate(table.states[c]) if refuse else ():
            if state not in own and state != MISSING and (at := np.flatnonzero(table.codes[c] == k)).size:
                raise no_state("table", f"row {at[0] + 1}", name, state, fitted.states[v])
        rows[:, v] = column
    return rows


def _of_columns(
    fitted: FittedNetwork, columns: Columns, without: Sequence[str], refuse: bool
) -> NDArray[np.int32]:
    rows = _empty(fitted, columns.names, columns.row_count, columns.source, without)
    for c, name in enumerate(columns.names):
        v = _place(fitted, name, without)
        if v is None:
            continue
        states = fitted.states[v]
        one = distinct(
            columns.arrays[c],
            from_text=columns.from_text,
            declared=frozenset(states),
            where=f"{columns.source}: column {name!r}",
        )
        rank = rank_of(one, states)
        if refuse and (bad := np.flatnonzero(rank[: len(one)] < 0)).size:
            at = np.flatnonzero(np.isin(one.codes, bad))
            if at.size:
                label = one.labels()[int(one.codes[at[0]])]
                raise no_state(columns.source, columns.place(int(at[0])), name, label, states)
        rows[:, v] = rank[one.codes]
    return rows


def rank_of(one: Distinct, states: Sequence[str]) -> NDArray[np.int32]:
    """Return the state of each distinct value, and at the end of a missing one; -1 where there is none."""
    code_of: dict[str | float, int] = {state: k for k, state in enumerate(states)}
    if one.is_numeric or one.kind == "boolean":
        code_of.update(twins(states))
    other = code_of.get(OTHER, HIDDEN)
    labels = one.labels()
    rank = np.array(
        [*(code_of.get(label, HIDDEN) for label in labels), code_of.get(MISSING, HIDDEN)], np.int32
    )
    if one.is_numeric:
        values = np.asarray(one.values, dtype=np.float64)
        numbers = {
            number: k for k, state in enumerate(states) if (number := number_in_text(state)) is not None
        }
        for i in np.flatnonzero(rank[:-1] < 0) if numbers else ():
            rank[i] = numbers.get(float(values[i]), HIDDEN)
        for k, state in enumerate(states):
            if (bounds := bounds_of(state)) is not None:
                inside = (rank[:-1] < 0) & (values > bounds[0]) & (values <= bounds[1])
                rank[:-1][inside] = k
    rank[:-1][rank[:-1] < 0] = other
    return rank


def different_rows(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the different rows, those with the same hidden variables together, and which each row is."""
    packed = np.packbits(rows < 0, axis=1)
    whole = np.ascontiguousarray(np.hstack([packed, np.ascontiguousarray(rows).view(np.uint8)]))
    as_bytes = whole.view(np.dtype((np.void, whole.shape[1]))).reshape(-1)
    _, first, back = np.unique(as_bytes, return_index=True, return_inverse=True)
    return rows[first], np.asarray(back).reshape(-1)


def _place(fitted: FittedNetwork, name: str, without: Sequence[str]) -> int | None:
    return None if name in without else fitted.network._index.get(name)


def _empty(
    fitted: FittedNetwork, names: Sequence[str], count: int, source: str, without: Sequence[str]
) -> NDArray[np.int32]:
    if not any(name in fitted.network._index for name in names):
        shown = listed([repr(name) for name in fitted.names], 5)
        near = did_you_mean(names[0], fitted.names) if names else ""
        raise InputError(f"{source}: no column is a variable of the network, which has {shown}.{near}")
    # Written and read column by column.
    return np.full((count, len(fitted.names)), HIDDEN, dtype=np.int32, order="F")


def no_state(source: str, place: str, name: str, state: str, states: Sequence[str]) -> InputError:
    return InputError(
        f"{source}, {place}: variable {name!r} has state {state!r}, not among"
        f" {listed([repr(own) for own in states])}. Leave the value empty if it is not known."
    )
