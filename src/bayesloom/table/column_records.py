"""What became of each column: a record per column of the source, also of those left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom.printable import one_line

from .discretize import cut_texts

if TYPE_CHECKING:
    from .distinct import Distinct

AS_GIVEN = "the states are given"
NOT_SELECTED = "not selected"
EXCLUDED = "excluded, as asked for"
SAYS_HOW_OFTEN = "it says how often each row counts"
SAYS_WHAT_WAS_SET = "it says which variables were set from outside"
NOT_READ = "not read"
CONTINUOUS = "continuous"


@dataclass(frozen=True)
class Column:
    """What was read of one column, and what became of it.

    Attributes
    ----------
    name
        Name of the column.
    kind
        What it holds: one of "text", "true/false", "whole numbers", "numbers", "categories", "date";
        "continuous" of numbers that are kept as they are; "not read" of a column of a file or data frame
        that `exclude` or `only` leave out.
    states
        How many states it has in the table, a state for missing values included; 0 if it is left out or
        continuous.
    cut_points
        Where its numbers were cut into ranges, if they were.
    missing
        How many rows of the source have no value; 0 if it is not read.
    used
        Whether it is a variable of the table.
    why
        Why it was read so, in a short sentence.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"age": [31, 64, 50]}, discretize={"age": [40, 60]})
    >>> table.columns[0].kind, table.columns[0].cut_points
    ('whole numbers', (40.0, 60.0))
    """

    name: str
    kind: str
    states: int = 0
    cut_points: tuple[float, ...] = ()
    missing: int = 0
    used: bool = True
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the record as a dictionary of plain values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "states": self.states,
            "missing": self.missing,
            "used": self.used,
            "why": self.why,
        }


class ColumnRecords(tuple[Column, ...]):
    """The records of all columns, in the order of the source; prints as a table.

    Examples
    --------
    >>> age = Column("age", "numbers", 3, (40.0, 60.0), why="cut")
    >>> ColumnRecords([age, Column("id", "text", used=False)])
    column  kind     states  missing  cut at  why
    age     numbers       3        0  40, 60  cut
    id      text          -        0
    """

    __slots__ = ()

    def __repr__(self) -> str:
        head = ("column", "kind", "states", "missing", "cut at", "why")
        rows = [head, *(_cells(column) for column in self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        return "\n".join(
            "  ".join(
                text.rjust(width) if i in (2, 3) else text.ljust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )

    def selected(self, names: Iterable[str]) -> ColumnRecords:
        """Return the records of the table that keeps only these variables, in this order, the others last."""
        own = {column.name: column for column in self if column.used}
        kept = [own[name] for name in names]
        chosen = {column.name for column in kept}
        rest = [column for column in self if not column.used or column.name not in chosen]
        return ColumnRecords([*kept, *(_left_out(column, NOT_SELECTED) for column in rest)])

    def only(self, names: Iterable[str], *, why: str) -> ColumnRecords:
        """Return the records, in their order, of the table that keeps only these variables."""
        kept = set(names)
        return ColumnRecords(column if column.name in kept else _left_out(column, why) for column in self)

    def with_states(self, states: Mapping[str, Sequence[str]]) -> ColumnRecords:
        """Return the records with the number of states that the variables have now."""
        return ColumnRecords(
            replace(column, states=len(states[column.name])) if column.used else column for column in self
        )


NO_RECORDS = ColumnRecords()


def given_records(
    names: Sequence[str], states: Sequence[Sequence[str]], cut_points: Mapping[str, tuple[float, ...]]
) -> ColumnRecords:
    """Return the records of a table that was made of codes."""
    return ColumnRecords(
        Column(name, "categories", len(own), cut_points.get(name, ()), why=AS_GIVEN)
        if own
        else Column(name, CONTINUOUS, why="the numbers are given")
        for name, own in zip(names, states, strict=True)
    )


class Decisions:
    """What is decided about each column, gathered while a table is read."""

    def __init__(self, layout: Iterable[str | Column], found: Mapping[str, Distinct]) -> None:
        self._layout = list(layout)
        self._found = {name: (kind_in_words(one), one.missing) for name, one in found.items()}
        self._why: dict[str, str] = {}

    def say(self, name: str, why: str) -> None:
        """Keep the reason for how a column is read; the last one counts."""
        self._why[name] = why

    def said(self, name: str) -> bool:
        """Whether there is a reason already."""
        return name in self._why

    def records(
        self, states: Mapping[str, Sequence[str]], cut_points: Mapping[str, tuple[float, ...]]
    ) -> ColumnRecords:
        """Return a record for each column; those that have no states are left out."""
        return ColumnRecords(self._records(states, cut_points))

    def _records(
        self, states: Mapping[str, Sequence[str]], cut_points: Mapping[str, tuple[float, ...]]
    ) -> Iterator[Column]:
        for entry in self._layout:
            if isinstance(entry, Column):
                yield entry
                continue
            kind, missing = self._found[entry]
            yield Column(
                entry,
                CONTINUOUS if entry in states and not states[entry] else kind,
                len(states.get(entry, ())),
                cut_points.get(entry, ()),
                missing,
                entry in states,
                self._why.get(entry, ""),
            )


def kind_in_words(one: Distinct) -> str:
    """Return what a column holds, in plain words."""
    if one.kind == "integer":
        return "whole numbers"
    if one.kind == "real":
        whole = np.isfinite(one.values).all() and (np.trunc(one.values) == one.values).all()
        return "whole numbers" if whole else "numbers"
    return {"boolean": "true/false", "text": "text", "declared": "categories"}[one.kind]


def reason_in_words(one: Distinct, *, asked: bool) -> str:
    """Return why a column is read as it stands."""
    if len(one) + bool(one.missing) == 1:
        return "it has one value only" if len(one) else "it has no values"
    if one.kind == "boolean":
        return "true and false are states"
    what = {"declared": "categories", "text": "texts"}.get(one.kind, "values")
    return f"each of its {len(one)} {what} is a state{', as asked for' if asked else ''}"


def _left_out(column: Column, why: str) -> Column:
    gone = replace(column, states=0, cut_points=(), used=False, why=why)
    return gone if column.used else column


def _cells(column: Column) -> tuple[str, ...]:
    return (
        one_line(column.name),
        column.kind,
        str(column.states) if column.used and column.states else "-",
        str(column.missing),
        ", ".join(cut_texts(column.cut_points)),
        one_line(column.why if column.used or not column.why else f"left out: {column.why}"),
    )
