"""Drawings of the networks in the data folder, ours beside those of Graphviz `dot`.

Usage: python benchmarks/tables/drawing/against_dot/run.py [--full] [--only NAME,NAME]

Both draw the same boxes with the same distances. Crossings and edges through boxes are counted on the curves as they are
drawn, in one way for both: each curve as a line through many of its points. Quick mode draws networks of up to 80
variables, full mode all. Without Graphviz its columns are left empty. Seconds are of one processor.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[3]))
from measure import DATA, options, put_row, results_of

import bayesloom as bl
from bayesloom.networks.layout import Box, Layout, layout_of
from bayesloom.networks.network import structure_of

QUICK = 80  # variables
PATIENCE = 300  # seconds for one drawing by dot
SAMPLES = 24  # points of each Bezier curve
Line = NDArray[np.float64]  # points (x, y) one after the other


def line_of(points: tuple[tuple[float, float], ...]) -> Line:
    """Points of Bezier curves one after the other as points on them."""
    given = np.array(points)
    t = np.linspace(0, 1, SAMPLES + 1)[1:, None]
    parts = [given[:1]]
    for k in range(0, len(given) - 1, 3):
        a, b, c, d = given[k : k + 4]
        parts.append((1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d)
    return np.vstack(parts)


def crossings(lines: list[Line]) -> int:
    """How often two different lines cross; touching does not count."""
    start = np.vstack([line[:-1] for line in lines])
    end = np.vstack([line[1:] for line in lines])
    owner = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.argsort(low[:, 1], kind="stable")
    start, end, owner, low, high = start[order], end[order], owner[order], low[order], high[order]
    count = 0
    for i in range(len(owner)):
        to = np.searchsorted(low[:, 1], high[i, 1], side="right")
        others = slice(i + 1, int(to))
        near = np.flatnonzero(
            (low[others, 0] <= high[i, 0]) & (high[others, 0] >= low[i, 0]) & (owner[others] != owner[i])
        )
        if near.size == 0:
            continue
        near += i + 1
        a, b, c, d = start[i], end[i], start[near], end[near]
        one = side(a, b, c) * side(a, b, d) < 0
        count += int((one & (side(c, d, a) * side(c, d, b) < 0)).sum())
    return count


def side(a: Line, b: Line, c: Line) -> NDArray[np.float64]:
    """On which side of the line from a to b the points c are."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
        c[..., 0] - a[..., 0]
    )


def through(lines: list[Line], ends: list[tuple[int, int]], boxes: NDArray[np.float64]) -> int:
    """How many pairs there are of an edge and a box, not its own, that it runs through by more than half a pixel."""
    inner = boxes + np.array([0.5, 0.5, -0.5, -0.5])
    count = 0
    for line, own in zip(lines, ends, strict=True):
        # Points no further apart than a pixel or so.
        steps = np.maximum(1, np.ceil(np.abs(np.diff(line, axis=0)).max(axis=1))).astype(int)
        dense = np.vstack(
            [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(line[:-1], line[1:], steps, strict=True)]
        )
        low, high = dense.min(axis=0), dense.max(axis=0)
        near = np.flatnonzero(
            (inner[:, 0] < high[0])
            & (inner[:, 2] > low[0])
            & (inner[:, 1] < high[1])
            & (inner[:, 3] > low[1])
        )
        for k in near:
            if k in own:
                continue
            x0, y0, x1, y1 = inner[k]
            inside = (dense[:, 0] > x0) & (dense[:, 0] < x1) & (dense[:, 1] > y0) & (dense[:, 1] < y1)
            count += bool(inside.any())
    return count


def measured(lines: list[Line], ends: list[tuple[int, int]], boxes: list[Box]) -> dict[str, int]:
    """What a drawing is judged by."""
    corners = np.array([(box.x, box.y, box.x + box.width, box.y + box.height) for box in boxes])
    points = np.vstack([*lines, corners[:, :2], corners[:, 2:]])
    width, height = points.max(axis=0) - points.min(axis=0)
    return {
        "crossings": crossings(lines),
        "through_boxes": through(lines, ends, corners),
        "width": round(width),
        "height": round(height),
    }


def by_dot(layout: Layout) -> dict[str, int | float] | None:
    """The drawing that dot makes of the same boxes; nothing if that takes too long."""
    index = {box.name: k for k, box in enumerate(layout.boxes)}
    text = ['digraph{nodesep=0.3056;ranksep=0.6111;node[shape=box,fixedsize=true,label=""];']
    text += [f"{k}[width={b.width / 72:.4f},height={b.height / 72:.4f}];" for k, b in enumerate(layout.boxes)]
    ends = [(index[edge.source], index[edge.target]) for edge in layout.edges]
    text += [f"{a}->{b}[arrowhead=none];" for a, b in ends]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        done = subprocess.run(
            ["dot", "-Tjson"], input="\n".join([*text, "}"]), capture_output=True, text=True, timeout=PATIENCE,
            check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    drawn = json.loads(done.stdout)
    boxes: list[Box] = []
    for node, box in zip(sorted(drawn["objects"], key=lambda o: int(o["name"])), layout.boxes, strict=True):
        x, y = map(float, node["pos"].split(","))
        boxes.append(Box(box.name, "", x - box.width / 2, y - box.height / 2, box.width, box.height))
    names = {o["_gvid"]: int(o["name"]) for o in drawn["objects"]}
    lines, own = [], []
    for edge in drawn["edges"]:
        points = tuple(
            (float(p.split(",")[0]), float(p.split(",")[1])) for p in edge["pos"].split() if p[0] not in "es"
        )
        lines.append(line_of(points))
        own.append((names[edge["tail"]], names[edge["head"]]))
    return {**measured(lines, own, boxes), "seconds": round(seconds, 2)}


def main(full: bool) -> None:
    results = results_of(__file__, full=full)
    dot = shutil.which("dot") is not None
    if not dot:
        print("Graphviz is not installed: its columns stay empty. On Debian: apt-get install graphviz.")
    wanted = options("--only")
    for path in sorted((DATA / "networks").glob("*.bif.gz")):
        name = path.name.removesuffix(".bif.gz")
        network = structure_of(bl.read_network(path))
        if (wanted and name not in wanted) or (not full and len(network.names) > QUICK):
            continue
        start = time.process_time()
        layout = layout_of(network)
        seconds = time.process_time() - start
        index = {box.name: k for k, box in enumerate(layout.boxes)}
        ours = measured(
            [line_of(edge.points) for edge in layout.edges],
            [(index[edge.source], index[edge.target]) for edge in layout.edges],
            list(layout.boxes),
        )
        row = {"network": name, "variables": len(network.names), "edges": len(network.edges), **ours}
        row["seconds"] = round(seconds, 3)
        peer = by_dot(layout) if dot else None
        row |= {f"dot_{key}": value for key, value in peer.items()} if peer else {}
        print(row, flush=True)
        put_row(results, row, budget="one drawing; dot at most 300 s", key=("network",))


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
