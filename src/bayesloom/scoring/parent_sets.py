"""From a table to a score cache: which parent sets are worth keeping, and their local scores.

The room of [scanagatta2015], with the complete scoring of [malone2011] and the pruning of
[liao2018].  Its kernels are in ``src/core/parent_sets``.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InfeasibleError, InputError, option, unknown
from bayesloom.limits import (
    LEAST_SECONDS,
    check_count,
    check_factor,
    check_seconds,
    reading_within,
    resolve_memory,
    resolve_threads,
)
from bayesloom.loops import ends_loops
from bayesloom.networks.network import MAX_VARIABLES
from bayesloom.progress import Progress, ProgressFunction, kernel_progress, listening
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import CandidateLists, allowed, with_lists
from bayesloom.scoring.registry import AUTO, check_rows, rules_under, scored_table

if TYPE_CHECKING:
    from bayesloom.cluster.executors import Executor
    from bayesloom.table import Table

__all__ = ["score"]

METHODS = {
    "exhaustive": "every parent set that can matter, so that a search can prove its network the best.",
    "independence": "within a time budget, sets of the best estimates first; for hundreds of columns.",
    "greedy": "within a time budget, supersets of the best set so far.",
    "sequential": "within a time budget, by size and in the order of the columns; for comparison.",
}
"""Every method with a sentence."""
ESTIMATES = ("conditional", "additive")
MOST_GROWN = 12  # parents of a set that an anytime method grows: what its keys hold
MOST_CONSIDERED = 1023  # single parents of a variable, likewise
LARGEST_SHARD = 2**31 - 1
DEFAULT_SECONDS = 1.0  # for each variable, where an anytime method is given no budget


@ends_loops
def score(
    table: object,
    *,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    method: str = "exhaustive",
    max_parents: int | None = None,
    bayes_factor: float = 1.0,
    time_per_variable: float | None = None,
    sets_per_variable: int | None = None,
    parents_considered: int = 512,
    estimate: str = "conditional",
    time_limit: float | None = None,
    threads: int | None = None,
    memory: float | None = None,
    shard: tuple[int, int] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    constraints: object = None,
    interventions: object = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    progress: Progress = None,
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
        ``"independence"``, ``"greedy"``, ``"sequential"``: anytime, for tables of hundreds to ten
        thousand variables; parent sets grow one parent at a time, best estimate first, best scored
        first, or by size [scanagatta2015].
    max_parents
        Look at no larger parent sets; None means no limit (the anytime methods stop at 12).
    bayes_factor
        Keep every parent set that a network within this factor of the best can use; 1 keeps what
        best networks use, ties included.
    time_per_variable, sets_per_variable
        Budget of an anytime method: seconds, or parent sets scored (the same result every time).
        Without any budget it is one second per variable. Time that a variable does not need goes to
        those that still improve.
    parents_considered
        Anytime methods grow sets from this many best single parents of a variable, at most 1,023.
    estimate
        How ``"independence"`` guesses the score of a set before it is scored: ``"additive"`` as in the
        paper (BIC* for ``"bic"``), or ``"conditional"``, corrected by the sets scored so far.
    time_limit
        Stop after this many seconds in all.  `exhaustive` then keeps the sizes of parent sets that
        were finished; an anytime method divides the time among the variables.
    threads
        How many threads to use; None means all processors this process may run on.
    memory
        How many gigabytes may be used; None means 80 % of what is free.
    shard
        ``(i, m)``: score the i-th of m parts of the variables only.  A part knows that it is one and what
        it is a part of: nothing is searched in it, and `merge` puts together what belongs together.
    checkpoint, resume
        A file that holds the work done so far, written every ten seconds; with ``resume`` a run that was
        killed goes on from it and ends with the cache it would have had.  One of another table or of other
        options is refused.  It is not removed here, since the cache is in memory only: remove it once the
        cache is written, as ``bayesloom score`` does.
    constraints
        `Constraints`, a dictionary of them, or a file.  The cache holds what they allow, and is complete
        for networks that keep them; its ``info`` says which they are.
    interventions
        Which variables were set in which rows, as in `read_table`; its ``info`` says which.
    executor
        Score on many machines: a client of Dask, the address of a Dask scheduler, ``"local:N"`` for N
        processes here, or a `concurrent.futures.Executor`.  The cache is the same, byte for byte, unless
        seconds limit the work.  `threads` and `memory` are then those of one task: one thread, and what its
        worker has.  See docs/cluster.md.
    blocks
        With `executor`: a folder that keeps the blocks that are done, so that a later call with the same
        table and options goes on from there.
    progress
        True shows how far the work is, live on a terminal, else as a line at times; a function is called with
        a `ProgressEvent` a few times a second.

    Returns
    -------
    ScoreCache
        Its ``info`` says what was done. ``complete`` tells whether every parent set left out was
        proved not to matter: for an anytime method if every variable has such a certificate.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> cache = bl.score(table)
    >>> cache.complete
    True
    >>> [(round(score, 3), parents) for score, parents in cache.candidates("wet")]
    [(-2.996, ('rain',)), (-15.361, ())]
    >>> bl.score(table, method="independence", sets_per_variable=100) == cache
    False
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if estimate not in ESTIMATES:
        raise unknown("estimate", estimate, ESTIMATES)
    bayes_factor = check_factor(bayes_factor)
    if max_parents is not None:
        check_count("max_parents", max_parents, least=0, most=MAX_VARIABLES)
    if sets_per_variable is not None:
        check_count("sets_per_variable", sets_per_variable, least=1)
    check_seconds("time_per_variable", time_per_variable)
    check_seconds("time_limit", time_limit)
    with reading_within(memory):
        given, found, values = scored_table(table, score, options, interventions=interventions)
    if method == "exhaustive":
        check_rows(given, found, max_parents)
    rules = rules_under(Constraints.given(constraints), given, found)  # type: ignore[arg-type]
    rules.check(given.names, max_parents)
    asked: dict[str, Any] = {
        "score": found.name,
        "options": values,
        "method": method,
        "max_parents": max_parents,
        "bayes_factor": bayes_factor,
        "constraints": rules.to_json(),
    }
    budgets: dict[str, Any] = {
        "time_per_variable": time_per_variable,
        "sets_per_variable": sets_per_variable,
        "parents_considered": parents_considered,
        "estimate": estimate,
    }
    job = asked if method == "exhaustive" else asked | budgets
    begin = time.perf_counter()
    common = Common(
        table=given,
        score=found.name,
        options=values,
        bayes_factor=float(bayes_factor),
        time_limit=time_limit,
        threads=resolve_threads(threads),
        memory=memory,
        shard=(1, 1) if shard is None else _checked_shard(shard),
        checkpoint=b"" if checkpoint is None else os.fsencode(checkpoint),
        resume=resume,
        progress=None,
    )
    if method == "exhaustive" and (time_per_variable is not None or sets_per_variable is not None):
        raise InputError(
            "method 'exhaustive' scores all parent sets together and takes no budget per variable; "
            f"use {option('time_limit')}, or {option('method', 'independence')}."
        )
    if method != "exhaustive":
        _check_growing(method, max_parents, parents_considered)
        if time_per_variable is None and sets_per_variable is None and time_limit is None:
            time_per_variable = DEFAULT_SECONDS
    if executor is None and blocks is not None:
        raise InputError(
            f"{option('blocks', subject=True)} is for work on {option('executor', subject=True)}."
        )
    if executor is not None:
        from bayesloom.scoring.in_blocks import ScoringJob, score_in_blocks

        for name, given_too in (("shard", shard), ("checkpoint", checkpoint), ("resume", resume or None)):
            if given_too is not None:
                raise InputError(
                    f"{option(name, subject=True)} is for work without an executor: with one, the work "
                    f"is cut into blocks, and goes on from {option('blocks')}."
                )
        with listening(progress) as listener:
            return score_in_blocks(
                executor,
                ScoringJob.of(given, asked | budgets, job),
                folder=blocks,
                time_limit=time_limit,
                threads=None if threads is None else common.threads,
                memory=memory,
                progress=listener,
            )
    with listening(progress) as listener:
        common = replace(common, progress=listener)
        if method == "exhaustive":
            cache = _exhaustive(common, max_parents)
        else:
            budget = (time_per_variable, sets_per_variable)
            cache = _anytime(common, method, max_parents, budget, parents_considered, estimate)
        if rules:
            cache = _under_constraints(cache, common, rules, max_parents, begin)
    if common.shard[1] == 1:
        return cache
    from bayesloom.scoring.merging import as_part

    return as_part(cache, common.shard, given, job)


def _checked_shard(shard: tuple[int, int]) -> tuple[int, int]:
    number, count = (check_count("shard", part, least=1, most=LARGEST_SHARD) for part in shard)
    if number > count:
        raise InputError(f"shard must be (i, m) with i from 1 to m, got {tuple(shard)}.")
    return number, count


@dataclass(frozen=True)
class Common:
    """What every method takes, already checked."""

    table: Table
    score: str
    options: dict[str, float]
    bayes_factor: float
    time_limit: float | None
    threads: int
    memory: float | None
    shard: tuple[int, int]
    checkpoint: bytes
    resume: bool
    progress: ProgressFunction | None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that the kernels share."""
        return {
            "data": self.table.encoded,
            "names": list(self.table.names),
            "score": self.score,
            "options": self.options,
            "margin": math.log(self.bayes_factor),
            "threads": self.threads,
            "memory_bytes": resolve_memory(self.memory),
            "shard": (self.shard[0] - 1, self.shard[1]),
            "checkpoint": self.checkpoint,
            "resume": self.resume,
            "seconds": self.time_limit,
            "progress": kernel_progress(self.progress, "score"),
        }

    def cache(self, out: Mapping[str, Any], info: Mapping[str, Any]) -> ScoreCache:
        """Return the cache that a kernel made, with what is known about it."""
        known = {"score": self.score, "options": self.options, "rows": self.table.total_weight, **info}
        if self.table.interventions is not None:
            known["interventions"] = [list(target) for target in self.table.interventions.targets]
        if self.table.reading:
            known["reading"] = dict(self.table.reading)
        if out["stopped"]:
            known["stopped"] = True
        if out["interrupted"]:
            known["interrupted"] = True
        return ScoreCache(out["cache"]).with_info(known)


