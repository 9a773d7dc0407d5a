"""Which options of a command were given: to suggest another command, or to refuse what would be lost."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

import click
from click.core import ParameterSource

from bayesloom.cli.reading import HOW_A_TABLE_IS_READ
from bayesloom.errors import InputError

HOW_IT_IS_SCORED = ("score_name", "ess", "score_option")
OWN_OF_SCORES = ("ess", "score_option")
AGAIN = (*HOW_A_TABLE_IS_READ, *HOW_IT_IS_SCORED, "max_parents", "constraints")


def was_given(name: str) -> bool:
    """Whether an option of the command was given, be it with its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def given_again(
    argument: str,
    chosen: Mapping[str, object] | None = None,
    written: str | None = None,
    without: Iterable[str] = (),
    how: Sequence[str] = (),
) -> str:
    """Return an argument of this command with the options that say how it is read and scored, as given.

    For a command that is suggested: it must mean the same table and the same networks. `chosen` are values
    that the command found itself, in place of what was given; `written` is the table that it wrote, which
    the result is of: it is read as `how` says. Options `without` are left out.
    """
    chosen = chosen or {}
    context = click.get_current_context()
    words = [str(context.params.get(argument, "")) if written is None else written, *how]
    decided = set(without)
    if written is not None:
        decided |= set(HOW_A_TABLE_IS_READ) - {"states"}
    for option in context.command.params:
        name = option.name or ""
        if name not in AGAIN or name in decided or not (name in chosen or was_given(name)):
            continue
        value = chosen.get(name, context.params[name])
        if isinstance(value, bool):
            words.append(option.opts[0] if value else option.secondary_opts[0])
            continue
        for one in value if isinstance(value, tuple) else [value]:
            words += [option.opts[0], str(one)]
    return shlex.join(words)


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that would be without effect: nothing that was asked for is passed over in silence."""
    shown = {option.name: option.opts[0] for option in click.get_current_context().command.params}
    if given := [shown[name] for name in names if name in shown and was_given(name)]:
        listed = " and ".join(given)
        raise InputError(f"{listed} would be without effect: {why}.")
