"""What a page says of each variable: its neighbours, its probabilities as bars, its local scores, its states.

One ``details`` element each, so that it can be opened without scripts; with them it is shown beside the
drawing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from bayesloom.report.charts import BARS, bars
from bayesloom.report.content import DRAWN, Content
from bayesloom.report.texts import shown
from bayesloom.words import counted

__all__ = ["variable_sections"]

ROWS = 64  # of a table of probabilities that are shown
STATES = 40  # columns of it
ROOM = 800_000  # bytes of this part of a page; with more, fewer rows of each table are shown
ROOM_EACH = 2_500  # bytes of a variable where there are more than fit a page that is drawn whole


def variable_sections(content: Content) -> str:
    """Return the part of the page about the variables, in their order."""
    rows, count = ROWS, len(content.network.names)
    room = ROOM if count <= DRAWN else ROOM_EACH * count
    while len(found := "".join(_sections(content, rows)).encode()) > room and rows > 1:
        rows //= 2
    return found.decode()


def _sections(content: Content, limit: int) -> Iterator[str]:
    names = content.network.names
    index = {name: i for i, name in enumerate(names)}
    children: list[list[int]] = [[] for _ in names]
    for i, up in enumerate(content.network.parent_indices):
        for j in up:
            children[j].append(i)

    def links(given: Sequence[int]) -> str:
        return ", ".join(f'<a href="#v{i}">{shown(names[i])}</a>' for i in given) or "none"

    for i, name in enumerate(names):
        up = content.network.parent_indices[i]
        blanket = {
            *up,
            *children[i],
            *(j for child in children[i] for j in content.network.parent_indices[child]),
        }
        parts = [
            f"<p>Parents: {links(up)}. Children: {links(children[i])}. "
            f"Markov blanket: {links(sorted(blanket - {i}))}.</p>"
        ]
        parts.append(_histogram(content, name))
        parts.append(_probabilities(content, i, limit))
        parts.append(_families(content, name, index))
        size = f"{counted(len(up), 'parent')}, {counted(len(children[i]), 'child')}"
        size = size.replace("childs", "children")
        yield (
            f'<details class="variable"><summary>{shown(name)} <small>{size}</small></summary>'
            f'<div id="v{i}" class="about">{"".join(parts)}</div></details>'
        )


def _histogram(content: Content, name: str) -> str:
    counts, states = content.counts.get(name), content.states.get(name)
    if not counts or not states:
        return ""
    total = sum(counts) or 1
    listed = "; ".join(
        f"{shown(state, 60)}: {count:,} ({100 * count / total:.3g} %)"
        for state, count in zip(states[:BARS], counts[:BARS], strict=True)
    )
    more = f" and {len(counts) - BARS:,} more" if len(counts) > BARS else ""
    return f"<p>{bars(counts, states)}<br>In the table: {listed}{more}.</p>"


def _probabilities(content: Content, i: int, limit: int) -> str:
    fitted = content.fitted
    if fitted is None:
        return ""
    name = content.network.names[i]
    parents = content.network.parent_indices[i]
    own = fitted.states[i]
    flat = fitted.cpt(name).reshape(-1, len(own))
    given = [fitted.states[j] for j in parents]
    upper = ", ".join(shown(content.network.names[j], 40) for j in parents)
    caption = f"P({shown(name, 40)}{' | ' + upper if upper else ''})"
    head = "".join(f"<th scope=col>{shown(content.network.names[j], 40)}</th>" for j in parents)
    head += "".join(f"<th scope=col class=n>{shown(state, 40)}</th>" for state in own[:STATES])
    lines = []
    for states, row in zip(itertools.product(*given), flat[:limit].tolist(), strict=False):
        left = "".join(f"<th>{shown(state, 40)}</th>" for state in states)
        cells = "".join(f"<td class=p{round(100 * p)}>{p:.3f}</td>" for p in row[:STATES])
        lines.append(f"<tr>{left}{cells}</tr>")
    cut = []
    if len(flat) > limit:
        cut.append(f"the first {limit:,} of {len(flat):,} rows")
    if len(own) > STATES:
        cut.append(f"the first {STATES} of {len(own):,} states")
    note = f"<p class=note>Shown: {' and '.join(cut)}; the network's file has all.</p>" if cut else ""
    return (
        f'<div class="scroll"><table class="cpt"><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{note}"
    )


def _families(content: Content, name: str, index: dict[str, int]) -> str:
    families = content.families.get(name)
    local = (content.run.get("local_scores") or {}).get(name)
    if not families:
        return "" if local is None else f"<p>Local score: {local:,.4f}.</p>"
    own = set(content.network.parents[name])
    chosen = next((score for parents, score in families if set(parents) == own), families[0][1])
    lines = []
    for parents, score in families:
        mark = " class=chosen" if set(parents) == own else ""
        listed = (
            ", ".join(shown(parent, 60) for parent in sorted(parents, key=index.__getitem__)) or "no parents"
        )
        lines.append(f"<tr{mark}><td>{listed}</td><td>{score:,.4f}</td><td>{score - chosen:+,.4f}</td></tr>")
    return (
        '<div class="scroll"><table class="scores">'
        f"<caption>Local scores: {shown(content.families_of)}</caption>"
        "<thead><tr><th scope=col>parents</th><th scope=col class=n>local score</th>"
        "<th scope=col class=n>beside the network's</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
