"""Interventions: which variables (targets) were set from outside in which rows, given as a column or a mask.

A row in which a variable was set says nothing about what that variable otherwise depends on.  So the row does
not count in the local scores of its targets, and counts in those of all other variables [cooper1999].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, did_you_mean, option

from .column_records import SAYS_WHAT_WAS_SET, Column, kind_in_words
from .columns import Columns, counted, listed, unknown_column
from .distinct import distinct
from .mixed import is_missing

SEPARATOR = "+"
"""Between the names of several targets of a row, in a column of texts."""

MISSING = "missing"
"""The state of a missing value if a table was read before: nothing was set."""

INTERVENTIONS_NAME = "interventions"
"""The name of the column of targets in files if it was given without a name."""

INTERVENTIONS_KEY = b"bayesloom.interventions"
"""The key under which the schema of an Arrow table names its column of targets."""

Targets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Interventions:
    """Which variables were set from outside in which rows.

    Attributes
    ----------
    targets
        The sets of variables that were set together in some row, each once; none of them empty.
    rows
        For each row which of `targets` was set, a read-only array; -1 where none was.
    name
        What the column of targets is called in files and data frames.

    Examples
    --------
    >>> import bayesloom as bl
    >>> rows = {"rain": [0, 1, 1, 0], "wet": [0, 1, 0, 1], "set": [None, None, "wet", "wet"]}
    >>> table = bl.read_table(rows, interventions="set")
    >>> table.names, table.interventions.targets
    (('rain', 'wet'), (('wet',),))
    >>> table.interventions.was_set("wet")
    array([False, False,  True,  True])
    """

    targets: Targets
    rows: NDArray[np.int32]
    name: str = INTERVENTIONS_NAME

    def __post_init__(self) -> None:
        """Check that each row has one of the sets of targets, or none."""
        rows = np.asarray(self.rows)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise InputError("Interventions: expected a whole number for each row.")
        if rows.size and not -1 <= int(rows.min()) <= int(rows.max()) < len(self.targets):
            bad = int(np.flatnonzero((rows < -1) | (rows >= len(self.targets)))[0])
            raise InputError(
                f"Interventions: row {bad + 1} has number {rows[bad]}; expected -1, where nothing was set, or"
                f" the place of one of {counted(len(self.targets), 'set')} of targets, from 0 on."
            )
        object.__setattr__(self, "rows", rows)

    def was_set(self, name: str) -> NDArray[np.bool_]:
        """Return in which rows a variable was set."""
        holds = np.array([*(name in target for target in self.targets), False])  # the last is -1
        found: NDArray[np.bool_] = holds[self.rows]
        return found

    def only(self, names: Iterable[str]) -> Interventions | None:
        """Return what was set of some variables; None if nothing was."""
        kept = set(names)
        return made(
            [tuple(one for one in target if one in kept) for target in self.targets], self.rows, self.name
        )

    def of_rows(self, rows: Any) -> Interventions | None:
        """Return what was set in some rows, given by an index or a mask."""
        return made(self.targets, self.rows[rows], self.name)

    def repeated(self, times: NDArray[Any]) -> Interventions:
        """Return the interventions of a table in which each row is repeated that often."""
        return replace(self, rows=np.repeat(self.rows, times))

    def texts(self, source: str, names: Sequence[str]) -> list[str | None]:
        """Return the text of each of `targets`, and None at the end for rows in which nothing was set.

        Reading it beside the variables `names` gives the same targets.
        """
        found: list[str | None] = []
        for target in self.targets:
            text = SEPARATOR.join(target)
            if len(target) > 1 and (text in names or any(SEPARATOR in name for name in target)):
                raise InputError(
                    f"{source}: the targets {listed([repr(name) for name in target])} cannot be written as"
                    f" one text, since {SEPARATOR!r} separates names there. Rename the variable."
                )
            found.append(text)
        return [*found, None]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interventions):
            return NotImplemented
        own, others = ([*one.targets, ()] for one in (self, other))
        return self.rows.size == other.rows.size and all(
            own[a] == others[b] for a, b in {*zip(self.rows.tolist(), other.rows.tolist(), strict=True)}
        )

    __hash__ = None  # type: ignore[assignment]


def made(targets: Sequence[Sequence[str]], rows: NDArray[Any], name: str) -> Interventions | None:
    """Return interventions with every set once and only those that some row has; None if there are none.

    >>> made([("a", "b"), (), ("b", "a")], np.array([0, 1, 2, -1]), "set").rows
    array([ 0, -1,  0, -1], dtype=int32)
    """
    own = [tuple(sorted(set(target))) for target in targets]
    seen = np.zeros(len(own) + 1, dtype=bool)
    seen[rows] = True
    kept = sorted({target for k, target in enumerate(own) if seen[k] and target})
    if not kept:
        return None
    place = {target: k for k, target in enumerate(kept)}
    number = np.array([*(place.get(target, -1) for target in own), -1], dtype=np.int32)[rows]
    number.flags.writeable = False
    return Interventions(tuple(kept), number, name)


def checked_interventions(
    given: Interventions, names: Sequence[str], rows: int, source: str
) -> Interventions | None:
    """Return the interventions of a table, or say why they cannot be."""
    if given.rows.size != rows:
        raise InputError(
            f"{source}: interventions are given for {counted(given.rows.size, 'row')} of"
            f" {counted(rows, 'row')}."
        )
    known = set(names)
    for target in given.targets:
        for name in target:
            if name not in known:
                raise InputError(
                    f"{source}: {name!r} was set in some rows and is no variable of the table."
                    f"{did_you_mean(name, names)}"
                )
    return made(given.targets, given.rows, given.name)


def check_some_rows_count(given: Interventions | None, source: str) -> None:
    """Refuse interventions by which no row is left to learn from for a variable; rows to evaluate may be."""
    if given is None:
        return
    for name in sorted({name for target in given.targets for name in target}):
        if given.was_set(name).all():
            raise InputError(
                f"{source}: {name!r} was set in every row, so no row tells what it depends on. Take it"
                f" out of {option('interventions')} and make it a root in {option('constraints')}."
            )


def with_interventions(columns: Columns, given: object, *, weights: object = None) -> Columns:
    """Return columns with targets, given by the name of a column, a sequence, a mapping or a mask.

    A column of targets is not a variable.
    """
    if isinstance(given, Interventions):
        if given.rows.size != columns.row_count:
            raise _wrong_length(columns, given.rows.size)
        for name in sorted({one for target in given.targets for one in target}):
            if name not in columns.names:
                raise unknown_column(name, columns.names, named_by="interventions")
        return replace(columns, targets=given.targets, regimes=given.rows, target_name=given.name)
    if isinstance(given, str):
        name = given
        columns, targets, rows = _from_column(columns, given)
        says = f"{name!r} says"
    else:
        own = [one for one in columns.names if not (isinstance(weights, str) and one == weights)]
        name, says = INTERVENTIONS_NAME, "Interventions say"
        targets, rows = _from_values(columns, own, given)
        if rows.size != columns.row_count:
            raise _wrong_length(columns, rows.size)
    found = made(targets, rows, name)
    if found is None:
        note = f"{says} of no row that a variable was set."
        return replace(columns, notes=[*columns.notes, note])
    all_targets = sorted({one for target in found.targets for one in target})
    note = (
        f"{says} which variables were set from outside: {listed([repr(one) for one in all_targets])}, in"
        f" {int((found.rows >= 0).sum())} of {counted(rows.size, 'row')}, which do not count for these."
    )
    return replace(
        columns, targets=found.targets, regimes=found.rows, target_name=name, notes=[*columns.notes, note]
    )


def _wrong_length(columns: Columns, size: int) -> InputError:
    return InputError(
        f"{option('interventions', subject=True)}: targets of {counted(size, 'row')} for"
        f" {counted(columns.row_count, 'row')} of {columns.source}."
    )


def _from_column(columns: Columns, name: str) -> tuple[Columns, list[tuple[str, ...]], NDArray[Any]]:
    """Return the columns without one, the targets that it names, and which of them each row has."""
    if name not in columns.names:
        raise unknown_column(name, columns.names, named_by="interventions")
    at = list(columns.names).index(name)
    one = distinct(
        columns.arrays[at],
        from_text=columns.from_text,
        declared=frozenset(columns.names) - {name},  # a variable may be called NA
        where=f"{columns.source}: column {name!r}",
    )
    record = Column(name, kind_in_words(one), missing=one.missing, used=False, why=SAYS_WHAT_WAS_SET)
    others = columns.without({name: record})
    targets: list[tuple[str, ...]] = []
    for k, label in enumerate(one.labels()):
        if not (one.codes == k).any():  # declared, and seen in no row
            targets.append(())
            continue
        try:
            targets.append(names_in(label, others.names))
        except InputError as error:
            row = int(np.argmax(one.codes == k))
            raise InputError(
                f"{columns.source}, {columns.place(row)}: column {name!r} of interventions {error}"
            ) from None
    rows = one.codes.astype(np.int64)
    rows[rows == len(one)] = -1
    return others, targets, rows


def names_in(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the variables that a text names.

    >>> names_in("b + a", ["a", "b"]), names_in("a+b", ["a", "a+b"]), names_in(" ", ["a"])
    (('b', 'a'), ('a+b',), ())
    """
    text = text.strip()  # names of a table have none around them
    if text in names:
        return (text,)
    if text in ("", MISSING):
        return ()
    found = tuple(part.strip() for part in text.split(SEPARATOR))
    for part in found:
        if part not in names:
            raise InputError(
                f"holds {text!r}, and {part!r} is no variable of the table; expected names of variables,"
                f" several separated by {SEPARATOR!r}, or nothing where none was set."
                f"{did_you_mean(part, names)}"
            )
    return found


