"""The ``.dat`` format of GOBNILP and BLIP.

::

    # comments, if any
    smoke lung xray        names
    2 2 3                  cardinalities
    yes no 0               one row per line, fields separated by white space

The second line declares how many states each variable has, seen or not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bayesloom.errors import InputError

from .columns import STATE_LIMIT, Columns, check_name_count, checked_names
from .text import Text, checked_text

_COMMENT = re.compile(rb"^#[^\n]*+", re.MULTILINE)
_CARDINALITY = re.compile(r"[0-9]{1,18}+", re.ASCII)


def read_dat(data: bytes, source: str, *, names: Sequence[str] | None) -> Columns:
    """Read names, cardinalities and rows."""
    text = Text(_normalized(checked_text(data, source)), source, " ", quoted=False, blank_rows=False)
    rows = text.rows()
    head = next(rows, None)
    counts = next(rows, None)
    if head is None or counts is None:
        raise InputError(
            f"{source}: a .dat file begins with a line of names and a line of cardinalities;"
            f" this one has {'only one line' if head else 'no line'}."
        )
    width = len(head.fields)
    own_names = checked_names(head.fields, source, place=f"line {head.line}")
    check_name_count(names, width, source)
    if len(counts.fields) != width:
        raise InputError(
            f"{source}, line {counts.line}: expected {width} numbers of states, one per name"
            f" of line {head.line}, found {len(counts.fields)}."
        )
    cardinalities = [
        _cardinality(field, name, f"{source}, line {counts.line}")
        for field, name in zip(counts.fields, own_names, strict=True)
    ]
    body = text.after(counts)
    arrays = body.parsed(width)
    if not len(arrays[0]):
        raise InputError(f"{source}: the file has names and cardinalities and no rows.")
    return Columns(
        source=source,
        names=own_names if names is None else names,
        arrays=arrays,
        from_text=True,
        cardinalities=cardinalities,
        declares=True,
        line_of_row=lambda row: body.line_of_row(row, width),
    )


def _normalized(data: bytes) -> bytes:
    """Return the text with single spaces between fields and comments emptied, line by line the same."""
    data = data.replace(b"\r\n", b"\n").translate(bytes.maketrans(b"\r\t\v\f", b"\n   "))
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    if b"#" in data:
        data = _COMMENT.sub(b"", data)
    return data


def _cardinality(field: str, name: str, where: str) -> int:
    if not _CARDINALITY.fullmatch(field):
        raise InputError(f"{where}: expected the cardinality of {name!r}, found {field!r}.")
    if not 1 <= int(field) <= STATE_LIMIT:
        raise InputError(
            f"{where}: cardinality {field} of {name!r} is out of range; it goes from 1 to {STATE_LIMIT}."
        )
    return int(field)
