"""The pictures of the pages "how it works" and of the README, drawn from what the package computes.

Usage: python docs/pictures.py   (writes docs/pictures/*.svg: `make pictures`). One made table of five
variables, and the weaving mill of the demo; every number in a picture is a result. Pictures follow the light
or dark of their reader.
"""

from __future__ import annotations

import html
import itertools
import math
import re
from pathlib import Path

import bayesloom as bl

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "pictures"
LOOM = HERE.parent / "src" / "bayesloom" / "demo" / "loom.bif"
STYLE = """<style>.p{--ink:#44566a;--box:#edf2f8;--text:#17212b;--sheet:#fff;--good:#1a7f4b;--bad:#b3402a;
--weak:#8a97a5;--fill:#d9efe2;font-family:system-ui,sans-serif}
@media(prefers-color-scheme:dark){.p{--ink:#9db2c8;--box:#22303f;--text:#eef3f8;--sheet:#12181f;--good:#5fce96;
--bad:#f09078;--weak:#7d8b99;--fill:#163a2a}}
.p .sheet{fill:var(--sheet)}.p text{fill:var(--text)}.p .weak{fill:var(--weak)}.p .good{fill:var(--good)}
.p .bad{fill:var(--bad)}.p .mid{text-anchor:middle}.p .end{text-anchor:end}</style>"""
Point = tuple[float, float]


class Sheet:
    """A drawing that is put together part by part."""

    def __init__(self, wide: int, tall: int, told: str) -> None:
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="p" viewBox="0 0 {wide} {tall}" width="{wide}" '
            f'height="{tall}" role="img" aria-label="{html.escape(told)}">{STYLE}'
            f'<rect class="sheet" width="{wide}" height="{tall}"/>'
        )
        self.parts: list[str] = []

    def text(self, at: Point, words: str, size: float = 13, kind: str = "", weight: int = 400) -> None:
        self.parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{size}" font-weight="{weight}" class="{kind}">'
            f"{html.escape(words)}</text>"
        )

    def line(self, *points: Point, colour: str = "ink", thick: float = 1.2, dashes: str = "") -> None:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="var(--{colour})" stroke-width="{thick}"{dashed}/>'
        )

    def arc(self, one: Point, other: Point, high: float, colour: str = "ink") -> None:
        (a, b), (c, d) = one, other
        middle = (a + c) / 2
        path = f"M{a:.1f} {b:.1f}Q{middle:.1f} {b - high:.1f} {c:.1f} {d:.1f}"
        slope = math.atan2(d - (b - high), c - middle)
        tip = [(c - 9 * math.cos(slope + turn), d - 9 * math.sin(slope + turn)) for turn in (0.35, -0.35)]
        head = f"M{tip[0][0]:.1f} {tip[0][1]:.1f}L{c:.1f} {d:.1f}L{tip[1][0]:.1f} {tip[1][1]:.1f}z"
        self.parts.append(f'<path d="{path}" fill="none" stroke="var(--{colour})" stroke-width="1.4"/>')
        self.parts.append(f'<path d="{head}" fill="var(--{colour})"/>')

    def box(self, at: Point, wide: float, tall: float, fill: str = "box", edge: str = "ink") -> None:
        x, y = at[0] - wide / 2, at[1] - tall / 2
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide}" height="{tall}" rx="6" fill="var(--{fill})" '
            f'stroke="var(--{edge})"/>'
        )

    def dot(self, at: Point, radius: float = 3, colour: str = "ink") -> None:
        self.parts.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" fill="var(--{colour})"/>')

    def write(self, name: str) -> None:
        FOLDER.mkdir(exist_ok=True)
        text = self.head + "\n" + "\n".join(self.parts) + "\n</svg>\n"
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")


def subsets(names: list[str]) -> list[tuple[str, ...]]:
    return [chosen for size in range(len(names) + 1) for chosen in itertools.combinations(names, size)]


