"""Layouts: boxes apart, edges from box to box and through none, always the same; kernels and slow twins."""

from __future__ import annotations

import itertools
import random

import pytest

from bayesloom import InputError, Network, _core
from bayesloom.networks.layout import LABEL_WIDTH, Layout, label_of, layout_of, text_width
from made.data import NETWORKS, needs_data
from reference import drawings


def random_dag(seed: int, vertices: int, edges: int) -> Network:
    """A network with about so many edges, over names of various lengths."""
    rng = random.Random(seed)
    names = [f"{'wide_' * rng.randrange(4)}v{i}" for i in range(vertices)]
    order = rng.sample(range(vertices), vertices)
    chosen = {tuple(sorted(rng.sample(range(vertices), 2))) for _ in range(edges)} if vertices > 1 else set()
    return Network.from_edges(names, [(names[order[a]], names[order[b]]) for a, b in sorted(chosen)])


def check(network: Network, layout: Layout) -> None:
    """All that must hold of every layout."""
    assert [box.name for box in layout.boxes] == list(network.names)
    assert [(edge.source, edge.target) for edge in layout.edges] == network.edges
    for box in layout.boxes:
        assert box.x >= 0
        assert box.x + box.width <= layout.width
        assert box.y >= 0
        assert box.y + box.height <= layout.height
    rows: dict[float, list] = {}
    for a in layout.boxes:
        rows.setdefault(a.y, []).append(a)
    for a, b in itertools.combinations(layout.boxes, 2):
        apart_x = a.x + a.width <= b.x or b.x + b.width <= a.x
        apart_y = a.y + a.height <= b.y or b.y + b.height <= a.y
        assert apart_x or apart_y, (a, b)
    named = {box.name: box for box in layout.boxes}
    for edge in layout.edges:
        source, target = named[edge.source], named[edge.target]
        (x0, y0), (x1, y1) = edge.points[0], edge.points[-1]
        assert y0 == pytest.approx(source.y + source.height)
        assert source.x <= x0 <= source.x + source.width
        assert y1 == pytest.approx(target.y)
        assert target.x <= x1 <= target.x + target.width
        curve = drawings.on_curve(edge.points)
        assert all(a[1] < b[1] for a, b in itertools.pairwise(curve)), "an edge goes up"
        assert all(0 <= x <= layout.width for x, _ in curve)
        for top, row in rows.items():
            # The pieces of the curve that begin or end in the band of the row, and one more at each end.
            inside = [k for k, (_, y) in enumerate(curve) if top - 1 <= y <= top + row[0].height + 1]
            if not inside:
                continue
            pieces = curve[max(0, inside[0] - 1) : inside[-1] + 2]
            left, right = min(x for x, _ in pieces), max(x for x, _ in pieces)
            for box in row:
                own = box.name in (edge.source, edge.target)
                if own or box.x > right or box.x + box.width < left:
                    continue
                sides = box.x, box.y, box.x + box.width, box.y + box.height
                assert not drawings.touches(pieces, *sides), (edge, box)


@pytest.mark.parametrize("seed", range(60))
def test_random_networks(seed):
    vertices = 1 + seed * 7 % 40
    network = random_dag(seed, vertices, seed * 13 % (3 * vertices))
    check(network, layout_of(network))


@pytest.mark.parametrize("seed", [0, 1, 6])
def test_what_hangs_on_one_variable_stands_near_it(seed):
    """A star that joins a network at one variable: the far end of its layers crosses as little."""
    rng = random.Random(seed)
    core, star = [f"v{i}" for i in range(60)], [f"s{i}" for i in range(5)]
    edges = []
    for i in range(1, 60):
        edges += [(core[j], core[i]) for j in rng.sample(range(i), min(i, rng.choice([1, 1, 2])))]
    anchor = core[rng.randrange(10, 50)]
    edges += [(star[0], leaf) for leaf in star[1:]] + [(star[1], anchor)]
    layout = layout_of(Network.from_edges(core + star, edges))
    check(Network.from_edges(core + star, edges), layout)
    middle = {box.name: box.x + box.width / 2 for box in layout.boxes}
    assert abs(middle[star[1]] - middle[anchor]) < 0.05 * layout.width


@pytest.mark.parametrize("seed", range(4))
def test_dense_networks_and_hubs(seed):
    dense = random_dag(seed, 14, 200)
    check(dense, layout_of(dense))
    rng = random.Random(seed)
    names = [f"x{i}" for i in range(40)]
    hub = {"x39": names[:25], **{name: ["x0"] for name in names[25:39] if rng.random() < 0.7}}
    network = Network(names, hub)
    check(network, layout_of(network))


@needs_data
@pytest.mark.parametrize("name", ["asia", "alarm", "hailfinder", "win95pts"])
def test_known_networks(name):
    from bayesloom import read_network

    network = read_network(NETWORKS / f"{name}.bif.gz").network
    check(network, layout_of(network))


def test_five_hundred_variables():
    network = random_dag(1, 500, 1000)
    layout = layout_of(network)
    assert len(layout.edges) == len(network.edges) > 900
    check(network, layout)


def test_long_chains_and_many_layers():
    names = [f"v{i}" for i in range(3000)]
    chain = Network.from_edges(names, [*itertools.pairwise(names), ("v0", "v2999")])
    layout = layout_of(chain)
    assert len({box.y for box in layout.boxes}) == 3000


def test_the_same_network_has_the_same_layout():
    network = random_dag(5, 60, 120)
    again = Network(network.names, network.parents)
    assert layout_of(network) == layout_of(again)


