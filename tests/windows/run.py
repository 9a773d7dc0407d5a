"""Compile the core for Windows and run it there, under wine; where there is no wine, it is compiled only.

Usage: python tests/windows/run.py [BUILD_FOLDER]     (`make windows`)

Needs the packages g++-mingw-w64-x86-64-posix and, to run it, wine64 of Debian. The same program compiled for
this system must print the same: scores, bounds, work. Python is not tried: there is no Windows here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CROSS = "x86_64-w64-mingw32-g++-posix"
WINES = ("wine64", "wine", "/usr/lib/wine/wine64")


def built_for_windows(place: Path) -> Path:
    """Cross-compile the core and the program; return the program."""
    system = ("-DCMAKE_SYSTEM_NAME=Windows", "-DCMAKE_SYSTEM_PROCESSOR=x86_64")
    options = ["-G", "Ninja", *system, f"-DCMAKE_CXX_COMPILER={CROSS}"]
    subprocess.run(["cmake", "-S", str(HERE), "-B", str(place), *options], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", str(place), "--parallel", "2"], check=True, stdout=sys.stderr)
    return place / "core_check.exe"


def built_here(place: Path) -> Path:
    """Compile the program for this system, with the objects of the release build; return it."""
    program = place / "core_check"
    made = ROOT / "build" / "release" / "CMakeFiles" / "bayesloom_core.dir"
    objects = [str(made / f"{path.relative_to(ROOT)}.o") for path in ROOT.glob("src/core/**/*.cpp")]
    objects = [name for name in objects if not name.endswith("_windows.cpp.o")]
    command = ["g++", "-std=c++20", f"-I{ROOT}/src/core", str(HERE / "core_check.cpp"), *objects, "-pthread"]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def told(*command: str | Path) -> str:
    """Run the program in an empty folder; return what it printed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        here = dict(os.environ, WINEDEBUG="-all", WINEPREFIX=os.environ.get("WINEPREFIX", f"{folder}/wine"))
        Path(folder, "empty").mkdir()
        ran = subprocess.run([*command, "empty"], cwd=folder, env=here, capture_output=True, check=False)
        text = ran.stdout.decode().replace("\r\n", "\n")
        if ran.returncode:
            sys.exit(f"{command[-1]} ended with {ran.returncode}:\n{text}{ran.stderr.decode()}")
        return text


def main() -> None:
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "build/windows").resolve()
    if not shutil.which(CROSS):
        sys.exit(f"{CROSS} is not installed.")
    windows = built_for_windows(place)
    wine = next(filter(None, map(shutil.which, WINES)), None)
    if wine is None:
        print("compiled; there is no wine to run it")
        return
    here, there = told(built_here(place)), told(wine, windows)
    print(there, end="")
    if here != there:
        sys.exit(f"this system prints something else:\n{here}")
    print("the same on this system")


if __name__ == "__main__":
    main()
