"""``bayesloom compare``: how two networks differ."""

from __future__ import annotations

from dataclasses import asdict

import click

from bayesloom.cli.help import Verb
from bayesloom.cli.options import output_options, write_json
from bayesloom.cli.outputs import check_drawing_name, check_outputs
from bayesloom.printable import one_line


@click.command(
    "compare",
    cls=Verb,
    examples=[
        (
            "What was learned, beside what is true; `bayesloom demo` makes these files",
            "bayesloom compare bayesloom-demo/network.bif bayesloom-demo/truth.bif",
        ),
        ("Two networks as one drawing", "bayesloom compare network.bif other.bif -o differences.svg"),
        ("The same for programs", "bayesloom compare network.bif other.bif --json -"),
    ],
)
@click.argument("network")
@click.argument("reference")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write both as one drawing, with edges kept, turned, missing and added: .svg, or with"
    " Matplotlib .png or .pdf.",
)
@output_options("Write the differences as JSON, for other programs")
def command(network: str, reference: str, output: str | None, json_to: str | None, quiet: bool) -> None:
    """Compare NETWORK with REFERENCE, over the same variables, matched by name.

    Both are network files (.bif, .xmlbif, .net (Hugin), .json, .dot, .graphml, .modelstring (bnlearn)).
    Edges that are reversed or added, listed as they are in NETWORK, and missing, as in REFERENCE, are
    counted. A distance counts the edges that differ, a reversed one once: of the networks (SHD), of their
    equivalence classes (CPDAG), which is 0 for networks that fit any data alike, and of their moral
    graphs (parents of a child joined, directions dropped). However they differ, the exit code is 0.
    """
    import bayesloom
    from bayesloom.networks.network import structure_of

    check_outputs(output, json_to, reads=[network, reference])
    if output is not None:
        check_drawing_name(output)
    a, b = (structure_of(bayesloom.read_network(path)) for path in (network, reference))
    found = bayesloom.compare(a, b)
    if output is not None:
        found.plot().write(output)
    if json_to is not None:
        differences = asdict(found)
        del differences["names"]
        write_json({"bayesloom": bayesloom.__version__, "command": "compare", **differences}, json_to)
    if not quiet and json_to != "-":
        click.echo(str(found))
        for kind in ("reversed", "missing", "added"):
            for source, target in getattr(found, kind):
                click.echo(f"  {kind:8}  {one_line(source)} -> {one_line(target)}")
        if output is not None:
            click.echo(f"drawing written to {output}")
