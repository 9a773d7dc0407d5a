"""``bayesloom convert``: the same content in another file format."""

from __future__ import annotations

import os
from typing import Any

import click

from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import Verb
from bayesloom.cli.options import memory_option, patience
from bayesloom.cli.outputs import check_outputs
from bayesloom.cli.reading import HOW_A_TABLE_IS_READ, read_given_table, table_options
from bayesloom.errors import InputError, note_on_command_line
from bayesloom.printable import one_line


def kind_of(path: str) -> str:
    """Return what a file holds, by the ending of its name."""
    from bayesloom.scoring.cache_files import EXTENSIONS, is_cache_name

    if is_cache_name(path):
        return "score cache"
    from bayesloom.networks.formats import WRITTEN
    from bayesloom.table.files import ARROW_SUFFIXES, EXCEL_SUFFIXES, TEXT_SUFFIXES

    kinds = {
        "score cache": sorted(EXTENSIONS),
        "network": [extension for format in WRITTEN for extension in format.extensions],
        "table": [*TEXT_SUFFIXES, *ARROW_SUFFIXES, *EXCEL_SUFFIXES],
    }
    ending = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    for kind, endings in kinds.items():
        if ending in endings:
            return kind
    known = "; ".join(f"{kind}: {' '.join(endings)}" for kind, endings in kinds.items())
    raise InputError(f"{path}: the ending {ending!r} does not tell what it holds. Known: {known}.")


@click.command(
    "convert",
    cls=Verb,
    examples=[
        ("A network", "bayesloom convert network.bif network.dot"),
        ("A drawing of a network", "bayesloom convert network.bif network.svg"),
        ("A score cache, for GOBNILP", "bayesloom convert data.blc data.jkl"),
        (
            "A table, every value and row kept",
            "bayesloom convert data.csv data.parquet --discrete all --missing state",
        ),
    ],
)
@click.argument("source")
@click.argument("target")
@table_options
@memory_option
def command(source: str, target: str, **how_to_read: Any) -> None:
    """Convert the network, score cache or table SOURCE to the format that TARGET's ending names.

    Networks: .bif, .xmlbif, .net (Hugin), .json, .dot, .graphml, .modelstring (bnlearn), and .svg, .png
    and .pdf, drawings, as TARGET only (.png and .pdf need Matplotlib).
    Score caches: .blc, .jkl, .scores, .pss. Tables: .csv, .tsv, .dat, .parquet, .feather, and as
    SOURCE .xlsx, .arff and .data. Each also with .gz but .xlsx.
    .bif, .xmlbif and .net files hold probabilities, so only a network that has them can become one.

    A table is read as `learn --score bic` reads it, see below: numbers are cut into ranges (--continuous all
    keeps them), ids are left out, rare texts put together.
    With --discrete all --missing state all values and rows are kept, a missing value as `missing`; with
    --missing keep it stays missing. Columns of --weights and --interventions are written as they are, and
    no row is repeated; in .dat rows are, and --interventions is refused.
    """
    kind = "table" if source == "-" else kind_of(source)
    if kind_of(target) != kind:
        raise InputError(
            f"{source} is a {kind}, {target} is a {kind_of(target)}: one cannot become the other."
        )
    if kind != "table":
        refuse_given(HOW_A_TABLE_IS_READ, f"{source} is a {kind}, not a table")
    check_outputs(target, reads=[source])
    with patience("converting", "auto", quiet=False):
        _convert(kind, source, target, how_to_read)


def _convert(kind: str, source: str, target: str, how_to_read: dict[str, Any]) -> None:
    if kind == "score cache":
        from bayesloom.scoring.cache import read_cache

        read_cache(source).write(target)
    elif kind == "network":
        from bayesloom.networks.formats import read_network, write_network

        write_network(read_network(source), target)
    else:
        table = read_given_table(source, **how_to_read)
        for note in table.notes:
            click.echo(f"  note: {one_line(note_on_command_line(note))}", err=True)
        table.write(target)
    click.echo(f"{kind} written to {target}", err=True)
