"""``bayesloom report``: a page to read or to pass on, from the JSON object of a run."""

from __future__ import annotations

import click

from bayesloom.cli.help import Verb
from bayesloom.cli.outputs import check_outputs


@click.command(
    "report",
    cls=Verb,
    examples=[
        ("A page with a drawing, to read in a browser", "bayesloom report run.json -o report.html"),
        ("The same as text", "bayesloom report run.json -o report.md"),
    ],
)
@click.argument("run")
@click.option("-o", "--output", metavar="FILE", required=True, help="The report: .html or .md.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def command(run: str, output: str, quiet: bool) -> None:
    """Write a report of RUN, a file that `learn --json` or `search --json` wrote.

    What `-o` wrote is the network alone, and what `credible` wrote has no report.
    """
    from bayesloom.json_input import read_json_object
    from bayesloom.report.page import report_format, write_report

    report_format(output)
    check_outputs(output, reads=[run])
    write_report(read_json_object(run), output, run)
    if not quiet:
        click.echo(f"report written to {output}")
