"""A report of a run, to read or to pass on: one file, HTML or Markdown, from the run's JSON object.

``bayesloom learn --report FILE``, ``bayesloom report RUN.json -o FILE`` and ``bayesloom view`` write it. An
HTML report needs nothing else: no network, no other file (`html`). A Markdown report is its words and
tables.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesloom.errors import InputError
from bayesloom.files import write_text
from bayesloom.networks.cpdag import direction_of, edges_in_words
from bayesloom.printable import one_line
from bayesloom.report.content import Content, of_run
from bayesloom.report.html import DIRECTIONS, LISTED, column_row, facts_of, html_page
from bayesloom.scoring.chance import NullEdges

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["page_text", "report_format", "report_text", "write_page", "write_report"]

FORMATS = {".html": "html", ".htm": "html", ".md": "markdown"}

Row = Sequence[str]


def report_format(path: str | os.PathLike[str]) -> str:
    """Return ``"html"`` or ``"markdown"``, by the ending of a name."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{os.fspath(path)}: a report ends in .html or .md, got {suffix or 'no ending'!r}.")
    return FORMATS[suffix]


def write_report(
    run: Mapping[str, Any],
    path: str | os.PathLike[str],
    name: str = "the run",
    *,
    table: Table | None = None,
    sure: Mapping[str, Any] | None = None,
    sure_name: str | None = None,
) -> None:
    """Write the report of a run, complete or not at all.

    Parameters
    ----------
    run
        The object that ``--json`` writes.
    path
        Where to: ``.html`` or ``.md``.
    name
        What errors call the run.
    table
        The table it was learned from, for probabilities and local scores.
    sure
        What ``--json`` of `credible`, `posterior` or `bootstrap` wrote of the same variables, for how sure
        each edge is.
    sure_name
        What errors call that.
    """
    form = report_format(path)
    write_page(of_run(run, name=name, table=table, sure=sure, sure_name=sure_name), path, form)


def write_page(content: Content, path: str | os.PathLike[str], form: str = "html") -> None:
    """Write a page, complete or not at all."""
    write_text(os.fspath(path), page_text(content, form))


def report_text(run: Mapping[str, Any], form: str = "html", name: str = "the run") -> str:
    """Return the report of a run as text.

    Parameters
    ----------
    run
        The object that ``--json`` writes.
    form
        ``"html"`` or ``"markdown"``.
    name
        What errors call the run.
    """
    return page_text(of_run(run, name=name), form)


def page_text(content: Content, form: str = "html") -> str:
    """Return a page as text, ``"html"`` or ``"markdown"``."""
    return html_page(content) if form == "html" else _markdown(content)


def _markdown(content: Content) -> str:
    run, page = content.run, _Markdown()
    page.title(content.title)
    if run:
        page.claim(
            f"{run['claim']}. Score {run['score']:.6f}, bound {run['bound']:.6f}, gap {run['gap']:.6g}."
        )
    if run.get("interrupted"):
        page.text("The run was interrupted: this is the best network found until then.")
    parents = content.network.parents
    edges = run.get("edges") or []
    direction = direction_of(content.picture)
    page.heading("Network")
    words = edges_in_words(
        content.picture,
        kept=content.kept,
        interventions=bool(content.under.get("interventions")),
    )
    page.text(f"{len(parents):,} variables, {words}.")
    if edges:
        page.heading("Edges, the strongest first")
        page.text("Strength: what the score loses without the edge, in nats.")
        rows = [
            (
                e["from"],
                e["to"],
                DIRECTIONS[direction[e["from"], e["to"]]],
                f"{e['strength']:,.3f}",
                "rests on values missing together" * bool(e.get("rests_on_missing")),
            )
            for e in edges[:LISTED]
        ]
        page.table(("from", "to", "direction", "strength", ""), rows, right=(3,))
        if len(edges) > LISTED:
            page.text(f"... and {len(edges) - LISTED:,} more; the JSON object of the run has all.")
    if run.get("notes") or run.get("null"):
        page.heading("To know before it is used")
        for note in run.get("notes") or ():
            page.text(str(note))
        if null := run.get("null"):
            page.text(_sentence(NullEdges.from_json(null)))
    if sure := content.sure:
        page.heading(sure.heading)
        page.text(f"{sure.claim}.")
        if sure.shares:
            seen = [item for item in sure.shares.items() if item[1] > 0]
            ranked = sorted(seen, key=lambda item: (-item[1], item[0]))
            page.table(
                ("from", "to", sure.column), [(a, b, f"{p:.3f}") for (a, b), p in ranked[:LISTED]], right=(2,)
            )
            if len(ranked) > LISTED:
                page.text(
                    f"... and {len(ranked) - LISTED:,} more; the JSON object of the {sure.kind} has all."
                )
        elif sure.known:
            page.text("None of them has an edge.")
    page.heading("Parents and local scores")
    local = run.get("local_scores") or {}
    page.table(
        ("variable", "parents", "local score"),
        [(n, ", ".join(up), f"{local[n]:.4f}" if n in local else "") for n, up in parents.items()],
        right=(2,),
    )
    if sweep := run.get("ess_sweep"):
        page.heading("Equivalent sample sizes")
        sizes = [
            (f"{s['ess']:g}", f"{s['score']:.4f}", f"{s['gap']:.4g}", str(s["edges"]), "chosen" * s["chosen"])
            for s in sweep
        ]
        page.table(("ess", "score", "gap", "edges", ""), sizes, right=(0, 1, 2, 3))
    if table := run.get("table") or {}:
        page.heading("Table")
        page.text(
            f"{table['variables']:,} variables, {table['rows']:,} rows, {table['unique_rows']:,} different."
        )
        for note in table["notes"]:
            page.item(note)
        if columns := table.get("columns"):
            page.heading("Columns")
            page.table(
                ("column", "holds", "states", "missing", "how it was read"),
                [column_row(column, table.get("cut_points")) for column in columns[:LISTED]],
                right=(2, 3),
            )
            if len(columns) > LISTED:
                page.text(f"... and {len(columns) - LISTED:,} more; the JSON object of the run has all.")
    if constraints := content.under.get("constraints"):
        page.heading("Constraints")
        for kind, value in constraints.items():
            page.item(f"{kind}: {value}")
    page.heading("How it was found")
    page.table(("", ""), facts_of(content.under))
    return page.done()


def _sentence(what: object) -> str:
    text = str(what)
    return f"{text[:1].upper()}{text[1:]}."


class _Markdown:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def title(self, text: str) -> None:
        self.parts.append(f"# {_plain(text)}\n")

    def claim(self, text: str) -> None:
        self.parts.append(f"**{_plain(text)}**\n")

    def heading(self, text: str) -> None:
        self.parts.append(f"## {_plain(text)}\n")

    def text(self, text: str) -> None:
        self.parts.append(f"{_plain(text)}\n")

    def item(self, text: str) -> None:
        self.parts.append(f"- {_plain(text)}\n")

    def table(self, head: Row, rows: Sequence[Row], right: Sequence[int] = ()) -> None:
        rule = "|".join("---:" if i in right else "---" for i in range(len(head)))
        lines = [f"|{'|'.join(map(_plain, row))}|" for row in rows]
        self.parts.append("\n".join([f"|{'|'.join(map(_plain, head))}|", f"|{rule}|", *lines]) + "\n")

    def done(self) -> str:
        return "\n".join(self.parts)


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return "".join("\\" + c if c in "\\`*_{}[]<>|#&~" else c for c in one_line(text))
