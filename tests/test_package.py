"""The package as a whole: stub, version, import time, examples in the docs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas
import pytest

import bayesloom
from made.command import exit_code
from made.real_kinds import hair_and_eyes

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(bayesloom.__path__, "bayesloom.")
    if not module.name.endswith("_core")
)


@pytest.mark.parametrize("name", ["bayesloom", *MODULES])
def test_every_example_in_a_docstring_runs(name):
    if name == "bayesloom.sklearn":
        pytest.importorskip("sklearn", reason="scikit-learn is not installed: run `make interop`")
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "```python" in page.read_text(encoding="utf-8")
]


@pytest.fixture
def example_files(tmp_path, monkeypatch):
    """The files that the examples in the documentation read."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(1)

    def patients(rows):
        age = draw.integers(20, 90, rows)
        smoke = draw.random(rows) < 0.3
        lung = draw.random(rows) < 0.05 + 0.3 * smoke + 0.2 * (age > 60)
        cough = draw.random(rows) < 0.2 + 0.6 * lung
        flags = {"smoke": smoke, "lung": lung, "cough": cough}
        words = {name: np.where(given, "yes", "no") for name, given in flags.items()}
        return pandas.DataFrame({"id": np.arange(rows), "age": age, **words})

    patients(800).to_csv("patients.csv", index=False)
    patients(100).to_csv("more_patients.csv", index=False)
    for name in ("data.csv", "train.csv", "test.csv"):
        patients(300)[["smoke", "lung", "cough"]].to_csv(name, index=False)
    pandas.DataFrame(draw.integers(0, 2, (40, 12))).to_csv("wide.csv", index=False)
    pandas.DataFrame(hair_and_eyes()).to_csv("HairEyeColor.csv", index=False)
    assert exit_code("learn data.csv --json run.json -q") == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_in_the_documentation_run(page, example_files):
    """Python blocks of a page run in order in one session, and import nothing from inside the package."""
    namespace: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S):
        assert "from bayesloom" not in block
        assert "bayesloom." not in block
        exec(compile(block, page.name, "exec"), namespace)


def test_the_readme_names_verbs_that_there_are():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    from bayesloom.cli import VERBS

    for verb in re.findall(r"^bayesloom (\w+)", text, flags=re.M):
        assert verb in VERBS


def test_the_stub_of_the_core_is_current(tmp_path):
    for tool in ("nanobind", "ruff"):  # tools of the build: tests against a wheel have none
        pytest.importorskip(tool)
    out = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "bayesloom._core", "-o", str(out)], check=True
    )
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "-q", "--config", str(ROOT / "pyproject.toml"), str(out)],
        check=True,
    )
    written = (ROOT / "src" / "bayesloom" / "_core.pyi").read_text(encoding="utf-8")
    assert out.read_text(encoding="utf-8") == written, "run `make stub`"


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == bayesloom.__version__
    assert f"version: {bayesloom.__version__}" in cited


def test_importing_is_light():
    """Nothing heavy, optional or only for the command line comes with `import bayesloom`."""
    code = "import sys, bayesloom; print(' '.join(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    heavy = {
        "pandas",
        "polars",
        "networkx",
        "sklearn",
        "dask",
        "highspy",
        "scipy",
        "matplotlib",
        "click",
        "rich",
    }
    assert not heavy & set(loaded)


def test_everything_public_is_documented():
    for name in bayesloom.__all__:
        item = getattr(bayesloom, name)
        assert item.__doc__ or name == "scores", name  # a mapping, documented in its module


def test_the_recipe_for_conda_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    named = re.search(r"^  run: \[python, (.*)\]$", recipe, flags=re.M)
    assert named is not None
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(named[1].replace(" ", "").replace('"', "").split(",")) == sorted(project["dependencies"])
    assert f'version: "{project["version"]}"' in recipe
