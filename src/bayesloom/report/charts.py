"""Small charts as SVG, for pages and notebooks: histograms, score and bound over time, a map of posteriors.

They carry classes and plain attributes only; colours come from the style of what they stand in, with black
and grey where there is none. What a chart shows is also said in words beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bayesloom.networks.cpdag import Edge
from bayesloom.report.texts import shown
from bayesloom.words import counted

__all__ = ["bars", "heat_map", "trace_chart"]

BARS = 40  # states up to which each has a bar
BAR_WIDTH, TALL = 132, 30  # pixels
CHART = 660, 250  # pixels
POINTS = 600  # of a trace that are drawn
MAPPED = 60  # variables of a map
THIN, SMALL = 'fill="none" stroke="#bbbbbb"', 'font-size="12"'  # where no style of a page is
Point = Sequence[float]


def bars(counts: Sequence[int], states: Sequence[str]) -> str:
    """Return a histogram of the states of one variable, a bar each, with how often it is seen.

    >>> bars([3, 1], ["no", "yes"]).count("no 75 %, yes 25 %")
    1
    """
    drawn = counts[:BARS]
    most, total = max(drawn, default=0) or 1, sum(counts) or 1
    step = BAR_WIDTH / max(1, len(drawn))
    wide = max(1.0, step - 1.5)
    path = "".join(
        f"M{k * step + 0.5:.1f} {TALL}v-{max(0.6, TALL * count / most):.1f}h{wide:.1f}V{TALL}"
        for k, count in enumerate(drawn)
    )
    words = ", ".join(
        f"{shown(state, 20)} {100 * count / total:.3g} %"
        for state, count in zip(states[:8], counts[:8], strict=True)
    )
    more = ", ..." if len(counts) > 8 else ""
    return (
        f'<svg class="bars" width="{BAR_WIDTH}" height="{TALL}" role="img" aria-label="{words}{more}">'
        f'<path class="bar" fill="#4a7fb5" d="{path}"/></svg>'
    )


def trace_chart(trace: Sequence[Point]) -> str:
    """Return score and bound over time, of points (seconds, work, score, bound); empty if there are too few.

    The highest quarter of the bounds leaves the chart at its top: else all else would be one flat line.
    """
    points = thinned([(p[0], p[2], p[3]) for p in trace if math.isfinite(p[0]) and math.isfinite(p[2])])
    if len(points) < 2:
        return ""
    points.sort(key=lambda point: point[0])
    end = points[-1][0] or 1.0
    scores = [score for _, score, _ in points]
    last = points[-1]
    bounds = sorted(bound for _, _, bound in points if math.isfinite(bound))
    # The lower three quarters of all bounds are within the chart: the first ones are far above.
    ceiling = max(max(scores), bounds[3 * (len(bounds) - 1) // 4] if bounds else -math.inf)
    spread = max(ceiling - min(scores), 1e-6 * max(1.0, abs(ceiling)))
    low, high = min(scores) - 0.06 * spread, ceiling + 0.06 * spread
    left, top, right, bottom = 86, 10, CHART[0] - 12, CHART[1] - 34

    def at(seconds: float, value: float) -> tuple[float, float]:
        share = (min(max(value, low), high) - low) / (high - low)
        return left + (right - left) * seconds / end, bottom - (bottom - top) * share

    def steps(values: Sequence[tuple[float, float]]) -> str:
        path, before = "", None
        for seconds, value in values:
            x, y = at(seconds, value)
            path += f"M{x:.1f} {y:.1f}" if before is None else f"L{x:.1f} {before:.1f}L{x:.1f} {y:.1f}"
            before = y
        return path + (f"L{right} {before:.1f}" if before is not None else "")

    grid = ""
    heights = ticks(low, high)
    step = heights[1] - heights[0] if len(heights) > 1 else 1.0
    digits = max(0, math.ceil(-math.log10(step) - 1e-9))
    for value in heights:
        y = at(0, value)[1]
        grid += (
            f'<path class="grid" {THIN} d="M{left} {y:.1f}L{right} {y:.1f}"/>'
            f'<text class="y" text-anchor="end" {SMALL} x="{left - 6}" y="{y + 4:.1f}">'
            f"{value:,.{digits}f}</text>"
        )
    for value in ticks(0, end):
        x = at(value, low)[0]
        grid += (
            f'<text class="x" text-anchor="middle" {SMALL} x="{x:.1f}" y="{bottom + 18}">{value:g} s</text>'
        )
    score = steps([(seconds, score) for seconds, score, _ in points])
    bound = steps([(seconds, bound) for seconds, _, bound in points if math.isfinite(bound)])
    words = f"Best score from {scores[0]:,.3f} to {last[1]:,.3f} in {end:.3g} seconds"
    if math.isfinite(last[2]):
        words += f", bound at the end {last[2]:,.3f}"
    return (
        f'<svg class="chart" viewBox="0 0 {CHART[0]} {CHART[1]}" width="{CHART[0]}" height="{CHART[1]}" '
        f'role="img" aria-label="{words}">{grid}'
        f'<path class="bound" fill="none" stroke="#a8430f" d="{bound}"/>'
        f'<path class="score" fill="none" stroke="#0b62b8" d="{score}"/></svg>'
    )


def thinned(points: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return at most `POINTS` of the points, evenly chosen, the last one with them."""
    if len(points) <= POINTS:
        return points
    return [points[round(k * (len(points) - 1) / (POINTS - 1))] for k in range(POINTS)]


