"""Walks through a text by regular expressions and says what it found instead.

All repetitions in the expressions are possessive (``*+``): they never go back, so an attempt to match takes
linear time; and none is searched for, which would begin an attempt at each character. So every file is read
or refused in linear time.
"""

from __future__ import annotations

import re

from bayesloom.errors import InputError
from bayesloom.networks.formats._format import Source

#: A quoted string; a backslash takes the next character as it is.
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
#: A comment between ``/*`` and ``*/``.
COMMENT = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/"
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
        if self.text[self.position : self.position + 1].isspace():
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
    inner = string[1:-1]
    return _ESCAPE.sub(r"\1", inner) if "\\" in inner else inner


def quote(text: str) -> str:
    """Return the text as a quoted string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Comments:
    """The comments of a format, which are blanked before the text is parsed.

    `begin` lists the characters a comment begins with, `not_begun` is an expression for such a character
    where it does not begin one, `comment` for a comment. What looks like a comment in a string stays.
    """

    def __init__(self, begin: str, not_begun: str, comment: str) -> None:
        self._text = re.compile(rf'(?:[^"{begin}]++|{STRING}|{not_begun})*+', re.DOTALL)
        self._comments = re.compile(rf"(?:(?:{comment})\s*+)++", re.DOTALL | re.MULTILINE)

    def blanked(self, source: Source) -> str:
        """Return the text with comments replaced by white space that keeps every line and position."""
        text, position = source.text, 0
        pieces: list[str] = []
        while True:
            plain = self._text.match(text, position)
            assert plain is not None  # the expression matches everywhere
            found = self._comments.match(text, plain.end())
            if found is None:
                if text.startswith("/*", plain.end()):
                    raise source.error("a comment /* is never closed.", plain.end())
                # The end, or a string that is never closed: the parser will say so.
                return "".join([*pieces, text[position:]]) if pieces else text
            blanks = [" " * len(line) for line in found[0].split("\n")]
            pieces += [plain[0], "\n".join(blanks)]
            position = found.end()
