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

A TOML file may instead hold all of them in one table ``[constraints]``, and then nothing beside it.
GOBNILP's other constraints (``A-B``, ``A<--B``, ``A_|_B|C`` and the negations not listed) cannot be
compiled into candidate parent sets; they are refused with their line.
"""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from bayesloom.errors import InputError, shown, unknown
from bayesloom.files import read_bytes
from bayesloom.json_input import described
from bayesloom.text_input import decoded

__all__ = ["read_constraints"]

KINDS = ("required", "forbidden", "tiers", "roots", "leaves", "max_parents", "before")


def read_constraints(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the constraints of a file as the arguments of `Constraints`."""
    file = os.fspath(path)
    text = decoded(read_bytes(file, gzipped=False), file)
    return _toml(text, file) if os.path.splitext(file)[1].lower() == ".toml" else _gobnilp(text, file)


DEEPEST = 8  # parts of a dotted key; three are of use: constraints.max_parents.NAME
# Strings and comments of TOML, closed or not, and what they are replaced by to look at the keys.
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?+|"(?:[^"\\\n]|\\.)*+"?+'
    r"|'''(?:[^']|'(?!''))*+(?:''')?+|'[^'\n]*+'?+|#[^\n]*+",
    re.DOTALL,
)
_KEY_PART = r"[A-Za-z0-9_-]++[ \t]*+"
_LONG_KEY = re.compile(
    # From the beginning of a key only: from each letter of a long one it would take the square of its length.
    rf"(?<![A-Za-z0-9_-]){_KEY_PART}(?:\.[ \t]*+{_KEY_PART}){{{DEEPEST}}}|\.(?:[ \t]*+\.){{{DEEPEST}}}"
)

MOST_TABLES = 100
_TABLE = re.compile(r"^[ \t]*+\[[^\],\n]*+\]++[ \t]*+$", re.MULTILINE)
_NUMBER_IN_LIST = re.compile(r"[\[,]\s*+[+-]?+[0-9][0-9_.eE+:-]*+\s*+[,\]]")


def _toml(text: str, file: str) -> dict[str, Any]:
    # Python's reader is slow: it takes the square of the length of a dotted key, and seconds per megabyte
    # of tables and numbers. So what no file of constraints holds is refused before.
    bare = _TOML_TEXT.sub("s", text)
    if bare.count(".") >= DEEPEST and _LONG_KEY.search(bare):
        raise InputError(f"{file}: a key has more than {DEEPEST} parts; no constraint has such a key.")
    if len(_TABLE.findall(bare)) > MOST_TABLES:
        raise InputError(f"{file}: more than {MOST_TABLES} tables; constraints need two at most.")
    if number := _NUMBER_IN_LIST.search(bare):
        line = bare.count("\n", 0, number.end()) + 1  # strings of several lines count as one
        raise InputError(f"{file}, near line {line}: a list holds a number; expected names in quotes.")
    try:
        given = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{file}: not a file of constraints: lists are nested too deeply.") from None
    except ValueError as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise InputError(f"{file}: not a TOML file: {error}.") from None
    if "constraints" in given:
        if beside := [name for name in given if name != "constraints"]:
            raise InputError(
                f"{file}: {beside[0]!r} stands beside the table [constraints]. Put it into the table, or"
                " leave the table's name out."
            )
        given = given["constraints"]
        if not isinstance(given, dict):
            raise InputError(f"{file}: 'constraints' must be a table, got {described(given)}.")
    for name in given:
        if name not in KINDS:
            raise InputError(f"{file}: {unknown('constraint', name, KINDS)}")
    return dict(given)


_NAME = re.compile(r"[^\s~<>|]++")
_KNOWN = "A<-B, ~A<-B, ~A-B, A<B, A->B<-C or sink A"


def _gobnilp(text: str, file: str) -> dict[str, Any]:
    found: dict[str, Any] = {kind: [] for kind in ("required", "forbidden", "leaves", "before")}
    seen: set[str] = set()
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0].strip()
        if not line or line in seen:  # said once is enough
            continue
        seen.add(line)
        kind, names = _meaning(line)
        if any(not _NAME.fullmatch(name) for name in names):
            kind = "nothing"
        match kind:
            case "required" | "forbidden":
                found[kind].append((names[1], names[0]))
            case "apart":
                found["forbidden"] += [(names[0], names[1]), (names[1], names[0])]
            case "before":
                found["before"].append(tuple(names))
            case "leaf":
                found["leaves"].append(names[0])
            case "immorality":
                a, b, c = names
                found["required"] += [(a, b), (c, b)]
                found["forbidden"] += [(a, c), (c, a)]
            case "nothing":
                raise InputError(f"{file}, line {number}: {shown(line)} is no constraint; expected {_KNOWN}.")
            case "arrow to the right":
                raise InputError(
                    f"{file}, line {number}: {shown(line)} is not of this format, in which an edge is written"
                    " from child to parent: A<-B is the edge from B to A."
                )
            case "hyphens":
                raise InputError(
                    f"{file}, line {number}: {shown(line)} can be taken apart at more than one hyphen. Put"
                    " spaces around the one between the names, or write the constraint in TOML."
                )
            case _:
                raise InputError(
                    f"{file}, line {number}: {shown(line)} asks for {kind}, which cannot be compiled into"
                    " candidate parent sets."
                )
    return found


def _meaning(line: str) -> tuple[str, list[str]]:
    """Return what a line asks for, and the names in it: a kind, or what it is that cannot be compiled."""
    negated = line.startswith("~")
    body = line[1:].strip() if negated else line
    words = body.split(None, 2)
    if "_|_" in body:
        return "a conditional independence", []
    if "<--" in body or "-->" in body:
        return "an ancestor", []
    if words[:1] == ["sink"] and len(words) == 2 and not negated:
        return "leaf", [words[1]]
    left, arrow, right = body.partition("<")
    names = [left.strip(), right.removeprefix("-").strip()]
    if arrow and right.startswith("-"):
        if ">" not in left:
            return ("forbidden" if negated else "required"), names
        a, _, b = left.partition(">")
        if negated:
            return "an immorality that is forbidden", []
        return ("immorality" if a.endswith("-") else "nothing"), [a[:-1].strip(), b.strip(), names[1]]
    if arrow:
        return ("nothing" if negated else "before"), names
    if "-" not in body:
        return "nothing", []
    if ">" in body:
        return "arrow to the right", []
    return _apart(body) if negated else ("an edge in either direction", [])


def _apart(body: str) -> tuple[str, list[str]]:
    """Return the two names around a hyphen; names may have hyphens too, and then spaces tell."""
    pieces = body.split(" - ") if body.count("-") > 1 else body.split("-")
    return ("apart", [piece.strip() for piece in pieces]) if len(pieces) == 2 else ("hyphens", [])
