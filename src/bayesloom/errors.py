"""What can go wrong, in four kinds.

``InputError``     what was given cannot be used: a file, an option, a table.
``ResourceError``  there is not enough memory, disk or time for what was asked.
``ExecutorError``  the workers of an ``executor`` were lost, or do not do what was asked.
``InternalError``  Bayesloom contradicts itself; please report it.

Reaching a limit is not an error: it is an outcome, and the result says so.
"""

from __future__ import annotations

import itertools
import math
import re
import reprlib
from collections.abc import Callable, Collection, Iterable

LISTED = 60  # names that a message lists
LONGEST = 100  # letters of a name that is compared with others
COMPARED = 10_000  # names that it is compared with


class BayesloomError(Exception):
    """Base of every error that Bayesloom raises on purpose.

    A message names options by `option`, so that each surface shows them as its users write them: Python
    ``memory=``, the command line ``--memory``.

    >>> error = InputError(f"Allow more with {option('memory')}.")
    >>> str(error), error.options
    ('Allow more with memory=.', ('memory',))
    >>> error.worded(lambda name, value: f"--{name}")
    'Allow more with --memory.'
    """

    def __init__(self, message: object = "", *more: object) -> None:
        self.template = str(message)
        super().__init__(_OPTION.sub(lambda found: found[1], self.template), *more)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that the message names."""
        return tuple(found[2] for found in _OPTION.finditer(self.template))

    def worded(self, show: Callable[[str, str], str | None]) -> str:
        """Return the message with every option as `show(name, value)` writes it.

        Where that is None, the option is unknown there: what it says `elsewhere` is shown, or else Python.
        """
        return _OPTION.sub(lambda found: show(found[2], found[3]) or found[4] or found[1], self.template)


class InputError(BayesloomError, ValueError):
    """What was given cannot be used; the message says what, where, and what to do."""


class InfeasibleError(InputError):
    """No network satisfies the constraints, or the candidates allow none."""


class ResourceError(BayesloomError, RuntimeError):
    """Not enough memory, disk or time; the message says how much is needed."""


class ExecutorError(BayesloomError, RuntimeError):
    """The workers of an ``executor`` were lost; the message says which, and how far the work was."""


class InternalError(BayesloomError, RuntimeError):
    """A result failed verification, or a contract inside the core was broken."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C before there was an answer to keep; the message says at what."""


_OPTION = re.compile("\x1e" + "\x1f".join(["([^\x1e\x1f]*)"] * 4) + "\x1e")
"""An option in a message: what Python shows, its name, its value, what is shown where there is none of that
name; between separators that no text has."""


def option(
    name: str,
    value: str | bool | None = None,
    *,
    subject: bool = False,
    metavar: str = "",
    elsewhere: str = "",
) -> str:
    """Return an option for a message of a `BayesloomError`.

    Python shows ``name='value'``, or ``name=`` without a value; as the `subject` of a sentence ``name``.
    The command line shows ``--name value``, ``--name`` of a value that is true, and ``--name METAVAR``
    without a value; `elsewhere` is what stands for an option that it does not have.

    >>> print(InputError(f"{option('seed', subject=True)} is too large; use {option('missing', 'drop')}."))
    seed is too large; use missing='drop'.
    """
    python = name if subject else _in_python(name, value)
    return f"\x1e{python}\x1f{name}\x1f{value if isinstance(value, str) else metavar}\x1f{elsewhere}\x1e"


def option_in_note(name: str, value: str | bool | None = None, *, metavar: str = "") -> str:
    """Return an option for a note, which is kept with its table and shown everywhere: both spellings.

    >>> option_in_note("missing", "drop"), option_in_note("discrete", metavar="NAME")
    ("missing='drop' (--missing drop)", 'discrete= (--discrete NAME)')
    """
    written = metavar
    if isinstance(value, str):
        import shlex

        written = shlex.quote(value)
    return f"{_in_python(name, value)} ({f'--{name} {written}'.rstrip()})"


def note_on_command_line(note: str) -> str:
    """Return a note with its options as they are written on the command line alone.

    >>> note_on_command_line("Keep one with discrete= (--discrete NAME), or missing='drop' (--missing drop).")
    'Keep one with --discrete NAME, or --missing drop.'
    """
    return _IN_NOTE.sub(lambda found: found[2], note)


_IN_NOTE = re.compile(r"""\b(\w+)=(?:'[^']*'|"[^"]*"|\w*) \((--\1(?: (?:'[^']*'|[^\s()'"]+))?)\)""")


def _in_python(name: str, value: str | bool | None) -> str:
    return f"{name}=" if value is None else f"{name}={value!r}"


def unknown(
    kind: str, given: object, known: Iterable[str], *, in_order: bool = False, near: str | None = None
) -> InputError:
    """Return the error for a name that is not among the known ones.

    These are listed by name, or `in_order` as they come; `near` is the one that was meant, if that is known.

    >>> str(unknown("score", "bdue", ["bic", "bdeu"]))
    "unknown score 'bdue'. Did you mean 'bdeu'? Known: bdeu, bic."
    """
    names = list(known) if in_order else sorted(known)
    listed = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED:,} more" if len(names) > LISTED else "")
    meant = did_you_mean(given, names) if near is None else f" Did you mean {near!r}?"
    return InputError(f"unknown {kind} {shown(given)}.{meant} Known: {listed}.")


def shown(value: object) -> str:
    """Return a value as a message shows it: short, whatever it is.

    >>> shown("rain"), shown(10**20), shown([1, [2, [3]]]), shown("x" * 1000)
    ("'rain'", '10^20', '[1, [2, [3]]]', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'")
    """
    if isinstance(value, int) and abs(value) >= 10**19:  # thousands of digits cannot even be written
        digits = math.floor(math.log10(abs(value)))
        sign = "-" if value < 0 else ""
        return f"{sign}10^{digits}" if abs(value) == 10**digits else f"about {sign}10^{digits}"
    try:
        return _SHORT.repr(value)
    except (ValueError, RecursionError):
        return f"an object of type {type(value).__name__}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 62
_SHORT.maxlevel = 4


def did_you_mean(given: object, names: Collection[str]) -> str:
    """Return the question with the nearest name, or nothing if none is near.

    Comparing takes the product of both lengths, so what is longer than any word is not compared, and
    of very many names only the first.

    >>> did_you_mean("bdue", ["bic", "bdeu"]), did_you_mean("b" * 1000, ["b" * 999])
    (" Did you mean 'bdeu'?", '')
    """
    import difflib

    text = str(given)
    if len(text) > LONGEST:
        return ""
    short = (name for name in names if len(name) <= LONGEST)
    close = difflib.get_close_matches(text, itertools.islice(short, COMPARED), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
