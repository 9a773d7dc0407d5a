"""Changed files of every format: a valid object, or a BayesloomError; nothing else, and never another cache.

A case is the bytes of a file that were once good: some flipped, left out, doubled, moved, cut off, put
together with another file, or with other numbers in them.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bayesloom as bl
from bayesloom.cli import main
from bayesloom.constraints.model import Constraints
from bayesloom.errors import BayesloomError, InternalError
from bayesloom.networks.formats import read_network
from bayesloom.scoring.cache import ScoreCache
from made.caches import content
from made.damage import damaged
from reference.jkl import read_jkl
from reference.pss import read_pss

TABLES = ("csv", "tsv", "data", "dat", "arff", "parquet", "feather", "csv.gz")
NETWORKS = ("bif", "xmlbif", "net", "json", "dot", "graphml", "modelstring", "bif.gz")
CACHES = ("jkl", "pss", "blc", "jkl.gz", "blc.gz")
OTHERS = ("run", "toml", "gobnilp")
FORMATS = tuple(
    [("table", name) for name in TABLES]
    + [("network", name) for name in NETWORKS]
    + [("cache", name) for name in CACHES]
    + [("other", name) for name in OTHERS]
)
GOBNILP = b"# known\na<-b\n~c<-d\n~a-d\nb<d\na->c<-e\nsink e\n"
TOML = b"""required = [["a", "b"], ["b", "c"]]
forbidden = [["d", "a"]]
tiers = [["a"], ["b", "c"], ["d"]]
roots = ["a"]
leaves = ["e"]
before = [["a", "e"]]
[max_parents]
"*" = 3
d = 2
"""


@dataclass(frozen=True)
class FileCase:
    kind: str
    format: str
    data: bytes

    def plain(self) -> dict[str, Any]:
        return {"kind": self.kind, "format": self.format, "data": self.data.hex()}

    @classmethod
    def from_plain(cls, given: dict[str, Any]) -> FileCase:
        return cls(given["kind"], given["format"], bytes.fromhex(given["data"]))


# Good files


@cache
def good_files(kind: str, name: str) -> tuple[bytes, ...]:
    """Several good files of a format."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(4):
            path = Path(folder) / f"x.{name}"
            network = bl.random_network(3 + seed, max_parents=2, states=(2, 3), seed=seed)
            table = network.sample(5 + 8 * seed, seed=seed)
            if name == "arff":
                path.write_bytes(_arff(table))
            elif name == "data":
                path.write_text("\n".join(",".join(row) for row in _rows(table)) + "\n")
            elif kind == "table":
                table.write(path)
            elif kind == "network":
                network.write(path)
            elif kind == "cache":
                bl.score(table, max_parents=2, threads=1).write(path)
            elif name == "run":
                path.write_text(
                    json.dumps({"bayesloom": "0", "command": "learn", **bl.learn(table).to_json()})
                )
            else:
                path.write_bytes(TOML if name == "toml" else GOBNILP)
            found.append(path.read_bytes())
    return tuple(found)


def _rows(table: Any) -> list[list[str]]:
    columns = [[table.states[v][code] for code in table.column(name)] for v, name in enumerate(table.names)]
    return [[str(value) for value in row] for row in zip(*columns, strict=True)]


def _arff(table: Any) -> bytes:
    lines = ["@relation t"]
    lines += [f"@attribute {name} {{{','.join(table.states[v])}}}" for v, name in enumerate(table.names)]
    return "\n".join([*lines, "@data", *(",".join(row) for row in _rows(table)), ""]).encode()


# Damage


def damage(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """One change: a part of another file, or damage of any kind."""
    if rng.random() < 0.1:
        return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)) :]
    return damaged(data, rng)


def random_case(seed: int) -> FileCase:
    return changed_file(*FORMATS[seed % len(FORMATS)], seed)


def changed_file(kind: str, name: str, seed: int) -> FileCase:
    rng = random.Random(seed)
    files = good_files(kind, name)
    data, other = rng.choice(files), rng.choice(files)
    packed = name.endswith(".gz") and rng.random() < 0.5
    if packed:
        data, other = gzip.decompress(data), gzip.decompress(other)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        data = damage(data, other, rng)
    return FileCase(kind, name, gzip.compress(data, mtime=0) if packed else data)


