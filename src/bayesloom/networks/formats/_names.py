"""Plain identifiers for formats that know no others.

Other readers of BIF and NET want plain names. A name that is not plain is written as one that is, and
the original beside it in a property, percent-encoded, so that no character can upset any reader.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from bayesloom.networks.intervals import plain_interval

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_]++")
_SAFE = re.compile(r"[A-Za-z0-9_.~-]*+")  # what `encode` leaves as it is
_ENCODED = re.compile(r"(?:[A-Za-z0-9_.~-]++|%[0-9A-F]{2})*+")


def plain_names(names: Iterable[str], plain: re.Pattern[str], reserved: Container[str] = ()) -> list[str]:
    """Return distinct plain names, each its original where that is plain.

    >>> plain_names(["dose", "dose (mg)", "dose_mg", "7"], re.compile(r"[A-Za-z]\\w*"))
    ['dose', 'dose_mg_2', 'dose_mg', 'x7']
    >>> plain_names(["<= 40", "(40, 60]", "> 60"], re.compile(r"[A-Za-z]\\w*"))
    ['le_40', 'gt_40_le_60', 'gt_60']
    """
    originals = list(names)

    def is_plain(name: str) -> bool:
        return plain.fullmatch(name) is not None and name not in reserved

    taken = {name for name in originals if is_plain(name)}
    result = []
    used: dict[str, int] = {}  # stem -> the last number behind it
    for name in originals:
        if not is_plain(name):
            stem = plain_interval(name) or _NOT_PLAIN.sub("_", name).strip("_") or "x"
            stem = stem if is_plain(stem) else _NOT_PLAIN.sub("_", stem).strip("_")
            stem = stem if is_plain(stem) else "x" + stem
            name = stem
            while name in taken:
                used[stem] = used.get(stem, 1) + 1
                name = f"{stem}_{used[stem]}"
            taken.add(name)
        result.append(name)
    return result


def encode(text: str) -> str:
    """Return the text in letters, digits, ``_.-~`` and ``%`` only."""
    from urllib.parse import quote

    return quote(text, safe="")


def decode(text: str) -> str:
    """Undo `encode`; raise ValueError for what it cannot have written."""
    if _SAFE.fullmatch(text):
        return text
    if not _ENCODED.fullmatch(text):
        raise ValueError(text)
    from urllib.parse import unquote_to_bytes

    decoded = unquote_to_bytes(text).decode("utf-8", errors="strict")
    if encode(decoded) != text:
        raise ValueError(text)
    return decoded
