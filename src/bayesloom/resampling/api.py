"""`bayesloom.bootstrap`: how often each edge is found when resampled rows are learned again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError, Interrupted, ResourceError, option, shown
from bayesloom.limits import (
    LEAST_SECONDS,
    check_count,
    check_seconds,
    is_number,
    reading_within,
    resolve_memory,
    resolve_threads,
)
from bayesloom.loops import ends_loops
from bayesloom.progress import Progress, listening
from bayesloom.resampling.learners import learner_given
from bayesloom.resampling.replicates import ReplicateJob
from bayesloom.resampling.result import Bootstrap
from bayesloom.scoring.registry import AUTO, check_rows, rules_under, scored_table
from bayesloom.table import Table

if TYPE_CHECKING:
    from bayesloom.cluster.executors import Executor
    from bayesloom.table import Table

__all__ = ["bootstrap"]

MOST_REPLICATES = 10_000_000


@ends_loops
def bootstrap(
    table: object,
    replicates: int = 200,
    *,
    learner: str | Callable[[Table], object] = "auto",
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    constraints: object = None,
    classes: bool = True,
    level: float = 0.95,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Bootstrap:
    """Resample the rows of a table, learn a network, and repeat; count how often each edge is found.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes.
    replicates
        How many times.
    learner
        ``"hill_climb"``, a climb to a local optimum; ``"tabu"``, the same and on with a tabu list;
        ``"exact"``, the best network of all; ``"auto"``, exact up to about 16 variables, else tabu; or a
        function from a `Table` with weights to a `Network`.
    score, options, max_parents, constraints
        As in `bayesloom.learn`; a function as `learner` is given none of them, but its networks must keep
        `max_parents` and `constraints`.
    classes
        Whether an edge that has both directions among equivalent networks counts half for each, since rows
        cannot tell these networks apart. False counts each network as it was found.
    level
        Confidence level of the intervals.
    time_limit
        Seconds for all replicates together; those finished by then are returned.
    seed
        Each replicate has its own random generator, seeded by this and its number, so the result does not
        depend on the number of threads.
    threads
        Replicates that are learned at a time; None means all processors.
    memory
        Gigabytes that may be used in all.
    executor
        Learn on many machines, see `bayesloom.score`.
    blocks
        A folder in which finished replicates are saved; a later call resumes from them, even if it asks for
        more replicates.
    progress
        As in `bayesloom.learn`.

    Raises
    ------
    Interrupted
        If Ctrl-C came before a replicate was finished; otherwise finished ones are returned, and
        `interrupted` is set.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.bootstrap({"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}, replicates=20)
    >>> [(edge.source, edge.target, edge.strength) for edge in found.edges()]
    [('rain', 'wet', 1.0)]
    >>> len(found.averaged_network().network.edges)
    1
    """
    begin = time.perf_counter()
    check_count("replicates", replicates, least=1, most=MOST_REPLICATES)
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    if not is_number(level) or not 0 < level < 1:
        raise InputError(f"{option('level', subject=True)} must lie between 0 and 1, got {shown(level)}.")
    if max_parents is not None:
        check_count("max_parents", max_parents, least=0)
    with reading_within(memory):
        given, known, values = scored_table(table, score, options)
    check_rows(given, known, max_parents)
    rules = rules_under(Constraints.given(constraints), given, known)  # type: ignore[arg-type]
    rules.check(given.names, max_parents)
    chosen = learner_given(
        learner, given, score=known.name, options=values, max_parents=max_parents, constraints=rules
    )
    if blocks is not None and chosen.function is not None and "<" in chosen.name:
        raise InputError(
            f"{option('blocks', subject=True)} keeps replicates for later calls, which cannot tell one"
            f" function without a name of a module ({chosen.name}) from another; write the learner as a"
            " function of a module, with all that it needs in it."
        )
    count = resolve_threads(threads)
    each = None if memory is None else resolve_memory(memory) / 1e9 / (count if executor is None else 1)
    read = time.perf_counter() - begin
    job = ReplicateJob(given, chosen, replicates, seed)
    left = None if time_limit is None else max(LEAST_SECONDS, time_limit - read)
    start = time.perf_counter()
    with listening(progress) as listener:
        networks, finished = job.run(
            executor,
            folder=blocks,
            time_limit=left,
            threads=min(count, replicates),
            memory=each,
            progress=listener,
        )
    if not networks:
        if finished.interrupted:
            raise Interrupted("interrupted before a replicate was learned.")
        raise ResourceError(
            f"the time limit ended before a replicate was learned; give more with {option('time_limit')}."
        )
    return Bootstrap(
        names=given.names,
        networks=tuple(networks.values()),
        asked=replicates,
        level=float(level),
        classes=bool(classes),
        learner=chosen.name,
        score=known.name,
        options=values,
        max_parents=max_parents,
        constraints=rules.to_json(),
        interventions=() if given.interventions is None else given.interventions.targets,
        reading=given.reading,
        seed=seed,
        interrupted=finished.interrupted,
        taken_up=finished.taken_up,
        seconds={"read": read, "learn": time.perf_counter() - start},
    )