def _under_constraints(
    cache: ScoreCache, common: Common, rules: Constraints, max_parents: int | None, begin: float
) -> ScoreCache:
    """Return the candidates that constraints allow.

    Where parents are required the list is made anew, of all sets that contain them: compared with sets
    that lack them, too much was left out (`supersets.hpp`).  A limit on parents may matter there even if it
    did not without the constraints; the cache then says so.
    """
    lists: dict[int, CandidateLists] = {}
    info = cache.info
    reached = info.get("max_parents")  # of an anytime method without a limit: how far sets were grown
    limit = max_parents if reached is None else reached
    mine = range(common.shard[0] - 1, len(cache.names), common.shard[1])
    for v, (required, forbidden, own) in enumerate(rules.rules(cache.names)):
        if not required or v not in mine:
            continue
        most = own if limit is None else limit if own is None else min(own, limit)
        if most is not None and len(required) > most:  # more than such a method grows
            most, info["max_parents"], info["complete_factor"] = own, None, None
        left = None
        if common.time_limit is not None:
            left = max(LEAST_SECONDS, common.time_limit - (time.perf_counter() - begin))
        try:
            out = _core.supersets(
                common.table.encoded,
                common.score,
                common.options,
                v,
                [(required, forbidden, most)],
                margin=math.log(common.bayes_factor),
                seconds=left,
                progress=kernel_progress(common.progress, "score"),
            )
        except InfeasibleError as error:
            raise InfeasibleError(f"variable {cache.names[v]!r} {error}") from None
        lists[v] = out["scores"], out["ends"], out["parents"]
        if not out["complete"]:
            info["complete_factor"] = None
            info["stopped"] = True
        elif out["cut"] and (own is None or (most is not None and most < own)) and info["complete_factor"]:
            info["max_parents"] = most
        if out["interrupted"]:
            info["interrupted"] = True
    held = allowed(with_lists(cache, lists), rules, among=mine)
    return held.with_info({**info, "constraints": rules.to_json()})