def test_a_program_that_was_told_to_stop_draws_what_it_has():
    """Small networks get the same picture, large ones a valid one."""
    network, large = random_dag(5, 15, 20), random_dag(6, 300, 500)
    before = layout_of(network)
    _core.request_interrupt()
    try:
        assert layout_of(network) == before
        hurried = layout_of(large)
    finally:
        _core.request_interrupt(False)
    assert hurried != layout_of(large)
    check(large, hurried)


def test_nothing_one_and_variables_without_edges():
    assert layout_of(Network([], {})).boxes == ()
    (box,) = layout_of(Network(["alone"], {})).boxes
    assert (box.x, box.y) == (12, 12)
    many = Network([f"v{i}" for i in range(30)], {"v1": ["v0"]})
    layout = layout_of(many)
    check(many, layout)
    joined = [box.y + box.height for box in layout.boxes[:2]]
    assert min(box.y for box in layout.boxes[2:]) > max(joined)
    only = layout_of(Network([f"v{i}" for i in range(30)], {}))
    assert 0.5 < only.width / only.height < 4


def test_parts_stand_side_by_side():
    names = [f"v{i}" for i in range(40)]
    pairs = Network.from_edges(names, zip(names[::2], names[1::2], strict=True))
    layout = layout_of(pairs)
    check(pairs, layout)
    assert 0.5 < layout.width / layout.height < 4


def test_straight_where_it_can_be():
    """A chain, and a long edge beside it with nothing in its way, have no bend."""
    chain = layout_of(Network("abc", {"b": ["a"], "c": ["b"]}))
    assert {x for edge in chain.edges for x, _ in edge.points} == {chain.edges[0].points[0][0]}
    names = [f"v{i}" for i in range(6)]
    past = Network.from_edges(names, [*itertools.pairwise(names[:5]), ("v5", "v4")])
    layout = layout_of(past)
    assert max(box.y for box in layout.boxes) == 4 * 72 + 12  # five layers, none empty


def test_a_fitted_network_is_laid_out_like_its_structure():
    from bayesloom import random_network

    fitted = random_network(8, max_parents=2, seed=1)
    assert layout_of(fitted) == layout_of(fitted.network)


# Kernels


@pytest.mark.parametrize("seed", range(40))
def test_layers_are_as_short_as_can_be(seed):
    rng = random.Random(seed)
    n = rng.randrange(2, 6)
    tree = [(rng.randrange(b), b) for b in range(1, n)]
    edges = sorted({*tree, *(tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randrange(5)))})
    layer = _core.layers_of(n, edges)
    assert min(layer) == 0
    assert all(layer[b] > layer[a] for a, b in edges)
    assert sum(layer[b] - layer[a] for a, b in edges) == drawings.least_length(n, edges)


@pytest.mark.parametrize("seed", range(40))
def test_crossings_are_counted_and_not_made(seed):
    rng = random.Random(seed)
    n = rng.randrange(2, 25)
    tree = [(rng.randrange(b), b) for b in range(1, n)]
    edges = sorted({*tree, *(tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randrange(30)))})
    layer = _core.layers_of(n, edges)
    segments = drawings.segments_of(layer, edges)
    before, rows = _core.layer_crossings(layer, edges, reduced=False)
    assert before == drawings.crossings(rows, segments)
    after, better = _core.layer_crossings(layer, edges, reduced=True)
    assert after == drawings.crossings(better, segments) <= before
    assert [sorted(row) for row in better] == [sorted(row) for row in rows]


@pytest.mark.parametrize("seed", range(25))
def test_few_crossings_where_all_orders_can_be_tried(seed):
    """Two layers of up to five vertices: the fewest crossings of all orders."""
    rng = random.Random(seed)
    upper, lower = rng.randrange(2, 6), rng.randrange(2, 6)
    edges = [(a, upper + b) for a in range(upper) for b in range(lower) if rng.random() < 0.55]
    layer = [0] * upper + [1] * lower
    found, _ = _core.layer_crossings(layer, edges, reduced=True)
    assert found == min(
        drawings.crossings((above, below), edges)
        for above in itertools.permutations(range(upper))
        for below in itertools.permutations(range(upper, upper + lower))
    )


def test_a_tree_has_no_crossings():
    rng = random.Random(3)
    edges = [(rng.randrange(b), b) for b in range(1, 200)]
    layer = _core.layers_of(200, edges)
    assert _core.layer_crossings(layer, edges, reduced=True)[0] == 0


def test_edges_that_are_none_are_refused():
    with pytest.raises(InputError, match="cycle"):
        _core.layered_layout([40.0, 40.0], 28.0, [(0, 1), (1, 0)])
    with pytest.raises(InputError, match="names box 7"):
        _core.layered_layout([40.0, 40.0], 28.0, [(0, 7)])


# Labels


def test_labels_are_of_limited_width_and_keep_both_ends():
    long = "temperature_" * 20 + "end"
    label = label_of(long)
    assert text_width(label) <= LABEL_WIDTH
    assert label.startswith("temperature_")
    assert label.endswith("_end")
    assert label.count("\u2026") == 1
    assert text_width(label) > LABEL_WIDTH - 20
    assert label_of("short") == "short"
    assert text_width(label_of("\u6771" * 500)) <= LABEL_WIDTH


def test_boxes_hold_their_labels():
    network = Network(["i", "MMMMMMMM", "illillil", "x" * 500], {})
    for box in layout_of(network).boxes:
        assert box.width >= text_width(box.label) + 20
