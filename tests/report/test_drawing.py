"""Drawings: well-formed SVG whatever the names, edges told apart, light and dark, files, notebooks."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

import bayesloom as bl
from bayesloom.networks.layout import layout_of
from bayesloom.report.drawing import Drawing, drawing_of, layout_svg, network_svg
from bayesloom.report.notebooks import IN_NOTEBOOKS, notebook_html

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>", "</text></svg>", "]]>", "&lt;", "&", '"', "'", "a\nb", "\x00", "\x1b[31m",
    "\u202e", "\ufffe", "\uffff", "\ufeff", "😀", "東", "e\u0301", "x" * 100_000, " ", "url(#x)", "${x}",
    "--", "%s", "{0}",
]  # fmt: skip


def shapes(svg: str, kind: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(svg).iter() if element.get("class") == kind]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name[:12]))
def test_hostile_names_are_text_and_nothing_else(name):
    network = bl.Network(["first", name], {name: ["first"]})
    svg = network.plot().svg
    root = ET.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "style", "rect", "g", "title", "path", "text",
    }  # fmt: skip
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert len(texts) == 2
    assert texts[0] == "first"
    assert all(len(text) < 100 for text in texts)
    titles = [element.text for element in root.iter(f"{SVG}title")]
    if len(name) < 100 and name.isprintable():
        assert name in titles
    assert not re.search(r"\son\w+=", re.sub(r">[^<]*<", "><", svg))


def test_kinds_of_edges_are_told_apart():
    names = "abcdef"
    edges = [("a", "c"), ("b", "c"), ("c", "d"), ("e", "f")]
    parents = bl.Network.from_edges(names, edges).parents
    svg = network_svg(parents, {("a", "c"), ("b", "c")}, {("c", "d")})
    drawn = {element[0].text: element for element in ET.fromstring(svg) if len(element) and element[0].text}
    solid, dotted, dashed = drawn["a \u2192 c"], drawn["c \u2192 d"], drawn["e \u2014 f"]
    assert solid[1].get("stroke-dasharray") is None
    assert dotted[1].get("stroke-dasharray") == "1.5 4"
    assert dashed[1].get("stroke-dasharray") == "6 4"
    assert [len(group) for group in (solid, dotted, dashed)] == [3, 3, 2]  # no head on what can turn


def test_arrowheads_end_at_their_boxes():
    network = bl.random_network(20, max_parents=3, seed=4).network
    drawing = network.plot()
    boxes = {box.name: box for box in drawing.layout.boxes}
    tips = shapes(drawing.svg, "tip")
    assert len(tips) == len(network.edges)
    for tip, (_, child) in zip(tips, network.edges, strict=True):
        corners = [tuple(map(float, xy.split())) for xy in re.findall(r"[-\d.]+ [-\d.]+", tip.get("d"))]
        box = boxes[child]
        assert corners[1][1] == pytest.approx(box.y, abs=0.06)
        assert box.x <= corners[1][0] <= box.x + box.width
        assert all(y <= box.y + 0.06 for _, y in corners)


def test_what_the_class_leaves_open_has_no_head():
    chain = bl.Network("abc", {"b": ["a"], "c": ["b"]})
    assert len(shapes(drawing_of(chain).svg, "tip")) == 0
    assert len(shapes(drawing_of(chain, {"tiers": [["a"], ["b", "c"]]}).svg, "tip")) == 2
    assert len(shapes(chain.plot().svg, "tip")) == 2
    assert len(shapes(chain.plot(constraints={}).svg, "tip")) == 0
    assert chain.plot().svg == layout_svg(layout_of(chain))


def test_size_and_colours():
    svg = bl.Network("ab", {"b": ["a"]}).plot().svg
    assert 'viewBox="0 0 68 124"' in svg
    assert "width:100%;max-width:68px" in svg
    assert "prefers-color-scheme:dark" in svg
    assert "id=" not in svg  # several drawings on one page do not disturb each other
    assert len(shapes(svg, "sheet")) == 1  # dark lines never stand on a dark page


def test_empty_and_single():
    assert ET.fromstring(bl.Network([], {}).plot().svg) is not None
    assert len(shapes(bl.Network(["a"], {}).plot().svg, "box")) == 1
    assert len(shapes(network_svg({}, set()), "box")) == 0


def test_files(tmp_path):
    network = bl.Network("ab", {"b": ["a"]})
    network.write(tmp_path / "n.svg")
    assert (tmp_path / "n.svg").read_text() == network.plot().svg + "\n"
    network.write(tmp_path / "n.svg", constraints={})
    assert (tmp_path / "n.svg").read_text() == drawing_of(network).svg + "\n"
    with pytest.raises(bl.InputError, match="a drawing, from which no network is read"):
        bl.read_network(tmp_path / "n.svg")
    with pytest.raises(bl.InputError, match=r"ends in \.svg"):
        network.plot().write(tmp_path / "n.gif")


def test_notebooks():
    network = bl.random_network(10, max_parents=2, seed=1)
    for shown in (network, network.network):
        assert shown._repr_html_().count("<svg") == 1
    large = bl.Network([f"v{i}" for i in range(IN_NOTEBOOKS + 1)], {})
    html = large._repr_html_()
    assert "<svg" not in html
    assert "201 variables, 0 edges" in html
    assert "&lt;b&gt;" in notebook_html(large, None, "<b>")


def test_results_in_notebooks():
    rows = {"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5, "dry": [0, 1, 1, 0] * 5}
    found = bl.learn(rows)
    assert found.claim in found._repr_html_().replace("&#x27;", "'")
    searched = bl.search(bl.score(rows))
    assert isinstance(searched.plot(), Drawing)
    assert searched.plot() == found.plot()
    assert repr(found.plot()).startswith("<Drawing: 3 variables")


def test_a_network_as_text():
    network = bl.Network(["a", "b\n", "c", "d"], {"c": ["a", "b\n"]})
    assert str(network) == "Network: 4 variables, 2 edges\n  a, b\\n -> c\n  no edges: d"
    names = [f"v{i}" for i in range(100)]
    lines = str(bl.Network.from_edges(names, [("v0", name) for name in names[1:]])).splitlines()
    assert len(lines) == 42
    assert lines[-1] == "  ... and 59 lines more"
    assert str(bl.Network(names, {})).endswith("v39 and 60 more")