def _exhaustive(common: Common, max_parents: int | None) -> ScoreCache:
    out = _core.exhaustive(max_parents=max_parents, **common.arguments())
    cut = not out["exhausted"]  # by max_parents, if the run was not stopped
    return common.cache(
        out,
        {
            "method": "exhaustive",
            "max_parents": max_parents if cut and not out["stopped"] else None,
            "complete_factor": None if out["stopped"] else common.bayes_factor,
            # Up to where a run that went to its end had to look depends on the shard, what it kept does not.
            **({"finished_size": out["finished_size"]} if out["stopped"] else {}),
        },
    )


def _check_growing(method: str, max_parents: int | None, parents_considered: int) -> None:
    """Refuse more than an anytime method can do."""
    check_count("parents_considered", parents_considered, least=1)
    if parents_considered > MOST_CONSIDERED:
        raise InputError(f"parents_considered can be {MOST_CONSIDERED} at most, got {parents_considered}.")
    if max_parents is not None and max_parents > MOST_GROWN:
        raise InputError(
            f"method {method!r} grows parent sets to {MOST_GROWN} parents at most, got {max_parents}."
        )


def _anytime(
    common: Common,
    method: str,
    max_parents: int | None,
    budget: tuple[float | None, int | None],
    parents_considered: int,
    estimate: str,
) -> ScoreCache:
    time_per_variable, sets_per_variable = budget
    limit = MOST_GROWN if max_parents is None else max_parents
    out = _core.anytime_parent_sets(
        strategy=method,
        conditional=estimate == "conditional",
        max_parents=limit,
        parents_considered=parents_considered,
        seconds_per_variable=time_per_variable,
        sets_per_variable=sets_per_variable,
        **common.arguments(),
    )
    mine = range(common.shard[0] - 1, len(common.table.names), common.shard[1])
    certified = out["certified"] == len(mine)
    info: dict[str, Any] = {
        "method": method,
        "max_parents": limit if out["cut"] or not certified else None,
        "complete_factor": common.bayes_factor if certified else None,
        "certified": out["certified"],
        "parents_considered": parents_considered if out["capped_parents"] else None,
        "time_per_variable": time_per_variable,
        "sets_per_variable": sets_per_variable,
    }
    if method == "independence":
        info["estimate"] = estimate
    if out["out_of_memory"]:
        info["cut_by_memory"] = out["out_of_memory"]
    return common.cache(out, info)
