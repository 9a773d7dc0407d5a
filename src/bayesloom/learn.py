"""From any table to a network, in one call.

Reads the table, scores parent sets, and searches for the best network; each stage can also be run by
itself (`read_table`, `score`, `search`).  How parent sets are found is chosen by size:

==============================================  =====================================================
at most 200 million local scores (`estimate`)   ``exhaustive``: the score cache is complete
more                                            ``independence``, with half of the time
==============================================  =====================================================
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from bayesloom.parent_sets import estimate
from bayesloom.parent_sets import score as score_parent_sets
from bayesloom.progress import ProgressFunction
from bayesloom.result import SearchResult
from bayesloom.search import search
from bayesloom.table import Table, read_table

__all__ = ["learn"]

MOST_FOR_EXHAUSTIVE = 2e8  # local scores: half a minute, and far less where pruning bites


def learn(
    table: object,
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    method: str = "auto",
    max_parents: int | None = None,
    solver: str = "auto",
    time_limit: float | None = 60.0,
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
    score, options, max_parents
        How parent sets are scored, see `bayesloom.score`.
    method
        A method of `bayesloom.score`, or ``"auto"`` to choose by size.
    solver, seed, memory
        How the network is searched, see `bayesloom.search`.
    time_limit
        Seconds for scoring and search together; None means as long as it takes, with one second per
        variable where not all parent sets can be scored.
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
    if method == "auto":
        work = estimate(given, score=score, options=options, max_parents=max_parents)
        method = "exhaustive" if work.local_scores <= MOST_FOR_EXHAUSTIVE else "independence"
    cache = score_parent_sets(
        given,
        score=score,
        options=options,
        method=method,
        max_parents=max_parents,
        time_limit=time_limit if method == "exhaustive" or time_limit is None else time_limit / 2,
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
