"""``bayesloom report``: a page to read or to pass on, from the JSON object of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import Verb
from bayesloom.cli.options import patience
from bayesloom.cli.outputs import check_outputs
from bayesloom.cli.reading import HOW_A_TABLE_IS_READ, read_given_table, table_options
from bayesloom.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])
NETWORKS = (".bif", ".xmlbif", ".net", ".dot", ".graphml", ".modelstring")


def beside_options(command: F) -> F:
    """Add the options that name what else is known of a run: its table, and how sure its edges are."""
    command = table_options(command)
    command = click.option(
        *("--credible", "--posterior", "--bootstrap", "sure"),
        metavar="FILE",
        help="How sure each edge is: one file, which --json of `credible`, `posterior` or `bootstrap` wrote.",
    )(command)
    return click.option(
        "--data",
        metavar="DATA",
        help="The table that was learned from (after `learn --em FILE`: FILE), for probabilities and local"
        " scores; it is read as the run says that it was, but for options of reading given here.",
    )(command)


def read_beside(
    data: str | None, sure: str | None, how_to_read: dict[str, Any], score: object, reading: object
) -> tuple[Any, dict[str, Any] | None]:
    """Return the table, read as the run says, and how sure edges are, as far as they were given."""
    from bayesloom.json_input import read_json_object

    if data is None:
        refuse_given(HOW_A_TABLE_IS_READ, "it says how --data is read")
        table = None
    else:
        with patience("reading", "auto", quiet=False):
            known = score if isinstance(score, str) else None
            table = read_given_table(data, known, reading or {}, **how_to_read)
    return table, None if sure is None else read_json_object(sure)


@click.command(
    "report",
    cls=Verb,
    examples=[
        (
            "A page with a drawing, probabilities and local scores, to read in a browser",
            "bayesloom report run.json --data data.csv -o report.html",
        ),
        ("The same as text, without probabilities", "bayesloom report run.json -o report.md"),
    ],
)
@click.argument("run")
@click.option("-o", "--output", metavar="FILE", required=True, help="The report: .html or .md.")
@beside_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def command(
    run: str, output: str, data: str | None, sure: str | None, quiet: bool, **how_to_read: Any
) -> None:
    """Write a report of RUN, a file that `learn --json` or `search --json` wrote.

    The page is one file that needs nothing else: it can be kept and passed on. What `-o` wrote is the network
    alone, which `view` shows; what --json of `credible`, `posterior` or `bootstrap` wrote is shown beside a
    run, or by `view` by itself.
    """
    from bayesloom.json_input import read_json_object
    from bayesloom.report.page import report_format, write_report
    from bayesloom.scoring.cache_files import is_cache_name

    report_format(output)
    check_outputs(output, reads=[run, data, sure])
    if run.lower().removesuffix(".gz").endswith(NETWORKS):
        raise InputError(
            f"{run} is a network. Give what --json wrote; `bayesloom view {run}` shows a network."
        )
    if is_cache_name(run):
        raise InputError(
            f"{run} is a score cache. Give what --json wrote; `bayesloom view {run}` shows its best network."
        )
    found = read_json_object(run)
    table, beside = read_beside(data, sure, how_to_read, found.get("score_name"), found.get("reading"))
    write_report(found, output, run, table=table, sure=beside, sure_name=sure)
    if not quiet:
        click.echo(f"report written to {output}")
