"""``bayesloom cluster``: what scoring a table on many machines would be, and then, if asked, do it."""

from __future__ import annotations

import re
from typing import Any

import click

from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import SCORES, Verb, constraint_lines, methods_of_score
from bayesloom.cli.options import (
    constraint_option,
    executor_options,
    given_score_options,
    memory_option,
    patience,
    score_options,
    write_json,
)
from bayesloom.cli.outputs import check_outputs
from bayesloom.cli.reading import read_given_table, table_options


@click.command(
    "cluster",
    cls=Verb,
    lists=[*SCORES, constraint_lines, methods_of_score],
    examples=[
        (
            "What sixteen processes would have to do, without starting them",
            "bayesloom cluster data.csv --dask local:16",
        ),
        (
            "The same of a method for many columns",
            "bayesloom cluster data.csv --method independence --sets-per-variable 1000 --json -",
        ),
    ],
)
@click.argument("data")
@click.option(
    "--method",
    metavar="NAME",
    default="exhaustive",
    show_default=True,
    help="How parent sets are found, see below.",
)
@click.option(
    "--max-parents",
    type=click.IntRange(0),
    metavar="N",
    help="Most parents that a variable may have [no limit; 12 for independence, greedy and sequential].",
)
@click.option(
    "--bayes-factor",
    type=click.FloatRange(1),
    metavar="F",
    default=1.0,
    show_default=True,
    help="Keep what networks within this factor of the best can use.",
)
@click.option(
    "--time-per-variable",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Seconds for each variable: independence, greedy and sequential only [1, unless another limit is"
    " given].",
)
@click.option(
    "--sets-per-variable", type=click.IntRange(1), metavar="N", help="The same, in parent sets scored."
)
@executor_options(
    here="the processors of this machine",
    blocks="With or without --dask: count what an earlier run left in this folder, or at this address.",
)
@constraint_option
@score_options()
@table_options
@memory_option
@click.option(
    "--json", "json_to", metavar="FILE|-", help="Write all that is known of the plan as JSON; - is stdout."
)
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def command(
    data: str,
    method: str,
    max_parents: int | None,
    bayes_factor: float,
    time_per_variable: float | None,
    sets_per_variable: int | None,
    executor: str | None,
    blocks: str | None,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    score_option: tuple[str, ...],
    json_to: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> int:
    """Show what scoring the table DATA on many machines takes: tasks, bytes that travel, seconds.

    Nothing is scored; `score --dask` with the same options does it. With --dask the workers of a scheduler
    are counted, or N of local:N; without it, the processors of this machine. With --blocks, what an earlier
    run has left there is counted too.
    """
    from bayesloom.constraints.model import Constraints
    from bayesloom.limits import resolve_threads
    from bayesloom.scoring.cluster_plan import plan_blocks

    if method == "exhaustive":
        refuse_given(["time_per_variable", "sets_per_variable"], "--method exhaustive takes no budget")
    check_outputs(json_to, reads=[data, constraints])
    with patience("reading", "auto", quiet=quiet):
        table = read_given_table(data, score_name, **how_to_read)
    workers = None
    if executor is None:
        slots = resolve_threads(None)
    elif match := re.fullmatch(r"local:([1-9][0-9]{0,3})", executor):
        slots = workers = int(match[1])
    else:
        from bayesloom.cluster.executors import opened

        with opened(executor) as there:
            slots, workers = there.slots, there.worker_count
    plan = plan_blocks(
        table,
        slots=slots,
        workers=workers or slots,
        score=score_name,
        options=given_score_options(ess, score_option),
        method=method,
        max_parents=max_parents,
        bayes_factor=bayes_factor,
        time_per_variable=time_per_variable,
        sets_per_variable=sets_per_variable,
        constraints=Constraints.given(constraints),
        folder=blocks,
    )
    if json_to is not None:
        write_json({"command": "cluster", "data": data, **plan.to_json()}, json_to)
    if not quiet and json_to != "-":
        click.echo(str(plan))
    return 0
