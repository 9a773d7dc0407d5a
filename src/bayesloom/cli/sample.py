"""``bayesloom sample``: rows drawn from a network."""

from __future__ import annotations

import re

import click

from bayesloom.cli.help import Verb
from bayesloom.cli.options import refuse_given
from bayesloom.cli.outputs import Outputs, check_outputs
from bayesloom.errors import InputError


@click.command(
    "sample",
    cls=Verb,
    examples=[
        ("A thousand rows of a network", "bayesloom sample network.bif -n 1000 -o rows.csv"),
        (
            "Of a random network, which is kept",
            "bayesloom sample --random 20 -n 1000 -o rows.csv --save-network truth.bif",
        ),
    ],
)
@click.argument("network", required=False)
@click.option("-n", "--rows", type=click.IntRange(1), metavar="N", required=True, help="How many rows.")
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="The table: .csv, .tsv, .dat, .parquet ..."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Of random choices: the same seed, the same rows.",
)
@click.option(
    "--random", "variables", type=click.IntRange(1), metavar="N", help="A random network of N variables."
)
@click.option("--states", default="2-4", show_default=True, metavar="A-B", help="States of a random network.")
@click.option(
    "--parents", default="0-6", show_default=True, metavar="0-K", help="Parents in a random network."
)
@click.option(
    "--concentration",
    type=float,
    metavar="X",
    default=1.0,
    show_default=True,
    help="Of the Dirichlet distribution that random probabilities are drawn from; small: strong edges.",
)
@click.option("--save-network", metavar="FILE", help="Write the random network too.")
def command(
    network: str | None,
    rows: int,
    output: str,
    seed: int,
    variables: int | None,
    states: str,
    parents: str,
    concentration: float,
    save_network: str | None,
) -> int:
    """Draw rows from NETWORK (with probabilities), or from a random network with --random N."""
    import bayesloom
    from bayesloom.networks.fitted import FittedNetwork

    if (network is None) == (variables is None):
        raise click.UsageError("give either a NETWORK or --random N.")
    if network is not None:
        refuse_given(
            ["states", "parents", "concentration", "save_network"], "a NETWORK is given, not --random"
        )
    check_outputs(output, save_network, reads=[network])
    outputs = Outputs()
    if network is not None:
        read = bayesloom.read_network(network)
        if not isinstance(read, FittedNetwork):
            raise InputError(
                f"{network} has no probabilities to draw from; fit it first, or give a BIF file."
            )
        fitted = read
    else:
        assert variables is not None
        fewest, most = _range("--states", states)
        none, most_parents = _range("--parents", parents)
        if none != 0:
            raise InputError(f"--parents must begin at 0, got {parents!r}.")
        fitted = bayesloom.random_network(
            variables,
            states=(fewest, most),
            max_parents=most_parents,
            concentration=concentration,
            seed=seed,
        )
        if save_network is not None:
            outputs.write(save_network, lambda: fitted.write(save_network))
    outputs.write(output, lambda: fitted.sample(rows, seed=seed).write(output))
    return outputs.exit_code(0)


def _range(option: str, text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9}+)-([0-9]{1,9}+)", text)
    if not match:
        raise InputError(f"{option} must look like 2-4, got {text!r}.")
    return int(match[1]), int(match[2])
