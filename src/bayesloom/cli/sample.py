"""``bayesloom sample``: rows drawn from a network."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import Verb
from bayesloom.cli.options import NETWORK_FILES
from bayesloom.cli.outputs import Outputs, check_outputs
from bayesloom.errors import InputError
from bayesloom.words import counted


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
    "-o", "--output", metavar="FILE", required=True, help="The table: .csv, .tsv, .dat, .parquet or .feather."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of random choices: the same seed, the same rows.",
)
@click.option(
    "--random", "variables", type=click.IntRange(1), metavar="N", help="A random network of N variables."
)
@click.option(
    "--states",
    default="2-4",
    show_default=True,
    metavar="A-B",
    help="With --random: how many states each variable has, drawn from A to B; 2-2 for 2 each.",
)
@click.option(
    "--parents",
    default="0-6",
    show_default=True,
    metavar="0-K",
    help="With --random: how many parents each has, drawn evenly from 0 to K, but as many as stand before"
    " it in a random order at most.",
)
@click.option(
    "--concentration",
    type=float,
    metavar="X",
    default=1.0,
    show_default=True,
    help="With --random: concentration of the Dirichlet distribution that probabilities are drawn from; 0.1:"
    " strong edges, 10: weak.",
)
@click.option("--save-network", metavar="FILE", help=f"Write the random network too: {NETWORK_FILES}.")
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
    """Draw rows from NETWORK, or from a random network with --random N.

    NETWORK is a .bif, .xmlbif or .net file, or a .json file with probabilities, as `learn -o` writes them.
    """
    import bayesloom
    from bayesloom.networks.network import Network

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
        if isinstance(read, Network):
            raise InputError(
                f"{network} has no probabilities to draw from; give a network that has, as"
                " `bayesloom learn DATA -o network.bif` writes it."
            )
        fitted: Any = read
    else:
        assert variables is not None
        fewest, most = _range("--states", states, "2-4")
        none, most_parents = _range("--parents", parents, "0-6")
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
            _write(outputs, "network", save_network, lambda: fitted.write(save_network))
    what = f"{counted(rows, 'row')} of {counted(len(fitted.names), 'variable')}"
    _write(outputs, what, output, lambda: fitted.sample(rows, seed=seed).write(output))
    return outputs.exit_code(0)


def _write(outputs: Outputs, what: str, path: str, write: Callable[[], None]) -> None:
    if outputs.write(path, write):
        click.echo(f"{what} written to {path}", err=True)


def _range(option: str, text: str, like: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9}+)-([0-9]{1,9}+)", text)
    if not match:
        raise InputError(f"{option} must look like {like}, got {text!r}.")
    return int(match[1]), int(match[2])
