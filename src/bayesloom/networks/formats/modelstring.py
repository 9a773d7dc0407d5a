"""Model strings of the R package bnlearn: ``[A][B|A][C|A:B]``.

One pair of brackets per variable, its parents after the bar, colons between them. The string has no
way to quote, so a name with one of ``[ ] | :`` cannot be written. Variables keep their order.
"""

from __future__ import annotations

import re

from bayesloom.errors import InputError
from bayesloom.networks.formats._assemble import check_number
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure
from bayesloom.networks.formats._scanner import Scanner
from bayesloom.networks.network import Network

_VARIABLE = re.compile(r"\[([^\[\]|:]++)(?:\|([^\[\]|]*+))?\]")
_SPECIAL = re.compile(r"[\[\]|:]")


def parse(text: str, name: str = "model string") -> Network:
    """Return the network that a model string describes.

    >>> parse("[A][C|A:B][B]").parents
    {'A': (), 'C': ('A', 'B'), 'B': ()}
    """
    return read(Source(name, text.encode()))


def read(source: Source) -> Network:
    """Read a file that holds one model string."""
    scanner = Scanner(source, source.text)
    parents: dict[str, list[str]] = {}
    while not scanner.at_end():
        match = scanner.expect(_VARIABLE, "'[variable]' or '[variable|parent:parent]'")
        if match[1] in parents:
            raise source.error(f"variable {match[1]!r} is given twice.", match.start())
        parents[match[1]] = match[2].split(":") if match[2] is not None else []
        check_number(source, len(parents))
    try:
        return Network(tuple(parents), parents)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def to_string(network: Network) -> str:
    """Return the model string of a network.

    >>> to_string(Network("ABC", {"C": ["A", "B"]}))
    '[A][B][C|A:B]'
    """
    for name in network.names:
        if found := _SPECIAL.search(name):
            raise InputError(
                f"variable {name!r} holds {found[0]!r}, which a model string cannot quote. Rename it, or"
                " write JSON or BIF."
            )
    return "".join(
        f"[{name}|{':'.join(parents)}]" if parents else f"[{name}]"
        for name, parents in network.parents.items()
    )


def write(network: AnyNetwork) -> str:
    """Return the structure as a line with its model string."""
    return to_string(structure(network)) + "\n"


FORMAT = Format("model string", (".modelstring",), read, write, holds_probabilities=False)
