"""Exchanges between temperatures: the law in exchange_law.cpp, compiled with the kernel and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "core"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.mark.skipif(COMPILER is None, reason="needs the C++ compiler that built the package")
def test_exchanges_go_back_as_often_as_they_go_there(tmp_path):
    """Detailed balance: lists of neighbours that depend on which network has which family break it."""
    law = Path(__file__).with_name("exchange_law.cpp")
    kernel = [CORE / "posterior" / name for name in ("exchange.cpp", "block_draw.cpp")]
    program = tmp_path / "law"
    command = [COMPILER, "-std=c++20", "-O1", f"-I{CORE}", law, *kernel, "-o", program]
    built = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert float(ran.stdout) < 5  # in standard errors, of 120 pairs
