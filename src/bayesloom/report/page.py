"""A report of a run, to read or to pass on: one file, HTML or Markdown, from the run's JSON object.

``bayesloom learn --report FILE`` and ``bayesloom report RUN.json -o FILE`` write the same.  An HTML
report needs nothing else: no script, no network, no other file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape as escape_html
from pathlib import Path
from typing import Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.files import write_text
from bayesloom.json_input import described, field
from bayesloom.networks.cpdag import direction_of, edges_in_words
from bayesloom.networks.network import Network
from bayesloom.printable import one_line
from bayesloom.report.drawing import network_svg
from bayesloom.scoring.chance import NullEdges

__all__ = ["report_format", "report_text", "write_report"]

DRAWN = 80  # variables up to which the network is drawn
LISTED = 400  # edges up to which they are listed
FORMATS = {".html": "html", ".htm": "html", ".md": "markdown"}
NEEDED = ("score", "bound", "gap", "status", "claim", "solver", "parents")
STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#223}
table{border-collapse:collapse;margin:.5em 0}
td,th{padding:.15em .8em;text-align:left;border-bottom:1px solid #dde}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.claim{background:#eef3f8;padding:.6em 1em;border-radius:8px}
.drawing{overflow:auto;border:1px solid #dde;border-radius:8px}"""

DIRECTIONS = {
    "compelled": "compelled",
    "constrained": "compelled, by the constraints",
    "reversible": "reversible",
    "undecided": "not decided",
}

Row = Sequence[str]


