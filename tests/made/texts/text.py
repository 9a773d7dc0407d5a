"""Texts made to be slow: for every reader, every place in its grammar filled with every awkward run.

A text is a context of the reader, in which `PLACE` marks the place, and a unit that is repeated there until
the text has the size asked for; `NUMBER` in a unit counts from 0, so that names differ. Used by the tests,
which count the work at small sizes, and by ``benchmarks/tables/input/hostile``, which times 20 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

Grammar = tuple[tuple[str, ...], tuple[str, ...]]
"""Contexts in which a place is filled, and units of the format's own."""

PLACE, NUMBER = "\N{HORIZONTAL ELLIPSIS}", "\N{NUMERO SIGN}"

#: What every reader is given in every place.
UNITS = (
    *"\"'\\ \n\t\r[{(<]})>&%#,;:|=-~.0a@_\u00e9\u2028",
    '\\"',
    "\\'",
    "\\\\",
    '"a" ',
    "'a',",
    '"a\\" ',
    '""',
    "/*",
    "*/",
    "//",
    "/* */",
    "->",
    "<-",
    "--",
    "a ",
    "a,",
    "a\n",
    "0 ",
    "1,",
    "-1\n",
    "9",
    "1e",
    "[]",
    "{}",
    "()",
    '"" ',
    " \n",
    "\r\n",
    f"a{NUMBER} ",
    f"a{NUMBER},",
    f"a{NUMBER}\n",
)


#: Those that are likely to make an expression go back, for where each text is dear.
FEW = ('"', "\\", " ", "\n", "(", "0", "a", '\\"', "\\'", "/*", "/* */", "a ", "a,", "1e", f"a{NUMBER} ")


@dataclass(frozen=True)
class Reader:
    """A reader of text, the contexts of its grammar, and units of its own."""

    name: str
    read: Callable[[bytes], object]
    contexts: tuple[str, ...]
    units: tuple[str, ...] = ()

    def texts(
        self, size: int, units: tuple[str, ...] = UNITS, only: Container[str] | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """Yield a label and the text for each context and unit, or only for some labels."""
        for context in self.contexts:
            head, tail = context.split(PLACE)
            for unit in (*units, *self.units):
                label = f"{context!r} with {unit!r}"
                if only is None or label in only:
                    yield label, (head + filled(unit, size) + tail).encode()


def filled(unit: str, size: int) -> str:
    """Return a unit repeated up to a number of bytes."""
    if NUMBER not in unit:
        return unit * max(1, size // len(unit.encode()))
    parts, left, k = [], size, 0
    while left > 0:
        parts.append(unit.replace(NUMBER, str(k)))
        left -= len(parts[-1])
        k += 1
    return "".join(parts)
