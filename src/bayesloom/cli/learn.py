"""``bayesloom learn``: from a table to the best network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli.help import Verb, constraint_lines, methods_of_learn, score_names, solver_names
from bayesloom.cli.options import (
    NETWORK_FILES,
    RUN,
    constraint_option,
    executor_options,
    given_again,
    given_score_options,
    left_after_reading,
    output_options,
    patience,
    read_given_table,
    read_start,
    refuse_given,
    run_options,
    score_options,
    table_options,
    was_given,
)
from bayesloom.cli.outputs import check_network_name, check_outputs
from bayesloom.errors import InputError
from bayesloom.interrupts import answer_to_save

if TYPE_CHECKING:
    from bayesloom.learning.result import LearnResult
    from bayesloom.progress import ProgressEvent, ProgressFunction
    from bayesloom.table import Table


@click.command(
    "learn",
    cls=Verb,
    lists=[score_names, constraint_lines, methods_of_learn, solver_names],
    examples=[
        (
            "The best network, with its probabilities and a report",
            "bayesloom learn data.csv -o network.bif --report report.html",
        ),
        (
            "With what you know, in ten minutes at most",
            "bayesloom learn data.csv --constraints known.toml --time-limit 600",
        ),
        (
            "With another score, for other programs to read",
            "bayesloom learn data.csv --score bdeu --ess 10 --json -",
        ),
    ],
)
@click.argument("data")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the network alone, with probabilities where the format has them (frequencies, with a prior"
    f" worth one row): {NETWORK_FILES}; or a drawing, .svg, .png or .pdf.",
)
@click.option("--report", metavar="FILE", help="Write a report to read or to pass on: .html or .md.")
@click.option(
    "--max-parents", type=click.IntRange(0), metavar="N", help="Largest parent set to look at [no limit]."
)
@click.option(
    "--method",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="How parent sets are found, see below.",
)
@click.option(
    "--solver",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="What searches the network, see below.",
)
@click.option("--start", metavar="NET", help=f"Begin with this network: {NETWORK_FILES}.")
@click.option(
    "--ess-sweep",
    metavar="A,B,...",
    help="Learn with bdeu for each of these equivalent sample sizes, sharing the time; keep the best score."
    " Not with --ess or another score.",
)
@click.option(
    "--null",
    is_flag=True,
    help="Also learn the table with every column shuffled: what chance alone gives. Takes half of the time.",
)
@constraint_option
@score_options
@table_options
@executor_options
@run_options(seed=True, memory=True, time="Stop after S seconds, with the best so far [60].")
@output_options(RUN)
def command(
    data: str,
    output: str | None,
    report: str | None,
    method: str,
    max_parents: int | None,
    solver: str,
    start: str | None,
    ess_sweep: str | None,
    null: bool,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    score_option: tuple[str, ...],
    executor: str | None,
    blocks: str | None,
    threads: int | None,
    time_limit: float | None,
    seed: int,
    memory: float | None,
    progress: str,
    json_to: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> int:
    """Learn the best network of the table DATA and say how good it is.

    Parent sets of every variable are scored, and the best network that they make is searched, in a minute
    at most, or --time-limit; Ctrl-C ends earlier with the best network so far. What DATA may be and how it
    is read is told below.

    No network of the parent sets scored is above the bound. A gap of 0 between score and bound proves the
    network the best of these, and the best of all that --max-parents and --constraints allow where the result
    says that no better one exists. Where not all parent sets are scored, a second bound is over all networks.
    Exit code 0: proved the best of all of these; 3: the result is written, but not proved to be so.
    """
    import time
    from dataclasses import replace

    from bayesloom.cli.finish import finish
    from bayesloom.cli.options import shown_progress
    from bayesloom.cli.summary import show_table
    from bayesloom.constraints.model import Constraints
    from bayesloom.learning.api import learn
    from bayesloom.learning.options import OPTIONS

    check_outputs(output, report, json_to, reads=[data, constraints, start])
    check_network_name(output)
    if report is not None:
        from bayesloom.report.page import report_format

        report_format(report)
    if executor is None:
        refuse_given(["blocks"], "it is for --dask")
    sizes = None if ess_sweep is None else _sizes(ess_sweep, score_name, ess)
    rules = Constraints.given(constraints)
    begin = read_start(start)
    limit = OPTIONS.usual_seconds if time_limit is None else time_limit
    clock = time.perf_counter()
    with patience("reading", progress, quiet=quiet):
        table = read_given_table(data, score_name, **how_to_read)
    read_seconds = time.perf_counter() - clock
    left = left_after_reading(limit, read_seconds)
    rules.check(table.names, max_parents)
    common: dict[str, Any] = {
        "method": method,
        "max_parents": max_parents,
        "solver": solver,
        "constraints": rules,
        "start": begin,
        "null": null,
        "seed": seed,
        "threads": threads,
        "memory": memory,
        "executor": executor,
        "blocks": blocks,
    }
    if not quiet:
        show_table(table)
    more: dict[str, Any] = {}
    chosen: dict[str, Any] = {}
    with answer_to_save(), shown_progress(progress, quiet=quiet) as listen:
        if sizes is None:
            result = learn(
                table,
                score=score_name,
                options=given_score_options(ess, score_option),
                time_limit=left,
                progress=listen if quiet else _with_plan(listen, limit),
                **common,
            )
        else:
            result, more["ess_sweep"] = _sweep(table, sizes, left, listen, common)
            chosen = {"score_name": "bdeu", "ess": str(result.score_options["ess"]).removesuffix(".0")}
    if sizes is not None and not quiet and json_to != "-":
        _show_sweep(more["ess_sweep"])
    result = replace(result, seconds={**result.seconds, "read": read_seconds})
    return finish(
        result,
        command="learn",
        output=output,
        json_to=json_to,
        quiet=quiet,
        report=report,
        again=given_again("data", chosen),
        **more,
    )


def _with_plan(listen: ProgressFunction | None, limit: float) -> ProgressFunction:
    """Return what also says what `learn` is going to do, once it knows."""
    from bayesloom.cli.summary import show_plan
    from bayesloom.progress import PLAN

    def hear(event: ProgressEvent) -> None:
        if event.stage == PLAN and event.text is not None:
            show_plan(event.text, limit)
        elif listen is not None:
            listen(event)

    return hear


def _sizes(text: str, score: str, ess: float | None) -> list[float]:
    if ess is not None:
        raise InputError("--ess and --ess-sweep exclude each other.")
    refuse_given(["score_option"], "--ess-sweep is for score bdeu, and says its option")
    if score != "bdeu" and was_given("score_name"):
        raise InputError(f"--ess-sweep is for score bdeu, not {score!r}.")
    try:
        sizes = [float(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or not all(0 < size < float("inf") for size in sizes):
        raise InputError(f"--ess-sweep must be a list of positive numbers such as 0.1,1,10, got {text!r}.")
    return sizes


def _sweep(
    table: Table, sizes: list[float], limit: float, listen: ProgressFunction | None, common: dict[str, Any]
) -> tuple[LearnResult, list[dict[str, Any]]]:
    """Return the result of the best score, and a row for each size."""
    from dataclasses import replace

    from bayesloom.learning.api import learn

    results = []
    for size in sizes:
        result = learn(
            table,
            score="bdeu",
            options={"ess": size},
            time_limit=limit / len(sizes),
            progress=listen,
            **common,
        )
        results.append(result)
        if result.interrupted:
            break
    best = max(results, key=lambda result: result.score)
    rows = [
        {
            "ess": size,
            "score": result.score,
            "gap": result.gap,
            "edges": len(result.network.edges),
            "parents": {name: list(up) for name, up in result.network.parents.items()},
            "chosen": result is best,
        }
        for size, result in zip(sizes, results, strict=False)  # fewer if it was interrupted
    ]
    return replace(best, interrupted=results[-1].interrupted), rows


def _show_sweep(rows: list[dict[str, Any]]) -> None:
    from bayesloom.cli.summary import aligned, heading

    heading("equivalent sample sizes (bdeu; * the best score, kept below)")
    shown = [("  ess", "score", "gap", "edges", "")]
    shown += [
        (
            f"  {row['ess']:g}",
            f"{row['score']:.4f}",
            f"{row['gap']:.4g}",
            f"{row['edges']}",
            "*" if row["chosen"] else "",
        )
        for row in rows
    ]
    click.echo("\n".join(aligned(shown, right=[1, 2, 3])))
