"""What every table promises, checked before it exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError
from bayesloom.text_input import first_repeated

from .columns import STATE_LIMIT, checked_names, code_type, counted


def check_codes(
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    codes: Sequence[NDArray[Any]],
    source: str,
    *,
    gaps: bool = False,
) -> None:
    """Check shapes, and that all codes are in range and stored as the core expects them.

    With `gaps` the code after the last state, or NaN, stands for a missing value.
    """
    check_shape(names, states, codes, source)
    for name, one, column in zip(names, states, codes, strict=True):
        if not one:
            check_numbers(column, name, source, gaps=gaps)
            continue
        if column.dtype != code_type(len(one) + gaps) or not column.flags.c_contiguous:
            raise InputError(
                f"{source}: the codes of {name!r} must be a contiguous array of"
                f" {code_type(len(one) + gaps).__name__}. Use Table.from_codes."
            )
        if int(column.max()) >= len(one) + gaps:
            raise _code_error(column, name, len(one), source)


def check_shape(
    names: Sequence[str], states: Sequence[Sequence[str]], codes: Sequence[NDArray[Any]], source: str
) -> None:
    """Check names and states, and that there is one column of equal length for each."""
    if list(names) != checked_names(names, source):
        odd = next(name for name in names if name != name.strip())
        raise InputError(f"{source}: the name {odd!r} has white space around it.")
    if not len(names) == len(states) == len(codes):
        raise InputError(
            f"{source}: {counted(len(names), 'name')}, {len(states)} lists of states and"
            f" {len(codes)} columns of codes; expected as many of each."
        )
    for name, one, column in zip(names, states, codes, strict=True):
        where = f"{source}: variable {name!r}"
        continuous = not len(one) and column.dtype.kind == "f"
        if not (continuous or 1 <= len(one) <= STATE_LIMIT):
            raise InputError(f"{where} has {len(one)} states; expected 1 to {STATE_LIMIT}.")
        for text in (name, *one):
            if not isinstance(text, str):
                raise InputError(f"{where} has a state that is not a text: {text!r}.")
            if not text.isascii():
                _check_unicode(text, where)
        if (twice := first_repeated(one)) is not None:
            raise InputError(f"{where} has the state {twice!r} twice.")
        if column.ndim != 1 or column.size != codes[0].size:
            raise InputError(
                f"{where} has codes of shape {column.shape}; expected one dimension, as long as the"
                f" {codes[0].size} of {names[0]!r}."
            )
        if not column.size:
            raise InputError(f"{source}: the table has no rows.")


def _check_unicode(text: str, where: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{where}: {text!r} is not valid Unicode.") from None


def narrowed(
    column: NDArray[Any], name: str, cardinality: int, source: str, *, gaps: bool = False
) -> NDArray[Any]:
    """Return codes in their smallest type, or the numbers of no states, as a copy of our own."""
    if not cardinality:
        numbers = np.array(column, dtype=np.float64, order="C")
        check_numbers(numbers, name, source, gaps=gaps)
        return numbers
    if column.dtype.kind not in "iub":
        raise InputError(f"{source}: the codes of {name!r} must be integers, got {column.dtype}.")
    if column.min() < 0 or column.max() >= cardinality + gaps:
        raise _code_error(column, name, cardinality, source)
    return np.array(column, dtype=code_type(cardinality + gaps), order="C")


def check_numbers(column: NDArray[Any], name: str, source: str, *, gaps: bool = False) -> None:
    """Check that the numbers of a continuous variable are finite and stored as the core expects them."""
    if column.dtype != np.float64 or not column.flags.c_contiguous:
        raise InputError(
            f"{source}: the numbers of {name!r} must be a contiguous array of float64. Use Table.from_codes."
        )
    finite = np.isfinite(column) | np.isnan(column) if gaps else np.isfinite(column)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise InputError(
            f"{source}: variable {name!r} has {column[row]} in row {row + 1}, expected a finite number."
        )


def _code_error(column: NDArray[Any], name: str, cardinality: int, source: str) -> InputError:
    row = int(np.flatnonzero((column < 0) | (column >= cardinality))[0])
    return InputError(
        f"{source}: variable {name!r} has code {column[row]} in row {row + 1},"
        f" expected 0 to {cardinality - 1}."
    )
