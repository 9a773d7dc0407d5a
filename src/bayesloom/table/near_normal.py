"""Which columns of many numbers are kept as numbers where nobody says: those near a normal distribution.

A score of continuous variables says what a network is worth if numbers are normal, given their parents.
Numbers that are far from it would be worth little as they are, so they are cut into ranges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from .columns import Columns
from .continuous import is_continuous
from .distinct import Distinct
from .lenient import FEW_DROPPED, few_missing, names_rows, rows_of
from .normality import NEAR_NORMAL, normality
from .reading_options import Options


def with_near_normal(columns: Columns, found: Sequence[Distinct], options: Options) -> Options:
    """Return the options with the columns named in them that are kept because they are near normal.

    From here on it is as if the caller had named them, so a table that is read with these names is the same.
    Not kept is what lacks too many values for its rows to be dropped, and what may number the rows.
    """
    may_lack: set[str] = set()
    if options.missing == "keep":
        may_lack = set(columns.names)
    elif options.drop_few:
        may_lack = set(few_missing(columns.names, found, FEW_DROPPED, rows_of(found))[0])
    kept, why = set(), {}
    for name, one in zip(columns.names, found, strict=True):
        if name in options.named or not is_continuous(name, one, options) or names_rows(name, one):
            continue
        near = normality(one)
        shown = f"R^2 {math.floor(1000 * near) / 1000:.3f}"  # never up to the limit
        if near < NEAR_NORMAL:
            why[name] = f"far from normal ({shown})"
        elif one.missing and name not in may_lack:
            why[name] = f"near normal ({shown}) but with values missing"
        else:
            why[name] = f"near normal ({shown})"
            kept.add(name)
    return replace(options, keep=None, continuous=options.continuous | kept, why=why)