def places(sets: list[tuple[str, ...]], wide: float, top: float, step: float) -> dict[tuple[str, ...], Point]:
    """Return where each set is drawn: a level for each size."""
    levels = [list(group) for _, group in itertools.groupby(sets, key=len)]
    return {
        chosen: (wide * (k + 0.5) / len(level), top + step * size)
        for size, level in enumerate(levels)
        for k, chosen in enumerate(level)
    }


def made_table() -> bl.Table:
    """A table of five variables, small enough that every set can be drawn."""
    network = bl.random_network(5, states=(2, 2), max_parents=2, concentration=0.6, seed=11)
    return network.sample(400, seed=11)


def parent_sets(table: bl.Table) -> None:
    """All parent sets of one variable: which are candidates, which a subset beats."""
    names = list(table.names)
    cache = bl.score(table)
    child = max(names, key=lambda name: len(cache.candidates(name)))
    others = [name for name in names if name != child]
    sets = subsets(others)
    scores = dict(zip(sets, bl.local_scores(table, [(child, one) for one in sets]), strict=True))
    kept = {tuple(sorted(one)) for _, one in cache.candidates(child)}
    sheet = Sheet(760, 400, f"All parent sets of {child}: {len(kept)} of {len(sets)} are candidates")
    at = places(sets, 760, 86, 66)
    for one in sets:
        for name in one:
            sheet.line(at[one], at[tuple(other for other in one if other != name)], colour="weak", thick=0.6)
    for one in sets:
        good = one in kept
        sheet.box(at[one], 112, 38, fill="fill" if good else "box", edge="good" if good else "weak")
        sheet.text(
            (at[one][0], at[one][1] - 3), "{" + ", ".join(one) + "}", 11, "mid" if good else "mid weak"
        )
        shown = f"{scores[one]:.1f}"
        sheet.text((at[one][0], at[one][1] + 12), shown, 11, "mid good" if good else "mid weak", 600)
    sheet.text((20, 28), f"All parent sets of {child}, with their local scores", 15, weight=600)
    sheet.text(
        (20, 48),
        f"Green: {len(kept)} candidates. Grey: a subset scores as high or higher; no best network needs it.",
        12,
    )
    sheet.write("parent_sets")


def best_of_order(cache: bl.ScoreCache, order: list[str]) -> tuple[float, dict[str, tuple[str, ...]]]:
    """Each variable takes its best candidate among those before it."""
    chosen = {name: cache.best_within(name, order[:place]) for place, name in enumerate(order)}
    assert all(one is not None for one in chosen.values())
    return sum(one[0] for one in chosen.values() if one), {
        name: tuple(one[1]) for name, one in chosen.items() if one
    }


def order_search(table: bl.Table) -> None:
    """One order, what each variable takes, and what moving one variable gains."""
    cache = bl.score(table)
    names = list(table.names)
    orders = [list(order) for order in itertools.permutations(names)]
    moves = []
    for order in orders:
        for name in names:
            rest = [other for other in order if other != name]
            for place in range(len(names)):
                after = [*rest[:place], name, *rest[place:]]
                moves.append(
                    (best_of_order(cache, after)[0] - best_of_order(cache, order)[0], order, name, after)
                )
    _, before, moved, after = max(moves, key=lambda move: (round(move[0], 6), move[1]))
    sheet = Sheet(760, 330, "An order of the variables, and the same after one variable was moved")
    sheet.text((20, 28), "Each variable takes its best parents among those before it", 15, weight=600)
    for y, order, told in ((110, before, "an order"), (255, after, f"{moved} moved to its best place")):
        score, parents = best_of_order(cache, order)
        at = {name: (60 + 104.0 * k, float(y)) for k, name in enumerate(order)}
        for name, own in parents.items():
            for parent in own:
                far = abs(order.index(name) - order.index(parent))
                sheet.arc((at[parent][0], y - 16), (at[name][0], y - 16), 22 * far + 8)
        for name in order:
            sheet.box(at[name], 66, 30, edge="good" if name == moved else "ink")
            sheet.text((at[name][0], y + 5), name, 13, "mid", 600 if name == moved else 400)
        sheet.text((640, y - 4), told, 12, "mid weak")
        sheet.text((640, y + 16), f"score {score:.1f}", 14, "mid", 600)
    sheet.write("order_search")


