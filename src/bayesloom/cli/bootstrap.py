"""``bayesloom bootstrap``: how often each edge comes back when the table is drawn anew and learned again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.help import Verb, constraint_lines, score_names
from bayesloom.cli.options import (
    NETWORK_FILES,
    constraint_option,
    given_score_options,
    left_after_reading,
    output_options,
    patience,
    read_given_table,
    run_options,
    score_options,
    table_options,
    write_json,
)
from bayesloom.cli.outputs import Outputs, check_network_name, check_outputs
from bayesloom.interrupts import answer_to_save

if TYPE_CHECKING:
    from bayesloom.averaging.network import AveragedNetwork
    from bayesloom.resampling.result import Bootstrap
    from bayesloom.table import Table

SHOWN = 40  # edges printed; the JSON object has all


def learner_names() -> tuple[str, list[tuple[str, str]]]:
    """Return the learners, for the help."""
    from bayesloom.resampling.learners import LEARNERS

    return "Learners (--learner NAME)", list(LEARNERS.items())


@click.command(
    "bootstrap",
    cls=Verb,
    lists=[learner_names, score_names, constraint_lines],
    examples=[
        ("How often each edge comes back in 200 replicates", "bayesloom bootstrap data.csv"),
        (
            "A thousand, kept in a folder, so that Ctrl-C loses nothing; and the averaged network",
            "bayesloom bootstrap data.csv --replicates 1000 --blocks replicates -o averaged.json",
        ),
    ],
)
@click.argument("data")
@click.option(
    "--replicates",
    type=click.IntRange(1),
    metavar="N",
    default=200,
    show_default=True,
    help="How many times the rows are drawn anew and learned.",
)
@click.option(
    "--learner",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="What learns each replicate, see below.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the averaged network, with probabilities fitted to DATA where the format has them:"
    f" {NETWORK_FILES}; or .svg, a drawing.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    metavar="T",
    help="Strength above which edges are in the averaged network [told by the strengths themselves].",
)
@click.option(
    "--as-found",
    is_flag=True,
    help="Count directions as they were found; without it, an edge that equivalent networks turn counts half"
    " each way.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    default=0.95,
    show_default=True,
    help="Of the intervals of strengths.",
)
@click.option(
    "--max-parents", type=click.IntRange(0), metavar="N", help="Largest parent set to look at [no limit]."
)
@constraint_option
@score_options
@table_options
@click.option(
    *("--dask", "executor"),
    metavar="ADDRESS|local:N",
    help="Work on the workers of this Dask scheduler, or on N processes here [threads of this process].",
)
@click.option(
    "--blocks",
    metavar="DIR",
    help="Keep replicates here as they are done, and go on from those that are there [kept nowhere].",
)
@run_options(
    seed=True, memory=True, time="Stop after S seconds, with the replicates that are done [no limit]."
)
@output_options("Write strengths, directions, intervals, the averaged network and all else as JSON")
def command(
    data: str,
    replicates: int,
    learner: str,
    output: str | None,
    threshold: float | None,
    as_found: bool,
    level: float,
    max_parents: int | None,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    score_option: tuple[str, ...],
    executor: str | None,
    blocks: str | None,
    threads: int | None,
    time_limit: float | None,
    seed: int,
    memory: float | None,
    progress: str,
    json_to: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> int:
    """Learn the table DATA many times, its rows drawn anew, and show how often each edge comes back.

    The strength of an edge is the share of replicates in which the two variables are joined, its direction
    the share of these that have it this way. Edges above a threshold, which the strengths themselves tell
    (Scutari and Nagarajan 2013) unless --threshold says it, make up the averaged network.

    Ctrl-C and --time-limit end with the replicates that are done, and say how many: exit code 130 or 3.
    """
    import bayesloom
    from bayesloom.cli.options import shown_progress
    from bayesloom.cli.summary import show_table

    check_outputs(output, json_to, reads=[data, constraints])
    check_network_name(output)
    begin = time.perf_counter()
    with patience("reading", progress, quiet=quiet):
        table = read_given_table(data, score_name, **how_to_read)
    if time_limit is not None:
        time_limit = left_after_reading(time_limit, time.perf_counter() - begin)
    if not quiet:
        show_table(table)
    with answer_to_save(), shown_progress(progress, quiet=quiet) as listen:
        found = bayesloom.bootstrap(
            table,
            replicates,
            learner=learner,
            score=score_name,
            options=given_score_options(ess, score_option),
            max_parents=max_parents,
            constraints=constraints,
            classes=not as_found,
            level=level,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            memory=memory,
            executor=executor,
            blocks=blocks,
            progress=listen,
        )
        averaged = found.averaged_network(threshold)
    outputs = Outputs()
    if json_to is not None:
        head = {"bayesloom": bayesloom.__version__, "command": "bootstrap"}
        run = {**head, **found.to_json(), "averaged": averaged.to_json()}
        outputs.write(json_to if json_to != "-" else "standard output", lambda: write_json(run, json_to))
    written = output is not None and outputs.write(output, lambda: _write(averaged, table, output, found))
    if not quiet and json_to != "-":
        _show(found, averaged)
        if written:
            click.echo(f"averaged network written to {output}")
    if found.interrupted:
        click.echo(f"bayesloom: interrupted; {_how_many(found)}.", err=True)
        return outputs.exit_code(EXIT_INTERRUPTED)
    return outputs.exit_code(0 if found.complete and averaged.exact else EXIT_STOPPED)


def _write(averaged: AveragedNetwork, table: Table, output: str, found: Bootstrap) -> None:
    from bayesloom.networks.formats import write_network

    structure = averaged.network
    network = structure if table.continuous else structure.fit(table, method="dirichlet")
    write_network(network, output, constraints=found.constraints)


def _how_many(found: Bootstrap) -> str:
    from bayesloom.words import counted

    if found.complete:
        return f"all {counted(found.asked, 'replicate')} were learned"
    return f"{found.replicates:,} of {counted(found.asked, 'replicate')} were learned"


def _show(found: Bootstrap, averaged: AveragedNetwork) -> None:
    from bayesloom.cli.summary import aligned
    from bayesloom.words import counted

    edges = found.edges()
    threshold = found.threshold if averaged.threshold is None else averaged.threshold
    kept = f", {counted(found.taken_up, 'block')} of them kept before" if found.taken_up else ""
    click.echo(f"{_how_many(found)} by {found.learner}{kept}")
    above = sum(edge.strength > threshold for edge in edges)
    click.echo(
        f"{counted(above, 'edge')} of {len(edges)} above the threshold {threshold:.3g}, the averaged network"
    )
    if not averaged.exact:
        click.echo("its directions are not proved the best: too many edges lie on cycles")
    rows = [("  from", "to", "strength", "direction", f"{found.level:.4g} interval", "")]
    rows += [
        (
            f"  {edge.source}",
            edge.target,
            f"{edge.strength:.3f}",
            f"{edge.direction:.3f}",
            f"{edge.low:.3f} to {edge.high:.3f}",
            "*" if edge.strength > threshold else "",
        )
        for edge in edges[:SHOWN]
    ]
    click.echo("\n".join(aligned(rows, right=[2, 3])))
    if len(edges) > SHOWN:
        click.echo(f"  ... and {len(edges) - SHOWN:,} more (see --json)")
    click.echo(", ".join(f"{name} {value:.2f} s" for name, value in found.seconds.items()))
