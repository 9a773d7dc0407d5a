"""Fetch the tables, networks and score files of the benchmarks, and check that they are those that were measured.

Usage: python benchmarks/data/fetch.py FOLDER [--check]. `sources.csv` says of each file where it comes from, the checksum of
its content, and its licence. With --check nothing is fetched: what FOLDER holds is compared with the checksums.
Then: BAYESLOOM_DATA=FOLDER.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Source(NamedTuple):
    """A file of the benchmarks: where it goes, the checksum of its unpacked content, where it comes from."""

    file: str
    bytes: int
    sha256: str
    source: str
    version: str
    path: str
    licence: str


def sources() -> list[Source]:
    with (HERE / "sources.csv").open(encoding="utf-8", newline="") as file:
        return [Source(**{**row, "bytes": int(row["bytes"])}) for row in csv.DictReader(file)]


def unpacked(content: bytes) -> bytes:
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def problem(source: Source, folder: Path) -> str | None:
    """Say what is wrong with a file; None if it is the one that was measured."""
    path = folder / source.file
    if not path.exists():
        return "missing"
    found = hashlib.sha256(unpacked(path.read_bytes())).hexdigest()
    return (
        None
        if found == source.sha256
        else f"another content (sha256 {found[:12]}, expected {source.sha256[:12]})"
    )


def from_forge(source: Source) -> bytes:
    """Return a file of a public repository, as it was at a commit."""
    path = urllib.parse.quote(source.path)
    with urllib.request.urlopen(
        f"https://raw.githubusercontent.com/{source.source}/{source.version}/{path}"
    ) as got:
        return bytes(got.read())


def from_wheel(source: Source) -> bytes:
    """Return a file of a wheel, which pip brings."""
    with tempfile.TemporaryDirectory() as folder:
        need = f"{source.source.removeprefix('pypi:')}=={source.version}"
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary",
            ":all:",
            "-d",
            folder,
            need,
        ]
        subprocess.run(pip, check=True)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return wheel.read(source.path)


def fetched(source: Source) -> bytes:
    return from_wheel(source) if source.source.startswith("pypi:") else from_forge(source)


def fetch(folder: Path, get: Callable[[Source], bytes] = fetched) -> Iterator[tuple[Source, str]]:
    """Bring what is missing or another; yield each file with what became of it."""
    for source in sources():
        wrong = problem(source, folder)
        if wrong is None:
            yield source, "there"
        elif source.source == "made":
            yield source, f"{wrong}; cannot be fetched: {source.path}"
        else:
            try:
                content = unpacked(get(source))
            except (OSError, subprocess.CalledProcessError, urllib.error.URLError) as error:
                yield source, f"not fetched: {error}"
                continue
            if hashlib.sha256(content).hexdigest() != source.sha256:
                yield source, "not taken: its content is not the one that was measured"
                continue
            target = folder / source.file
            target.parent.mkdir(parents=True, exist_ok=True)
            packed = io.BytesIO()
            with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
                file.write(content)
            target.write_bytes(packed.getvalue() if target.suffix == ".gz" else content)
            yield source, "fetched"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        outcomes = [(source, problem(source, given.folder) or "there") for source in sources()]
    else:
        outcomes = list(fetch(given.folder))
    for source, outcome in outcomes:
        if outcome not in ("there", "fetched"):
            print(f"{source.file}: {outcome}")
    good = sum(outcome in ("there", "fetched") for _, outcome in outcomes)
    print(f"{good} of {len(outcomes)} files are as they were measured")
    sys.exit(0 if good == len(outcomes) else 1)


if __name__ == "__main__":
    main()
