"""``bayesloom search``: from a score cache to the best network."""

from __future__ import annotations

import click

from bayesloom.cli.options import output_options, run_options


@click.command("search")
@click.argument("cache")
@click.option("-o", "--output", metavar="FILE", help="Write the network: .json, .dot, .graphml ...")
@click.option("--solver", default="auto", show_default=True, help="Name of the solver.")
@click.option("--work-limit", type=click.IntRange(1), metavar="N", help="Stop after N units of effort.")
@run_options(seed=True, memory=True)
@output_options
def command(
    cache: str,
    output: str | None,
    solver: str,
    work_limit: int | None,
    threads: int | None,
    time_limit: float | None,
    seed: int,
    memory: float | None,
    progress: str,
    json_to: str | None,
    quiet: bool,
) -> int:
    """Search the best network over the score cache CACHE (.blc, .jkl, .scores, .pss, each also .gz)."""
    import bayesloom
    from bayesloom.cli.display import progress_display
    from bayesloom.cli.finish import finish
    from bayesloom.formats import format_of

    if output is not None:
        format_of(output)
    given = bayesloom.read_cache(cache)
    with progress_display(progress, quiet=quiet) as listen:
        result = bayesloom.search(
            given,
            solver=solver,
            time_limit=time_limit,
            work_limit=work_limit,
            seed=seed,
            threads=threads,
            memory=memory,
            progress=listen,
        )
    return finish(result, command="search", output=output, json_to=json_to, quiet=quiet)
