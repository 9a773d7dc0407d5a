r"""Text that is safe to print: characters that would control the terminal are written as escapes.

A name in a table may hold anything: sequences that colour or clear a terminal, invisible characters,
characters that reverse the direction of writing, halves of surrogate pairs. None of these may reach a
terminal, except the two joiners (U+200C, U+200D), without which some scripts cannot be written. All output of
the command line passes `printable_streams`; files keep names exactly.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

__all__ = ["json_printable", "one_line", "plain_stream", "printable", "printable_streams"]

# C0 without newline, DEL and C1; marks, embeddings, overrides and isolates of direction; separators of lines
# and paragraphs; spaces, hyphens and operators that are not seen; surrogates; the byte order mark;
# annotations; tags.
_STEERING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ESCAPES = {"\t": r"\t", "\r": r"\r", "\n": r"\n"}


def printable(text: str) -> str:
    r"""Return the text with all that steers a terminal escaped; lines stay lines.

    >>> print(printable("rain\x1b[2J\u202e\tand\nsnow"))
    rain\x1b[2J\u202e\tand
    snow
    """
    return _STEERING.sub(_escape, text)


def one_line(text: str) -> str:
    r"""Return the text as `printable` does, with newlines escaped too: for a name, a path, a sentence.

    >>> print(one_line("rain\nverified"))
    rain\nverified
    """
    return printable(text).replace("\n", r"\n")


def json_printable(text: str) -> str:
    r"""Return a JSON text with the same characters escaped as JSON does: it says the same.

    >>> print(json_printable('["\u202e"]'))
    ["\u202e"]
    """
    # The text of json.dumps has newlines and the like only between values; tabs it has none.
    return _STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    number = ord(character)
    if number > 0xFFFF:
        return f"\\U{number:08x}"
    return _ESCAPES.get(character) or (f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}")


class _Printable:
    """A text stream that writes only what is printable, and what its encoding cannot hold as escapes."""

    def __init__(self, stream: TextIO) -> None:
        self.plain = stream

    def write(self, text: str) -> int:
        if isinstance(text, str):
            shown = printable(text)
            encoding = getattr(self.plain, "encoding", None) or "utf-8"
            if not shown.isascii() and encoding.lower().replace("-", "") != "utf8":
                shown = shown.encode(encoding, "backslashreplace").decode(encoding)
            self.plain.write(shown)
            return len(text)
        return self.plain.write(text)  # bytes: the stream says that it does not take them

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def plain_stream(stream: Any) -> Any:
    """Return the stream below: for what styles its own output, and shows no names."""
    return stream.plain if isinstance(stream, _Printable) else stream


@contextmanager
def printable_streams() -> Iterator[None]:
    """Let all that is written to stdout and stderr in this block be printable."""
    before = sys.stdout, sys.stderr
    wrapped = [stream if stream is None else cast(TextIO, _Printable(stream)) for stream in before]
    sys.stdout, sys.stderr = wrapped
    try:
        yield
    finally:
        if [sys.stdout, sys.stderr] == wrapped:
            sys.stdout, sys.stderr = before
