"""Walks through a text by regular expressions and says what it found instead.

All repetitions in the expressions are possessive (``*+``): they never go back, so an attempt to match takes
linear time. An expression that is searched for, not matched in place, must besides take what it has begun:
a quote or comment that is never closed reaches to the end of the text, or each of its characters would be
the start of another attempt that goes there. So every file is read or refused in linear time.
"""

from __future__ import annotations

import re

from bayesloom.errors import InputError
from bayesloom.formats._format import Source

#: A quoted string; a backslash takes the next character as it is.
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
#: The same, or one that is never closed: for searching.
ANY_STRING = STRING + "?+"
#: A comment between ``/*`` and ``*/``, closed or not: for searching.
ANY_COMMENT = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+"
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


def blank(pattern: re.Pattern[str], source: Source) -> str:
    """Return the text with comments replaced by white space that keeps every line and position.

    The pattern must match strings too, so that what looks like a comment inside one stays.
    """

    def replacement(match: re.Match[str]) -> str:
        found = match[0]
        if found[0] == '"':
            return found
        if found.startswith("/*") and (len(found) < 4 or not found.endswith("*/")):
            raise source.error("a comment /* is never closed.", match.start())
        return "\n".join([" " * len(line) for line in found.split("\n")])

    return pattern.sub(replacement, source.text)
