"""``bayesloom compare``: how two networks differ."""

from __future__ import annotations

from dataclasses import asdict

import click

from bayesloom.cli.help import Verb
from bayesloom.cli.options import output_options, write_json
from bayesloom.cli.outputs import check_outputs
from bayesloom.printable import one_line


@click.command(
    "compare",
    cls=Verb,
    examples=[
        ("What was learned, beside what is true", "bayesloom compare network.bif truth.bif"),
        ("The same for programs", "bayesloom compare network.bif truth.bif --json -"),
    ],
)
@click.argument("network")
@click.argument("reference")
@output_options("Write the differences as JSON, for other programs")
def command(network: str, reference: str, json_to: str | None, quiet: bool) -> None:
    """Compare NETWORK with REFERENCE, over the same variables, matched by name.

    Both are network files (.bif, .xmlbif, .net, .json, .dot, .graphml, .modelstring). Edges that are
    reversed, missing and added are counted and listed; equivalent networks, which fit any data alike, have
    a distance of 0 between their classes (CPDAG).
    """
    import bayesloom
    from bayesloom.networks.network import structure_of

    check_outputs(json_to, reads=[network, reference])
    a, b = (structure_of(bayesloom.read_network(path)) for path in (network, reference))
    found = bayesloom.compare(a, b)
    if json_to is not None:
        write_json({"bayesloom": bayesloom.__version__, "command": "compare", **asdict(found)}, json_to)
    if not quiet and json_to != "-":
        click.echo(str(found))
        for kind in ("reversed", "missing", "added"):
            for source, target in getattr(found, kind):
                click.echo(f"  {kind:8}  {one_line(source)} -> {one_line(target)}")
