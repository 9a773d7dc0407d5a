"""Drawings of two networks and of a credible set; PNG, PDF and axes; what notebooks show of each."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.report.pictures import ADDED, KEPT, MISSING, TURNED, drawing_of_posterior
from made.command import exit_code
from report.test_drawing import HOSTILE

LEARNED = bl.Network("abcde", {"b": ["a"], "c": ["b"], "d": ["c"]})
TRUTH = bl.Network("abcde", {"b": ["a", "c"], "a": ["e", "d"]})


def styles(drawing):
    return {edge: (line.head, line.dash, line.colour) for edge, line in drawing.lines.items()}


def style(line):
    return line.head, line.dash, line.colour


def test_two_networks_as_one_drawing():
    found = bl.compare(LEARNED, TRUTH)
    drawing = found.plot()
    assert styles(drawing) == {
        ("a", "b"): style(KEPT),
        ("b", "c"): style(TURNED),
        ("c", "d"): style(ADDED),
        ("e", "a"): style(MISSING),
        ("d", "a"): style(MISSING),
    }
    root = ET.fromstring(drawing.svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[-4:] == [
        "in both networks",
        "turned in the reference",
        "only in the reference",
        "not in the reference",
    ]
    assert texts[:-4] == list("abcde")


def test_edges_against_the_order_point_up():
    """d -> a of the reference closes a cycle with the network: it is drawn all the same, from d up to a."""
    drawing = bl.compare(LEARNED, TRUTH).plot()
    boxes = {box.name: box for box in drawing.layout.boxes}
    for edge in drawing.layout.edges:
        above, below = sorted((boxes[edge.source], boxes[edge.target]), key=lambda box: box.y)
        start, end = edge.points[0], edge.points[-1]
        if boxes[edge.source] is below:
            start, end = end, start
        assert start[1] == pytest.approx(above.y + above.height)
        assert end[1] == pytest.approx(below.y)
    up = [e for e in drawing.layout.edges if boxes[e.source].y > boxes[e.target].y]
    assert ("d", "a") in [(e.source, e.target) for e in up]


@pytest.mark.parametrize("seed", range(8))
def test_any_two_networks_can_be_drawn(seed):
    a, b = (bl.random_network(12, max_parents=3, seed=k).network for k in (seed, seed + 100))
    found = bl.compare(a, b)
    drawing = found.plot()
    pairs = {frozenset(edge) for edge in a.edges} | {frozenset(edge) for edge in b.edges}
    assert {frozenset((e.source, e.target)) for e in drawing.layout.edges} == pairs
    assert len(drawing.layout.edges) == len(pairs)
    assert found._repr_html_().count("<svg") == 1


def test_posteriors_as_edges():
    matrix = np.zeros((4, 4))
    matrix[0, 1], matrix[1, 0] = 0.5, 0.48  # sure to be joined, either way
    matrix[1, 2] = 0.3
    matrix[2, 3] = 0.01
    posterior = EdgePosterior(tuple("abcd"), matrix)
    drawing = drawing_of_posterior(posterior, bl.Network("abcd", {"b": ["a"], "c": ["b"]}), 0.05)
    assert set(drawing.lines) == {("a", "b"), ("b", "c")}
    assert not drawing.lines["a", "b"].head
    assert drawing.lines["b", "c"].head
    assert drawing.lines["a", "b"].width > drawing.lines["b", "c"].width
    assert "0.980" in drawing.svg
    assert len(drawing_of_posterior(posterior, bl.Network("abcd", {}), 0).lines) == 3
    with pytest.raises(bl.InputError, match="between 0 and 1"):
        drawing_of_posterior(posterior, bl.Network("abcd", {}), 2)


def test_credible_sets_and_tables_in_notebooks(weather):
    found = bl.credible(weather, 20)
    html = found._repr_html_()
    assert html.count("<svg") == 1
    assert "posterior" in html
    assert f"{found.count:,}" in html
    table = weather._repr_html_()
    assert table.count('class="bars"') == len(weather.names)
    assert all(name in table for name in weather.names)
    wide = bl.random_network(60, max_parents=1, seed=1).sample(20, seed=1)
    assert "... and 35 columns more." in wide._repr_html_()
    hostile = bl.Table.from_codes(["<b>x"], [["<i>", "y"]], [[0, 1]])
    assert "<b>" not in hostile._repr_html_()
    assert "<i>" not in hostile._repr_html_()


def test_a_comparison_as_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    LEARNED.write("a.json")
    TRUTH.write("b.json")
    assert exit_code("compare", "a.json", "b.json", "-o", "d.svg") == 0
    assert "drawing written to d.svg" in capsys.readouterr().out
    assert (tmp_path / "d.svg").read_text() == bl.compare(LEARNED, TRUTH).plot().svg + "\n"
    assert exit_code("compare", "a.json", "b.json", "-o", "d.bif") == 1
    assert "a drawing ends in .svg, .png or .pdf" in capsys.readouterr().err


def test_without_matplotlib_it_is_said_how_to_get_it(tmp_path, monkeypatch, capsys):
    import importlib.util

    monkeypatch.chdir(tmp_path)
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "matplotlib" else real(name, *a)
    )
    with pytest.raises(bl.ResourceError, match=r"pip install bayesloom\[plot\]"):
        LEARNED.plot().write("x.png")
    LEARNED.write("a.json")
    assert exit_code("convert", "a.json", "a.pdf") == 1
    assert exit_code("compare", "a.json", "a.json", "-o", "a.png") == 1
    assert capsys.readouterr().err.count("which is not installed") == 2
    assert not (tmp_path / "a.png").exists()


class TestMatplotlib:
    """With Matplotlib, where it is installed (``make browser`` installs it)."""

    @pytest.fixture(autouse=True)
    def matplotlib(self, monkeypatch):
        pytest.importorskip("matplotlib", reason="Matplotlib is not installed: PNG and PDF are not tried")
        monkeypatch.setenv("MPLBACKEND", "agg")

    def test_files(self, tmp_path):
        LEARNED.plot().write(tmp_path / "n.png")
        LEARNED.write(tmp_path / "m.png")
        LEARNED.write(tmp_path / "m.pdf", constraints={})
        png, pdf = (tmp_path / "n.png").read_bytes(), (tmp_path / "m.pdf").read_bytes()
        assert png.startswith(b"\x89PNG")
        assert png == (tmp_path / "m.png").read_bytes()
        assert pdf.startswith(b"%PDF")
        with pytest.raises(bl.InputError, match="a PNG file is a drawing"):
            bl.read_network(tmp_path / "n.png")

    def test_a_png_has_the_size_of_the_drawing_twice(self, tmp_path):
        drawing = LEARNED.plot()
        drawing.write(tmp_path / "n.png")
        png = (tmp_path / "n.png").read_bytes()
        wide, tall = (int.from_bytes(png[k : k + 4], "big") for k in (16, 20))
        assert wide == pytest.approx(2 * drawing.layout.width, abs=2)
        assert tall == pytest.approx(2 * drawing.layout.height, abs=2)

    def test_axes_hold_every_box_and_edge(self):
        from matplotlib.figure import Figure

        ax = Figure(figsize=(4, 6)).add_subplot()
        drawing = LEARNED.plot(ax=ax)
        assert [text.get_text() for text in ax.texts] == list("abcde")
        assert len(ax.patches) == 5 + 2 * len(LEARNED.edges)
        assert drawing.on_axes(ax) is ax
        bl.compare(LEARNED, TRUTH).plot().on_axes(Figure().add_subplot())

    @pytest.mark.parametrize(
        "name", [*HOSTILE, "$x^2$", "$\\frac{", "\\alpha"], ids=lambda name: repr(name[:12])
    )
    def test_hostile_names_are_text(self, name, tmp_path):
        network = bl.Network(["first", name], {name: ["first"]})
        network.plot().write(tmp_path / "n.png")
        network.plot().write(tmp_path / "n.pdf")
        assert (tmp_path / "n.png").stat().st_size > 500
