"""What every reader hands to the encoder, whatever the format was.

A column is an Arrow array with its own type or, from a text file, a dictionary of the texts that occur.  The
type of a text column is inferred later from all of its values, never from the first rows only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, did_you_mean, option

if TYPE_CHECKING:
    from .column_records import Column

COLUMN_LIMIT = 1_000_000
"""Most columns of a table."""

STATE_LIMIT = 65_535
"""Most states of a variable: a code fits in 16 bits."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Columns as read, before any state is named."""

    source: str
    names: Sequence[str]
    arrays: Sequence[Any]
    """One ``pyarrow.ChunkedArray`` per column, all of the same length."""
    from_text: bool = False
    """Whether numbers are still written as text."""
    cardinalities: Sequence[int] | None = None
    """Declared number of states per column (``.dat``)."""
    declares: bool = False
    """Whether declared states count though no row shows them, unless the caller says otherwise."""
    typed: frozenset[str] = frozenset()
    """Columns of a text file that hold values of a type, not texts."""
    layout: Sequence[str | Column] | None = None
    """Columns of the source in order: the names of those here, and records of those that no longer are."""
    notes: Sequence[str] = ()
    line_of_row: Callable[[int], int | None] | None = None
    """Line (from 1) of a row (from 0), for files that have lines.  Slow: for error messages."""

    weights: NDArray[np.uint32] | None = None
    """How often each row counts; none of them is 0."""
    weight_name: str | None = None
    """What the column of weights is called, or, as long as there are no weights, which column holds them."""
    targets: tuple[tuple[str, ...], ...] = ()
    """Sets of variables that were set from outside together."""
    regimes: NDArray[np.int32] | None = None
    """Which of `targets` was set in each row, -1 for none; None if nothing was set."""
    target_name: str | None = None
    """What the column of targets is called, or, as long as there are none, which column holds them."""
    kept_rows: NDArray[np.intp] | None = None
    """Which rows of the source these are, if not all."""

    @property
    def row_count(self) -> int:
        return len(self.arrays[0]) if self.arrays else 0

    def without(self, gone: Mapping[str, Column]) -> Columns:
        """Return the columns without those of some names, of which records stay."""
        kept = [i for i, name in enumerate(self.names) if name not in gone]
        few = self.cardinalities
        return replace(
            self,
            names=[self.names[i] for i in kept],
            arrays=[self.arrays[i] for i in kept],
            cardinalities=None if few is None else [few[i] for i in kept],
            layout=[
                gone.get(entry, entry) if isinstance(entry, str) else entry
                for entry in (self.names if self.layout is None else self.layout)
            ],
        )

    def place(self, row: int) -> str:
        """Return where a row is, the way a user finds it: ``"line 214"`` or ``"row 213"``."""
        if self.kept_rows is not None:
            row = int(self.kept_rows[row])
        line = self.line_of_row(row) if self.line_of_row else None
        return f"line {line}" if line else f"row {row + 1}"


def checked_names(names: Iterable[str], source: str, *, place: str = "") -> list[str]:
    """Return the names without surrounding white space, or say which of them cannot be used.

    >>> checked_names([" a ", "b"], "asia.csv")
    ['a', 'b']
    """
    where = f"{source}, {place}" if place else source
    stripped = [name.strip() for name in names]
    if not stripped:
        raise InputError(f"{where}: the table has no columns.")
    if len(stripped) > COLUMN_LIMIT:
        raise InputError(f"{where}: {len(stripped)} columns; a table has at most {COLUMN_LIMIT:,}.")
    given = option("names", elsewhere=place or "the file")
    first: dict[str, int] = {}
    for i, name in enumerate(stripped):
        if not name:
            raise InputError(f"{where}: column {i + 1} has no name. Give it one in {given}.")
        if name in first:
            raise InputError(
                f"{where}: columns {first[name] + 1} and {i + 1} are both named {name!r}."
                f" Rename one of them in {given}."
            )
        first[name] = i
    return stripped


def mended_names(names: Sequence[str], notes: list[str]) -> list[str]:
    """Return names with those filled in that are missing, and made different that occur twice.

    >>> mended_names(["", "a", "a"], notes := [])
    ['column 1', 'a', 'a (2)']
    """
    mended: dict[str, int] = {}  # name -> the number that the next of this name gets
    taken = {name.strip() for name in names}
    for i, name in enumerate(name.strip() for name in names):
        if not name:
            name = f"column {i + 1}"
            notes.append(f"Column {i + 1} has no name; it is called {name!r}.")
        if name in mended:
            number = next(k for k in itertools.count(mended[name]) if f"{name} ({k})" not in taken)
            mended[name] = number + 1
            notes.append(f"Column {i + 1} is named {name!r} like another; it is called '{name} ({number})'.")
            name = f"{name} ({number})"
        taken.add(name)
        mended[name] = 2
    return list(mended)


def check_name_count(names: Sequence[str] | None, width: int, source: str) -> None:
    """Refuse ``names=`` with more or fewer names than the source has columns."""
    if names is not None and len(names) != width:
        raise InputError(
            f"{source}: {option('names')} gives {counted(len(names), 'name')} for {counted(width, 'column')}."
        )


def unknown_column(name: object, names: Sequence[str], *, named_by: str = "") -> InputError:
    """Return the error for a column that the table does not have.

    Unlike ``errors.unknown`` it does not list all that are known: there may be thousands.

    >>> str(unknown_column("smoek", ["smoke", "lung"]))
    "the table has no column 'smoek'. Did you mean 'smoke'?"
    """
    where = f"{option(named_by, subject=True)}: " if named_by else ""
    return InputError(f"{where}the table has no column {name!r}.{did_you_mean(name, names)}")


def listed(items: Sequence[str], limit: int = 8) -> str:
    """Join items for a message; beyond the limit say how many more there are.

    >>> listed(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    if len(items) <= limit:
        return ", ".join(items)
    return f"{', '.join(items[:limit])} and {len(items) - limit} more"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in the right number.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def code_type(cardinality: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds the codes of that many states."""
    return np.uint8 if cardinality <= 256 else np.uint16 if cardinality <= 65_536 else np.uint32