def order_graph(table: bl.Table) -> None:
    """The order graph of four variables and a best path through it."""
    names = list(table.names)[:4]
    cache = bl.score(table.select(names))
    sets = subsets(names)
    best: dict[tuple[str, ...], tuple[float, str]] = {(): (0.0, "")}
    for one in sets[1:]:
        ways = []
        for name in one:
            rest = tuple(other for other in one if other != name)
            candidate = cache.best_within(name, rest)
            assert candidate is not None
            ways.append((best[rest][0] + candidate[0], name))
        best[one] = max(ways)
    assert math.isclose(best[tuple(names)][0], bl.search(cache, solver="dp").score, rel_tol=1e-9)
    path = [tuple(names)]
    while path[-1]:
        path.append(tuple(other for other in path[-1] if other != best[path[-1]][1]))
    sheet = Sheet(760, 430, "The order graph of four variables with a best path")
    at = places(sets, 760, 90, 76)
    steps = set(itertools.pairwise(path))
    for one in sets:
        for name in one:
            rest = tuple(other for other in one if other != name)
            on = (one, rest) in steps
            sheet.line(at[one], at[rest], colour="good" if on else "weak", thick=3 if on else 0.7)
    for one in sets:
        on = one in path
        sheet.box(at[one], 108, 38, fill="fill" if on else "box", edge="good" if on else "weak")
        sheet.text((at[one][0], at[one][1] - 3), "{" + ", ".join(one) + "}", 11, "mid")
        sheet.text(
            (at[one][0], at[one][1] + 12), f"{best[one][0]:.1f}", 11, "mid good" if on else "mid weak", 600
        )
    sheet.text(
        (20, 28),
        "A node for every set of placed variables, with the best score of a network on it",
        15,
        weight=600,
    )
    sheet.text((20, 48), "Green: a best path. Read downwards, it is a best order.", 12)
    sheet.write("order_graph")


def closing(sheet: Sheet, corner: Point, wide: float, tall: float, result: bl.SearchResult) -> None:
    """Draw how far the bound is above the final score, over the work of the search, down to zero."""
    x0, y0 = corner
    points = [(one.work, one.bound - result.score) for one in result.trace]
    most = math.log10(1 + points[0][1])
    last = points[-1][0]

    def place(work: float, nats: float) -> Point:
        return x0 + wide * work / last, y0 + tall * (1 - math.log10(1 + nats) / most)

    for tick in (0, 1, 10, 100, 1000):
        if tick <= points[0][1]:
            y = place(0, tick)[1]
            sheet.line((x0, y), (x0 + wide, y), colour="weak", thick=0.4)
            sheet.text((x0 - 6, y + 4), f"{tick:,}", 11, "end weak")
    stairs = [place(*points[0])]
    for (_, before), (work, now) in itertools.pairwise(points):
        stairs += [place(work, before), place(work, now)]
    sheet.line(*stairs, colour="bad", thick=2.2)
    sheet.line(place(0, 0), place(last, 0), colour="good", thick=2.2)
    sheet.dot(place(last, 0), 5, "good")
    sheet.text((x0 + wide * 0.51, y0 + 14), "bound: no network is above it", 11.5, "bad", 600)
    sheet.text((x0 + 6, y0 + tall - 7), f"score of the network: {result.score:,.1f}", 12, "good", 600)
    sheet.text((x0, y0 + tall + 18), "0", 11, "weak")
    sheet.text((x0 + wide, y0 + tall + 18), f"work {last:,}", 11, "end weak")
    sheet.text((x0 - 44, y0 - 12), "nats above the score", 11, "weak")


