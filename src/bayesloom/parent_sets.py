"""From a table to a score cache: which parent sets are worth keeping, and their local scores.

The room of [scanagatta2015], with the complete scoring of [malone2011] and the pruning of
[liao2018].  Its kernels are in ``src/core/parent_sets``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.errors import InputError, unknown
from bayesloom.limits import check_count, check_seconds, resolve_threads
from bayesloom.progress import ProgressFunction, kernel_progress
from bayesloom.scores import resolve_score
from bayesloom.table import Table, read_table

__all__ = ["score"]


def score(
    table: object,
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    method: str = "exhaustive",
    max_parents: int | None = None,
    bayes_factor: float = 1.0,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: ProgressFunction | None = None,
) -> ScoreCache:
    """Score candidate parent sets of every variable and keep those that can matter.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes.
    score, options
        A name from `bayesloom.scores` and its options, for example ``{"ess": 10}`` for ``"bdeu"``.
    method
        ``"exhaustive"``: every parent set, cut off only where a bound proves it safe.
    max_parents
        Look at no larger parent sets; None means no limit.
    bayes_factor
        Keep every parent set that a network within this factor of the best can use; 1 keeps what
        best networks use, ties included.
    time_limit
        Stop after this many seconds; sizes of parent sets that were finished are kept.
    threads
        How many threads to use; None means all processors this process may run on.
    progress
        Called with a `ProgressEvent` a few times a second.

    Returns
    -------
    ScoreCache
        Its ``info`` says what was done: ``finished_size`` is the largest size of parent sets that
        was searched in full, ``complete`` whether nothing larger can matter.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> cache = bl.score(table)
    >>> cache.complete
    True
    >>> [(round(score, 3), parents) for score, parents in cache.candidates("wet")]
    [(-2.996, ('rain',)), (-15.361, ())]
    """
    if method not in _METHODS:
        raise unknown("method", method, _METHODS)
    if not (isinstance(bayes_factor, (int, float)) and 1 <= bayes_factor < math.inf):
        raise InputError(f"bayes_factor must be a number of at least 1, got {bayes_factor!r}.")
    if max_parents is not None:
        check_count("max_parents", max_parents, least=0)
    found, values = resolve_score(score, options)
    given = table if isinstance(table, Table) else read_table(table)
    out = _METHODS[method](
        given.encoded,
        list(given.names),
        found.name,
        values,
        max_parents=max_parents,
        margin=math.log(bayes_factor),
        threads=resolve_threads(threads),
        seconds=check_seconds("time_limit", time_limit),
        progress=kernel_progress(progress, "score"),
    )
    cut = not out["exhausted"]  # by max_parents, if the run was not stopped
    info: dict[str, Any] = {
        "score": found.name,
        "options": values,
        "rows": given.row_count,
        "method": method,
        "max_parents": max_parents if cut and not out["stopped"] else None,
        "complete_factor": None if out["stopped"] else float(bayes_factor),
        "finished_size": out["finished_size"],
    }
    if out["interrupted"]:
        info["interrupted"] = True
    return ScoreCache(out["cache"]).with_info(info)


_METHODS: dict[str, Callable[..., Any]] = {"exhaustive": _core.exhaustive}
