"""Text within HTML and SVG: shown as it is, whatever it holds, and never endless."""

from __future__ import annotations

import re
from html import escape

from bayesloom.printable import one_line

__all__ = ["clipped", "shown"]

LONGEST = 200  # letters of a name or note on a page; the files have the rest
# Characters that XML does not allow and that `one_line` leaves as they are.
_NOT_XML = re.compile("[\ufffe\uffff]")


def clipped(text: str, most: int = LONGEST) -> str:
    """Return a text on one line, the middle left out if it is longer than `most` letters.

    >>> clipped("abcdefghij", 7).replace("\u2026", "...")
    'abc...hij'
    """
    line = one_line(text if len(text) <= 4 * most else f"{text[:most]}\u2026{text[-most:]}")
    line = _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", line)
    if len(line) <= most:
        return line
    half = (most - 1) // 2
    return f"{line[:half]}\u2026{line[-half:]}"


def shown(text: str, most: int = LONGEST) -> str:
    """Return a text that HTML and XML show as it is: markup as letters, control characters as escapes.

    >>> shown("<b>\\n")
    '&lt;b&gt;\\\\n'
    """
    return escape(clipped(text, most))
