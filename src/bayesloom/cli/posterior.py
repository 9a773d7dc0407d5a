"""``bayesloom posterior``: how probable each edge is over all networks, at any number of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import SCORES, Verb, constraint_lines
from bayesloom.cli.options import NETWORK_FILES, STATES_ALONE, WITHOUT_TABLE
from bayesloom.cli.outputs import Outputs, check_network_name, check_outputs
from bayesloom.cli.work import Work, work_options

if TYPE_CHECKING:
    from bayesloom.posterior_sampling.result import NetworkPosterior

SHOWN = 40  # edges printed; the JSON object has all
LEAST = 0.01  # posterior that a pair is joined, of pairs printed


@click.command(
    "posterior",
    cls=Verb,
    lists=[*SCORES, constraint_lines],
    examples=[
        ("How probable each edge is", "bayesloom posterior data.csv"),
        (
            "By chains, for a minute at most, and the averaged network",
            "bayesloom posterior data.csv --method chains --time-limit 60 -o averaged.json",
        ),
        (
            "By chains that are kept: after Ctrl-C or a kill the same line goes on",
            "bayesloom posterior data.csv --method chains --blocks chains --json posterior.json",
        ),
    ],
)
@click.argument("given", metavar="CACHE|DATA")
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "chains"]),
    default="auto",
    show_default=True,
    help="exact: sums over all networks, up to 24 connected variables; chains: Markov chains, any number;"
    " auto: exact up to 18.",
)
@click.option(
    "--chains", type=click.IntRange(2), metavar="N", help="How many chains; with --method chains [4]."
)
@click.option(
    "--samples",
    type=click.IntRange(20),
    metavar="N",
    help="Networks drawn: of each chain [500], on which edges and their errors rest too (four times as many"
    " halve the errors); or of exact sums [2000], for the averaged network.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the averaged network, the one of least mean distance from all, with probabilities fitted to"
    f" DATA where the format has them: {NETWORK_FILES}; or .svg, a drawing. {STATES_ALONE} Of a CACHE:"
    f" {WITHOUT_TABLE} or .svg.",
)
@click.option(
    "--max-parents",
    type=click.IntRange(0),
    metavar="N",
    help="Most parents that a variable may have [no limit].",
)
@work_options(
    seed="With another seed other networks are drawn, and chains end within their errors; exact sums do not"
    " change.",
    json="Write edges with their errors, diagnostics, the averaged network and all else as JSON",
    kept_alone=True,
    time="Stop after S seconds; chains stop earlier if they agree [no limit, but chains stop after nine runs,"
    " each twice as long as the one before: the last takes 256 sweeps over all variables for each sample].",
)
def command(
    given: str,
    method: str,
    chains: int | None,
    samples: int | None,
    output: str | None,
    max_parents: int | None,
    work: Work,
) -> int:
    """Find how probable each edge is over all networks, not only the credible ones.

    Takes a table, which is scored first, or a score cache: the networks are then those over its
    candidates, and it is told how much of the posterior of all networks these leave out, at most, if that
    is known: at most 1 % where a table was scored. A cache that was scored for the best network may leave
    out nearly all: `score` with --bayes-factor 1e6 keeps 99 % of 10 variables, 1e10 of 20. A network
    weighs exp(score), see the score below.

    Where up to 18 variables are connected by candidate parents, sums over all networks are exact. Beyond,
    Markov chains over ordered partitions of the variables draw networks, from several starts: if they do
    not agree it is said, and the exit code is 3. They agree if R-hat is at most 1.05, no edge differs by
    more than 0.2 between two of them, and they are worth 100 independent draws; `error` is the standard
    error. Where time ends before scoring or exact sums do, there is nothing to show, and it is 1.
    --chains and --blocks are of chains alone; options of the score and of reading, of a table alone.
    """
    import bayesloom
    from bayesloom.scoring.cache_files import is_cache_name

    is_table = not is_cache_name(given)
    check_outputs(output, work.json_to, reads=[given, work.constraints])
    check_network_name(output, from_table=is_table)
    if method == "exact":
        refuse_given(["chains"], "exact sums have none")
        refuse_given(["blocks"], "it keeps chains, and exact sums have none")
    scoring: dict[str, Any] = {}
    table = None
    if is_table:
        source: Any = work.read_table(given, output=output)
        check_network_name(output, continuous=source.continuous)
        table = source
        scoring = work.scoring | {"max_parents": max_parents}
    else:
        work.refuse_scoring(given)
        source = work.read_cache(given)
    with work.listening() as listen:
        found = bayesloom.posterior(
            source,
            method=method,
            chains=chains,
            samples=samples,
            constraints=work.constraints,
            time_limit=work.time_limit,
            seed=work.seed,
            progress=listen,
            **scoring,
            **work.limits,
            **work.elsewhere,
        )
        averaged = found.averaged_network()
    held = found.cache.info.get("constraints", {})
    broken = averaged.breaks(held)
    outputs = Outputs()
    head = {"bayesloom": bayesloom.__version__, "command": "posterior"}
    work.write_json(outputs, {**head, **found.to_json()})
    written = False
    if output is not None:

        def write() -> None:
            from bayesloom.networks.formats import write_network
            from bayesloom.networks.writing import fittable_network

            alone = averaged.network
            network = alone if table is None else fittable_network(alone, table, output)
            own = found.cache.info.get("interventions", ())
            write_network(network, output, constraints=None if broken else held, interventions=own)

        written = outputs.write(output, write)
    if work.prints:
        _show(found)
        if written:
            click.echo(f"averaged network written to {output}")
            if broken:
                click.echo(f"note: it breaks the constraints: {broken[0]}")
    if found.interrupted:
        click.echo("bayesloom: interrupted; this is what the chains say so far.", err=True)
        return outputs.exit_code(EXIT_INTERRUPTED)
    if not found.reliable and not work.prints:
        click.echo(f"bayesloom: {found.diagnostics}", err=True)
    return outputs.exit_code(0 if found.reliable else EXIT_STOPPED)


def _show(found: NetworkPosterior) -> None:
    from bayesloom.cli.summary import aligned

    click.echo("exact sums over all networks" if found.diagnostics is None else str(found.diagnostics))
    click.echo(str(found.left_out))
    posterior = found.edge_posterior
    index = {name: v for v, name in enumerate(found.names)}
    rows = posterior.rows()
    shown = [("  from", "to", "posterior", "adjacent", "std error")]
    printed = [row for row in rows[:SHOWN] if row[3] >= LEAST]
    for a, b, one, both in printed:
        error = 0.0 if posterior.errors is None else float(posterior.errors[index[a], index[b]])
        shown.append((f"  {a}", b, f"{one:.3f}", f"{both:.3f}", f"{error:.2g}" if error else "exact"))
    click.echo("\n".join(aligned(shown, right=[2, 3, 4])))
    if len(rows) > len(printed):
        rare = f", of pairs joined with a posterior below {LEAST}" if len(printed) < SHOWN else ""
        click.echo(f"  ... and {len(rows) - len(printed):,} more{rare} (see --json)")
    click.echo(", ".join(f"{name} {value:.2f} s" for name, value in found.seconds.items()))
