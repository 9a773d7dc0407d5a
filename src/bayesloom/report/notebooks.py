"""What notebooks show of results by themselves: a drawing with the most important numbers beside it.

Plain HTML and SVG without scripts, of limited size: where something is left out, it is said how much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bayesloom.errors import ResourceError
from bayesloom.networks.cpdag import Cpdag
from bayesloom.networks.network import Network
from bayesloom.report.charts import bars
from bayesloom.report.content import ranges_of
from bayesloom.report.drawing import Drawing, drawing_with, width_of
from bayesloom.report.texts import shown
from bayesloom.words import counted

if TYPE_CHECKING:
    from bayesloom.credible_sets import CredibleSet
    from bayesloom.networks.comparison import Comparison
    from bayesloom.scoring.strength import EdgeStrength
    from bayesloom.table import Table

__all__ = ["comparison_html", "credible_html", "notebook_html", "table_html"]

IN_NOTEBOOKS = 200  # variables up to which a notebook shows a drawing by itself
DIRECTIONS = {True: "compelled", False: "reversible", None: "not decided"}
ROWS = 25  # of a table beside it


def notebook_html(
    network: Network,
    picture: Callable[[], Cpdag] | None = None,
    about: str = "",
    edges: Sequence[EdgeStrength] = (),
) -> str:
    """Return what a notebook shows of a network: how large it is, its drawing up to a limit, and its edges.

    >>> "<svg" in notebook_html(Network("ab", {"b": ["a"]}))
    True
    """
    size = f"{counted(len(network.names), 'variable')}, {counted(len(network.edges), 'edge')}"
    text = shown(f"{size}. {about}".strip(), 1000)
    rows = [
        (
            edge.source,
            edge.target,
            DIRECTIONS[edge.compelled],
            f"{edge.strength:,.2f}",
        )
        for edge in edges[:ROWS]
    ]
    beside = _table(("from", "to", "direction", "strength"), rows, len(edges), "edges") if rows else ""
    if len(network.names) > IN_NOTEBOOKS:
        return f"<p>{text} Too large to show here; <code>plot()</code> draws it.</p>{beside}"
    drawing = drawing_with(network, picture() if picture is not None else None)
    return f"<p>{text}</p>{_beside(drawing, beside)}"


def credible_html(found: CredibleSet) -> str:
    """Return what a notebook shows of a credible set: its claim, its edges by posterior."""
    text = shown(f"{found.claim}. Best score {found.best:.6f}.", 1000)
    try:
        posterior = found.edge_posterior
    except ResourceError as error:
        return f"<p>{text} No edge posteriors: {shown(str(error), 600)}</p>"
    listed = posterior.rows()
    rows = [(a, b, f"{one:.3f}", f"{both:.3f}") for a, b, one, both in listed[:ROWS]]
    beside = _table(("from", "to", "posterior", "either way"), rows, len(listed), "edges")
    if len(found.names) > IN_NOTEBOOKS:
        return f"<p>{text} Too large to draw here; <code>plot()</code> does.</p>{beside}"
    return f"<p>{text}</p>{_beside(found.plot(), beside)}"


def comparison_html(found: Comparison) -> str:
    """Return what a notebook shows of two networks: one drawing of both, and the numbers."""
    text = "<br>".join(shown(line) for line in str(found).splitlines())
    if len(found.names) > IN_NOTEBOOKS:
        return f"<p>{text}</p><p>Too large to draw here; <code>plot()</code> does.</p>"
    return f'<p>{text}</p><div style="overflow:auto">{found.plot().svg}</div>'


def table_html(table: Table) -> str:
    """Return what a notebook shows of a table: its size, and each column with how it was read."""
    from bayesloom.solvers.result import state_counts

    size = f"{counted(len(table.names), 'variable')}, {counted(table.total_weight, 'row')}"
    some = table.select(table.names[:ROWS])
    counts = state_counts(some)
    states = dict(zip(some.names, some.states, strict=True))
    lines = []
    columns = sorted(table.columns, key=lambda column: not column.used)
    for column in columns[:ROWS]:
        chart = ""
        if column.used and column.name in states:
            shapes = counts[column.name], states[column.name]
            chart = bars(*(shapes if shapes[1] else ranges_of(some, column.name)))
        cells = [column.name, column.kind, f"{column.states:,}" if column.used else "", f"{column.missing:,}"]
        why = column.why if column.used else f"left out: {column.why}"
        lines.append(
            f"<tr>{''.join(f'<td>{shown(cell)}</td>' for cell in cells)}<td>{chart}</td>"
            f"<td>{shown(why)}</td></tr>"
        )
    head = "".join(
        f"<th>{name}</th>" for name in ("column", "holds", "states", "missing", "", "how it was read")
    )
    more = f"<p>... and {len(columns) - ROWS:,} columns more.</p>" if len(columns) > ROWS else ""
    notes = "".join(f"<li>{shown(note, 600)}</li>" for note in table.notes[:ROWS])
    if len(table.notes) > ROWS:
        notes += f"<li>... and {len(table.notes) - ROWS:,} notes more.</li>"
    return (
        f"<p>{shown(table.source)}: {size}.</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>{more}{f'<ul>{notes}</ul>' if notes else ''}"
    )


def _beside(drawing: Drawing, table: str) -> str:
    wide = 400 if drawing.layout is None else max(300, width_of(drawing.layout, drawing.legend))
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f'<div style="overflow:auto;max-width:min(100%,{wide}px);flex:1 1 20em">{drawing.svg}</div>'
        f"<div>{table}</div></div>"
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], count: int, what: str) -> str:
    top = "".join(f"<th>{name}</th>" for name in head)
    lines = "".join(f"<tr>{''.join(f'<td>{shown(cell, 60)}</td>' for cell in row)}</tr>" for row in rows)
    more = f"<p>... and {count - len(rows):,} {what} more.</p>" if count > len(rows) else ""
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>{more}"
