"""Install a wheel into an empty environment, where no compiler is found, and use it.

Usage: python tools/try_wheel.py [--lowest] [--tests] WHEEL. With --lowest, dependencies have the lowest versions that
the wheel allows; with --tests, the tests are run against it, else a table is learned.
"""

from __future__ import annotations

import argparse
import email
import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

TRY = """
import bayesloom as bl
truth = bl.random_network(8, states=(2, 3), max_parents=2, concentration=0.5, seed=1)
result = bl.learn(truth.sample(500, seed=1))
assert result.status == "optimal" and result.verify().ok
print(f"bayesloom {bl.__version__}: {result.claim}")
"""
# What tests need besides pytest; as in the extra `dev`, without the tools.
FOR_TESTS = ("pytest>=8", "pytest-xdist", "hypothesis>=6")


def lowest(wheel: Path) -> list[str]:
    """Return the dependencies of a wheel, each at its lowest version."""
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        fields = email.message_from_bytes(files.read(name))
    needed = [field for field in fields.get_all("Requires-Dist", []) if "extra" not in field]
    return [re.sub(r">=", "==", need) for need in needed]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--lowest", action="store_true")
    parser.add_argument("--tests", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        wanted = [*(lowest(given.wheel) if given.lowest else ()), *(FOR_TESTS if given.tests else ())]
        subprocess.run([*install, str(given.wheel), *wanted], check=True)
        # No compiler, no sources: only what the wheel brought.
        bare = {**os.environ, "PATH": f"{folder}/bin", "CC": "none", "CXX": "none"}
        bare.pop("PYTHONPATH", None)
        subprocess.run([python, "-c", TRY], check=True, cwd=folder, env=bare)
        subprocess.run([Path(folder, "bin", "bayesloom"), "--version"], check=True, cwd=folder, env=bare)
        if given.tests:
            done = subprocess.run([python, "-m", "pytest", "-q", "-n", "2", "tests"], check=False)
            sys.exit(done.returncode)
    print(f"{given.wheel.name}: {given.wheel.stat().st_size / 1e6:.1f} MB, works without a compiler")


if __name__ == "__main__":
    main()
