"""Install a wheel into an empty environment, where no compiler is found, and use it.

Usage: python tools/try_wheel.py [--lowest] [--tests] WHEEL. With --lowest, dependencies have the
lowest versions that the wheel allows. With --tests, the tests are run against it too.
"""

from __future__ import annotations

import argparse
import email
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("ruff", "mypy", "clang-")  # of the extra `dev`: no test needs them


def lowest(wheel: Path) -> list[str]:
    """Return the dependencies of a wheel, each at its lowest version."""
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        fields = email.message_from_bytes(files.read(name))
    needed = [field for field in fields.get_all("Requires-Dist", []) if "extra" not in field]
    return [need.replace(">=", "==") for need in needed]


def for_tests() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [need for need in project["optional-dependencies"]["dev"] if not need.startswith(TOOLS)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--lowest", action="store_true")
    parser.add_argument("--tests", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        install = [
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ]
        wanted = [*(lowest(given.wheel) if given.lowest else ()), *(for_tests() if given.tests else ())]
        subprocess.run([*install, str(given.wheel), *wanted], check=True)
        # No compiler, no sources: only what the wheel brought.
        bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        bare |= {"PATH": f"{folder}/bin", "CC": "none", "CXX": "none"}
        subprocess.run([python, str(ROOT / "tools/try_installed.py")], check=True, cwd=folder, env=bare)
        subprocess.run([f"{folder}/bin/bayesloom", "--version"], check=True, cwd=folder, env=bare)
        print(f"{given.wheel.name}: {given.wheel.stat().st_size / 1e6:.1f} MB, works without a compiler")
        if given.tests:
            sys.exit(
                subprocess.run([python, "-m", "pytest", "-q", "-n", "2"], check=False, cwd=ROOT).returncode
            )


if __name__ == "__main__":
    main()
