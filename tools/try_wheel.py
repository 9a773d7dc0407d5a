"""Install a wheel into an empty environment, where no compiler is found, and use it.

Usage: python tools/try_wheel.py [--python PYTHON] [--lowest] [--tests=ARGUMENTS] WHEEL...; of several
wheels the first that PYTHON (this one by default) takes. With --lowest, the package and its extras have
the lowest versions of dependencies that the wheel allows; without, the newest. With --tests, pytest is
run against it with these arguments ("" for all tests).
"""

from __future__ import annotations

import argparse
import email
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("ruff", "mypy", "clang-")  # of the extra `dev`: no test needs them
EXTRAS = ("networkx", "pandas", "excel", "dask")  # what tests need of those that users can ask for


def lowest(wheel: Path) -> list[str]:
    """Return the dependencies of a wheel and of its extras, each at its lowest version."""
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        fields = email.message_from_bytes(files.read(name))
    needed = []
    for field in fields.get_all("Requires-Dist", []):
        extra = re.search(r"extra == ['\"](.*?)['\"]", field)
        if extra is None or extra[1] in EXTRAS:
            needed.append(field.partition(";")[0].strip().replace(">=", "=="))
    return sorted(set(needed))


def for_tests() -> list[str]:
    """Return what the tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [need for need in project["optional-dependencies"]["dev"] if not need.startswith(TOOLS)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("wheels", type=Path, nargs="+")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--lowest", action="store_true")
    parser.add_argument("--tests", help="arguments of pytest")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([given.python, "-m", "venv", folder], check=True)
        python = str(Path(folder, "bin", "python"))
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
        for wheel in given.wheels:
            told = subprocess.run(
                [*pip, "--dry-run", "--no-deps", str(wheel)], capture_output=True, check=False
            )
            if told.returncode == 0:
                break
        else:
            raise SystemExit(f"none of {', '.join(map(str, given.wheels))} is for {given.python}.")
        wanted = lowest(wheel) if given.lowest else []
        wanted += for_tests() if given.tests is not None else []
        subprocess.run([*pip, str(wheel), *wanted], check=True)
        # No compiler, no sources: only what the wheel brought.
        bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        bare |= {"PATH": f"{folder}/bin", "CC": "none", "CXX": "none"}
        subprocess.run([python, str(ROOT / "tools/try_installed.py")], check=True, cwd=folder, env=bare)
        subprocess.run([f"{folder}/bin/bayesloom", "--version"], check=True, cwd=folder, env=bare)
        table = Path(folder, "data.csv")
        command = [f"{folder}/bin/bayesloom"]
        subprocess.run(
            [*command, "sample", "--random", "6", "-n", "500", "-o", str(table)], check=True, env=bare
        )
        subprocess.run(
            [*command, "learn", "-q", "-o", f"{folder}/network.bif", str(table)], check=True, env=bare
        )
        assert Path(folder, "share/man/man1/bayesloom-learn.1").exists(), "the manual is not installed"
        number = subprocess.run(
            [python, "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB, works on {number} without a compiler", flush=True)
        if given.tests is not None:
            subprocess.run([python, "-m", "pip", "list", "--format=freeze"], check=True)
            tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *shlex.split(given.tests)]
            sys.exit(subprocess.run(tests, check=False, cwd=ROOT).returncode)


if __name__ == "__main__":
    main()
