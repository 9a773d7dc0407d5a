"""The table: named variables, their states, and one small integer per value.

A table never changes.  Its columns are read-only arrays of codes, one byte per value (two for a
variable with more than 256 states), which is what the core counts.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from .arrow_types import DECLARES
from .checks import check_codes, check_shape, narrowed
from .column_records import NO_RECORDS, ColumnRecords, given_records
from .columns import counted, listed, unknown_column
from .write import write_table


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of discrete variables.

    Made by :func:`read_table`, or from codes by :meth:`from_codes`.  Two tables are equal if they
    have the same names, states and codes, wherever they came from.

    Attributes
    ----------
    names
        Names of the variables.
    states
        Names of the states of each variable; code ``k`` stands for the ``k``-th.
    codes
        One read-only array per variable, ``uint8`` for up to 256 states, else ``uint16``.
    cut_points
        Cut points of the variables that were discretised.
    notes
        What was done to the data that one should know of, a sentence each.
    source
        Where the table came from, for messages.
    columns
        A `Column` for each column of the source, in its order, also for those left out: what it holds, and
        why it was read so.  Printed, it is a table.

    Examples
    --------
    >>> table = Table.from_codes(["smoke", "lung"], [["no", "yes"], ["no", "yes"]], [[0, 1, 1], [0, 0, 1]])
    >>> table
    <Table: 2 variables, 3 rows>
    >>> table.column("smoke")
    array([0, 1, 1], dtype=uint8)
    >>> table.columns
    column  kind        states  missing  cut at  why
    smoke   categories       2        0          the states are given
    lung    categories       2        0          the states are given
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: tuple[NDArray[np.uint8] | NDArray[np.uint16], ...]
    cut_points: dict[str, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    source: str = "table"
    columns: ColumnRecords = NO_RECORDS

    def __post_init__(self) -> None:
        check_codes(self.names, self.states, self.codes, self.source)
        if not self.columns:
            object.__setattr__(self, "columns", given_records(self.names, self.states, self.cut_points))
        for column in self.codes:
            column.flags.writeable = False

    @classmethod
    def from_codes(
        cls,
        names: Iterable[str],
        states: Iterable[Iterable[str]],
        codes: Iterable[ArrayLike],
        *,
        cut_points: dict[str, tuple[float, ...]] | None = None,
        notes: Iterable[str] = (),
        source: str = "codes",
        columns: ColumnRecords = NO_RECORDS,
    ) -> Table:
        """Return a table made of names, states and integer codes; everything is checked.

        Examples
        --------
        >>> Table.from_codes(["a"], [["x", "y"]], [[0, 2]])
        Traceback (most recent call last):
        ...
        bayesloom.errors.InputError: codes: variable 'a' has code 2 in row 2, expected 0 to 1.
        """
        own_names = tuple(names)
        own_states = tuple(tuple(one) for one in states)
        arrays = [np.asarray(column) for column in codes]
        check_shape(own_names, own_states, arrays, source)
        return cls(
            names=own_names,
            states=own_states,
            codes=tuple(
                narrowed(column, name, len(one), source)
                for name, one, column in zip(own_names, own_states, arrays, strict=True)
            ),
            cut_points=dict(cut_points or {}),
            notes=tuple(notes),
            source=source,
            columns=columns,
        )

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return int(self.codes[0].size)

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """Number of states of each variable, seen or not."""
        return tuple(map(len, self.states))

    @functools.cached_property
    def encoded(self) -> Any:
        """The table as the core counts it, a ``bayesloom._core.EncodedData``."""
        core = importlib.import_module("bayesloom._core")
        return core.EncodedData(list(self.codes), list(self.cardinalities))

    @functools.cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the index of a variable."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise unknown_column(name, self.names) from None

    def column(self, name: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return the codes of a variable."""
        return self.codes[self.index(name)]

    @functools.cached_property
    def unseen(self) -> dict[str, tuple[str, ...]]:
        """The states that no row shows, of the variables that have some.

        Examples
        --------
        >>> Table.from_codes("ab", [["x", "y", "z"], ["u"]], [[0, 2], [0, 0]]).unseen
        {'a': ('y',)}
        """
        found = {}
        for name, states, column in zip(self.names, self.states, self.codes, strict=True):
            counts = np.bincount(column, minlength=len(states))
            if absent := tuple(states[k] for k in np.flatnonzero(counts == 0)):
                found[name] = absent
        return found

    def with_seen_states(self) -> Table:
        """Return the table without the states that no row shows.

        Examples
        --------
        >>> table = Table.from_codes("ab", [["x", "y", "z"], ["u"]], [[0, 2], [0, 0]])
        >>> table.with_seen_states().states
        (('x', 'z'), ('u',))
        """
        if not self.unseen:
            return self
        states, codes = [], []
        for name, own, column in zip(self.names, self.states, self.codes, strict=True):
            absent = set(self.unseen.get(name, ()))
            kept = [k for k, state in enumerate(own) if state not in absent]
            rank = np.zeros(len(own), dtype=np.int64)
            rank[kept] = np.arange(len(kept))
            states.append([own[k] for k in kept])
            codes.append(rank[column])
        return Table.from_codes(
            self.names,
            states,
            codes,
            cut_points=self.cut_points,
            notes=(*self.notes, "The states that no row shows are left out."),
            source=self.source,
            columns=self.columns.with_states(dict(zip(self.names, states, strict=True))),
        )

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of some of the variables, in the order given.

        Examples
        --------
        >>> table = Table.from_codes("ab", [["x", "y"], ["u"]], [[0, 1], [0, 0]])
        >>> table.select(["b"]).names
        ('b',)
        """
        chosen = [self.index(name) for name in names]
        return Table(
            names=tuple(self.names[i] for i in chosen),
            states=tuple(self.states[i] for i in chosen),
            codes=tuple(self.codes[i] for i in chosen),
            cut_points={name: self.cut_points[name] for name in names if name in self.cut_points},
            notes=self.notes,
            source=self.source,
            columns=self.columns.selected(names),
        )

    def summary(self, limit: int = 20) -> str:
        """Return a text that shows source, variables, states and notes.

        Parameters
        ----------
        limit
            Most variables and notes to show; the text says how many are left out.

        Examples
        --------
        >>> table = Table.from_codes(["smoke"], [["no", "yes"]], [[0, 1, 1]], source="asia.csv")
        >>> print(table.summary())
        asia.csv: 1 variable, 3 rows
          smoke  2 states: no, yes
        """
        size = f"{counted(len(self.names), 'variable')}, {counted(self.row_count, 'row')}"
        lines = [f"{self.source}: {size}"]
        width = max(map(len, self.names[:limit]), default=0)
        lines += [
            f"  {name:<{width}}  {counted(len(states), 'state')}: {listed(states)}"
            for name, states in zip(self.names[:limit], self.states, strict=False)
        ]
        if len(self.names) > limit:
            lines.append(f"  and {counted(len(self.names) - limit, 'variable')} more")
        gone = [column for column in self.columns if not column.used]
        lines += [f"  {column.name}: left out, {column.why}" for column in gone[:limit]]
        if len(gone) > limit:
            lines.append(f"  and {counted(len(gone) - limit, 'column')} left out more")
        lines += [f"Note: {note}" for note in self.notes[:limit]]
        if len(self.notes) > limit:
            lines.append(f"and {counted(len(self.notes) - limit, 'note')} more")
        return "\n".join(lines)

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` of dictionary columns, which hold all states in their order.

        Examples
        --------
        >>> table = Table.from_codes(["a"], [["x", "y"]], [[1, 0]])
        >>> table.to_arrow().column("a").to_pylist()
        ['y', 'x']
        """
        arrays = [
            pa.DictionaryArray.from_arrays(pa.array(column.astype(_index_type(len(one)))), list(one))
            for one, column in zip(self.states, self.codes, strict=True)
        ]
        return pa.table(arrays, names=list(self.names), metadata={DECLARES: b"declared"})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the table to pandas, polars, duckdb and all else that speaks Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table to ``.csv``, ``.tsv``, ``.dat``, ``.parquet`` or ``.feather``, also with ``.gz``.

        The file takes its name only once it is complete.  Parquet and Feather keep all states in
        their order; CSV and TSV keep the labels of the rows only, so a table whose states are not
        in natural order, or not all seen, is read back with ``states=``.
        """
        write_table(self, path)

    def __len__(self) -> int:
        return self.row_count

    def __repr__(self) -> str:
        return f"<Table: {counted(len(self.names), 'variable')}, {counted(self.row_count, 'row')}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.names == other.names
            and self.states == other.states
            and all(map(np.array_equal, self.codes, other.codes))
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets on pickling that an array is read-only; the constructor remembers.
        return Table, (
            self.names,
            self.states,
            self.codes,
            self.cut_points,
            self.notes,
            self.source,
            self.columns,
        )


def _index_type(cardinality: int) -> type[np.signedinteger[Any]]:
    # Signed, since pandas does not take unsigned dictionary indices.
    return np.int8 if cardinality <= 128 else np.int16 if cardinality <= 32_768 else np.int32
