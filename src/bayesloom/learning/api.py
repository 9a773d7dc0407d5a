"""From any table to a network, in one call.

Reads the table, scores parent sets, and searches for the best network; each stage can also be run by
itself (`read_table`, `score`, `search`), with the same table and the same scores.  ``table.columns`` and
``table.notes`` tell what was decided when it was read, docs/input.md why.

How the network is found is chosen by size (`planning`) and done by `run`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError, option, unknown
from bayesloom.learning import options as tuned
from bayesloom.learning.advice import absence_in_words, chance_in_words, gaps_in_words, unseen_in_words
from bayesloom.learning.planning import LOOP, USUAL_SECONDS, Plan, plan
from bayesloom.learning.result import LearnResult
from bayesloom.learning.run import LearningRun
from bayesloom.limits import check_count, check_seconds, reading_within, resolve_threads
from bayesloom.loops import ends_loops
from bayesloom.networks.network import Network, structure_of
from bayesloom.progress import Progress
from bayesloom.scoring.chance import chance_edges, check_shuffled
from bayesloom.scoring.parent_sets import METHODS
from bayesloom.scoring.registry import AUTO, check_rows, rules_under, scored_table
from bayesloom.solvers.api import solver_named
from bayesloom.table import Table
from bayesloom.table.missing_codes import MissingGiven
from bayesloom.table.read import ContinuousGiven, StatesGiven

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bayesloom.cluster.executors import Executor

__all__ = ["Plan", "learn", "plan"]

NOT_MEASURED = "What chance alone gives was not measured: the time ended before. Give more of it."

ENDED_EARLY = (
    "The time ended before every column had been looked at once, so edges are missing: give more of it"
    " (time_limit=, --time-limit)."
)

LOOP_IS_LOCAL = (
    "Scoring and search in turns ran on this machine: executors take them up beyond 512 variables, without "
    "constraints."
)


IN_PART = (
    "Scoring all parent sets did not end within half of the time, or the memory: scoring and search took"
    " turns from there on (method='loop')."
)

OWN_ROWS = (
    "Variables were set in some rows, so rows that count differ by variable: the gap over all networks sums"
    " what each variable can reach by itself, without the bound by the table as a whole."
)
"""What is said where not all parent sets were scored, and a bound that takes one set of rows is off."""


@ends_loops
def learn(
    table: object,
    *,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    method: str = "auto",
    max_parents: int | None = None,
    solver: str = "auto",
    constraints: object = None,
    start: Network | None = None,
    null: bool = False,
    strict: bool = False,
    exclude: str | Iterable[str] | None = None,
    only: str | Iterable[str] | None = None,
    weights: str | Sequence[int] | NDArray[Any] | None = None,
    interventions: object = None,
    discretize: str | Mapping[str, str | Sequence[float]] | None = None,
    discrete: bool | str | Iterable[str] | None = None,
    continuous: ContinuousGiven = None,
    missing: Literal["drop", "state", "keep"] | None = None,
    missing_values: MissingGiven = None,
    states: StatesGiven = None,
    time_limit: float | None = USUAL_SECONDS,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> LearnResult:
    """Learn the best network of a table.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes: a path, a data frame, an array.
    score, options, max_parents
        How parent sets are scored, see `bayesloom.score`.  ``"auto"`` goes by the columns: `table` is read so
        that numbers near a normal distribution stay numbers, and scored by ``"bic-g"`` (all numbers),
        ``"bic-cg"`` (numbers and states) or ``"bic"`` (states); a `Table` stays as it was read.
    method
        A method of `bayesloom.score`, ``"loop"``, or ``"auto"`` to choose by size.
    solver, seed, memory
        How the network is searched, see `bayesloom.search`.
    constraints
        `Constraints`, a dictionary of them, or a file: what the network must look like.
    start
        An initial network.
    null
        Whether to learn the table once more with every column shuffled by itself, with the same options:
        ``result.null`` then says how many edges chance alone gives, and how strong they are.  The network
        itself is found in half of the time limit.
    strict, exclude, only, weights, interventions, discretize, discrete, continuous, missing, states
        How the table is read, see `read_table`; ``result.table.columns`` says what was decided.  Under a
        score of continuous variables numbers stay numbers: all under ``"bic-g"`` and ``"bge"``, those of more
        than 20 values under scores of mixed tables.
    missing_values
        What stands for a missing value beside an empty field, ``NA`` ..., see `read_table`.
    time_limit
        Seconds for scoring and search together; None means as long as it takes.
    threads
        As in `bayesloom.score`.
    executor, blocks
        Score parent sets and find networks on many machines, see `bayesloom.score` and `bayesloom.search`.
        The closed loop, for tables that are too large to score all parent sets, runs there in neighbourhoods
        beyond 512 variables and without constraints; else here, and a note says so.
    progress
        True shows how far the work is, live on a terminal, else as a line at times; a function is called with
        a `ProgressEvent` a few times a second.

    Examples
    --------
    >>> import bayesloom as bl
    >>> result = bl.learn({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> result.network.cpdag.reversible
    (('rain', 'wet'),)

    Only some columns, a rule for one of them, and no rows with gaps:

    >>> rows = {"age": [31, 64, 50, 23] * 9, "old": ["no", "yes", "no", "no"] * 9, "id": list(range(36))}
    >>> result = bl.learn(rows, exclude="id", discretize={"age": [60]}, missing="drop")
    >>> result.table.states
    (('<= 60', '> 60'), ('no', 'yes'))
    """
    begin = time.perf_counter()
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    if method not in (*METHODS, LOOP, "auto"):
        raise unknown("method", method, [*METHODS, LOOP, "auto"])
    solver_named(solver)
    rules = Constraints.given(constraints)  # type: ignore[arg-type]
    with reading_within(memory):
        given, found, values = scored_table(
            table,
            score,
            options,
            strict=strict,
            exclude=exclude,
            only=only,
            weights=weights,
            interventions=interventions,
            discretize=discretize,
            discrete=discrete,
            continuous=continuous,
            missing=missing,
            missing_values=missing_values,
            states=states,
        )
        if null:
            check_shuffled(given)
    if max_parents is not None:
        check_count("max_parents", max_parents, least=0)
    check_rows(given, found, max_parents)
    rules = rules_under(rules, given, found)
    rules.check(given.names, max_parents)
    if start is not None:
        start = structure_of(start)
        _check_start(start, given, rules.together_with(Constraints(max_parents=max_parents)))
    limit = time_limit if time_limit is None or not null else time_limit * tuned.OPTIONS.null_share
    if executor is None and blocks is not None:
        raise InputError(
            f"{option('blocks', subject=True)} is for work on {option('executor', subject=True)}."
        )
    work = LearningRun(
        table=given,
        score=found.name,
        options=values,
        max_parents=max_parents,
        rules=rules,
        solver=solver,
        start=start,
        time_limit=limit,
        seed=seed,
        threads=resolve_threads(threads),
        memory=memory,
        begin=begin,
        listener=progress,
        blocks=blocks,
        task_threads=threads,
    )
    read = time.perf_counter() - begin
    with ExitStack() as stack:
        if executor is not None:
            from bayesloom.cluster.executors import opened

            work.executor = stack.enter_context(opened(executor, work.left()))
        result = work.run(method)
        notes = [*result.notes]
        if null and not result.interrupted:
            result = replace(result, null=work.null(method, result, time_limit))
            if result.null is None:
                notes.append(NOT_MEASURED)
    if work.cut and not result.interrupted:
        notes.append(ENDED_EARLY)
    if given.interventions is not None and not result.complete and result.fixed_bound_all is not None:
        notes.append(OWN_ROWS)
    if work.in_part:
        notes.append(IN_PART)
    if work.local_loop:
        notes.append(LOOP_IS_LOCAL)
    chance = chance_edges(given, score=found.name, options=values)
    many = chance_in_words(chance, len(result.network.edges))
    return replace(
        LearnResult.of(result, given, max_parents=max_parents),
        status="optimal" if result.proof == "all networks" else "stopped",
        chance=chance,
        interventions=() if given.interventions is None else given.interventions.targets,
        reading=given.reading,
        notes=tuple(
            note
            for note in (
                gaps_in_words(given, result.network),
                many,
                *notes,
                absence_in_words(result.edges),
                unseen_in_words(given),
            )
            if note
        ),
        seconds={"read": read, **result.seconds},
    )


def _check_start(start: Network, table: Table, rules: Constraints) -> None:
    if set(start.names) != set(table.names):
        odd = min(set(start.names) ^ set(table.names))
        where = "start" if odd in start.names else "table"
        raise InputError(f"start and table have different variables: {odd!r} is only in the {where}.")
    if broken := rules.broken_by(start):
        raise InputError(f"start breaks the constraints or the limit on parents: {broken[0]}.")
