"""The moves of chains: the laws in exchange_law.cpp and moves_law.cpp, compiled with the kernels and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "core"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


def told_by(law: str, kernels: list[str], folder: Path) -> str:
    """Compile a program of this folder with kernels, and return what it prints."""
    sources = [Path(__file__).with_name(law), *(CORE / "posterior" / name for name in kernels)]
    program = folder / "law"
    command = [COMPILER, "-std=c++20", "-O1", f"-I{CORE}", *sources, "-o", program]
    built = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(COMPILER is None, reason="needs the C++ compiler that built the package")
def test_exchanges_go_back_as_often_as_they_go_there(tmp_path):
    """Detailed balance: lists of neighbours that depend on which network has which family break it."""
    told = told_by("exchange_law.cpp", ["exchange.cpp", "block_draw.cpp"], tmp_path)
    assert float(told) < 5  # in standard errors, of 120 pairs


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs the C++ compiler that built the package")
def test_every_move_keeps_the_stationary_distribution(tmp_path):
    """Each kind of move by itself, from every network, partition or pair of networks, by its probability."""
    kernels = ["exchange", "block_draw", "network_moves", "partition_chain", "local_sums"]
    told = told_by("moves_law.cpp", [f"{name}.cpp" for name in kernels], tmp_path)
    moves = {name: (int(changed), float(far)) for name, changed, far in map(str.split, told.splitlines())}
    assert len(moves) == 44
    for name, (changed, far) in moves.items():
        assert changed > 1000 or name.startswith("walk-"), name
        assert far < 5, name  # in standard errors, of at most some thousands of states
    assert moves["walk-2"][0] > 1000 < moves["walk-2-hot"][0]
