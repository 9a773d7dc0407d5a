"""Score cache files: which format an extension means, compression, and what META lines say.

The formats themselves are in the C++ core (``src/core/cache``), which copies plain files into memory: what
becomes of the file afterwards does not matter.  One larger than half the memory that may be used is mapped
instead, and must stay as it is while it is in use.  Compressed files are unpacked here and handed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.files import read_bytes
from bayesloom.limits import check_fits, reading_memory
from bayesloom.scoring.cache_info import check_whole, checked_info, claims, info_text, without_claims

EXTENSIONS = {".blc": "blc", ".jkl": "jkl", ".scores": "jkl", ".pss": "pss"}

# META lines that this module writes for itself; the rest of a file's META lines belong to its info.
_OWN_META = {"pss_version", "variable_count", "candidate_count"}
_INFO_META = "bayesloom_info"
_DIGEST_META = "bayesloom_digest"


def read(path: str | os.PathLike[str]) -> _core.ScoreCache:
    """Return the cache in a file."""
    kind, compressed = format_of(path)
    name = os.fsencode(path)
    if compressed:
        shown = os.fspath(path)
        return _parse(kind, read_bytes(shown, gzipped=True), shown)
    most = reading_memory()
    mapped = _size(name) > most / 2
    if kind != "blc":  # a mapped .blc stays on disk, text does not
        check_fits(_size(name), most, os.fsdecode(name))
    if kind == "blc":
        return _core.read_blc(name, mapped)
    if kind == "jkl":
        return _core.read_jkl(name, mapped)
    return _with_meta(*_core.read_pss(name, mapped))


def write(cache: _core.ScoreCache, info: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a cache to a file that appears only once it is complete."""
    kind, compressed = format_of(path)
    if kind != "blc":
        check_whole(
            info, f"be written to {os.fsdecode(path)!r}, only to a .blc file, which keeps that it is one"
        )
    name = os.fsencode(path)
    if compressed:
        # No time stamp: the same cache gives the same bytes.
        import gzip

        _core.write_file(name, gzip.compress(_format(kind, cache, info), mtime=0))
    elif kind == "blc":
        _core.write_blc(cache, name)
    elif kind == "jkl":
        _core.write_jkl(cache, name)
    else:
        _core.write_pss(cache, _all_meta(cache, info), name)


def format_of(path: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return the format that a path's extension means, and whether it is compressed.

    >>> format_of("asia.scores.gz")
    ('jkl', True)
    """
    extension, compressed = _extension(path)
    if extension not in EXTENSIONS:
        known = ", ".join(EXTENSIONS)
        raise InputError(
            f"{os.fsdecode(path)!r} has no extension of a score cache file. "
            f"Known: {known}, each also with .gz."
        )
    return EXTENSIONS[extension], compressed


def is_cache_name(path: str | os.PathLike[str]) -> bool:
    """Whether a path has the extension of a score cache file.

    >>> is_cache_name("ASIA.BLC"), is_cache_name("asia.jkl.gz"), is_cache_name("asia.csv")
    (True, True, False)
    """
    return _extension(path)[0] in EXTENSIONS


def _extension(path: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return the extension in small letters, before .gz, and whether there is one."""
    base = os.fsdecode(path).lower()
    return os.path.splitext(base.removesuffix(".gz"))[1], base.endswith(".gz")


def meta_of(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the META lines of a .pss file: those other programs know, then all of the info."""
    options = info.get("options", {})
    known = {
        "score_type": info.get("score"),
        "num_records": info.get("rows"),
        "parent_limit": info.get("max_parents"),
        "ess": options.get("ess"),
    }
    lines = [(key, str(value)) for key, value in known.items() if _fits_a_line(value)]
    return [*lines, (_INFO_META, info_text(info))] if info else lines


def info_of(meta: list[tuple[int | None, str, str]], names: list[str]) -> str:
    """Return the info text that the META lines of a .pss file amount to."""
    about_file = {key: value for variable, key, value in meta if variable is None}
    if _INFO_META in about_file:
        return about_file[_INFO_META]
    info: dict[str, Any] = {}
    if "score_type" in about_file:
        info["score"] = about_file["score_type"].lower()
    for key, name in (("num_records", "rows"), ("parent_limit", "max_parents")):
        if (value := about_file.get(key, "")).isascii() and value.isdigit() and len(value) < 19:
            info[name] = int(value)
    if (ess := _number(about_file.get("ess", ""))) is not None:
        info["options"] = {"ess": ess}
    kept = {key: value for key, value in about_file.items() if key not in _OWN_META}
    variables: dict[str, dict[str, str]] = {}
    for variable, key, value in meta:
        if variable is not None and key.lower() != "arity":
            variables.setdefault(names[variable], {})[key] = value
    if kept:
        info["pss"] = kept
    if variables:
        info["pss_variables"] = variables
    return json.dumps(info, sort_keys=True, separators=(",", ":"))


def _parse(kind: str, content: bytes, shown: str) -> _core.ScoreCache:
    if kind == "blc":
        return _core.parse_blc(content, shown)
    if kind == "jkl":
        return _core.parse_jkl(content, shown)
    return _with_meta(*_core.parse_pss(content, shown))


def _format(kind: str, cache: _core.ScoreCache, info: Mapping[str, Any]) -> bytes:
    if kind == "blc":
        return _core.format_blc(cache)
    if kind == "jkl":
        return _core.format_jkl(cache)
    return _core.format_pss(cache, _all_meta(cache, info))


def _with_meta(cache: _core.ScoreCache, meta: list[tuple[int | None, str, str]]) -> _core.ScoreCache:
    """Return the cache with the info of its META lines; a claim is believed only of what it was made of."""
    text = info_of(meta, cache.names)
    given = {key: value for variable, key, value in meta if variable is None}
    if given.get(_DIGEST_META) != _digest(cache, text) and claims(info := checked_info(text)):
        text = info_text(without_claims(info))
    return cache.with_info(text)


def _all_meta(cache: _core.ScoreCache, info: Mapping[str, Any]) -> list[tuple[str, str]]:
    lines = meta_of(info)
    if claims(info):
        lines.append((_DIGEST_META, _digest(cache, dict(lines)[_INFO_META])))
    return lines


def _digest(cache: _core.ScoreCache, info: str) -> str:
    """Return what ties the info to the candidates: no one changes either of them unnoticed by accident."""
    return f"{_core.xxh64(info.encode(), cache.digest):016x}"


def _size(name: bytes) -> int:
    try:
        return os.stat(name).st_size
    except OSError:
        return 0  # the core says what is wrong with it


def _fits_a_line(value: object) -> bool:
    return value is not None and str(value).isprintable() and str(value) == str(value).strip()


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
