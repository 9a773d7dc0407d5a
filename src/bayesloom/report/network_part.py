"""The network on a page: the drawing, what moves and searches it, and room for what is chosen."""

from __future__ import annotations

from html import escape

from bayesloom.networks.cpdag import direction_of, edges_in_words
from bayesloom.networks.layout import lay_out
from bayesloom.report.content import DRAWN, Content
from bayesloom.report.picture import legend, picture_of
from bayesloom.report.texts import shown
from bayesloom.words import counted

__all__ = ["network_of"]

AROUND = 40  # variables of the neighbourhood that is drawn of a network that is too large


def network_of(content: Content) -> str:
    """Return the part of the page that shows the network."""
    names = content.network.names
    direction = direction_of(content.picture)
    words = edges_in_words(
        content.picture,
        kept=content.kept,
        interventions=bool(content.under.get("interventions")),
    )
    parts = [f"<p>{counted(len(names), 'variable')}, {escape(words)}.</p>"]
    if len(names) <= DRAWN:
        layout = lay_out(names, content.network.edges)
        svg = picture_of(layout, direction, content.strength, by_missing=content.by_missing)
        whole = ""
    else:
        svg, around = _neighbourhood(content)
        whole = (
            f"<p>A network of {len(names):,} variables is looked at neighbourhood by neighbourhood: find a"
            f" variable or choose one below. Drawn here: {shown(around)} and what is near it.</p>"
        )
    kinds: set[str] = {
        "compelled" if way == "constrained" else way
        for way in map(direction.__getitem__, content.network.edges)
    }
    by = "".join(
        f'<option value="{key}">{word}</option>'
        for key, word, known in (
            ("strength", "strength", content.strength),
            ("share", content.shares_called, content.shares_called),
            ("none", "nothing", True),
        )
        if known
    )
    slider = (
        '<label>Edges of at least <input type="range" id="least" min="0" max="100" value="0"></label>'
        '<output id="shown-edges" for="least"></output>'
        if content.strength or content.shares_called
        else ""
    )
    parts.append(
        f'{whole}<form class="controls" id="controls" hidden><label>Find <input type="search" id="find" '
        'autocomplete="off" spellcheck="false" list="names"></label><datalist id="names"></datalist>'
        '<span class="buttons"><button type="button" id="in" aria-label="Zoom in">+</button>'
        '<button type="button" id="out" aria-label="Zoom out">\u2212</button>'
        '<button type="button" id="fit">Fit</button></span>'
        f'<label{"" if slider else " hidden"}>Width by <select id="by">{by}</select></label>{slider}'
        '<label><input type="checkbox" id="near"> Neighbourhood only</label></form>'
        '<div class="stage"><div class="view" id="view" role="region" tabindex="0" '
        f'aria-label="Drawing of the network">{svg}</div>'
        '<aside id="panel" hidden aria-label="What was chosen" tabindex="-1">'
        "<p>Choose a variable or an edge.</p></aside>"
        '</div><p id="told" role="status" class="told"></p>'
    )
    parts.append(legend(kinds, by_missing=bool(content.by_missing)))
    return "\n".join(parts)


def _neighbourhood(content: Content) -> tuple[str, str]:
    """Return a drawing of what is near the variable with the most neighbours, and its name."""
    near: dict[str, set[str]] = {name: set() for name in content.network.names}
    for a, b in content.network.edges:
        near[a].add(b)
        near[b].add(a)
    centre = max(content.network.names, key=lambda name: len(near[name]))
    kept, front = {centre}, [centre]
    while front and len(kept) < AROUND:
        front = [name for at in front for name in sorted(near[at]) if name not in kept]
        for name in front:
            if len(kept) < AROUND:
                kept.add(name)
    names = [name for name in content.network.names if name in kept]
    edges = [(a, b) for a, b in content.network.edges if a in kept and b in kept]
    index = {name: i for i, name in enumerate(content.network.names)}
    places = [index[name] for name in names]
    svg = picture_of(
        lay_out(names, edges),
        direction_of(content.picture),
        content.strength,
        places,
        by_missing=content.by_missing,
    )
    return svg, centre
