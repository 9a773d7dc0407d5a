"""Bytes of a file as text: UTF-8 without NUL, or one sentence that says where it is not.

Shared by all readers of whole texts: networks, constraints, JSON.  Tables check their bytes in place.
"""

from __future__ import annotations

from bayesloom.errors import InputError

__all__ = ["decoded"]


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