def ticks(low: float, high: float) -> list[float]:
    """Return three to six round numbers in a range.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / 5
    if not (rough > 0 and math.isfinite(rough)):
        return [low]
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def heat_map(
    names: Sequence[str], posterior: Mapping[Edge, float], called: str = "posterior"
) -> tuple[str, int]:
    """Return the share of each edge as a square, from the row to the column, and of how many variables.

    `called` is what a share is: a posterior, or a frequency.

    Of many variables those with the most doubtful edges are drawn, in their order.
    """
    chosen = list(names)
    if len(chosen) > MAPPED:
        doubt = dict.fromkeys(names, 0.0)
        for (a, b), p in posterior.items():
            doubt[a] += p * (1 - p)
            doubt[b] += p * (1 - p)
        kept = set(sorted(names, key=lambda name: -doubt[name])[:MAPPED])
        chosen = [name for name in names if name in kept]
    n = len(chosen)
    index = {name: i for i, name in enumerate(chosen)}
    cell = max(9, min(24, 560 // max(1, n)))
    letters = max(min(len(name), 18) for name in chosen) if chosen else 0
    room = 8 + round(6.4 * letters)
    wide, tall = room + n * cell + 4, room + n * cell + 4
    size = min(12, cell + 1)
    parts = [f'<rect class="sheet" x="{room}" y="{room}" width="{n * cell}" height="{n * cell}"/>']
    for name, i in index.items():
        middle = room + i * cell + cell / 2 + size / 3
        parts.append(
            f'<text class="row" font-size="{size}" x="{room - 5}" y="{middle:.1f}">{shown(name, 18)}</text>'
        )
        parts.append(
            f'<text class="column" font-size="{size}" transform="translate({middle:.1f} {room - 5}) '
            f'rotate(-90)">{shown(name, 18)}</text>'
        )
    for (a, b), p in sorted(posterior.items()):
        if p > 0 and a in index and b in index:
            x, y = room + index[b] * cell, room + index[a] * cell
            parts.append(
                f'<rect class="cell" x="{x}" y="{y}" width="{cell - 1}" height="{cell - 1}" '
                f'fill-opacity="{max(0.04, p):.3g}"><title>{shown(a, 60)} \u2192 {shown(b, 60)}: '
                f"{p:.3f}</title></rect>"
            )
    svg = (
        f'<svg class="map" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="img" '
        f'aria-label="{shown(called.capitalize())} of edges among {counted(n, "variable")}, from row to '
        f'column; the table of edges says the same">{"".join(parts)}</svg>'
    )
    return svg, n
