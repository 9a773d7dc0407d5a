"""``bayesloom merge``: put the parts of a score cache together."""

from __future__ import annotations

import click

from bayesloom.cli.help import Verb


@click.command(
    "merge",
    cls=Verb,
    examples=[
        (
            "The parts that two machines scored with --shard 1/2 and --shard 2/2",
            "bayesloom merge part1.blc part2.blc -o data.blc",
        ),
    ],
)
@click.argument("parts", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="CACHE", required=True, help="The score cache: .blc, .jkl, .scores or .pss."
)
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def command(parts: tuple[str, ...], output: str, quiet: bool) -> None:
    """Merge the PARTS that `score --shard I/M` made, one of each, in any order.

    Parts of different tables, or scored with different options, are refused.
    """
    import bayesloom
    from bayesloom.cli.options import patience
    from bayesloom.cli.outputs import check_outputs
    from bayesloom.cli.summary import show_cache
    from bayesloom.scoring.cache_files import format_of

    check_outputs(output, reads=parts)
    format_of(output)
    with patience("reading", "auto", quiet=quiet):
        read = [bayesloom.read_cache(part) for part in parts]
    with patience("merging", "auto", quiet=quiet):
        cache = bayesloom.merge(read)
        cache.write(output)
    if not quiet:
        show_cache(cache)
        click.echo(f"written to {output}")
