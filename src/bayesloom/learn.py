"""From any table to a network, in one call.

Reads the table, scores every parent set that can matter, and searches for the best network; each
stage can also be run by itself (`read_table`, `score`, `search`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from bayesloom.parent_sets import score as score_parent_sets
from bayesloom.progress import ProgressFunction
from bayesloom.result import SearchResult
from bayesloom.search import search
from bayesloom.table import Table, read_table

__all__ = ["learn"]


def learn(
    table: object,
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    method: str = "exhaustive",
    max_parents: int | None = None,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> SearchResult:
    """Learn the best network of a table.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes: a path, a data frame, an array.
    score, options, method, max_parents
        How parent sets are scored, see `bayesloom.score`.
    solver, seed, memory
        How the network is searched, see `bayesloom.search`.
    time_limit
        Seconds for scoring and search together; None means as long as it takes.
    threads, progress
        As in `bayesloom.score`.

    Examples
    --------
    >>> import bayesloom as bl
    >>> result = bl.learn({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> result.network.cpdag.reversible
    (('rain', 'wet'),)
    """
    start = time.perf_counter()
    given = table if isinstance(table, Table) else read_table(table)
    read = time.perf_counter()
    cache = score_parent_sets(
        given,
        score=score,
        options=options,
        method=method,
        max_parents=max_parents,
        time_limit=time_limit,
        threads=threads,
        memory=memory,
        progress=progress,
    )
    scored = time.perf_counter()
    left = None if time_limit is None else max(0.01, time_limit - (scored - start))
    result = search(
        cache, solver=solver, time_limit=left, seed=seed, threads=threads, memory=memory, progress=progress
    )
    seconds = {"read": read - start, "score": scored - read, **result.seconds}
    return replace(result, seconds=seconds)
