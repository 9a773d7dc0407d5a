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

import pytest

import bayesloom

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


def test_the_examples_of_the_readme_run(tmp_path, monkeypatch):
    """Python blocks run in order in one session; shell blocks must name verbs and files that exist."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    from bayesloom.cli import VERBS

    for verb in re.findall(r"^bayesloom (\w+)", text, flags=re.M):
        assert verb in VERBS


def test_the_stub_of_the_core_is_current(tmp_path):
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
