"""``bayesloom bootstrap``: how often each edge comes back when the table is drawn anew and learned again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.help import SCORES, Verb, constraint_lines
from bayesloom.cli.options import NETWORK_FILES, STATES_ALONE
from bayesloom.cli.outputs import Outputs, check_network_name, check_outputs
from bayesloom.cli.work import Work, work_options

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
    lists=[learner_names, *SCORES, constraint_lines],
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
    f" {NETWORK_FILES}; or .svg, a drawing. {STATES_ALONE}",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    metavar="T",
    help="Strength above which edges are in the averaged network [estimated from the strengths].",
)
@click.option(
    "--as-found",
    is_flag=True,
    help="Count directions as they were found; without it, an edge that equivalent networks turn counts as"
    " half a replicate each way.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    default=0.95,
    show_default=True,
    help="Level of the intervals of strengths (Wilson's): how far a strength may be off because only so many"
    " replicates were drawn, not how certain the edge is.",
)
@click.option(
    "--max-parents",
    type=click.IntRange(0),
    metavar="N",
    help="Most parents that a variable may have [no limit].",
)
@work_options(
    seed="With another seed other rows are drawn.",
    json="Write strengths, directions, intervals, the averaged network and all else as JSON",
    time="Stop after S seconds, with the replicates that are done [no limit].",
    kept_alone=True,
)
def command(
    data: str,
    replicates: int,
    learner: str,
    output: str | None,
    threshold: float | None,
    as_found: bool,
    level: float,
    max_parents: int | None,
    work: Work,
) -> int:
    """Learn the table DATA many times, its rows drawn anew, and show how often each edge comes back.

    The strength of an edge is the share of replicates in which the two variables are joined, its direction
    the share of these that have it this way. The averaged network joins the pairs of a strength above a
    threshold, in the directions that were found most often in sum and make no cycle. Without --threshold it
    is the one that parts the strengths best into near 0 and near 1 (Scutari and Nagarajan 2013): it may be
    low where all strengths are, so look at those near it.

    Ctrl-C and --time-limit end with the replicates that are done, and say how many: exit code 130 or 3.
    """
    import bayesloom

    check_outputs(output, work.json_to, reads=[data, work.constraints])
    check_network_name(output)
    table = work.read_table(data, output=output)
    check_network_name(output, continuous=table.continuous)
    with work.listening() as listen:
        found = bayesloom.bootstrap(
            table,
            replicates,
            learner=learner,
            max_parents=max_parents,
            constraints=work.constraints,
            classes=not as_found,
            level=level,
            time_limit=work.time_limit,
            seed=work.seed,
            progress=listen,
            **work.scoring,
            **work.limits,
            **work.elsewhere,
        )
        averaged = found.averaged_network(threshold)
    outputs = Outputs()
    head = {"bayesloom": bayesloom.__version__, "command": "bootstrap"}
    work.write_json(outputs, {**head, **found.to_json(), "averaged": averaged.to_json()})
    written = output is not None and outputs.write(output, lambda: _write(averaged, table, output, found))
    if work.prints:
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
    held = None if averaged.breaks(found.constraints) else found.constraints
    write_network(network, output, constraints=held, interventions=found.interventions)


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
    click.echo(f"{_how_many(found)}, with learner {found.learner}{kept}")
    above = sum(edge.strength > threshold for edge in edges)
    click.echo(
        f"{counted(above, 'edge')} of {len(edges)} above the threshold {threshold:.3g} (*), the averaged"
        " network"
    )
    if broken := averaged.breaks(found.constraints):
        click.echo(f"note: the averaged network breaks the constraints: {broken[0]}")
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
