"""States that stand for a range of numbers, and which state a value belongs to.

A column of numbers that was cut has states ``<= 40``, ``(40, 60]``, ``> 60``.  Formats that know plain names
only (BIF) write them ``le_40``, ``gt_40_le_60``, ``gt_60``, so that people can still read the range,
and Bayesloom too after another program had the file.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Sequence

from bayesloom.errors import InputError, unknown
from bayesloom.table.state_names import twins

__all__ = ["bounds_of", "is_unknown", "plain_interval", "state_of"]

_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|-?inf"
_SHOWN = re.compile(
    rf"<= ({_NUMBER})|\(({_NUMBER}), ({_NUMBER})\]|> ({_NUMBER})",
)
_PLAIN = re.compile(
    rf"le_({_NUMBER})|gt_({_NUMBER})_le_({_NUMBER})|gt_({_NUMBER})",
)


def bounds_of(state: str) -> tuple[float, float] | None:
    """Return the range (low, high] that a state stands for, or None if it is not one.

    >>> bounds_of("(40, 60]"), bounds_of("gt_60"), bounds_of("yes")
    ((40.0, 60.0), (60.0, inf), None)
    """
    found = _SHOWN.fullmatch(state) or _PLAIN.fullmatch(state)
    if found is None:
        return None
    below, low, high, above = found.groups()
    if below is not None:
        return -math.inf, float(below)
    return (float(low), float(high)) if low is not None else (float(above), math.inf)


def plain_interval(state: str) -> str | None:
    """Return the plain name of a state such as ``(40, 60]``, or None if it is none.

    >>> plain_interval("<= 2.5"), plain_interval("(2.5, 7]"), plain_interval("> 7"), plain_interval("> x")
    ('le_2.5', 'gt_2.5_le_7', 'gt_7', None)
    """
    found = _SHOWN.fullmatch(state)
    if found is None:
        return None
    below, low, high, above = found.groups()
    if below is not None:
        return f"le_{below}"
    return f"gt_{low}_le_{high}" if low is not None else f"gt_{above}"


def state_of(name: str, states: Sequence[str], value: object) -> int:
    """Return which state of a variable a value is: its name, the same number, or the range that holds it.

    True and false are 1 and 0 where these are the states, and the other way round.

    >>> state_of("age", ["<= 40", "(40, 60]", "> 60"], 60)
    1
    >>> state_of("wet", ["no", "yes"], "yes"), state_of("wet", ["false", "true"], True)
    (1, 1)
    """
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text in states:
        return states.index(text)
    if isinstance(value, bool | int | float):
        twin = twins(states).get(text if isinstance(value, bool) else f"{value:.17g}")
        if twin is not None:
            return twin
    number = _number(value)
    if number is not None:
        for k, state in enumerate(states):
            if _number(state) == number:
                return k
        for k, state in enumerate(states):
            if (bounds := bounds_of(state)) is not None and bounds[0] < number <= bounds[1]:
                return k
    if not isinstance(value, str | int | float):
        raise InputError(f"a state of {name!r} is a text or a number, got {value!r}.")
    near = None if number is None else _nearest(number, states)
    raise unknown(f"state of {name!r}", text, states, in_order=True, near=near)


def is_unknown(value: object) -> bool:
    """Return whether a value says that nothing is known: None, or a missing value of NumPy or pandas.

    >>> is_unknown(None), is_unknown(float("nan")), is_unknown("nan"), is_unknown(0)
    (True, True, False, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and bool(value != value)


def _nearest(number: float, states: Sequence[str]) -> str | None:
    """Return the state that is the same number but for rounding."""
    for state in states:
        if (other := _number(state)) is not None and math.isclose(number, other, rel_tol=1e-6):
            return state
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number
