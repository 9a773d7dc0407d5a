"""The table: named variables, their states, and one small integer per value.

A table never changes.  Its columns are read-only arrays of codes, one byte per value (two for a
variable with more than 256 states), which is what the core counts.  A continuous variable has no
states; its column holds its numbers, eight bytes per value.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesloom.errors import InputError
from bayesloom.limits import check_fits, reading_memory

from .checks import check_codes, check_shape, narrowed
from .column_records import NO_RECORDS, ColumnRecords, given_records
from .columns import counted, listed, unknown_column
from .interventions import Interventions, checked_interventions
from .weights import WEIGHT_NAME, checked_weights


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of discrete or continuous variables.

    Made by :func:`read_table`, or from codes by :meth:`from_codes`.  Two tables are equal if they
    have the same names, states, codes, weights and interventions, wherever they came from.

    Attributes
    ----------
    names
        Names of the variables.
    states
        Names of the states of each variable; code ``k`` stands for the ``k``-th.  A continuous variable
        has none, ``()``.
    codes
        One read-only array per variable, ``uint8`` for up to 256 states, else ``uint16``; of a continuous
        variable its numbers, ``float64``, all finite.
    cut_points
        Cut points of the variables that were discretised.
    notes
        What was done to the data that one should know of, a sentence each.
    source
        Where the table came from, for messages.
    columns
        A `Column` for each column of the source, in its order, also for those left out: what it holds, and
        why it was read so.  Printed, it is a table.
    weights
        How often each row counts, a read-only array of ``uint32`` from 1 on; None if each counts once.
    weight_name
        What the column of weights is called in files and data frames.
    gaps
        Whether values may be missing: the code after the last state, or NaN, stands for a missing value.
        Only scores that read missing values take such a table.
    interventions
        Which variables were set from outside in which rows, `Interventions`; None if none was.  Such a row
        does not count for what it tells of its targets (docs/interventions.md).
    reading
        The options of `read_table` that read the same table from its source again, as far as they are not
        the defaults: what a result keeps of how its table was read.
    missing_values
        What stood for a missing value in the source, by column, ``"*"`` for all, as far as it was asked for:
        so it does in new rows (`like`).

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

    A continuous variable has no states, and numbers for codes:

    >>> table = Table.from_codes(["dose", "ill"], [[], ["no", "yes"]], [[0.5, 2.0], [0, 1]])
    >>> table.continuous
    ('dose',)
    >>> table.values("dose")
    array([0.5, 2. ])
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: tuple[NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float64], ...]
    cut_points: dict[str, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    source: str = "table"
    columns: ColumnRecords = NO_RECORDS
    weights: NDArray[np.uint32] | None = None
    weight_name: str = WEIGHT_NAME
    gaps: bool = False
    interventions: Interventions | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    missing_values: Mapping[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_codes(self.names, self.states, self.codes, self.source, gaps=self.gaps)
        if not self.columns:
            object.__setattr__(self, "columns", given_records(self.names, self.states, self.cut_points))
        for column in self.codes:
            column.flags.writeable = False
        if self.weights is not None:
            own = checked_weights(self.weights, self.row_count, self.source)
            own = own.copy() if own.flags.writeable else own  # the caller's may change
            own.flags.writeable = False
            object.__setattr__(self, "weights", own)
        if self.interventions is not None:
            checked = checked_interventions(self.interventions, self.names, self.row_count, self.source)
            object.__setattr__(self, "interventions", checked)

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
        weights: ArrayLike | None = None,
        weight_name: str = WEIGHT_NAME,
        gaps: bool = False,
        interventions: Interventions | None = None,
    ) -> Table:
        """Return a table made of names, states and integer codes; everything is checked.

        Examples
        --------
        >>> Table.from_codes(["a"], [["x", "y"]], [[0, 1]], weights=[3, 1]).total_weight
        4
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
                narrowed(column, name, len(one), source, gaps=gaps)
                for name, one, column in zip(own_names, own_states, arrays, strict=True)
            ),
            cut_points=dict(cut_points or {}),
            notes=tuple(notes),
            source=source,
            columns=columns,
            weights=None if weights is None else checked_weights(weights, arrays[0].size, source),
            weight_name=weight_name,
            gaps=gaps,
            interventions=interventions,
        )

    @property
    def row_count(self) -> int:
        """Number of rows that are kept, each with its weight; see `total_weight`."""
        return int(self.codes[0].size)

    @property
    def total_weight(self) -> int:
        """How many rows count: the sum of the weights, or the number of rows.  N of every score."""
        return self.row_count if self.weights is None else int(self.weights.sum(dtype=np.uint64))

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """Number of states of each variable, seen or not; 0 for a continuous one."""
        return tuple(map(len, self.states))

    @functools.cached_property
    def continuous(self) -> tuple[str, ...]:
        """The names of the continuous variables, in the order of the table."""
        return tuple(name for name, states in zip(self.names, self.states, strict=True) if not states)

    def values(self, name: str) -> NDArray[np.float64]:
        """Return the numbers of a continuous variable, a read-only array.

        Examples
        --------
        >>> Table.from_codes(["a"], [["x", "y"]], [[0, 1]]).values("a")
        Traceback (most recent call last):
        ...
        bayesloom.errors.InputError: codes: variable 'a' has states, not numbers; column('a') has its codes.
        """
        i = self.index(name)
        if self.states[i]:
            raise InputError(
                f"{self.source}: variable {name!r} has states, not numbers; column({name!r}) has its codes."
            )
        return cast("NDArray[np.float64]", self.codes[i])

    @functools.cached_property
    def encoded(self) -> Any:
        """The table as the core counts it, a ``bayesloom._core.EncodedData``."""
        return self.encoded_as(range(len(self.names)))

    def encoded_as(self, order: Iterable[int]) -> Any:
        """Return the table as the core counts it, with its columns in some order."""
        core = importlib.import_module("bayesloom._core")
        order, own, sizes = list(order), self.interventions, self.cardinalities
        columns = [self.codes[i] for i in order], [sizes[i] for i in order]
        if own is None:
            return core.EncodedData(*columns, self.weights, self.gaps)
        flags = [own.was_set(self.names[i]) for i in order]
        set_rows = [one.astype(np.uint8) if one.any() else None for one in flags]
        return core.EncodedData(*columns, self.weights, self.gaps, set_rows=set_rows)

    def lacking(self, name: str) -> NDArray[np.bool_]:
        """Return in which rows the value of a variable is missing.

        Examples
        --------
        >>> Table.from_codes(["a"], [["x", "y"]], [[0, 2, 1]], gaps=True).lacking("a")
        array([False,  True, False])
        """
        i = self.index(name)
        column = self.codes[i]
        return column == len(self.states[i]) if self.states[i] else np.isnan(column)

    @functools.cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the index of a variable."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise unknown_column(name, self.names) from None

    def column(self, name: str) -> NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float64]:
        """Return the codes of a variable, or its numbers if it is continuous."""
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
            if not states:
                continue
            counts = np.bincount(column, minlength=len(states))[: len(states)]
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
        states: list[list[str]] = []
        codes: list[NDArray[Any]] = []
        for name, own, column in zip(self.names, self.states, self.codes, strict=True):
            if not own:
                states.append([])
                codes.append(column)
                continue
            absent = set(self.unseen.get(name, ()))
            kept = [k for k, state in enumerate(own) if state not in absent]
            rank = np.full(len(own) + 1, len(kept), dtype=np.int64)
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
            weights=self.weights,
            weight_name=self.weight_name,
            gaps=self.gaps,
            interventions=self.interventions,
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
        return replace(
            self,
            names=tuple(self.names[i] for i in chosen),
            states=tuple(self.states[i] for i in chosen),
            codes=tuple(self.codes[i] for i in chosen),
            cut_points={name: self.cut_points[name] for name in names if name in self.cut_points},
            columns=self.columns.selected(names),
            interventions=None if self.interventions is None else self.interventions.only(names),
            reading={},
        )

    def expanded(self) -> Table:
        """Return the table with every row as often as its weight says, and without weights.

        Examples
        --------
        >>> table = Table.from_codes("a", [["x", "y"]], [[0, 1]], weights=[2, 1])
        >>> table.expanded().column("a")
        array([0, 0, 1], dtype=uint8)
        """
        if self.weights is None:
            return self
        size = self.total_weight * sum(column.itemsize for column in self.codes)
        check_fits(size, reading_memory(), self.source, ", with every row as often as its weight says")
        codes: Any = tuple(np.repeat(column, self.weights) for column in self.codes)
        own = None if self.interventions is None else self.interventions.repeated(self.weights)
        return replace(self, codes=codes, weights=None, interventions=own)

    def like(
        self,
        source: object,
        *,
        missing: Literal["drop", "state", "keep"] | None = None,
        weights: str | Sequence[int] | NDArray[Any] | None = None,
        interventions: object = None,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        delimiter: str | None = None,
        sheet: str | None = None,
    ) -> Table:
        """Return new rows in the states of this table: the same names, states and cut points.

        Parameters
        ----------
        source
            Anything that `read_table` takes, with the columns of this table in any order; others are left
            out, and told in the notes.
        missing
            What to do with values that are missing, or are no state of this table.  ``"drop"`` leaves
            such rows out; ``"state"`` makes both the state ``missing``, if the variable has it; ``"keep"``
            leaves a missing value missing (`gaps`) if the variable has no such state, and refuses all else.
            By default a missing value is that state if the variable has it, and all else is refused.
        weights, interventions, header, names, delimiter, sheet
            As in `read_table`; the columns of this table's weights and interventions are taken for these if
            they are there.

        Examples
        --------
        >>> from bayesloom.table import read_table
        >>> given = {"age": [31, 64, 50], "smoke": ["no", "yes", "no"]}
        >>> table = read_table(given, discretize={"age": [40, 60]})
        >>> new = table.like({"smoke": ["yes", "no"], "age": [60.5, 12]})
        >>> new.names, new.column("age").tolist(), new.column("smoke").tolist()
        (('age', 'smoke'), [2, 0], [1, 0])
        >>> table.like({"smoke": ["often"], "age": [3]})
        Traceback (most recent call last):
        ...
        bayesloom.errors.InputError: dict, row 1: variable 'smoke' has state 'often', not among 'no', 'yes'. \
Leave such rows out with missing='drop'.
        """
        from .like import read_like

        return read_like(
            self,
            source,
            missing=missing,
            weights=weights,
            interventions=interventions,
            header=header,
            names=names,
            delimiter=delimiter,
            sheet=sheet,
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
        lines = [f"{self.source}: {self._size()}"]
        width = max(map(len, self.names[:limit]), default=0)
        lines += [
            f"  {name:<{width}}  {_in_words(states, column)}"
            for name, states, column in zip(self.names[:limit], self.states, self.codes, strict=False)
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

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import table_html

        return table_html(self)

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` of dictionary columns, which hold all states in their order.

        A continuous variable is a column of doubles.

        Weights are one more column, of numbers, called `weight_name`; the schema says which it is, and
        `read_table` takes it for the weights again.

        Examples
        --------
        >>> table = Table.from_codes(["a"], [["x", "y"]], [[1, 0]])
        >>> table.to_arrow().column("a").to_pylist()
        ['y', 'x']
        """
        from .write import arrow_table

        return arrow_table(self)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` of categorical columns, and of numbers where they are continuous.

        Weights are one more column, of numbers.

        Examples
        --------
        >>> table = Table.from_codes(["a"], [["x", "y"]], [[1, 0]])
        >>> table.to_pandas()["a"].tolist()
        ['y', 'x']
        """
        if importlib.util.find_spec("pandas") is None:
            raise ImportError("pandas is not installed. Install it with: pip install pandas.")
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the table to pandas, polars, duckdb and all else that speaks Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table to ``.csv``, ``.tsv``, ``.dat``, ``.parquet`` or ``.feather``, also with ``.gz``.

        The file takes its name only once it is complete.  Parquet and Feather keep all states in
        their order; CSV and TSV keep the labels of the rows only, so a table whose states are not
        in natural order, or not all seen, is read back with ``states=``.  Weights are one more column,
        read back with ``weights=`` (Parquet and Feather say so themselves); a ``.dat`` file, which knows no
        weights, has every row as often as its weight says.
        """
        from .write import write_table

        write_table(self, path)

    def __len__(self) -> int:
        return self.row_count

    def __repr__(self) -> str:
        return f"<Table: {self._size()}>"

    def _size(self) -> str:
        weighted = "" if self.weights is None else f" that stand for {self.total_weight}"
        return f"{counted(len(self.names), 'variable')}, {counted(self.row_count, 'row')}{weighted}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.names == other.names
            and self.states == other.states
            and all(map(_same, self.codes, other.codes))
            and np.array_equal(_each(self), _each(other))
            and self.interventions == other.interventions
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets on pickling that an array is read-only; the constructor remembers.
        return Table, tuple(getattr(self, one.name) for one in fields(self))


def _in_words(states: Sequence[str], column: NDArray[Any]) -> str:
    """What a variable holds."""
    if states:
        return f"{counted(len(states), 'state')}: {listed(states)}"
    if np.isnan(column).all():
        return "continuous, without a value"
    return f"continuous, from {np.nanmin(column):.6g} to {np.nanmax(column):.6g}"


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" == b.dtype.kind)


def _each(table: Table) -> NDArray[np.uint32]:
    """The weights of a table, or 1 for every row."""
    return np.ones(table.row_count, np.uint32) if table.weights is None else table.weights
