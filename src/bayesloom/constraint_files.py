"""Files of constraints: TOML, and the format of GOBNILP.

A TOML file has the names of `Constraints`::

    required = [["smoke", "lung"]]
    forbidden = [["xray", "asia"]]
    tiers = [["asia", "smoke"], ["tub", "lung"], ["xray", "dysp"]]
    roots = ["asia"]
    leaves = ["dysp"]
    before = [["smoke", "dysp"]]
    [max_parents]
    "*" = 3
    dysp = 2

A file with any other ending is read as GOBNILP's: one constraint per line, ``#`` for comments.

==================  ===============================================================
``A<-B``            edge from B to A required
``~A<-B``           the same forbidden
``~A-B``            no edge between A and B
``A<B``             A before B
``A->B<-C``         this immorality: both edges required, no edge between A and C
``sink A``          A has no children
==================  ===============================================================

GOBNILP's other constraints (``A-B``, ``A<--B``, ``A_|_B|C`` and the negations not listed) cannot be
compiled into candidate parent sets; they are refused with their line.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from bayesloom.errors import InputError, unknown

__all__ = ["read_constraints"]

KINDS = ("required", "forbidden", "tiers", "roots", "leaves", "max_parents", "before")


def read_constraints(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the constraints of a file as the arguments of `Constraints`."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: byte {error.start} is not UTF-8.") from None
    return _toml(text, str(file)) if file.suffix.lower() == ".toml" else _gobnilp(text, str(file))


def _toml(text: str, file: str) -> dict[str, Any]:
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: not a TOML file: {error}.") from None
    given = given.get("constraints", given)
    for name in given:
        if name not in KINDS:
            raise unknown(f"{file}: constraint", name, KINDS)
    return dict(given)


_NAME = r"([^\s~<>|]+?)"
_LINES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(f"{pattern}$"), kind)
    for pattern, kind in (
        (rf"~\s*{_NAME}\s*<-\s*{_NAME}", "forbidden"),
        (rf"{_NAME}\s*->\s*{_NAME}\s*<-\s*{_NAME}", "immorality"),
        (rf"{_NAME}\s*<-\s*{_NAME}", "required"),
        (rf"{_NAME}\s*<\s*{_NAME}", "before"),
        (rf"~\s*{_NAME}\s*-\s*{_NAME}", "apart"),
        (rf"sink\s+{_NAME}", "leaf"),
    )
)
_OTHERS = (
    (re.compile(r"_\|_"), "a conditional independence"),
    (re.compile(r"<--|-->"), "an ancestor"),
    (re.compile(r"->.*<-"), "an immorality that is forbidden"),
    (re.compile(r"-"), "an edge in either direction"),
)


def _gobnilp(text: str, file: str) -> dict[str, Any]:
    found: dict[str, Any] = {kind: [] for kind in ("required", "forbidden", "leaves", "before")}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        if "<--" in line or "-->" in line or "_|_" in line:
            kind = None
        else:
            kind, names = next(
                ((kind, match.groups()) for pattern, kind in _LINES if (match := pattern.match(line))),
                (None, ()),
            )
        if kind == "required":
            found["required"].append((names[1], names[0]))
        elif kind == "forbidden":
            found["forbidden"].append((names[1], names[0]))
        elif kind == "apart":
            found["forbidden"] += [(names[0], names[1]), (names[1], names[0])]
        elif kind == "before":
            found["before"].append(names)
        elif kind == "leaf":
            found["leaves"].append(names[0])
        elif kind == "immorality":
            a, b, c = names
            found["required"] += [(a, b), (c, b)]
            found["forbidden"] += [(a, c), (c, a)]
        else:
            what = next((name for pattern, name in _OTHERS if pattern.search(line)), None)
            if what is None:
                raise InputError(
                    f"{file}, line {number}: {line!r} is no constraint; expected A<-B, ~A<-B, ~A-B, A<B, "
                    f"A->B<-C or sink A."
                )
            raise InputError(
                f"{file}, line {number}: {line!r} asks for {what}, which cannot be compiled into candidate "
                f"parent sets."
            )
    return found
