"""Paths in a network that changes, beside a plain search: both in changing_network_test.cpp."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "core"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.mark.skipif(COMPILER is None, reason="needs the C++ compiler that built the package")
def test_paths_are_those_of_a_plain_search(tmp_path):
    program = tmp_path / "test"
    sources = [Path(__file__).with_name("changing_network_test.cpp"), CORE / "graph" / "changing_network.cpp"]
    subprocess.run(
        [COMPILER, "-std=c++20", "-O1", "-D_GLIBCXX_ASSERTIONS", f"-I{CORE}", *sources, "-o", program],
        check=True,
    )
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    asked, found = map(int, ran.stdout.split())
    assert asked > 15_000
    assert 2000 < found < asked - 2000
