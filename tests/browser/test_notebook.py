"""A notebook that is run from start to end: every rich output is there, and a browser shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CELLS = {
    "table": """
import bayesloom as bl
from pathlib import Path
truth = bl.read_network(Path(bl.__file__).parent / "demo" / "loom.bif")
table = bl.read_table(truth.sample(1500, seed=1))
table""",
    "progress": "result = bl.learn(table, progress=True)",
    "result": "result",
    "network": "result.network",
    "fitted": "result.fit()",
    "credible": "found = result.credible(20)\nfound",
    "comparison": "result.compare(truth)",
    "drawing": "found.plot()",
    "axes": """
import matplotlib.pyplot as plt
figure, ax = plt.subplots(figsize=(5, 5))
drawing = result.plot(ax=ax)""",
    "updates": """
from bayesloom.progress import ProgressEvent, listening
with listening(True) as listen:
    for k in range(1, 30):
        listen(ProgressEvent("prove", k, 2.0 * k, score=-100.0 + k, bound=50.0 / k))""",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict]]:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (make browser installs it)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (make browser installs it)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (make browser installs it)")
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed (make browser installs it)")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text.strip()) for text in CELLS.values()]
    )
    folder = tmp_path_factory.mktemp("notebook")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))


def shown(outputs, cell, kind="text/html"):
    return [output["data"][kind] for output in outputs[cell] if kind in output.get("data", {})]


@pytest.mark.parametrize("cell", ["table", "result", "network", "fitted", "credible", "comparison"])
def test_every_result_shows_itself(outputs, cell):
    (html,) = shown(outputs, cell)
    assert "<svg" in html
    assert "<script" not in html
    assert len(html) < 100_000
    assert shown(outputs, cell, "text/plain")  # where HTML is not shown


def test_drawings_and_axes(outputs):
    assert shown(outputs, "drawing", "image/svg+xml")[0].startswith("<svg")
    assert shown(outputs, "axes", "image/png")


def test_progress_is_one_output_that_changes(outputs):
    for cell in ("progress", "updates"):
        assert len(outputs[cell]) == 1
        assert outputs[cell][0]["output_type"] == "display_data"
    (html,) = shown(outputs, "updates")
    assert "the last news: searching and bounding: 29 done" in html
    assert 'class="chart"' in html
    assert "29 done in 58.0 s" in shown(outputs, "updates", "text/plain")[0]


def test_no_cell_fails_or_warns(outputs):
    for cell, found in outputs.items():
        assert not [output for output in found if output["output_type"] == "error"], cell
        assert not [output for output in found if output.get("name") == "stderr"], cell


def test_a_browser_shows_them(opened, outputs, tmp_path: Path):
    parts = [html for cell in CELLS for html in shown(outputs, cell)]
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><title>x</title><body>{''.join(parts)}", encoding="utf-8"
    )
    page = opened(tmp_path / "notebook.html")
    assert page.locator("svg.bayesloom-network").count() == 5
    for drawing in page.locator("svg").all():
        box = drawing.bounding_box()
        assert box["width"] > 20
        assert box["height"] > 10
    assert len(re.findall("<svg", "".join(parts))) == page.locator("svg").count()