def _from_values(
    columns: Columns, names: list[str], given: Any
) -> tuple[list[tuple[str, ...]], NDArray[Any]]:
    """Return distinct targets and which of them each row has, from a mask, a mapping or a list of names."""
    where = option("interventions", subject=True)
    if (named := _named_columns(given)) is not None:
        given = named
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise unknown_column(name, names, named_by="interventions")
        names = list(given)
        columns_given = [np.asarray(one) for one in given.values()]
        if any(one.dtype != np.bool_ or one.shape != (columns.row_count,) for one in columns_given):
            raise InputError(f"{where}: expected true or false for each of the {columns.row_count} rows.")
        given = np.column_stack(columns_given) if names else np.zeros((columns.row_count, 0), dtype=bool)
    if hasattr(given, "__array__") and np.ndim(given) == 2:
        mask = np.asarray(given)
        if mask.dtype != np.bool_ or mask.shape[1] != len(names):
            raise InputError(
                f"{where}: a mask has true or false for each row and each of the {len(names)} variables;"
                f" got {mask.shape[1]} columns of type {mask.dtype}."
            )
        if not mask.shape[1]:
            return [], np.full(mask.shape[0], -1)
        distinct_rows, rows = np.unique(mask, axis=0, return_inverse=True)
        targets = [tuple(names[v] for v in np.flatnonzero(row)) for row in distinct_rows]
        return targets, np.asarray(rows).reshape(-1)
    if hasattr(given, "to_pylist"):  # Arrow
        given = given.to_pylist()
    if not isinstance(given, Iterable):
        raise InputError(
            f"{where}: expected the name of a column, a list with the targets of each row, or a mask; got"
            f" {given!r}."
        )
    place: dict[tuple[str, ...], int] = {}
    rows_found: list[int] = []
    for row, entry in enumerate(given):
        target = _entry(entry, names, f"{where}, row {row + 1}:")
        rows_found.append(place.setdefault(target, len(place)))
    return list(place), np.array(rows_found, dtype=np.int64)


def _named_columns(given: Any) -> dict[str, Any] | None:
    """Return the columns of a data frame by their names; None for what has no names of columns."""
    names = getattr(given, "column_names", getattr(given, "columns", None))  # Arrow, others
    if isinstance(given, Mapping) or names is None or not all(isinstance(name, str) for name in names):
        return None
    return {name: given[name] for name in names}


def _entry(entry: Any, names: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the targets of one row of a list."""
    if is_missing(entry):
        return ()
    if isinstance(entry, str):
        try:
            return names_in(entry, names)
        except InputError as error:
            raise InputError(f"{where} {error}") from None
    if not isinstance(entry, Iterable):
        raise InputError(f"{where} expected names of variables, or None where none was set; got {entry!r}.")
    found = tuple(
        str(name) if isinstance(name, str) else name for name in entry
    )  # NumPy has texts of its own
    for name in found:
        if name not in names:
            raise unknown_column(name, names, named_by="interventions")
    return found
