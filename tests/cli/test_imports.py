"""What each verb imports: a verb that takes a moment does not wait for what it does not use."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import pytest

import bayesloom as bl
from bayesloom.solvers.result import run_object

# Packages that take long to import; the command line itself needs click.
SLOW = {"numpy", "pyarrow", "pandas", "rich", "networkx", "sklearn", "highspy", "scipy"}

CODE = """
import sys
sys.argv = ["bayesloom", *sys.argv[1:]]
from bayesloom.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
found = {name.partition(".")[0] for name, module in sys.modules.items() if module is not None}
open("imported.txt", "w").write(" ".join(sorted(found)))
"""


@pytest.fixture
def folder(tmp_path):
    table = bl.random_network(5, seed=1).sample(100, seed=1)
    table.write(tmp_path / "t.csv")
    cache = bl.score(table)
    for ending in ("jkl", "pss", "blc"):
        cache.write(tmp_path / f"t.{ending}")
    for part in (1, 2):
        bl.score(table, shard=(part, 2)).write(tmp_path / f"{part}.blc")
    found = bl.search(cache)
    found.network.write(tmp_path / "net.json")
    (tmp_path / "run.json").write_text(json.dumps(run_object(found, "search")))
    return tmp_path


def imported(folder, *arguments):
    """Return which packages a command imports."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env=plain,
    )
    return set((folder / "imported.txt").read_text().split())


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("--version", set()),
        ("--help", set()),
        ("learn --help", set()),
        ("score --help", set()),
        ("search --help", set()),
        ("credible --help", set()),
        ("verify --help", set()),
        ("search t.jkl", set()),
        ("search t.pss", set()),
        ("search t.blc --json run.json", set()),
        ("search t.jkl -o net.dot --start net.json", set()),
        ("credible t.blc", {"numpy"}),
        ("credible t.jkl -q", {"numpy"}),
        ("verify net.json --cache t.jkl", set()),
        ("verify run.json --cache t.blc", set()),
        ("verify net.json --data t.csv", {"numpy", "pyarrow"}),
        ("merge --help", set()),
        ("merge 1.blc 2.blc -o new.blc", {"numpy"}),
        ("compare net.json net.json", set()),
        ("convert net.json net.dot", set()),
        ("convert net.json net.svg", set()),
        ("learn t.csv", {"numpy", "pyarrow"}),
        ("score t.csv -o new.blc", {"numpy", "pyarrow"}),
        ("convert t.blc new.jkl", set()),
    ],
)
def test_a_verb_imports_what_it_needs(folder, command, needed):
    assert SLOW & imported(folder, *command.split()) <= needed


@pytest.mark.parametrize(
    "command", ["search t.jkl", "verify net.json --cache t.jkl", "compare net.json net.json"]
)
def test_what_takes_a_moment_imports_little_of_the_standard_library_either(folder, command):
    rest = imported(folder, *command.split())
    assert not rest & {
        "pathlib",
        "tempfile",
        "shutil",
        "random",
        "gzip",
        "urllib",
        "http",
        "email",
        "difflib",
    }


def test_importing_the_package_imports_nothing_slow(tmp_path):
    code = "import sys, bayesloom; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not SLOW & set(loaded.stdout.split())
    assert "bayesloom._core" not in loaded.stdout.split()


def test_public_names_are_there_before_they_are_used():
    code = (
        "import bayesloom as bl\n"
        "assert set(bl.__all__) <= set(dir(bl))\n"
        "for name in bl.__all__: assert getattr(bl, name) is not None, name\n"
        "assert bl.solvers.order_search.Minobs and bl.networks.formats.FORMATS\n"
        "assert bl.credible_sets.Coverage\n"
        "from bayesloom import *\n"
        "assert learn is bl.learn\n"
        "try: bl.lurn\n"
        "except AttributeError as error: assert 'lurn' in str(error)\n"
        "else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_are_pickled_and_read_where_nothing_was_imported(tmp_path):
    result = bl.learn({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    (tmp_path / "result").write_bytes(pickle.dumps(result))
    code = "import pickle; print(pickle.load(open('result', 'rb')).status)"
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert out.stdout == "optimal\n"
