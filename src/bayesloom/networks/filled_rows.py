"""A data frame with its holes filled in by a network, and everything else as it was.

`impute` gives a table of states, to be learned from; here a column of numbers stays one, also where the
network has cut it into ranges.  For a range stands the middle one of the numbers that the rows have in it
(the lower of two), so a value that occurs; where they have none, the middle of the range, or its only end.
"""

from __future__ import annotations

import importlib.util
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError
from bayesloom.networks import gaussian_answers
from bayesloom.networks.gaussian import GaussianNetwork
from bayesloom.networks.gaussian_rows import rows_of
from bayesloom.networks.intervals import bounds_of
from bayesloom.networks.prediction import without_missing
from bayesloom.networks.rows import HIDDEN, NewTable, codes_of, is_coded, new_columns, values_of
from bayesloom.table.distinct import distinct

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork

__all__ = ["filled"]


def filled(net: FittedNetwork | GaussianNetwork, rows: object, method: str, seed: int) -> Any:
    """Return a copy of the rows as a ``pandas.DataFrame``; see `FittedNetwork.fill`."""
    if importlib.util.find_spec("pandas") is None:
        raise ImportError("pandas is not installed. Install it with: pip install pandas.")
    pandas = importlib.import_module("pandas")
    if is_coded(rows):
        raise InputError("fill takes rows as they are, and a Table holds states; impute fills a Table.")
    given = NewTable(new_columns(rows, net), None)
    holes, codes = _holes(net, given)
    answer = net.impute(given, method, seed=seed)  # type: ignore[arg-type]
    frame = _frame(rows, pandas)
    labels = {str(label): k for k, label in enumerate(frame.columns)}
    for v, name in enumerate(net.names):
        if name not in labels or not holes[:, v].any():
            continue
        place, here = labels[name], holes[:, v]
        column = frame.iloc[:, place]
        if net.states[v]:
            states = answer.states[v]
            numbers = pandas.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
            known = [_shown(numbers, codes[:, v] == k, one) for k, one in enumerate(states)]
            if any(one is None for one in known):
                plain = values_of(states, given, name)
                known = [plain[k] if one is None else one for k, one in enumerate(known)]
            values = np.array(known, dtype=object)[answer.codes[v][here]]
        else:
            values = answer.values(name)[here].astype(object)
        frame.isetitem(place, _with(column, here, values, pandas))
    return frame


def _holes(
    net: FittedNetwork | GaussianNetwork, given: NewTable
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Return what is to be filled in, and the codes of the states that `impute` knows."""
    if isinstance(net, GaussianNetwork):
        found = gaussian_answers.without_missing(net, rows_of(net, given))[1]
        kept = np.array([bool(own) for own in net.states])
        return np.where(kept, found.codes == HIDDEN, np.isnan(found.values)), found.codes
    _, codes = without_missing(net, codes_of(net, given))
    return codes == HIDDEN, codes


def _frame(rows: object, pandas: Any) -> Any:
    if isinstance(rows, pandas.DataFrame):
        return rows.copy()
    from bayesloom.table.sources import read_source

    columns = read_source(rows, header=None, names=None, delimiter=None, lenient=True)
    frame = {}
    for name, array in zip(columns.names, columns.arrays, strict=True):
        if not columns.from_text:
            frame[name] = array.to_pandas()
            continue
        one = distinct(array, from_text=True, where=f"{columns.source}: column {name!r}")
        values = one.numbers() if one.is_numeric else np.array([*one.labels(), None], dtype=object)[one.codes]
        frame[name] = values.astype(np.int64) if one.kind == "integer" and not one.missing else values
    return pandas.DataFrame(frame)


def _shown(numbers: NDArray[np.float64], inside: NDArray[np.bool_], state: str) -> float | None:
    """Return the number that stands for a range; None for a state that is none."""
    bounds = bounds_of(state)
    if bounds is None:
        return None
    own = np.sort(numbers[inside & ~np.isnan(numbers)])
    if own.size:
        return float(own[(own.size - 1) // 2])
    low, high = bounds
    if math.isfinite(low) and math.isfinite(high):
        return (low + high) / 2
    return low if math.isfinite(low) else high


def _with(column: Any, here: NDArray[np.bool_], values: NDArray[Any], pandas: Any) -> Any:
    """Return a column with some values in it, of the same type if that holds them."""
    if isinstance(column.dtype, pandas.CategoricalDtype):
        new = [one for one in dict.fromkeys(values.tolist()) if one not in column.cat.categories]
        column = column.cat.add_categories(new)
    own = column.astype(object)
    own.iloc[np.flatnonzero(here)] = values
    try:
        return own.astype(column.dtype)
    except (TypeError, ValueError):
        return own.infer_objects()
