"""What can go wrong, in three kinds.

``InputError``     what was given cannot be used: a file, an option, a table.
``ResourceError``  there is not enough memory, disk or time for what was asked.
``InternalError``  Bayesloom contradicts itself; please report it.

A limit that was reached is none of these: it is an outcome, told by the result.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BayesloomError(Exception):
    """Base of every error that Bayesloom raises on purpose."""


class InputError(BayesloomError, ValueError):
    """What was given cannot be used; the message says what, where, and what to do."""


class InfeasibleError(InputError):
    """No network satisfies the constraints, or the candidates allow none."""


class ResourceError(BayesloomError, RuntimeError):
    """Not enough memory, disk or time; the message says how much is needed."""


class InternalError(BayesloomError, RuntimeError):
    """A result failed verification, or a contract inside the core was broken."""


def unknown(kind: str, given: object, known: Iterable[str]) -> InputError:
    """Return the error for a name that is not among the known ones.

    >>> str(unknown("score", "bdue", ["bic", "bdeu"]))
    "unknown score 'bdue'. Did you mean 'bdeu'? Known: bdeu, bic."
    """
    names = sorted(known)
    close = difflib.get_close_matches(str(given), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return InputError(f"unknown {kind} {given!r}.{hint} Known: {', '.join(names)}.")
