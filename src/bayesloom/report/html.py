"""The report as one HTML file that needs nothing else: no network, no other file.

All of it is there without scripts: the drawing, with boxes that lead to what is said of each variable, tables
and charts. The script (``page.js``) makes the drawing move, search and light up. Names are text and nothing
else; a content security policy allows the page's own style and script, by their hashes, and nothing more.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata, resources
from typing import Any

from bayesloom.networks.cpdag import direction_of
from bayesloom.report.charts import bars, heat_map, trace_chart
from bayesloom.report.content import Content
from bayesloom.report.head import heading_of
from bayesloom.report.how_sure import HowSure
from bayesloom.report.network_part import network_of
from bayesloom.report.reasons import WORDS, in_words, reasons_of
from bayesloom.report.texts import clipped, shown
from bayesloom.report.variables import variable_sections
from bayesloom.scoring.chance import NullEdges

__all__ = ["html_page"]

LISTED = 400  # edges and columns up to which they are listed
DIRECTIONS = {
    "compelled": "compelled",
    "constrained": "compelled, by constraints or score",
    "reversible": "reversible",
    "undecided": "not decided",
}
KINDS = tuple(DIRECTIONS)
Cell = str | tuple[str, str]
"""Text of a cell, which is escaped; or ``("html", markup)``."""


def html_page(content: Content) -> str:
    """Return the page of what is known, as one HTML document."""
    style, script = _style(), _file("page.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
    title = shown(content.title)
    sections = list(_sections(content))
    links = "".join(f'<li><a href="#{key}">{shown(name)}</a></li>' for key, name, _ in sections)
    body = "\n".join(
        f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title">{shown(name)}</h2>\n'
        f"{inner}\n</section>"
        for key, name, inner in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="generator" content="Bayesloom">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{style}</style></head>\n<body>"
        f'<a class="skip" href="#network">To the network</a><header><h1>{title}</h1>'
        f"{heading_of(content)}</header>"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n<main>\n{body}\n</main>'
        f"<footer><p>Written by Bayesloom {_version()}. This page needs nothing else: it can be kept and"
        " passed on.</p></footer>"
        f'<script type="application/json" id="data">{_data(content)}</script><script>{script}</script>'
        "</body></html>\n"
    )


@cache
def _file(name: str) -> str:
    return (resources.files("bayesloom") / "report" / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    """Return the style of the page, with a rule for each width of a bar: other styles are forbidden."""
    return _file("page.css") + "".join(f".cpt .p{k}{{background-size:{k}% 78%}}" for k in range(1, 101))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _version() -> str:
    return metadata.version("bayesloom")


def _data(content: Content) -> str:
    """Return what the script needs to know, as JSON that HTML cannot misread."""
    names = content.network.names
    index = {name: i for i, name in enumerate(names)}
    direction = direction_of(content.picture)
    strength, shares, known = content.strength, content.shares, bool(content.shares_called)
    reasons = reasons_of(content.network, content.picture)
    edges = [
        [
            index[a],
            index[b],
            KINDS.index(direction[a, b]),
            _rounded(strength.get((a, b))),
            _rounded(shares.get((a, b), 0.0)) if known else None,
            _rounded(shares.get((b, a), 0.0)) if known else None,
            reasons[a, b][0],
            *(index[name] for name in reasons[a, b][1]),
        ]
        for a, b in content.network.edges
    ]
    data = {
        "names": [clipped(name) for name in names],
        "edges": edges,
        "kinds": list(DIRECTIONS.values()),
        "reasons": WORDS,
        "share": content.shares_called,
        "meaning": "" if content.sure is None else content.sure.meaning,
        "doubtful": [k for k, edge in enumerate(content.network.edges) if edge in content.by_missing],
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def _clipped(reason: tuple[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    return reason[0], tuple(clipped(name, 40) for name in reason[1])


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def _sections(content: Content) -> Iterator[tuple[str, str, str]]:
    """Yield the sections of the page: key, heading, content."""
    run = content.run
    yield "network", "Network", network_of(content)
    if run.get("notes") or run.get("null"):
        null = [_sentence(NullEdges.from_json(run["null"]))] if run.get("null") else []
        yield (
            "notes",
            "To know before it is used",
            "".join(f"<p>{shown(str(note), 2000)}</p>" for note in [*(run.get("notes") or ()), *null]),
        )
    if content.network.edges:
        first = ", the strongest first" if content.strength else ", the surest first" * bool(content.shares)
        yield "edges", f"Edges{first}", _edges(content)
    if content.sure is not None:
        yield "sure", content.sure.heading, _how_sure(content, content.sure)
    yield "variables", "Variables", _variables(content)
    if (chart := trace_chart(run.get("trace") or [])) != "":
        yield "trace", "Score and bound over time", _trace(content, chart)
    if sweep := run.get("ess_sweep"):
        rows = [
            (f"{s['ess']:g}", f"{s['score']:.4f}", f"{s['gap']:.4g}", str(s["edges"]), "chosen" * s["chosen"])
            for s in sweep
        ]
        yield (
            "sweep",
            "Equivalent sample sizes",
            _table(("ess", "score", "gap", "edges", "chosen"), rows, right=(0, 1, 2, 3)),
        )
    if table := run.get("table"):
        yield "table", "Table", _of_table(content, table)
    if constraints := content.under.get("constraints"):
        items = "".join(f"<li>{shown(f'{kind}: {value}', 2000)}</li>" for kind, value in constraints.items())
        yield "constraints", "Constraints", f"<ul>{items}</ul>"
    title = "How it was found, and how to find it again" if content.under else "About this page"
    yield "reproduce", title, _reproduce(content)


def _edges(content: Content) -> str:
    strength, shares = content.strength, content.shares
    direction = direction_of(content.picture)
    reasons = reasons_of(content.network, content.picture)
    by_missing = content.by_missing
    edges = sorted(
        content.network.edges,
        key=lambda edge: (-strength.get(edge, 0.0), -shares.get(edge, 0.0), edge),
    )
    index = {name: i for i, name in enumerate(content.network.names)}
    head, right = ["from", "to", "direction", "why"], []
    if strength:
        head.append("strength")
    if content.shares_called:
        head.append(content.shares_called)
    right = list(range(4, len(head)))
    if by_missing:
        head.append("note")
    rows: list[list[Cell]] = []
    for a, b in edges[:LISTED]:
        row: list[Cell] = [
            ("html", f'<a href="#v{index[a]}">{shown(a)}</a>'),
            ("html", f'<a href="#v{index[b]}">{shown(b)}</a>'),
            DIRECTIONS[direction[a, b]],
            in_words((clipped(a, 40), clipped(b, 40)), _clipped(reasons[a, b])),
        ]
        if strength:
            row.append(f"{strength[a, b]:,.3f}" if (a, b) in strength else "")
        if content.shares_called:
            row.append(f"{shares.get((a, b), 0.0):.3f}")
        if by_missing:
            row.append("rests on values missing together" * ((a, b) in by_missing))
        rows.append(row)
    said = []
    if strength:
        said.append("Strength: what the score loses without the edge, in nats.")
    if shares and content.sure is not None:
        said.append(f"{content.sure.column.capitalize()}: {content.sure.meaning}.")
    more = f"<p>... and {len(edges) - LISTED:,} more: see the variables below.</p>" * (len(edges) > LISTED)
    return f"<p>{' '.join(said)}</p>{_table(head, rows, right=right)}{more}"


def _how_sure(content: Content, sure: HowSure) -> str:
    parts = [f"<p>{shown(sure.claim, 600)}.</p>", _table(("", ""), sure.facts)]
    if shares := sure.shares:
        svg, drawn = heat_map(content.network.names, shares, sure.column)
        n = len(content.network.names)
        which = "" if drawn == n else f" The {drawn} variables with the most doubtful edges, of {n:,}."
        estimated = f" Estimated; standard errors up to {sure.error:.2g}." if sure.error > 0 else ""
        parts.append(
            f"<p>{sure.column.capitalize()} of the edge from the variable of the row to that of the column:"
            f" the darker, the higher.{which}{estimated}</p>"
            f'<div class="scroll">{svg}</div>'
        )
        pairs = {(a, b) for a, b in shares if shares[a, b] >= shares.get((b, a), 0.0)}
        pairs -= {(b, a) for a, b in pairs if a < b}  # as often one way as the other
        open_edges = [
            (a, b, f"{p:.3f}", f"{q:.3f}", f"{min(1.0, p + q):.3f}")
            for p, q, a, b in sorted(
                ((shares[a, b], shares.get((b, a), 0.0), a, b) for a, b in pairs),
                key=lambda row: (-row[0] - row[1], -row[0], row[2:]),
            )
            if p < 0.9995
        ]
        if open_edges:
            parts.append(f"<p>{sure.disagree}, the surest first:</p>")
            head = ("from", "to", "this way", "the other way", "either way")
            parts.append(_table(head, open_edges[:LISTED], right=(2, 3, 4)))
            if len(open_edges) > LISTED:
                parts.append(
                    f"<p>... and {len(open_edges) - LISTED:,} more in the JSON object of the {sure.kind}.</p>"
                )
        elif all(p == 1 for p in shares.values() if p > 0):
            parts.append("<p>Every edge is there, or left out, in all of them.</p>")
        else:
            parts.append("<p>Every two variables joined are so one way with a share of at least 0.9995.</p>")
    elif sure.missing:
        parts.append(f"<p>No edge posteriors: {shown(sure.missing)}</p>")
    elif sure.known:
        parts.append("<p>None of them has an edge.</p>")
    return "".join(parts)


def _variables(content: Content) -> str:
    said = ["Neighbours of each variable"]
    if content.fitted is not None:
        smoothed = ", estimated from the table with a prior worth one row" if content.run else ""
        said.append(f"its probabilities given its parents{smoothed}")
    if content.families or content.run.get("local_scores"):
        said.append("local scores, of which the score is the sum")
    if content.counts:
        said.append("how often its states are seen")
    text = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    hint = (
        " A page with probabilities and local scores needs the table: <code>--data</code>."
        if content.fitted is None and content.run.get("table")
        else ""
    )
    return f"<p>{text}.{hint}</p>{variable_sections(content)}"


def _trace(content: Content, chart: str) -> str:
    return (
        '<p><span class="dot score"></span> best score found, <span class="dot bound"></span> bound: no'
        f' network of the parent sets scored until then is above it.</p><div class="scroll">{chart}</div>'
    )


def _of_table(content: Content, table: Any) -> str:
    parts = [
        f"<p>{table['variables']:,} variables, {table['rows']:,} rows, {table['unique_rows']:,} different."
        "</p>"
    ]
    if table["notes"]:
        parts.append(f"<ul>{''.join(f'<li>{shown(note, 2000)}</li>' for note in table['notes'])}</ul>")
    if columns := table.get("columns"):
        parts.append('<h3 id="columns">Columns</h3>')
        cuts = table.get("cut_points")
        rows: list[Sequence[Cell]] = []
        for column in columns[:LISTED]:
            name = column["name"]
            counts, states = content.counts.get(name), content.states.get(name)
            chart = bars(counts, states) if counts and states else ""
            rows.append((*column_row(column, cuts)[:4], ("html", chart), column_row(column, cuts)[4]))
        head = ("column", "holds", "states", "missing", "histogram", "how it was read")
        parts.append(_table(head, rows, right=(2, 3)))
        if len(columns) > LISTED:
            parts.append(
                f"<p>... and {len(columns) - LISTED:,} more; the JSON object of the run has all.</p>"
            )
    return "".join(parts)


def column_row(column: Any, cut_points: object) -> tuple[str, str, str, str, str]:
    """Return the cells of a column: name, kind, states, missing, how it was read."""
    why = column["why"] if column["used"] else f"left out: {column['why']}"
    cuts = cut_points.get(column["name"]) if isinstance(cut_points, dict) else None
    if isinstance(cuts, list) and cuts and all(isinstance(cut, int | float) for cut in cuts):
        why += f"; cut at {', '.join(f'{cut:g}' for cut in cuts[:20])}"
    states = f"{column['states']:,}" if column["used"] else ""
    return column["name"], column["kind"], states, f"{column['missing']:,}", why


def facts_of(run: Any) -> list[tuple[str, str]]:
    """Return how a run was found, as pairs of words."""
    found = []
    if run.get("line"):
        found.append(("command", str(run["line"])))
    if run.get("solver"):
        found.append(("solver", str(run["solver"])))
        sets = f"{run.get('candidates') or 0:,} by {run.get('method') or 'a given cache'}"
        found.append(("parent sets", sets))
    if run.get("score_name"):
        options = ", ".join(f"{key} {value:g}" for key, value in (run.get("score_options") or {}).items())
        found.append(("score", f"{run['score_name']}{' with ' + options if options else ''}"))
    if run.get("seed") is not None:
        found.append(("seed", str(run["seed"])))
    if run.get("seconds"):
        found.append(("seconds", ", ".join(f"{k} {v:.2f}" for k, v in run["seconds"].items())))
    if run.get("bayesloom"):
        found.append(("Bayesloom", str(run["bayesloom"])))
    return found


def _reproduce(content: Content) -> str:
    facts: list[Sequence[Cell]] = []
    if run := content.run:
        words = f"{run['score']:.6f}, bound {run['bound']:.6f}, gap {run['gap']:.6g}"
        facts.append(("score of the network", words))
    for label, value in facts_of(content.run):
        facts.append((label, ("html", f"<code>{shown(value, 2000)}</code>") if label == "command" else value))
    if sure := content.sure:
        for label, value in facts_of(sure.found):
            if label in ("command", "seconds") or not content.run:
                cell: Cell = ("html", f"<code>{shown(value, 2000)}</code>") if label == "command" else value
                facts.append((f"{label} of the {sure.kind}" if content.run else label, cell))
    system = f"Bayesloom {_version()}, Python {platform.python_version()}, {platform.system()}"
    facts.append(("this page", system))
    return _table(("", ""), facts)


def _sentence(what: object) -> str:
    text = str(what)
    return f"{text[:1].upper()}{text[1:]}."


def _table(head: Sequence[str], rows: Sequence[Sequence[Cell]], right: Sequence[int] = ()) -> str:
    def cell(value: Cell, i: int, first: bool) -> str:
        inner = value[1] if isinstance(value, tuple) else shown(value, 600)
        kind = " class=n" if i in right else ""
        return f"<th scope=row>{inner}</th>" if first else f"<td{kind}>{inner}</td>"

    top = ""
    if any(head):
        cells = "".join(
            f"<th scope=col{' class=n' if i in right else ''}>{shown(h)}</th>" for i, h in enumerate(head)
        )
        top = f"<thead><tr>{cells}</tr></thead>"
    facts = not any(head)
    lines = "".join(
        f"<tr>{''.join(cell(value, i, facts and i == 0) for i, value in enumerate(row))}</tr>" for row in rows
    )
    kind = ' class="facts"' if facts else ""
    return f'<div class="scroll"><table{kind}>{top}<tbody>{lines}</tbody></table></div>'
