"""The documentation site: what can be checked without building it (`make docs` does the rest)."""

import importlib
import json
import re
import runpy
import types
from pathlib import Path

import pytest

import bayesloom as bl
import check_links
from made.command import exit_code

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def listed(page: Path) -> set[Path]:
    """The pages that the tables of contents of a page name."""
    found: set[Path] = set()
    for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                name = line.rpartition("<")[2].rstrip(">")  # "Title <page>" or "page"
                found |= set(page.parent.resolve().glob(f"{name}.md")) or {page.parent / f"{name}.md"}
    return {path.resolve() for path in found}


def test_every_page_is_in_the_table_of_contents():
    named = listed(DOCS / "index.md") | listed(DOCS / "performance.md")
    pages = {path for path in DOCS.rglob("*.md") if "reference" not in path.parts} - {DOCS / "index.md"}
    pages |= set((ROOT / "benchmarks" / "tables").glob("*/*/README.md"))
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
    verified = str(result.verify()).splitlines()
    assert verified[-1] == "verified"
    assert [line for line in verified if "seed" in line] == [
        line for line in verified if line.startswith("not checked: what only the run itself can tell (")
    ]
    edge = result.edges[0]
    assert str(edge) == f"{edge.source} -> {edge.target}: {edge.strength:.1f} nats, reversible"
    wrong = bl.Verification(score=None, local_scores={}, problems=("the score is another.",))
    assert str(wrong) == "wrong: the score is another.\nNOT verified"


BENCHPRESS = ROOT / "packaging" / "benchpress"


@pytest.mark.parametrize("score", ["bic", "bdeu", "bic-g"])
def test_the_script_for_benchpress_writes_an_adjacency_matrix(tmp_path, score):
    config = json.loads((BENCHPRESS / "config.json").read_text(encoding="utf-8"))
    asked = config["resources"]["structure_learning_algorithms"]["bayesloom_learn"][0]
    wildcards = {key: str(value) for key, value in asked.items()} | {"score": score, "seed": "1"}
    assert set(asked) == set(benchpress_schema()["required"])
    given = {"data": tmp_path / "data.csv"}
    wanted = {name: tmp_path / f"{name}.txt" for name in ("adjmat", "time", "ntests")}
    rows = ["0,0,1", "1,1,0", "0,0,0", "1,1,1"] * 10
    head = ["a,b,c", "2,2,2"]
    if score == "bic-g":
        head, rows = head[:1], [f"{k},{k + k % 3 / 9},{k % 7 * 1.5}" for k in range(40)]
    given["data"].write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    job = types.SimpleNamespace(input=given, output=wanted, wildcards=wildcards)
    runpy.run_path(str(BENCHPRESS / "bayesloom_learn" / "script.py"), {"snakemake": job})
    lines = wanted["adjmat"].read_text(encoding="utf-8").splitlines()
    assert lines[0] == "a,b,c"
    assert sorted(lines[1:3]) in (["0,0,0", "0,1,0"], ["0,0,0", "1,0,0"])
    assert lines[3] == "0,0,0"
    assert float(wanted["time"].read_text(encoding="utf-8")) > 0
    assert wanted["ntests"].read_text(encoding="utf-8") == "None"


def benchpress_schema() -> dict[str, list[str]]:
    text = (BENCHPRESS / "bayesloom_learn" / "schema.json").read_text(encoding="utf-8")
    return json.loads(text)["items"]


def test_the_module_for_benchpress_has_the_files_that_it_asks_for():
    files = {path.name for path in (BENCHPRESS / "bayesloom_learn").iterdir() if path.is_file()}
    assert files == {"rule.smk", "script.py", "schema.json", "info.json", "docs.rst", "bibtex.bib"}
    info = json.loads((BENCHPRESS / "bayesloom_learn" / "info.json").read_text(encoding="utf-8"))
    assert info["version"] == bl.__version__
    assert set(benchpress_schema()["properties"]["score"]["enum"]) <= set(bl.scores)


def calls_here() -> list[str]:
    """The calls in the right columns of the page of equal calls."""
    text = (DOCS / "tutorials" / "from_other_packages.md").read_text(encoding="utf-8")
    rows = [line.replace("\\|", "\0") for line in text.splitlines() if line.startswith("| ")]
    cells = [line.split("|")[2].replace("\0", "|") for line in rows]
    return sorted({call for cell in cells for call in re.findall(r"`([^`]+)`", cell)})


@pytest.fixture(scope="module")
def known_files(tmp_path_factory):
    """The files that these calls read, and the names that they use."""
    folder = tmp_path_factory.mktemp("calls")
    truth = bl.Network.from_modelstring("[a][b|a][c|b]")
    drawn = {"a": ["s0", "s1"] * 60, "b": ["s0", "s1", "s1", "s1"] * 30, "c": ["s0", "s1", "s1"] * 40}
    table = bl.read_table(drawn)
    for name in ("data.csv", "data.dat"):
        table.write(folder / name)
    for name in ("scores.jkl", "new.pss"):
        bl.score(table).write(folder / name)
    truth.fit(table).write(folder / "net.bif")
    (folder / "known.con").write_text("b<-a\n", encoding="utf-8")
    return folder, table


@pytest.mark.parametrize("call", calls_here())
def test_every_equal_call_of_other_packages_runs(call, known_files, monkeypatch):
    folder, table = known_files
    monkeypatch.chdir(folder)
    if call.startswith("bayesloom "):
        quick = re.sub(r"(--time-\S+) 60", r"\1 0.2", call.removeprefix("bayesloom "))
        assert exit_code(f"{quick} -q") in (0, 3)
    else:
        for module in ("sklearn", "pgmpy", "pyagrum"):
            if module in call:
                pytest.importorskip(module, reason=f"{module} is not installed: run `make interop`")
        if "sklearn" in call:
            assert hasattr(importlib.import_module("bayesloom.sklearn"), call.rpartition(".")[2])
            return
        result = bl.learn(table)
        names = {"bl": bl, "df": table.to_pandas(), "result": result, "network": result.network}
        names |= {"fitted": result.fit(), "other": bl.Network.from_modelstring("[a][b|a][c|a]")}
        eval(call, names)


def test_the_walks_of_the_design_page_go_through_files_and_functions_that_exist_each_once():
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    walks = page.split("## Four walks")[1].split("\n## ")[0].split("\n\n")
    walked = 0
    for walk in walks:
        files = []
        for step in re.split(r"\n(?=\d+\. )", walk):
            folder = ROOT
            names = re.findall(r"`([\w/]+\.(?:py|cpp|hpp))`(?: `(\w+)(?:\.(\w+))?`)?", step)
            for file, name, method in names:
                place = ROOT / "src" / ("" if file.startswith("core/") else "bayesloom") / file
                if "/" not in file:
                    place = folder / file  # beside the one before
                assert place.is_file(), file
                folder = place.parent
                files.append(place)
                text = place.read_text(encoding="utf-8")
                for word in filter(None, (name, method)):
                    assert re.search(rf"\b(?:def|class) {word}\b", text), f"{file}: {word}"
        assert len(files) == len(set(files)), walk
        walked += len(files) > 3
    assert walked == 4
