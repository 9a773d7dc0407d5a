"""Walks through a text by regular expressions and says what it found instead.

All repetitions in the expressions are possessive (``*+``): they never go back, so a damaged file is
refused in linear time.
"""

from __future__ import annotations

import re

from bayesloom.errors import InputError
from bayesloom.formats._format import Source

#: A quoted string; a backslash takes the next character as it is.
STRING = r'"(?:[^"\\]|\\.)*+"'
_SPACE = re.compile(r"\s*+")
_NEXT = re.compile(r'"[^"\n]{0,30}+"?|[\w.+-]{1,30}+|\S')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Scanner:
    """A position in a text."""

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.text = text
        self.position = 0

    def skip_space(self) -> None:
        self.position = _SPACE.match(self.text, self.position).end()  # type: ignore[union-attr]

    def at_end(self) -> bool:
        self.skip_space()
        return self.position == len(self.text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Skip white space and move past the pattern if it is next."""
        self.skip_space()
        if match := pattern.match(self.text, self.position):
            self.position = match.end()
        return match

    def expect(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Move past the pattern, or fail with what was expected and what was found."""
        match = self.take(pattern)
        if match is None:
            raise self.error(what)
        return match

    def error(self, expected: str) -> InputError:
        """Return the error for what is next, when something else was expected."""
        self.skip_space()
        found = _NEXT.match(self.text, self.position)
        shown = f"'{found[0]}'" if found else "the end of the file"
        return self.source.error(f"expected {expected}, found {shown}.", self.position)


def unquote(string: str) -> str:
    """Return what a quoted string stands for."""
    return _ESCAPE.sub(r"\1", string[1:-1])


def quote(text: str) -> str:
    """Return the text as a quoted string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def blank(pattern: re.Pattern[str], text: str) -> str:
    """Replace comments by white space that keeps every line and position.

    The pattern must match strings too, so that what looks like a comment inside one stays.
    """

    def replacement(match: re.Match[str]) -> str:
        found = match[0]
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return pattern.sub(replacement, text)
