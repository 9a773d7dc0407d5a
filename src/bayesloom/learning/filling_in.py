"""Structural EM in its hard form: fill in missing values, learn a network, and repeat until nothing changes.

Each turn computes

    filled    for every row, the jointly most probable values of what is missing, under the fitted network
    network   the best network of the filled-in table, fitted to it by maximum likelihood

Under a score that is the log-likelihood minus a penalty, neither step lowers the score of the filled-in
table: the first step takes the most probable values, the second the best network.  There are finitely many
ways to fill in, so it converges to a local optimum, which depends on the initial network: the one that
``pnal`` finds in the table with its gaps.

The score of a filled-in table is not a score of the data: the values filled in fit the network that chose
them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom.errors import InputError, option
from bayesloom.learning.api import learn
from bayesloom.learning.planning import USUAL_SECONDS
from bayesloom.limits import check_count, check_seconds
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.inference import HIDDEN
from bayesloom.networks.network import Network
from bayesloom.networks.prediction import completed
from bayesloom.scoring.registry import check_kinds, is_auto, resolve_score
from bayesloom.table import Table, read_table

if TYPE_CHECKING:
    from bayesloom.learning.result import LearnResult

__all__ = ["EmResult", "structural_em"]

MOST_SHARE = 0.1
"""The largest share of the time limit, 0 to 1, that the initial network and each turn may take."""
LEAST_TIME = 0.05
"""Seconds, above 0, that each of them has at least."""


@dataclass(frozen=True)
class EmResult:
    """What structural EM found.

    Attributes
    ----------
    network
        The network of the last turn.
    filled
        The table with every missing value filled in.
    learned
        The result of `bayesloom.learn` for that table: its score, its bound and what is proved are of the
        table filled in, not of the data.
    scores
        The score of the network of each turn, for the table filled in then.
    converged
        Whether the last turn filled in the same values as the one before, so further turns change nothing.
    """

    network: Network
    filled: Table
    learned: LearnResult
    scores: tuple[float, ...]
    converged: bool

    def __str__(self) -> str:
        """Return it in a sentence."""
        turns = len(self.scores)
        ended = "nothing changes any more" if self.converged else "it ended before it settled"
        return (
            f"structural EM, {turns} turn{'s' * (turns != 1)}: {ended}. Scores and proofs are of the table"
            " filled in, not of the data."
        )


def structural_em(
    table: object,
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    turns: int = 20,
    time_limit: float | None = USUAL_SECONDS,
    seed: int = 0,
    threads: int | None = None,
    constraints: object = None,
    max_parents: int | None = None,
    **reading: Any,
) -> EmResult:
    """Learn a network of a discrete table with missing values by structural EM, the hard form.

    Parameters
    ----------
    table
        A `Table` with gaps, or anything that `read_table` takes.
    score, options, constraints, max_parents, seed, threads
        As in `bayesloom.learn`; a score of discrete variables.
    turns
        The most turns of filling in and learning.
    time_limit
        Seconds in all; None means no limit.
    reading
        How the table is read, see `read_table`; missing values are kept until they are filled in.

    Raises
    ------
    InputError
        If the table has continuous variables: filled in by their means, they would fit ever better.

    Examples
    --------
    >>> rows = {"rain": ["no", "yes", None, "yes"] * 25, "wet": ["no", "yes", "yes", None] * 25}
    >>> found = structural_em(rows)
    >>> found.converged, len(found.network.edges)
    (True, 1)
    >>> bool(found.filled.column("wet")[3] == found.filled.column("wet")[1])
    True
    """
    begin = time.perf_counter()
    check_count("turns", turns, least=1)
    check_seconds("time_limit", time_limit)
    score = "bic" if is_auto(score) else score  # of states, which it fills in
    found, _ = resolve_score(score, options)
    given = (
        table
        if isinstance(table, Table) and not reading
        else read_table(table, **{**reading, "missing": "keep"})
    )
    if given.interventions is not None:
        raise InputError(
            f"{given.source}: variables were set in some rows, and structural EM fills in as if none had"
            " been. Use score 'pnal', which takes both."
        )
    if given.continuous:
        raise InputError(
            f"{given.source}: {given.continuous[0]!r} is continuous, and structural EM fills in states alone."
            f" Cut numbers with {option('discretize', 'quantile:3')}, or use score 'pnal'."
        )
    whole = filled_with(given, [np.where(given.lacking(name), 0, given.column(name)) for name in given.names])
    check_kinds(whole, found)

    interrupted = False  # by Ctrl-C, before the first turn: that is then the only one, and short

    def left(share: float) -> float | None:
        if interrupted:
            return LEAST_TIME
        if time_limit is None:
            return None
        over = max(LEAST_TIME, time_limit - (time.perf_counter() - begin))
        return min(over, max(LEAST_TIME, share * time_limit))

    def learned(source: Table, name: str, start: Network | None, share: float) -> LearnResult:
        return learn(
            source,
            score=name,
            options=options if name == score else None,
            constraints=constraints,
            max_parents=max_parents,
            start=start,
            time_limit=left(share),
            seed=seed,
            threads=threads,
        )

    if not given.gaps:
        result = learned(given, score, None, 1.0)
        return EmResult(result.network, given, result, (result.score,), converged=True)
    try:
        first = learned(given, "pnal", None, MOST_SHARE)
        network, interrupted = first.network, first.interrupted
    except InputError:  # too few rows are complete on required parents
        network = Network.from_edges(given.names, ())
    fitted = network.fit(given, method="dirichlet")
    rows = np.column_stack([given.column(name).astype(np.int32) for name in given.names])
    rows[np.column_stack([given.lacking(name) for name in given.names])] = HIDDEN
    start: Network | None = None
    scores: list[float] = []
    best: LearnResult | None = None
    before: Table | None = None
    converged = False
    for _ in range(turns):
        assert isinstance(fitted, FittedNetwork)
        # Not `impute`, to which a state named `missing` is no value.
        filled = filled_with(given, list(completed(fitted, rows, "joint", threads=threads).T))
        if before is not None and filled == before:
            converged = True
            break
        result = learned(filled, score, start, MOST_SHARE)
        result = replace(result, interrupted=result.interrupted or interrupted)
        if best is not None and result.score < best.score:
            break  # the score is not a penalized likelihood, or time ended learning
        best, before, start = result, filled, result.network
        scores.append(result.score)
        if result.interrupted or (time_limit is not None and time.perf_counter() - begin > time_limit):
            break
        fitted = start.fit(filled)
    assert best is not None
    assert before is not None
    return EmResult(best.network, before, best, tuple(scores), converged)


def filled_with(table: Table, codes: Any) -> Table:
    """Return a table with other codes and no missing values."""
    count = sum(int(table.lacking(name).sum()) for name in table.names)
    return Table.from_codes(
        table.names,
        table.states,
        codes,
        cut_points=table.cut_points,
        notes=(*table.notes, f"{count:,} missing values are filled in.") if count else table.notes,
        source=table.source,
        columns=table.columns,
        weights=table.weights,
        weight_name=table.weight_name,
    )
