"""``bayesloom search``: from a score cache to the best network."""

from __future__ import annotations

import json
from typing import Any

import click

from bayesloom.cli.help import Verb, constraint_lines, options_of_solvers, solver_names
from bayesloom.cli.options import NETWORK_FILES, RUN, WITHOUT_TABLE, read_start
from bayesloom.cli.outputs import check_network_name, check_outputs
from bayesloom.cli.work import Work, work_options
from bayesloom.errors import InputError


def _list_options(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(options_of_solvers())
        context.exit()


@click.command(
    "search",
    cls=Verb,
    lists=[constraint_lines, solver_names],
    examples=[
        ("The best network of a score cache, with a proof", "bayesloom search data.blc -o network.dot"),
        ("As good as it gets in ten seconds", "bayesloom search data.blc --time-limit 10 --json run.json"),
        (
            "With a proof that others can check",
            "bayesloom search data.blc --json run.json --certificate run.cert",
        ),
        (
            "By a solver of your choice, with an option of it",
            "bayesloom search data.blc --solver astar --option pattern_size=10",
        ),
    ],
)
@click.argument("cache")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help=f"Write the network alone: {WITHOUT_TABLE}; or a drawing, .svg, or with Matplotlib .png or .pdf."
    " `learn -o` has formats with probabilities.",
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Write a proof of the bound that `verify --certificate` checks; also .gz.",
)
@click.option(
    "--solver",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="What searches the network, see below.",
)
@click.option(
    "--work-limit",
    type=click.IntRange(1),
    metavar="N",
    help="Stop after N steps, such as 1000000: the same result on every machine. A step is a subset (dp),"
    " a node (astar, bfbnb), a node or a step of the bound (bblp), or a look at a variable (the others);"
    " auto counts those of the solvers that it runs [no limit].",
)
@click.option(
    "--start",
    metavar="NET",
    help="A network of all variables, whose order of them to begin with, to have a good one sooner:"
    f" {NETWORK_FILES}.",
)
@click.option(
    "--target",
    type=float,
    metavar="SCORE",
    help="Stop at a network of at least this score: obs, asobs, inobs, iinobs and minobs only [none].",
)
@click.option(
    "--scratch",
    metavar="DIR",
    help="A folder that is there, where `bfbnb` keeps its layers [temporary files, gone at its end].",
)
@click.option("--resume", is_flag=True, help="Go on with a search of `bfbnb` in --scratch that did not end.")
@click.option(
    "--option",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of the solver, see --list-options; repeatable.",
)
@click.option(
    "--list-options",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_options,
    help="Show the options of every solver and exit.",
)
@work_options(json=RUN, scores=False)
def command(
    cache: str,
    output: str | None,
    certificate: str | None,
    solver: str,
    work_limit: int | None,
    start: str | None,
    target: float | None,
    scratch: str | None,
    resume: bool,
    settings: tuple[str, ...],
    work: Work,
) -> int:
    """Search the best network over a score cache, and bound how much better any other can be.

    CACHE holds candidates, that is parent sets with their local scores: what `bayesloom score` wrote
    (.blc), or a text file of GOBNILP (.jkl, .scores) or URLearning (.pss), each also .gz. If you have
    constraints, give them to `score`: a .blc keeps them, and a cache made without them may lack parent sets
    that they require.

    No network over the cache has a score above the bound; a gap of 0 between score and bound proves the
    network the best over the cache, and the best of all if the cache is complete, as the result says. Exit
    code 0: proved the best over the cache; 3: the network is written, but not proved to be that.

    Solvers without proof look for a good order of the variables, and mostly end with exit code 3. Without a
    limit obs, asobs and inobs stop after one climb; iinobs and minobs once ten times the work up to the last
    improvement has brought no further one.

    With --dask, workers run the order searches and, of auto and bblp, subtrees of branch and bound: the parts
    that --blocks keeps. All else runs here: dp, astar, bfbnb, and up to 20 variables whatever gives a proof.
    """
    from bayesloom.cli.finish import finish
    from bayesloom.solvers.api import search

    check_outputs(output, work.json_to, certificate, reads=[cache, work.constraints, start])
    check_network_name(output, from_table=False)
    options = _options(settings)
    if scratch is not None:
        options["scratch"] = scratch
    if resume:
        options["resume"] = True
    if (scratch is not None or resume) and solver != "bfbnb":
        raise InputError(f"--scratch and --resume are for --solver bfbnb, got --solver {solver}.")
    given = work.read_cache(cache)
    with work.listening() as listen:
        result = search(
            given,
            solver=solver,
            time_limit=work.time_limit,
            work_limit=work_limit,
            seed=work.seed,
            start=read_start(start),
            target=target,
            options=options or None,
            constraints=work.constraints,
            certificate=certificate is not None,
            progress=listen,
            **work.limits,
            **work.elsewhere,
        )
    return finish(result, command="search", output=output, work=work, certificate=certificate)


def _options(settings: tuple[str, ...]) -> dict[str, Any]:
    """Return NAME=VALUE pairs as a dictionary; a value is a number, true, false, null or a word."""
    options = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--option must look like NAME=VALUE, got {setting!r}.")
        try:
            options[name] = json.loads(value)
        except (ValueError, RecursionError):
            options[name] = value
    return options
