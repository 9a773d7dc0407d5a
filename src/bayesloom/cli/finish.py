"""The end of `learn` and `search`: write what was asked for, show it, and choose the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.options import write_json
from bayesloom.cli.outputs import Outputs
from bayesloom.cli.summary import show_result

if TYPE_CHECKING:
    from bayesloom.solvers.result import SearchResult
    from bayesloom.table import Table

__all__ = ["finish", "run_object"]


def run_object(result: SearchResult, command: str, table: Table | None = None, **more: Any) -> dict[str, Any]:
    """Return the JSON object of a run."""
    import bayesloom

    about: dict[str, Any] = {}
    if table is not None:
        about["table"] = {
            "source": table.source,
            "variables": len(table.names),
            "rows": table.row_count,
            "unique_rows": table.encoded.unique_row_count,
            "states": dict(zip(table.names, map(list, table.states), strict=True)),
            "cut_points": {name: list(cuts) for name, cuts in table.cut_points.items()},
            "notes": list(table.notes),
        }
    return {"bayesloom": bayesloom.__version__, "command": command, **result.to_json(), **about, **more}


def finish(
    result: SearchResult,
    *,
    command: str,
    output: str | None,
    json_to: str | None,
    quiet: bool,
    table: Table | None = None,
    report: str | None = None,
    **more: Any,
) -> int:
    """Write the network, the report and the JSON object, print the summary, and return the exit code.

    With a table the network is written with probabilities fitted to it, where the format has them.
    """
    run = run_object(result, command, table, **more)
    outputs = Outputs()
    written: dict[str, str] = {}
    if output is not None:

        def write() -> None:
            from bayesloom.networks.formats import write_network

            fitted = None if table is None else result.network.fit(table, method="dirichlet")
            network = result.network if fitted is None else fitted
            write_network(network, output, constraints=result.constraints)

        if outputs.write(output, write):
            written["network"] = output
    if report is not None:
        from bayesloom.report.page import write_report

        if outputs.write(report, lambda: write_report(run, report)):
            written["report"] = report
    if json_to is not None:
        outputs.write(json_to if json_to != "-" else "standard output", lambda: write_json(run, json_to))
    if not quiet and json_to != "-":
        show_result(result, table=table)
        for what, path in written.items():
            click.echo(f"{what} written to {path}")
    if result.interrupted:
        if quiet or json_to == "-":
            click.echo("bayesloom: interrupted; this is the best network found until then.", err=True)
        return outputs.exit_code(EXIT_INTERRUPTED)
    return outputs.exit_code(EXIT_STOPPED if result.status == "stopped" else 0)