def relaxation() -> None:
    """A bound that falls to the score of a network."""
    table = bl.random_network(30, states=(2, 3), max_parents=3, concentration=0.5, seed=7).sample(
        1000, seed=7
    )
    result = bl.search(bl.score(table, max_parents=3), solver="bblp")
    assert result.status == "optimal"
    sheet = Sheet(760, 330, "How the bound falls to the score while the search runs")
    sheet.text(
        (20, 28), "30 variables: the bound falls until it meets the score of a network", 15, weight=600
    )
    sheet.text((20, 48), "Where they meet, the network is proved the best over these parent sets.", 12)
    closing(sheet, (80, 84), 640, 200, result)
    sheet.write("relaxation")


def credible(table: bl.Table) -> None:
    """The networks near the best, by how far they are below it."""
    few = bl.read_table(table.to_pandas().head(120))
    found = bl.credible(few, bayes_factor=150)
    below = [found.best - found.cache.network_score(one.parents) for one in found]
    widest = math.log(150)
    sheet = Sheet(760, 330, f"{found.count} networks within a Bayes factor of 150 of the best")
    sheet.text(
        (20, 28), f"Every network within a Bayes factor of 150 of the best: {found.count}", 15, weight=600
    )
    sheet.text((20, 48), "A line for each, by how far it is below the best.", 12)
    x0, wide, y0 = 60.0, 660.0, 250.0
    for nats in below:
        x = x0 + wide * nats / widest
        sheet.line((x, y0), (x, y0 - 60), thick=1)
    for factor in (1, 3, 20, 150):
        x = x0 + wide * math.log(factor) / widest
        inside = sum(nats <= math.log(factor) + 1e-9 for nats in below)
        sheet.line((x, y0 + 8), (x, 100), colour="bad", thick=1.4, dashes="4 3")
        sheet.text((x, 92), f"{inside}", 14, "mid bad", 600)
        sheet.text((x, y0 + 26), f"factor {factor}", 12, "mid")
        sheet.text((x, y0 + 44), f"{math.log(factor):.1f} nats", 11, "mid weak")
    sheet.text((x0, 120), " networks up to here", 11, "weak")
    sheet.write("credible")


def proof() -> None:
    """A network beside its proof, for the README."""
    table = bl.read_network(LOOM).sample(3000, seed=1)
    cache = bl.score(table)
    result = bl.search(cache, solver="bblp")
    assert result.proof == "all networks", result.claim
    made = FOLDER / "network.svg"
    FOLDER.mkdir(exist_ok=True)
    result.network.write(made)
    drawing = made.read_text(encoding="utf-8")
    made.unlink()
    inner = re.sub(r"^<svg[^>]*>", "", drawing.strip()).removesuffix("</svg>")
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing)
    assert size is not None
    wide, tall = map(float, size.groups())
    high = 340.0
    sheet = Sheet(980, 430, "A learned network, and beside it the proof that no network scores higher")
    sheet.parts.append(
        f'<svg class="bayesloom-network" x="16" y="56" width="{wide * high / tall:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {wide:g} {tall:g}">{inner}</svg>'
    )
    sheet.text((20, 30), "The network of a table of 3,000 rows", 15, weight=600)
    sheet.text((560, 30), "and its proof", 15, weight=600)
    closing(sheet, (560, 90), 390, 230, result)
    sheet.text((560, 376), f"gap {result.gap:g}", 14, "good", 600)
    sheet.text((560, 398), result.claim, 13)
    every = len(table.names) * 2 ** (len(table.names) - 1)
    sheet.text(
        (560, 416),
        f"{cache.candidate_count:,} of {every:,} parent sets could matter; all of them were searched",
        11,
        "weak",
    )
    sheet.write("proof")


def main() -> None:
    table = made_table()
    for draw in (parent_sets, order_search, order_graph, credible):
        draw(table)
    relaxation()
    proof()
    print(*sorted(path.name for path in FOLDER.iterdir()))


if __name__ == "__main__":
    main()