def report_format(path: str | os.PathLike[str]) -> str:
    """Return ``"html"`` or ``"markdown"``, by the ending of a name."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{os.fspath(path)}: a report ends in .html or .md, got {suffix or 'no ending'!r}.")
    return FORMATS[suffix]


def write_report(run: Mapping[str, Any], path: str | os.PathLike[str], name: str = "the run") -> None:
    """Write the report of a run, complete or not at all."""
    write_text(os.fspath(path), report_text(run, report_format(path), name))


def check_run(run: Mapping[str, Any], name: str) -> None:
    """Refuse what is not the JSON object of a run, with the field that is wrong.

    A report shows what the run says; that it is true is for ``bayesloom verify`` to check.
    """
    for key in NEEDED:
        if key not in run:
            raise InputError(
                f"{name} is not the JSON object of a run of learn or search: {key!r} is missing. Give what"
                " --json wrote; -o writes the network alone."
            )
    for key, kind in FIELDS.items():
        field(run, key, kind, name, *([] if key in NEEDED else [None]))
    variables = run.get("variables")
    structure = Network(list(run["parents"]) if variables is None else variables, run["parents"])
    if len(run["parents"]) != len(structure.names):
        raise InputError(f'{name}: "variables" has a name that "parents" has not.')
    for key, fields in PARTS.items():
        part = run.get(key) or []
        for k, entry in enumerate(part if isinstance(part, list) else [part]):
            where = f"{name}, {key}[{k}]" if isinstance(part, list) else f"{name}, {key}"
            if not isinstance(entry, dict):
                raise InputError(f"{where}: expected an object, found {described(entry)}.")
            for inner, kind in fields.items():
                field(entry, inner, kind, where)
    columns = field(run.get("table") or {}, "columns", "a list", f"{name}, table", None)
    for k, entry in enumerate(columns or []):
        where = f"{name}, table.columns[{k}]"
        if not isinstance(entry, dict):
            raise InputError(f"{where}: expected an object, found {described(entry)}.")
        for inner, kind in COLUMN.items():
            field(entry, inner, kind, where)
    edges = set(structure.edges)
    for entry in run.get("edges") or []:
        if (entry["from"], entry["to"]) not in edges:
            edge = f"{entry['from']!r} -> {entry['to']!r}"
            raise InputError(f"{name}: edge {edge} of this run is not among its parents.")
    Constraints.given(run.get("constraints")).check(structure.names)


# What a report reads, and of which kind it must be. More may be there: it is not shown.
FIELDS = {
    **dict.fromkeys(("score", "bound", "gap"), "a number"),
    **dict.fromkeys(("status", "claim", "solver", "bayesloom", "method"), "a text"),
    **dict.fromkeys(("candidates", "seed"), "a whole number"),
    **dict.fromkeys(("seconds", "local_scores"), "an object with numbers"),
    **dict.fromkeys(("edges", "ess_sweep"), "a list"),
    **dict.fromkeys(("table", "constraints"), "an object"),
    "interrupted": "true or false",
    "notes": "a list of texts",
    "null": "an object",
    "variables": "a list of texts",
    "parents": "an object with lists of names",
}
PARTS = {
    "edges": {"from": "a text", "to": "a text", "compelled": "true, false or null", "strength": "a number"},
    "ess_sweep": {
        **dict.fromkeys(("ess", "score", "gap"), "a number"),
        "edges": "a whole number",
        "chosen": "true or false",
    },
    "null": {
        **dict.fromkeys(("edges", "stronger", "of"), "a whole number"),
        **dict.fromkeys(("median", "strongest"), "a number"),
    },
    "table": {
        "source": "a text",
        **dict.fromkeys(("variables", "rows", "unique_rows"), "a whole number"),
        "notes": "a list of texts",
    },
}


COLUMN = {
    **dict.fromkeys(("name", "kind", "why"), "a text"),
    **dict.fromkeys(("states", "missing"), "a whole number"),
    "used": "true or false",
}


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
    check_run(run, name)
    page = _Html() if form == "html" else _Markdown()
    table = run.get("table") or {}
    page.title(f"Bayesian network of {table.get('source', 'a score cache')}")
    page.claim(f"{run['claim']}. Score {run['score']:.6f}, bound {run['bound']:.6f}, gap {run['gap']:.6g}.")
    if run.get("interrupted"):
        page.text("The run was interrupted: this is the best network found until then.")
    parents: Mapping[str, list[str]] = run["parents"]
    edges = run.get("edges") or []
    # Found anew: a run of `search` does not say it, and an older one not under its constraints.
    picture = Network(list(parents), parents).cpdag_under(run.get("constraints"))
    direction = direction_of(picture)
    page.heading("Network")
    words = edges_in_words(picture, constraints=bool(run.get("constraints")))
    page.text(f"{len(parents):,} variables, {words}.")
    if len(parents) <= DRAWN:
        page.drawing(network_svg(parents, set(picture.compelled), set(picture.undecided)))
        dotted = "; of dotted ones it was not found out" if picture.undecided else ""
        page.text(f"Solid edges are compelled, dashed ones, without a head, are reversible{dotted}.")
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
    if table:
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
                [_column(column, table.get("cut_points")) for column in columns[:LISTED]],
                right=(2, 3),
            )
            if len(columns) > LISTED:
                page.text(f"... and {len(columns) - LISTED:,} more; the JSON object of the run has all.")
    if run.get("constraints"):
        page.heading("Constraints")
        for kind, value in run["constraints"].items():
            page.item(f"{kind}: {value}")
    page.heading("How it was found")
    page.table(
        ("", ""),
        [
            ("solver", str(run["solver"])),
            ("parent sets", f"{run.get('candidates') or 0:,} by {run.get('method') or 'a given cache'}"),
            ("seed", str(run.get("seed", ""))),
            ("seconds", ", ".join(f"{k} {v:.2f}" for k, v in (run.get("seconds") or {}).items())),
            ("Bayesloom", str(run.get("bayesloom", ""))),
        ],
    )
    return page.done()


def _column(column: Mapping[str, Any], cut_points: object) -> Row:
    why = column["why"] if column["used"] else f"left out: {column['why']}"
    cuts = cut_points.get(column["name"]) if isinstance(cut_points, Mapping) else None
    if isinstance(cuts, list) and cuts and all(isinstance(cut, int | float) for cut in cuts):
        why += f"; cut at {', '.join(f'{cut:g}' for cut in cuts[:20])}"
    states = f"{column['states']:,}" if column["used"] else ""
    return column["name"], column["kind"], states, f"{column['missing']:,}", why


def _sentence(what: object) -> str:
    text = str(what)
    return f"{text[:1].upper()}{text[1:]}."


def escape(text: str) -> str:
    """Return text that HTML shows as it is, control characters as escapes."""
    return escape_html(one_line(text))


class _Html:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def title(self, text: str) -> None:
        head = f'<meta charset="utf-8"><title>{escape(text)}</title><style>{STYLE}</style>'
        self.parts.append(
            f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body><h1>{escape(text)}</h1>'
        )

    def claim(self, text: str) -> None:
        self.parts.append(f'<p class="claim">{escape(text)}</p>')

    def heading(self, text: str) -> None:
        self.parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        self.parts.append(f"<p>{escape(text)}</p>")

    def item(self, text: str) -> None:
        self.parts.append(f"<p>\u2022 {escape(text)}</p>")

    def drawing(self, svg: str) -> None:
        self.parts.append(f'<div class="drawing">{svg}</div>')

    def table(self, head: Row, rows: Sequence[Row], right: Sequence[int] = ()) -> None:
        def line(row: Row, tag: str) -> str:
            cells = (
                f"<{tag}{' class=n' if i in right else ''}>{escape(text)}</{tag}>"
                for i, text in enumerate(row)
            )
            return f"<tr>{''.join(cells)}</tr>"

        top = line(head, "th") if any(head) else ""
        self.parts.append(f"<table>{top}{''.join(line(row, 'td') for row in rows)}</table>")

    def done(self) -> str:
        return "\n".join([*self.parts, "</body></html>\n"])


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

    def drawing(self, svg: str) -> None:
        """Markdown has no pictures of its own; the table of parents says the same."""

    def table(self, head: Row, rows: Sequence[Row], right: Sequence[int] = ()) -> None:
        rule = "|".join("---:" if i in right else "---" for i in range(len(head)))
        lines = [f"|{'|'.join(map(_plain, row))}|" for row in rows]
        self.parts.append("\n".join([f"|{'|'.join(map(_plain, head))}|", f"|{rule}|", *lines]) + "\n")

    def done(self) -> str:
        return "\n".join(self.parts)


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return "".join("\\" + c if c in "\\`*_{}[]<>|#&~" else c for c in one_line(text))
