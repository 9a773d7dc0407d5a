"""Columns of numbers that are kept as numbers: continuous variables, without states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, option

from .column_records import Decisions
from .columns import Columns, counted, listed
from .distinct import Distinct
from .reading_options import CONTINUOUS_ABOVE, Options


def is_continuous(name: str, one: Distinct, options: Options) -> bool:
    """Whether a column holds so many numbers that they are no states, unless the caller says otherwise."""
    return one.is_numeric and len(one) > CONTINUOUS_ABOVE and name not in options.discrete


def is_kept(name: str, one: Distinct, options: Options) -> bool:
    """Whether a column is kept as numbers."""
    if name in options.continuous:
        return True
    if options.keep is None or name in options.named:
        return False
    return one.is_numeric if options.keep == "all" else is_continuous(name, one, options)


def kept_numbers(
    columns: Columns, found: Sequence[Distinct], options: Options, decisions: Decisions
) -> dict[str, NDArray[np.float64]]:
    """Return the numbers of the columns that are kept as numbers; they must all be finite."""
    kept = {}
    for name, one in zip(columns.names, found, strict=True):
        if not is_kept(name, one, options):
            continue
        if not one.is_numeric:
            raise InputError(
                f"{columns.source}: column {name!r} does not hold numbers alone, so it cannot be continuous."
                f" Leave it out of {option('continuous')}."
            )
        numbers = one.numbers()
        present = one.codes < len(one)  # what is missing stays so, or is gone already
        if (bad := np.flatnonzero(~np.isfinite(numbers) & present)).size:
            raise InputError(
                f"{columns.source}, {columns.place(int(bad[0]))}: variable {name!r} is continuous and has"
                f" {numbers[bad[0]]} here; expected a finite number."
            )
        asked = "as asked for"
        if name in options.why:
            asked = f"more than {CONTINUOUS_ABOVE} values, {options.why[name]}"
        elif name not in options.continuous and options.keep != "all":
            asked = f"more than {CONTINUOUS_ABOVE} values"
        decisions.say(name, f"its {len(one)} values are kept as numbers: {asked}")
        kept[name] = numbers
    return kept


def without_missing_numbers(
    columns: Columns, found: list[Distinct], options: Options, notes: list[str]
) -> list[Distinct]:
    """Return the columns without the rows that lack a number of a continuous column: it has no states."""
    gone: NDArray[np.bool_] = np.zeros(found[0].codes.size, dtype=bool)
    lacking = []
    for name, one in zip(columns.names, found, strict=True):
        if one.missing and is_kept(name, one, options):
            gone |= one.codes == len(one)
            lacking.append(repr(name))
    if not lacking:
        return found
    if gone.all():
        raise InputError(
            f"{columns.source}: every row lacks a number of {listed(lacking)}, which are continuous. Leave"
            " out the columns with most missing values."
        )
    notes.append(
        f"{int(np.count_nonzero(gone))} of {counted(gone.size, 'row')} dropped: they lack a number of"
        f" {listed(lacking)}."
    )
    return [one.without(gone) for one in found]
