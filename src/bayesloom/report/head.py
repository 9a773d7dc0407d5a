"""The head of a page: what is claimed of the network, and its figures at a glance."""

from __future__ import annotations

from collections.abc import Iterator

from bayesloom.report.content import Content
from bayesloom.report.texts import shown

__all__ = ["heading_of"]


def heading_of(content: Content) -> str:
    """Return the claim, marked as proved or open, and the figures."""
    figures = "".join(
        f"<div><dt>{shown(what)}</dt><dd>{shown(value)}</dd></div>" for what, value in _figures(content)
    )
    return f'{_claim(content)}<dl class="figures">{figures}</dl>'


def _claim(content: Content) -> str:
    run, sure = content.run, content.sure
    if run:
        kind = "proved" if run.get("proof") == "all networks" else "open"
        broken = "<p>The run was interrupted: this is the best network found until then.</p>"
        claim = f'<p class="claim {kind}">{shown(str(run["claim"]), 600)}.</p>'
        return claim + broken * bool(run.get("interrupted"))
    if sure is not None:
        stands = shown(sure.stands, 600)
        return f'<p class="claim">{shown(sure.claim, 600)}.</p><p>The network shown is {stands}.</p>'
    return ""


def _figures(content: Content) -> Iterator[tuple[str, str]]:
    """Yield what a figure says, and the figure."""
    run, sure, fitted = content.run, content.sure, content.fitted
    yield "variables", f"{len(content.network.names):,}"
    yield "edges", f"{len(content.network.edges):,}"
    if table := run.get("table"):
        yield "rows", f"{table['rows']:,}"
    if run:
        yield "score", f"{run['score']:,.3f}"
        yield "bound", f"{run['bound']:,.3f}"
        yield "gap", f"{run['gap']:,.4g}"
        beyond = run.get("gap_all_networks")
        if not run.get("complete") and isinstance(beyond, int | float) and beyond != run["gap"]:
            yield "gap over all networks", f"{beyond:,.4g}" if beyond < 1000 else f"{beyond:,.0f}"
        return
    if sure is not None:
        yield from sure.figures
        return
    yield "most parents", str(max(map(len, content.network.parent_indices), default=0))
    if fitted is not None:
        free = sum(fitted.cpt(name).size * (1 - 1 / len(own)) for name, own in _states(content))
        yield "free parameters", f"{round(free):,}"


def _states(content: Content) -> Iterator[tuple[str, tuple[str, ...]]]:
    assert content.fitted is not None
    yield from zip(content.network.names, content.fitted.states, strict=True)
