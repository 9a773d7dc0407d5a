"""The files that a command writes: looked at before the work, and written each by itself after it.

What can be known beforehand is said beforehand: a folder that is not there, a place that may not be
written, one name for two files, a result in the place of the table it came from.  What goes wrong later (a
full disk, a pipe that was closed) hits one output: the others are written, every failure is one sentence on
stderr, and the exit code is 1.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence

import click

from bayesloom.errors import BayesloomError, InputError

__all__ = ["Outputs", "check_drawing_name", "check_network_name", "check_outputs"]


class Outputs:
    """Writes the outputs of a command one after the other, and remembers what failed.

    >>> outputs = Outputs()
    >>> outputs.write("net.bif", lambda: None)
    True
    >>> outputs.exit_code(3)
    3
    """

    def __init__(self) -> None:
        self.failed: list[str] = []

    def write(self, name: str, writer: Callable[[], object]) -> bool:
        """Call what writes one output; if it fails, say so and go on."""
        from bayesloom.cli import message
        from bayesloom.interrupts import writing

        try:
            with writing():
                writer()
            return True
        except BayesloomError as error:
            sentence = message(error)
        except MemoryError:
            sentence = f"bayesloom: {name}: cannot be written: there is not enough memory."
        except OSError as error:
            reason = error.strerror or str(error)
            sentence = f"bayesloom: {name}: cannot be written: {reason[:1].lower()}{reason[1:]}."
        self.failed.append(name)
        click.echo(sentence, err=True)
        return False

    def exit_code(self, code: int) -> int:
        """Return the exit code of the command, 1 if an output failed."""
        from bayesloom.cli import EXIT_ERROR

        return EXIT_ERROR if self.failed else code


def check_outputs(*outputs: str | None, reads: Iterable[str | None] = ()) -> None:
    """Refuse outputs that cannot be written, or must not be, before the work instead of after.

    `reads` are files that the command reads: none of them is overwritten by a result.
    """
    given = [path for path in outputs if path is not None and path != "-"]
    if list(outputs).count("-") > 1:
        raise InputError("only one result can go to standard output (-).")
    seen: dict[str, str] = {}
    inputs = {os.path.realpath(path) for path in reads if path is not None and path != "-"}
    for path in given:
        if not path or "\0" in path:
            raise InputError(f"{path!r} is no name of a file.")
        place = os.path.realpath(path)
        if not _is_plain(place):
            _check(path, path, os.access(path, os.W_OK), "it is write-protected")
            continue
        if place in seen:
            raise InputError(f"{seen[place]} and {path} are the same file: give each result its own.")
        seen[place] = path
        if place in inputs:
            raise InputError(
                f"{path}: the command reads this file; a result would take its place. Give another name."
            )
        folder = os.path.dirname(place)
        if not os.path.isdir(folder):
            raise InputError(f"{path}: there is no folder {os.path.dirname(path) or folder!r}.")
        if os.path.exists(place):
            _check(path, place, os.access(place, os.W_OK), "it is write-protected")
        _check(path, place, os.access(folder, os.W_OK | os.X_OK), f"the folder {folder!r} is write-protected")


def check_network_name(path: str | None, *, from_table: bool = True, continuous: Sequence[str] = ()) -> None:
    """Refuse a file for a network whose ending names no format: better before the work than after.

    The same for a format that holds probabilities, unless there is a table to estimate them from, in which
    some variables may be `continuous`.
    """
    if path is not None:
        from bayesloom.networks.formats import format_of
        from bayesloom.networks.formats._format import check_discrete

        format = format_of(path)
        if format.check is not None:
            format.check()
        if format.holds_probabilities:
            check_discrete(continuous, format.name)
        if format.holds_probabilities and not from_table:
            raise InputError(
                f"{path}: {format.name} holds probabilities, and a score cache has none. Give a name that"
                " ends in .json, .dot, .graphml or .modelstring, or learn from the table:"
                f" bayesloom learn DATA -o {path}."
            )


def holds_states_alone(path: str | None) -> bool:
    """Whether a file for a network holds probabilities of states and nothing else.

    >>> holds_states_alone("network.bif"), holds_states_alone("network.json"), holds_states_alone(None)
    (True, False, False)
    """
    if path is None:
        return False
    from bayesloom.networks.formats import format_of

    return format_of(path).holds_probabilities


def check_drawing_name(path: str) -> None:
    """Refuse a file for a drawing whose ending names none, or that cannot be drawn here."""
    if not path.lower().endswith((".svg", ".png", ".pdf")):
        raise InputError(f"{path}: a drawing ends in .svg, .png or .pdf.")
    check_network_name(path)


def _check(path: str, place: str, fine: bool, why: str) -> None:
    if os.path.isdir(place):
        fine, why = False, "it is a folder"
    if not fine:
        raise InputError(f"{path}: cannot be written: {why}.")


def _is_plain(place: str) -> bool:
    """Whether a place is a plain file or yet to be one; devices, pipes and what /dev/fd names are not."""
    if place.startswith("/proc/"):
        return False
    try:
        mode = os.stat(place).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode)
