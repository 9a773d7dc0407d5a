"""Which columns are read, and which of them says how often a row counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesloom.errors import InputError, option

from .column_records import EXCLUDED, NOT_READ, SAYS_HOW_OFTEN, SAYS_WHAT_WAS_SET, Column
from .columns import Columns, unknown_column
from .interventions import INTERVENTIONS_NAME, Interventions, check_some_rows_count, with_interventions
from .table import Table
from .weights import with_weights


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What ``exclude=``, ``only=``, ``weights=`` and ``interventions=`` ask for."""

    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    weights: object = None
    interventions: object = None

    @classmethod
    def given(
        cls, *, exclude: object, only: object, weights: object, interventions: object = None
    ) -> Selection:
        """Return the selection that options ask for, checked against each other."""
        if exclude is not None and only is not None:
            raise InputError(
                f"{option('exclude')} and {option('only')} exclude each other; give one of them."
            )
        own = cls(
            exclude=_names(exclude, "exclude") if exclude is not None else (),
            only=_names(only, "only") if only is not None else None,
            weights=weights,
            interventions=interventions,
        )
        if isinstance(weights, str) and isinstance(interventions, str) and weights == interventions:
            raise InputError(
                f"{option('weights')} and {option('interventions')} both name {weights!r}; give two columns."
            )
        for choice, names in (("exclude", own.exclude), ("only", own.only or ())):
            if isinstance(weights, str) and weights in names:
                raise InputError(
                    f"{option(choice)} and {option('weights')} both name {weights!r}:"
                    " a column of weights is no variable."
                )
            if isinstance(interventions, str) and interventions in names:
                raise InputError(
                    f"{option(choice)} and {option('interventions')} both name {interventions!r}:"
                    " a column of interventions is no variable."
                )
        return own

    def names(self, names: Sequence[str]) -> list[str]:
        """Return the names that stay, in the order of the table."""
        known = set(names)
        for choice, given in (("exclude", self.exclude), ("only", self.only or ())):
            for name in given:
                if name not in known:
                    raise unknown_column(name, names, named_by=choice)
        gone = set(self.exclude)
        stay = known if self.only is None else set(self.only)
        kept = [name for name in names if name in stay and name not in gone]
        if not kept:
            choice = "exclude" if self.only is None else "only"
            raise InputError(f"{option(choice)} leaves no column of the table.")
        return kept

    def of_columns(self, columns: Columns) -> Columns:
        """Return the columns that stay, with weights."""
        weights = self.weights
        own = columns.weight_name  # of a file that says itself which column holds the weights
        if weights is None and own is not None and own not in (*self.exclude, *(self.only or ())):
            weights = own
        targets = self.interventions
        own = columns.target_name
        if targets is None and own is not None and own not in (*self.exclude, *(self.only or ())):
            targets = own
        columns = replace(columns, weight_name=None, target_name=None)
        if targets is not None:  # first: weights of 0 take rows out
            columns = with_interventions(columns, targets, weights=weights)
        if weights is not None:
            columns = with_weights(columns, weights)
        kept = set(self.names(columns.names))
        gone = [name for name in columns.names if name not in kept]
        return columns.without({n: Column(n, NOT_READ, used=False, why=EXCLUDED) for n in gone})

    def of_table(self, table: Table) -> Table:
        """Return the same of a table."""
        if self.interventions is not None:
            table = _with_targets(table, self.interventions, self.weights)
        if self.weights is not None:
            table = _weighted(table, self.weights)
        if self.exclude or self.only is not None:
            kept = self.names(table.names)
            table = replace(table.select(kept), columns=table.columns.only(kept, why=EXCLUDED))
        return table


def _with_targets(table: Table, given: object, weights: object) -> Table:
    if table.interventions is not None:
        raise InputError(f"{option('interventions', subject=True)}: the table has interventions already.")
    bare = replace(table, weights=None)
    columns = Columns(source=table.source, names=table.names, arrays=bare.to_arrow().columns)
    found = with_interventions(columns, given, weights=weights)
    chosen = table
    if len(found.names) < len(table.names):
        records = table.columns.only(found.names, why=SAYS_WHAT_WAS_SET)
        chosen = replace(table.select(found.names), columns=records)
    own = None
    if found.regimes is not None:
        own = Interventions(found.targets, found.regimes, found.target_name or INTERVENTIONS_NAME)
        check_some_rows_count(own, table.source)
    return replace(chosen, notes=(*table.notes, *found.notes), interventions=own)


def _weighted(table: Table, weights: object) -> Table:
    if table.weights is not None:
        raise InputError(f"{option('weights', subject=True)}: the table has weights already.")
    arrow = replace(table, interventions=None).to_arrow()
    columns = Columns(source=table.source, names=table.names, arrays=arrow.columns)
    found = with_weights(columns, weights)
    rows: Any = slice(None) if found.kept_rows is None else found.kept_rows
    chosen = table
    if len(found.names) < len(table.names):
        records = table.columns.only(found.names, why=SAYS_HOW_OFTEN)
        chosen = replace(table.select(found.names), columns=records)
    codes: Any = tuple(np.ascontiguousarray(column[rows]) for column in chosen.codes)
    return replace(
        chosen,
        codes=codes,
        notes=(*table.notes, *found.notes),
        interventions=None if table.interventions is None else table.interventions.of_rows(rows),
        weights=found.weights,
        weight_name=found.weight_name or table.weight_name,
    )


def _names(given: object, choice: str) -> tuple[str, ...]:
    where = option(choice, subject=True)
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, Iterable):
        raise InputError(f"{where}: expected a name or a list of names, got {given!r}.")
    own = tuple(names)
    if odd := [name for name in own if not isinstance(name, str)]:
        raise InputError(f"{where}: expected names of columns, got {odd[0]!r}.")
    return own
