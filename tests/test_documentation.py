"""The documentation site: what can be checked without building it (`make docs` does the rest)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import bayesloom as bl
import check_links

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def listed(page: Path) -> set[Path]:
    """The pages that the tables of contents of a page name."""
    found: set[Path] = set()
    for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                found |= set(page.parent.resolve().glob(f"{line}.md")) or {page.parent / f"{line}.md"}
    return {path.resolve() for path in found}


def test_every_page_is_in_the_table_of_contents():
    named = listed(DOCS / "index.md") | listed(DOCS / "performance.md")
    pages = {path for path in DOCS.rglob("*.md") if "reference" not in path.parts} - {DOCS / "index.md"}
    assert pages - named == set()
    assert {path for path in named if not path.exists() and "reference" not in path.parts} == set()


@pytest.mark.parametrize("page", sorted((DOCS / "tutorials").glob("*.md")), ids=lambda page: page.name)
def test_tutorials_import_nothing_from_inside_the_package(page):
    for block in re.findall(r"```\{code-cell\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S):
        assert "from bayesloom" not in block
        assert "bayesloom." not in block
        compile(block, page.name, "exec")


def test_broken_links_and_foreign_scripts_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<a id="top" href="b.html#here">b</a><a href="c.html">c</a>')
    (tmp_path / "b.html").write_text(
        '<script src="https://example.org/x.js"></script><a href="a.html#top">a</a>'
    )
    assert sorted(check_links.problems(tmp_path)) == [
        "a.html: b.html#here: no such place on that page",
        "a.html: c.html leads nowhere",
        "b.html: loads https://example.org/x.js from elsewhere",
    ]


def test_verifications_and_strengths_print_as_sentences():
    result = bl.learn({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    assert str(result.verify()).endswith("\nverified")
    edge = result.edges[0]
    assert str(edge) == f"{edge.source} -> {edge.target}: {edge.strength:.1f} nats, reversible"
    wrong = bl.Verification(score=None, local_scores={}, problems=("the score is another.",))
    assert str(wrong) == "wrong: the score is another.\nNOT verified"


def test_the_script_for_benchpress_writes_an_adjacency_matrix(tmp_path):
    table, matrix = tmp_path / "data.csv", tmp_path / "adjmat.csv"
    rows = ["0,0,1", "1,1,0", "0,0,0", "1,1,1"] * 10
    table.write_text("\n".join(["a,b,c", "2,2,2", *rows]) + "\n", encoding="utf-8")
    script = ROOT / "packaging" / "benchpress" / "script.py"
    subprocess.run([sys.executable, script, table, matrix], check=True)
    lines = matrix.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "a,b,c"
    assert sorted(lines[1:3]) in (["0,0,0", "0,1,0"], ["0,0,0", "1,0,0"])
    assert lines[3] == "0,0,0"
