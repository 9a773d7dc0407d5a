"""Shared by all readers of text: bytes as UTF-8 without NUL, numbers, and the first name that occurs twice.

Every reader takes linear time on every text, even on a hostile one: regular expressions do not backtrack
(``*+``), and nothing is looked up in a growing list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from bayesloom.errors import InputError

__all__ = ["decoded", "first_repeated", "number"]


def decoded(data: bytes, name: str) -> str:
    """Return the bytes as UTF-8 text, with or without a byte order mark.

    >>> decoded(b"rain", "a.txt")
    'rain'
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}, byte {error.start}: the file is not UTF-8 text. Convert it first, for example"
            " with: iconv -f latin1 -t utf-8."
        ) from None
    if (nul := text.find("\0")) >= 0:
        line = text.count("\n", 0, nul) + 1
        raise InputError(
            f"{name}, line {line}: found a NUL character; the file is damaged or not a text file."
        )
    return text


def number(text: str) -> float:
    """Return a number as files write it; raise ValueError for what only Python takes for one.

    >>> number("-1.5e3")
    -1500.0
    >>> for text in ("1_0", "\u0661", "inf", "1e400"):
    ...     try:
    ...         number(text)
    ...     except ValueError as error:
    ...         print(error)
    '1_0' is not a number
    '\u0661' is not a number
    'inf' is not a number
    '1e400' is not a number
    """
    value = float(text) if text.isascii() and "_" not in text else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not a number")
    return value


def first_repeated(items: Iterable[str]) -> str | None:
    """Return the first item that was there before, if there is one.

    >>> first_repeated(["a", "b", "b", "a"])
    'b'
    """
    seen: set[str] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None
