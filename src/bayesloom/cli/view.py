"""``bayesloom view``: a network, a run or a score cache as a page in the browser."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import Verb
from bayesloom.cli.options import patience, shown_progress
from bayesloom.cli.outputs import check_outputs
from bayesloom.cli.report import beside_options, read_beside
from bayesloom.errors import InputError
from bayesloom.printable import one_line

if TYPE_CHECKING:
    from bayesloom.report.content import Content

SECONDS = 10.0  # for the search of a score cache, unless another limit is given
OURS = b'<meta name="generator" content="Bayesloom">'


@click.command(
    "view",
    cls=Verb,
    examples=[
        ("Any network, also of other programs", "bayesloom view network.bif"),
        (
            "A run with its table and its credible set",
            "bayesloom view run.json --data data.csv --credible credible.json",
        ),
        ("Only the file, to pass it on", "bayesloom view network.bif -o network.html --no-open"),
    ],
)
@click.argument("given", metavar="NETWORK|RUN|CACHE")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The page, .html [the name of what is shown, with .html, in the current folder].",
)
@click.option("--open/--no-open", "opened", default=True, help="Whether to open it in the browser [yes].")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help=f"Of a score cache: search its network for S seconds at most [{SECONDS:g}].",
)
@beside_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def command(
    given: str,
    output: str | None,
    opened: bool,
    time_limit: float | None,
    data: str | None,
    sure: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> None:
    """Show a network, a run or a score cache in the browser: one page, to look at, search and pass on.

    NETWORK is a file of any program that can be read (.bif, .xmlbif, .net (Hugin), .json, .dot, .graphml,
    .modelstring (bnlearn)). RUN is what `learn`, `search`, `credible`, `posterior` or `bootstrap` wrote
    with --json. Of a CACHE (.blc, .jkl, .scores, .pss) the best network is searched, and shown with the
    best parent sets of each variable. --data and --credible (or --posterior, or --bootstrap) are for
    a RUN of `learn` or `search`, or a CACHE.
    """
    from bayesloom.report.page import report_format, write_page

    target = output or _page_name(given)
    if report_format(target) != "html":
        raise InputError(f"{target}: a page to view ends in .html; `report` writes .md.")
    check_outputs(target, reads=[given, data, sure])
    if output is None:
        _refuse_to_replace(target)
    content = _content(given, data, sure, time_limit, how_to_read, quiet=quiet)
    write_page(content, target)
    if not quiet:
        click.echo(f"page written to {target}")
    if opened:
        import webbrowser
        from pathlib import Path

        if not webbrowser.open(Path(target).resolve().as_uri()) and not quiet:
            click.echo("no browser was found here: open the page yourself", err=True)


def _page_name(given: str) -> str:
    name = os.path.basename(given)
    if name.lower().endswith(".gz"):
        name = name[:-3]
    return f"{os.path.splitext(name)[0] or 'network'}.html"


def _refuse_to_replace(target: str) -> None:
    """Refuse to write over a file that is no page of ours, if nobody gave its name."""
    if os.path.exists(target):
        with open(target, "rb") as file:
            if OURS not in file.read(4096):
                raise InputError(
                    f"{target} is there, and is no page of Bayesloom. Name another with -o FILE.html."
                )


def _content(
    given: str,
    data: str | None,
    sure: str | None,
    time_limit: float | None,
    how_to_read: dict[str, Any],
    *,
    quiet: bool,
) -> Content:
    from bayesloom.report import content
    from bayesloom.scoring.cache_files import is_cache_name

    if is_cache_name(given):
        import bayesloom
        from bayesloom.solvers.result import run_object

        with patience("reading", "auto", quiet=quiet):
            cache = bayesloom.read_cache(given)
        known = cache.info.get("score"), cache.info.get("reading")
        table, beside = read_beside(data, sure, how_to_read, *known)
        with shown_progress("auto", quiet=quiet) as listen:
            found = bayesloom.search(
                cache, time_limit=SECONDS if time_limit is None else time_limit, progress=listen
            )
        run = run_object(found, "search", line=Verb.line)
        shown = content.of_run(run, name=given, table=table, cache=cache, sure=beside, sure_name=sure)
        return _titled(shown, f"Bayesian network of {os.path.basename(given)}")
    refuse_given(["time_limit"], "only the network of a score cache is searched")
    if given.lower().endswith((".json", ".json.gz")):
        from bayesloom.json_input import read_json_object
        from bayesloom.report.how_sure import is_how_sure

        found_run = read_json_object(given)
        if is_how_sure(found_run):
            refuse_given(
                ["data", "sure"],
                f"{given} says how sure edges are, and is shown by itself; they go with what --json of"
                " `learn` or `search` wrote",
            )
            return content.of_how_sure(found_run, name=given)
        if "score" in found_run or "bound" in found_run:
            table, beside = read_beside(
                data, sure, how_to_read, found_run.get("score_name"), found_run.get("reading")
            )
            return content.of_run(found_run, name=given, table=table, sure=beside, sure_name=sure)
    refuse_given(["data", "sure"], f"{given} is a network, which has its probabilities or none")
    from bayesloom.networks.formats import read_network

    name = os.path.basename(given).removesuffix(".gz")
    return content.of_network(read_network(given), f"Bayesian network {name}")


def _titled(content: Content, title: str) -> Content:
    from dataclasses import replace

    return replace(content, title=one_line(title))
