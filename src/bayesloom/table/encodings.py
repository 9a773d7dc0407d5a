"""Text that is not UTF-8: what Excel and old programs write becomes UTF-8, with a note."""

from __future__ import annotations

import codecs
import re

from bayesloom.errors import InputError

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def as_utf8(data: bytes, source: str, notes: list[str]) -> bytes:
    """Return the text of a file in UTF-8; what cannot be told is left for the reader to refuse.

    UTF-16 is known by its mark.  Other text that is not UTF-8 is taken for Windows-1252, unless it has
    characters of UTF-8 before the place that is none: then it is damaged.

    >>> as_utf8("Größe".encode("cp1252"), "t.csv", notes := []).decode()
    'Größe'
    >>> notes
    ['The text is not UTF-8; it is read as Windows-1252: check letters with accents.']
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{source}, byte {error.start}: the text is UTF-16, and damaged. Save it as UTF-8."
            ) from None
        notes.append("The text is UTF-16, and read as such.")
        return text.encode("utf-8", "surrogatepass")
    if data.isascii():
        return data
    try:
        codecs.utf_8_decode(data, "strict", True)
    except UnicodeDecodeError as error:
        begins = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        if begins or not data[: error.start].isascii() or _CONTROL.search(data):
            return data
        try:
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            return data
        notes.append("The text is not UTF-8; it is read as Windows-1252: check letters with accents.")
        return text.encode("utf-8")
    return data
