"""What a file format is, and the text it reads, with errors that say where.

A format is one file in this folder: it reads a `Source` and writes a string, and describes itself in
a `Format`. Opening, decompressing and replacing files is done once, in ``bayesloom/files.py``.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from bayesloom.errors import InputError, option
from bayesloom.networks.cpdag import Cpdag
from bayesloom.networks.network import Network, structure_of
from bayesloom.text_input import decoded

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork
    from bayesloom.networks.gaussian import GaussianNetwork

AnyNetwork: TypeAlias = "Network | FittedNetwork | GaussianNetwork"

#: Where something stands in a file: its line, or in words.
Place = int | str


@dataclass(frozen=True)
class Source:
    """The bytes of a file and the name to call it by in errors."""

    name: str
    data: bytes

    @cached_property
    def text(self) -> str:
        """The bytes as UTF-8, with or without a byte order mark."""
        return decoded(self.data, self.name)

    def line(self, offset: int) -> int:
        """Return the number of the line that holds this character, counting from 1."""
        return bisect.bisect_left(self._line_ends, offset) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def error(self, message: str, offset: int) -> InputError:
        """Return an error that names the file and the line."""
        return InputError(f"{self.name}, line {self.line(offset)}: {message}")

    def error_on(self, place: Place, message: str) -> InputError:
        """Return an error that names the file and a place that is known already."""
        where = f"line {place}" if isinstance(place, int) else place
        return InputError(f"{self.name}, {where}: {message}")


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name
        What the user calls it.
    extensions
        Endings of file names, with the dot; the first is the usual one.
    read, write
        From a source to a network, and from a network to text, or to bytes.
    holds_probabilities
        Whether only a `FittedNetwork` can be written; otherwise the structure is written.
    write_directed
        Where edges are written with whether they are compelled: the same from a picture that says it.
    check
        Refuses to write where a package that is needed is not installed.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Source], AnyNetwork]
    write: Callable[[AnyNetwork], str | bytes]
    holds_probabilities: bool
    write_directed: Callable[[AnyNetwork, Cpdag], str | bytes] | None = None
    check: Callable[[], None] | None = None


def structure(network: AnyNetwork) -> Network:
    """Return the network without its probabilities."""
    return structure_of(network)


def fitted(network: AnyNetwork, format: str) -> FittedNetwork:
    """Return the network if it has probabilities, or say how to get them."""
    if isinstance(network, Network):
        raise InputError(
            f"{format} holds probabilities, and this network has none. Estimate them from a table, with"
            " network.fit(table) in Python or `bayesloom learn`, or write JSON, DOT, GraphML or a model"
            " string."
        )
    check_discrete(getattr(network, "continuous", ()), format)
    return cast("FittedNetwork", network)


def check_discrete(continuous: Sequence[str], format: str) -> None:
    """Refuse continuous variables in a format that holds probabilities of states."""
    if continuous:
        raise InputError(
            f"{format} holds discrete variables only, and {continuous[0]!r} is continuous. Write .json, which"
            " holds both, or .dot, .graphml, .modelstring for the structure; or learn with"
            f" {option('score', 'bic')}, which cuts numbers into ranges."
        )
