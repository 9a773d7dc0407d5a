"""Columns whose values are of several types: read as texts, where each value has a plain one."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .distinct import MISSING_TEXTS

_PLAIN = (str, bool, int, float, decimal.Decimal, datetime.date, datetime.time)
_PLAIN_OF_NUMPY = (np.bool_, np.integer, np.floating, np.str_)


def state_text(value: object) -> str:
    """Return the text that a value is known by as a state.

    >>> [state_text(value) for value in (True, 2.0, "x")]
    ['true', '2', 'x']
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def mixed_column(values: Iterable[Any], name: str, notes: list[str]) -> Any | None:
    """Return an Arrow array of texts for values of several types, or None if it is not that.

    Numbers among which the only texts stand for missing values stay numbers.

    >>> mixed_column([1, "x", None, True], "a", notes := []).to_pylist()
    ['1', 'x', None, 'true']
    >>> notes
    ["'a' holds values of several types (bool, int, str); they are read as texts."]
    >>> mixed_column([1.5, "NA"], "a", []).to_pylist()
    [1.5, None]
    """
    given = [None if is_missing(value) else value for value in values]
    present = [value for value in given if value is not None]
    kinds = sorted({type(value).__name__ for value in present})
    if len(kinds) < 2 or not all(isinstance(value, _PLAIN + _PLAIN_OF_NUMPY) for value in present):
        return None
    numbers = [None if isinstance(value, str) else value for value in given]
    texts = {value.strip() for value in present if isinstance(value, str)}
    if texts <= MISSING_TEXTS and all(_is_number(value) for value in numbers if value is not None):
        notes.append(f"{name!r} holds numbers and {_listed(texts)}, which is read as a missing value.")
        return pa.array([None if value is None else float(value) for value in numbers], pa.float64())
    notes.append(f"{name!r} holds values of several types ({', '.join(kinds)}); they are read as texts.")
    return pa.array([None if value is None else state_text(value) for value in given], pa.string())


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, or what pandas has for it.

    >>> is_missing(float("nan")), is_missing("")
    (True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number | decimal.Decimal) and not isinstance(value, bool)


def _listed(texts: Iterable[str]) -> str:
    found: Sequence[str] = sorted(map(repr, texts))
    return ", ".join(found)
