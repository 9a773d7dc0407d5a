"""The end of `learn` and `search`: write what was asked for, show it, and choose the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.options import write_json
from bayesloom.cli.summary import show_result

if TYPE_CHECKING:
    from bayesloom.result import SearchResult
    from bayesloom.table import Table

__all__ = ["finish"]


def finish(
    result: SearchResult,
    *,
    command: str,
    output: str | None,
    json_to: str | None,
    quiet: bool,
    table: Table | None = None,
) -> int:
    """Write the network and the JSON object, print the summary, and return the exit code.

    With a table the network is written with probabilities fitted to it, where the format has them.
    """
    import bayesloom
    from bayesloom.formats import write_network

    if output is not None:
        fitted = None if table is None else result.network.fit(table, method="dirichlet")
        write_network(result.network if fitted is None else fitted, output)
    if json_to is not None:
        write_json({"bayesloom": bayesloom.__version__, "command": command, **result.to_json()}, json_to)
    if not quiet and json_to != "-":
        show_result(result)
        if output is not None:
            click.echo(f"network written to {output}")
    if result.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_STOPPED if result.status == "stopped" else 0
