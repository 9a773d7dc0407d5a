"""``bayesloom learn``: from a table to the best network."""

from __future__ import annotations

from typing import Any

import click

from bayesloom.cli.options import (
    given_score_options,
    output_options,
    read_given_table,
    run_options,
    score_options,
    table_options,
)


@click.command("learn")
@click.argument("data")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the network: .bif, .xmlbif, .net, .json, .dot ..."
)
@click.option("--max-parents", type=click.IntRange(0), help="Largest parent set to look at [no limit].")
@click.option("--method", default="auto", show_default=True, help="How parent sets are found.")
@click.option("--solver", default="auto", show_default=True, help="Name of the solver.")
@score_options
@table_options
@run_options(seed=True, memory=True)
@output_options
def command(
    data: str,
    output: str | None,
    method: str,
    max_parents: int | None,
    solver: str,
    score_name: str,
    ess: float | None,
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

    DATA is a CSV, TSV, Parquet, Feather, .dat or .data file, each also .gz; - reads CSV from stdin.
    """
    import time
    from dataclasses import replace

    from bayesloom.cli.display import progress_display
    from bayesloom.cli.finish import finish
    from bayesloom.cli.summary import show_table
    from bayesloom.formats import format_of
    from bayesloom.learn import learn

    if output is not None:
        format_of(output)  # an unknown ending is better refused before the work than after
    start = time.perf_counter()
    table = read_given_table(data, **how_to_read)
    read_seconds = time.perf_counter() - start
    if not quiet:
        show_table(table)
    with progress_display(progress, quiet=quiet) as listen:
        result = learn(
            table,
            score=score_name,
            options=given_score_options(ess),
            method=method,
            max_parents=max_parents,
            solver=solver,
            time_limit=60.0 if time_limit is None else time_limit,
            seed=seed,
            threads=threads,
            memory=memory,
            progress=listen,
        )
    result = replace(result, seconds={**result.seconds, "read": read_seconds})
    return finish(result, command="learn", output=output, json_to=json_to, quiet=quiet, table=table)
