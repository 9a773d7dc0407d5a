"""What a person reads at the end: the same words on a terminal and in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from bayesloom.errors import note_on_command_line
from bayesloom.printable import one_line, plain_stream
from bayesloom.words import counted, what_is_kept, with_at_most

if TYPE_CHECKING:
    from bayesloom.networks.network import Network
    from bayesloom.scoring.cache import ScoreCache
    from bayesloom.solvers.result import SearchResult
    from bayesloom.table import Table

__all__ = ["aligned", "show_cache", "show_network", "show_plan", "show_result", "show_table"]

EDGES_SHOWN = 5
BY_MISSING = "rests on values missing together"
ARROWS = {True: "->", False: "--", None: "-?"}  # compelled, reversible, not decided


def aligned(rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """Return rows of text as lines with their columns aligned; `right` names those set flush right.

    >>> aligned([("a", "1"), ("long", "20")], right=[1])
    ['a      1', 'long  20']
    """
    cells = [tuple(map(one_line, row)) for row in rows]
    if not cells:
        return []
    width = len if all(text.isascii() for row in cells for text in row) else _cells_taken
    widths = [max(width(row[i]) for row in cells) for i in range(len(cells[0]))]
    return [
        "  ".join(
            " " * (most - width(text)) + text if i in right else text + " " * (most - width(text))
            for i, (text, most) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _cells_taken(text: str) -> int:
    """Return the width of a text on a terminal, where some letters are twice as wide."""
    from rich.cells import cell_len

    return cell_len(text)


def heading(text: str) -> None:
    """Print a heading, set off on a terminal."""
    click.secho(one_line(text), bold=True, file=plain_stream(sys.stdout))


def show_table(table: Table) -> None:
    """Say on stderr what was read."""
    unique = table.encoded.unique_row_count
    continuous = len(table.continuous)
    numbers = [states for states in table.cardinalities if states]
    least, most = min(numbers, default=0), max(numbers, default=0)
    states = f"{least} to {most} states" if least < most else f"{counted(most, 'state')} each"
    if continuous:
        others = f"the other {states.removesuffix(' each')}" if len(numbers) == 1 else f"the others {states}"
        states = f"{continuous:,} continuous, {others}" if numbers else "continuous"
    click.echo(
        f"{one_line(table.source)}: {counted(len(table.names), 'variable')}, "
        f"{counted(table.total_weight, 'row')} ({unique:,} different as read), {states}",
        err=True,
    )
    for note in table.notes[:NOTES_SHOWN]:
        click.echo(f"  note: {one_line(note_on_command_line(note))}", err=True)
    if len(table.notes) > NOTES_SHOWN:
        click.echo(f"  ... and {len(table.notes) - NOTES_SHOWN} more notes (see --json)", err=True)


NOTES_SHOWN = 12


def show_plan(reason: str, time_limit: float) -> None:
    """Say on stderr what will be done, and why."""
    click.echo(f"{reason}; at most {time_limit:g} s for everything", err=True)


def show_cache(cache: ScoreCache) -> None:
    """Print what a score cache holds."""
    info = cache.info
    sizes = cache.max_parents_seen
    click.echo(
        f"{counted(cache.candidate_count, 'candidate')} for {counted(cache.variable_count, 'variable')}, "
        f"up to {counted(sizes, 'parent')}"
    )
    if cache.part is not None:
        number, count = cache.part
        click.echo(
            f"part {number} of {count}, with the empty sets of all variables: nothing can be searched in it;"
            " `merge` puts the parts together"
        )
    elif cache.complete:
        factor = cache.complete_factor
        limit = info.get("max_parents")
        among = with_at_most(limit)
        among += f" that keeps {what_is_kept(info['constraints'])}" if info.get("constraints") else ""
        within = "" if factor in (None, 1) else f" within Bayes factor {factor:g} of it"
        click.echo(f"complete: holds every parent set that a best network{among} can use{within}")
    else:
        click.echo("not complete: parent sets outside this cache were not all ruled out")


def show_network(network: Network) -> None:
    """Print each variable with its parents."""
    click.echo(
        "\n".join(
            aligned(
                ("  " + name, "<-  " + ", ".join(parents) if parents else "")
                for name, parents in network.parents.items()
            )
        )
    )


def show_edges(result: SearchResult) -> None:
    """Print the strongest and the weakest edges, if they are known."""
    edges = result.edges
    if not edges:
        return
    groups = [("edges by strength, in nats that the score loses without this edge alone", edges)]
    if len(edges) > 2 * EDGES_SHOWN:
        groups = [
            ("strongest edges (nats that the score loses without this edge alone)", edges[:EDGES_SHOWN])
        ]
        groups += [("weakest edges", edges[: -EDGES_SHOWN - 1 : -1])]
    required = {tuple(edge) for edge in result.constraints.get("required", ())}
    for title, group in groups:
        heading(title)
        rows = [
            (
                f"  {a} {ARROWS[compelled]} {b}",
                f"{strength:,.2f}",
                ", ".join(["required"] * ((a, b) in required) + [BY_MISSING] * by_missing),
            )
            for a, b, compelled, strength, by_missing in group
        ]
        click.echo("\n".join(aligned(rows, right=[1])))
    unknown = "; a -? b: not decided" if any(edge.compelled is None for edge in edges) else ""
    click.echo(f"  (a -> b: compelled; a -- b: reversible{unknown})")


def show_result(
    result: SearchResult,
    *,
    limit: int = 60,
    table: Table | None = None,
    again: str = "DATA",
    written: bool = False,
    units: int | None = None,
) -> None:
    """Print a search's outcome; networks of more than `limit` variables are summed up.

    `again` is the table with its options, for commands that are suggested; `written` says that the network
    has a file; `units` is what structural EM counted each row as.
    """
    from bayesloom.learning.advice import all_networks_in_words, gap_in_words, next_steps
    from bayesloom.networks.cpdag import edges_in_words

    if len(result.network.names) <= limit:
        heading("network (a variable <- its parents)")
        show_network(result.network)
    else:
        hint = "" if written else " (write the network to a file with -o to see them)"
        click.echo(
            f"{counted(len(result.network.names), 'variable')}, "
            f"{counted(len(result.network.edges), 'edge')}{hint}"
        )
    click.echo(
        edges_in_words(
            result.cpdag,
            kept=what_is_kept(result.constraints, short=True) if result.constraints else "",
            interventions=bool(result.interventions),
        )
    )
    show_edges(result)
    heading("result")
    if units is not None and units > 1:
        gap = result.gap / units
        click.echo(
            f"each row counts as {units:,}, in strengths, score, bound and gap; divided by that:"
            f" score {result.score / units:.6f}, gap {gap:.6g}"
        )
    click.echo(f"score  {result.score:.6f}")
    click.echo(f"bound  {result.bound:.6f}  gap {result.gap:.6g}: {gap_in_words(result)}")
    if (beyond := all_networks_in_words(result)) is not None:
        over = f"{result.bound_all_networks:.6f}  gap {result.gap_all_networks:.6g}"
        click.echo(f"over all networks: bound  {over}: {beyond}")
    click.echo(result.claim)
    stages = ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in result.seconds.items())
    click.echo(f"solver {result.solver}, {counted(result.candidates, 'candidate')}; {stages}")
    if result.interrupted:
        click.echo("interrupted: this is the best network found until then")
    for note in result.notes:
        click.echo(f"note: {note_on_command_line(note)}")
    if result.null is not None:
        click.echo(f"chance alone: {result.null}")
    if table is not None and (steps := next_steps(result, table, again, units)):
        heading("what next")
        for step in steps:
            click.echo(f"  {step}")