# Reading


def check(case: FileCase) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        suffix = {"run": "json", "gobnilp": "txt"}.get(case.format, case.format)
        path = Path(folder) / f"x.{suffix}"
        path.write_bytes(case.data)
        read: Callable[[FileCase, Path], str | None] = {
            "table": _table,
            "network": _network,
            "cache": _cache,
            "other": _run_file if case.format == "run" else _rules,
        }[case.kind]
        try:
            problem = read(case, path)
        except InternalError as error:
            problem = f"internal: {case.format}: {error}"
        except BayesloomError as error:
            problem = _sentence(case, str(error))
        except BaseException as error:
            problem = f"{type(error).__name__}: {case.format}: {str(error)[:200]}"
    return 1, [problem] if problem else []


def _sentence(case: FileCase, message: str) -> str | None:
    if not message.rstrip().endswith((".", "?", ")")):
        return f"message: {case.format}: {message[:200]!r}"
    return None


def _table(case: FileCase, path: Path) -> str | None:
    refused = None
    for strict in (True, False):
        try:
            table = bl.read_table(path, strict=strict)
        except InternalError:
            raise
        except BayesloomError as error:
            refused = refused or _sentence(case, str(error))
            continue
        for name, states in zip(table.names, table.states, strict=True):
            if len(set(states)) != len(states) or int(np.max(table.column(name))) >= len(states):
                return f"table: {name!r} has values that are not among its states"
        if table.row_count < 1:
            return "table: it has no rows"
    return refused


def _network(case: FileCase, path: Path) -> str | None:
    network = read_network(path)
    structure = getattr(network, "network", network)
    left = {name: set(parents) for name, parents in structure.parents.items()}
    while free := [name for name, parents in left.items() if not parents & set(left)]:
        for name in free:
            del left[name]
    return f"network: {case.format} was read with a cycle" if left else None


def _cache(case: FileCase, path: Path) -> str | None:
    if case.format.startswith("blc"):
        cache = ScoreCache.read(path)
        data = gzip.decompress(case.data) if case.format.endswith(".gz") else case.data
        good = [
            gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one
            for one in good_files("cache", case.format)
        ]
        if data not in good:
            return (
                f"checksum: a changed {case.format} was read as a cache of {cache.candidate_count} candidates"
            )
        return None
    found = content(ScoreCache.read(path).core)
    data = gzip.decompress(case.data) if case.format.endswith(".gz") else case.data
    same = found == (read_jkl(data) if case.format.startswith("jkl") else read_pss(data)[0])
    return None if same else f"cache: {case.format} is not read as the naive reader reads it"


def _rules(_case: FileCase, path: Path) -> str | None:
    Constraints.read(path).check(["a", "b", "c", "d", "e"])
    return None


def _run_file(_case: FileCase, path: Path) -> str | None:
    cache = path.with_name("c.blc")
    bl.score(bl.random_network(3, max_parents=2, states=(2, 3), seed=0).sample(5, seed=0)).write(cache)
    for line in (
        ["report", str(path), "-o", str(path.with_name("r.html"))],
        ["report", str(path), "-o", str(path.with_name("r.md"))],
        ["verify", str(path), "--cache", str(cache)],
        ["compare", str(path), str(path)],
        ["convert", str(path), str(path.with_name("n.dot"))],
    ):
        code, err = in_process(line)
        if code not in (0, 1, 4) or "Traceback" in err:
            return f"exit {code}: {line[0]}: {err[-200:]}"
    return None


def in_process(line: list[str]) -> tuple[int, str]:
    """Run a command line here; its exit code and what it wrote to stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(line)
        except SystemExit as end:
            return int(end.code or 0), err.getvalue()
    return 0, err.getvalue()


def smaller(case: FileCase) -> Iterator[FileCase]:
    size = len(case.data) // 2
    while size:
        for at in range(0, len(case.data), size):
            yield replace(case, data=case.data[:at] + case.data[at + size :])
        size //= 2
