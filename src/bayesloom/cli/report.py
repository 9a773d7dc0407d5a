"""``bayesloom report``: a page to read or to pass on, from the JSON object of a run."""

from __future__ import annotations

import json
from pathlib import Path

import click

from bayesloom.cli.outputs import check_outputs
from bayesloom.errors import InputError


@click.command("report")
@click.argument("run")
@click.option("-o", "--output", metavar="FILE", required=True, help="The report: .html or .md.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def command(run: str, output: str, quiet: bool) -> None:
    """Write a report of RUN, a file that `learn --json` or `search --json` wrote."""
    from bayesloom.report import report_format, write_report

    report_format(output)
    check_outputs(output, reads=[run])
    try:
        given = json.loads(Path(run).read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{run}: not a JSON file: {error}.") from None
    if not isinstance(given, dict):
        raise InputError(f"{run}: not the JSON object of a run.")
    write_report(given, output)
    if not quiet:
        click.echo(f"report written to {output}")
