"""The end of `learn` and `search`: write what was asked for, show it, and choose the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.help import Verb
from bayesloom.cli.outputs import Outputs
from bayesloom.cli.summary import show_result

if TYPE_CHECKING:
    from bayesloom.cli.work import Work
    from bayesloom.solvers.result import SearchResult

__all__ = ["finish"]


def finish(
    result: SearchResult,
    *,
    command: str,
    output: str | None,
    work: Work,
    report: str | None = None,
    certificate: str | None = None,
    again: str = "DATA",
    **more: Any,
) -> int:
    """Write the network, the report and the JSON object, print the summary, and return the exit code.

    A result that has its table is written with probabilities fitted to it, where the format has them.
    `again` is the table with its options, for commands that are suggested; after soft EM the one before it
    was filled in.
    """
    from bayesloom.solvers.result import run_object

    table = getattr(result, "table", None)
    line = {"line": Verb.line} if Verb.line else {}
    run = run_object(result, command, **line, **more)
    outputs = Outputs()
    written: dict[str, str] = {}
    if output is not None:

        def write() -> None:
            from bayesloom.networks.formats import write_network
            from bayesloom.networks.writing import fittable_network

            alone = result.network
            network = alone if table is None else fittable_network(alone, table, output)
            write_network(network, output, constraints=result.constraints, interventions=result.interventions)

        if outputs.write(output, write):
            written["network"] = output
    if report is not None:
        from bayesloom.report.page import write_report

        if outputs.write(report, lambda: write_report(run, report, table=table)):
            written["report"] = report
    if certificate is not None and result.certificate is not None:
        from bayesloom.files import write_text

        proof = result.certificate
        if outputs.write(certificate, lambda: write_text(certificate, proof)):
            written["certificate"] = certificate
    work.write_json(outputs, run)
    if work.prints:
        em = more.get("em")
        show_result(
            result,
            table=table,
            again=again,
            written="network" in written,
            units=None if em is None else em["units"],
        )
        for what, path in written.items():
            click.echo(f"{what} written to {path}")
    if result.interrupted:
        if not work.prints:
            click.echo("bayesloom: interrupted; this is the best network found until then.", err=True)
        return outputs.exit_code(EXIT_INTERRUPTED)
    missing = certificate is not None and result.certificate is None
    if missing:
        why = next((note for note in result.notes if note.startswith("There is no certificate")), "")
        click.echo(f"bayesloom: {certificate} was not written. {why}", err=True)
    return outputs.exit_code(EXIT_STOPPED if missing or result.status == "stopped" else 0)
