"""A column of numbers becomes one of ranges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError

from .columns import code_type, listed
from .discretize import Rule, cut_texts, interval_names, shortened
from .distinct import Distinct


def cut_points_of(one: Distinct, rule: Rule, where: str, *, apart: bool = False) -> tuple[float, ...]:
    """Return where a rule cuts a column; nowhere if it has a single value.

    `apart`: a value that fills a quantile by itself gets a state of its own where cut points coincide.
    """
    if not one.is_numeric:
        holds = "declared states" if one.kind == "declared" else f"{one.kind} values"
        raise InputError(f"{where} cannot be discretised: it holds {holds}, not numbers.")
    if rule.method != "given":
        if rule.method != "quantile" and not np.isfinite(one.values).all():
            raise InputError(
                f"{where} has infinite values, which {rule} cannot cut. Use quantile:k, or give cut points."
            )
        if len(one) < 2:
            return ()
    cuts = rule.cut_points(one.values, one.counts())
    if rule.method == "given":
        return cuts
    if apart and rule.method == "quantile" and len(cuts) + 1 < rule.states:
        cuts = _apart(cuts, one.values, one.counts(), rule.states)
    return shortened(cuts, one.values)


def _apart(
    cuts: tuple[float, ...], values: NDArray[Any], counts: NDArray[np.int64], states: int
) -> tuple[float, ...]:
    """Return the cut points with one more below the most frequent value, if it fills a quantile and has none.

    >>> _apart((5.0,), np.array([1.0, 5.0, 9.0]), np.array([1, 98, 1]), 3)
    (1.0, 5.0)
    """
    most = int(np.argmax(counts))
    below = float(values[most - 1])
    if most == 0 or counts[most] * states < counts.sum() or not np.isfinite(below):
        return cuts
    return tuple(sorted({*cuts, below}))


def cut(one: Distinct, cuts: tuple[float, ...]) -> Distinct:
    """Return the column in ranges; a value on a cut point belongs below it."""
    rank = np.append(ranges_of(one, cuts), len(cuts) + 1)
    codes = rank.astype(code_type(len(cuts) + 2))[one.codes]
    return replace(one, kind="declared", values=interval_names(cuts), codes=codes)


def ranges_of(one: Distinct, cuts: tuple[float, ...]) -> NDArray[np.int64]:
    """Return the range of each distinct value, counted from 0."""
    ranges: NDArray[np.int64] = np.searchsorted(np.array(cuts), one.values, side="left").astype(np.int64)
    return ranges


def cut_in_words(name: str, rule: Rule, cuts: tuple[float, ...], one: Distinct) -> str:
    """Return a note on a column that is to be cut."""
    if not cuts:
        return f"{name!r} is not discretised: it has a single value."
    note = f"{name!r} is discretised by {rule}: cut at {listed(cut_texts(cuts))}."
    if len(cuts) + 1 < rule.states:
        note += f" Some cut points coincide, so it has {len(cuts) + 1} states, not {rule.states}."
    seen = set(ranges_of(one, cuts).tolist())
    if empty := [repr(name) for i, name in enumerate(interval_names(cuts)) if i not in seen]:
        note += f" No row lies in {listed(empty)}: states that count all the same."
    return note
