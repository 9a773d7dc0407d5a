"""Sets of variables: the laws in var_set_test.cpp are static_asserts, so compiling is the test."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


def compiles(source: Path) -> bool:
    include = f"-I{ROOT / 'src' / 'core'}"
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", include, str(source)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert "No such file" not in ran.stderr
    return ran.returncode == 0


@pytest.mark.skipif(COMPILER is None, reason="needs the C++ compiler that built the package")
def test_the_laws_of_sets(tmp_path):
    laws = Path(__file__).with_name("var_set_test.cpp")
    assert compiles(laws)
    broken = tmp_path / "broken.cpp"
    broken.write_text(laws.read_text() + "static_assert(VarSet::of(1) == VarSet::of(2));\n")
    assert not compiles(broken)  # so a law that does not hold is noticed
