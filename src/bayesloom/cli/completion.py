"""What a shell offers while a command is typed: names that an option takes, files, folders.

Names come from the lists that the help of a verb shows (`Scores (--score NAME; ...)`), so nothing is named
twice; what is a file or a folder is told by the metavar of an option. Arguments are files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import click
from click.shell_completion import CompletionItem

__all__ = ["complete_values"]

FILES = {"FILE", "FILE|-", "CACHE", "DATA", "NET", "RUN"}
FOLDERS = {"DIR", "DIR|URL"}
Rows = list[tuple[str, str]]
_OPTION = re.compile(r"\((--[a-z-]+) NAME")
"""How the title of a list names the option that it is of."""


class _Kind(click.types.StringParamType):
    """A text that the shell completes as a file or a folder."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.kind)]


class _Names(click.types.StringParamType):
    """A text that is one of the names in a list of the help, made only when the shell asks."""

    def __init__(self, lists: Sequence[Callable[[], tuple[str, Rows]]]) -> None:
        self.lists = lists

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = []
        for make in self.lists:
            title, rows = make()
            if any(option in param.opts for option in _OPTION.findall(title)):
                told = [(name, text.partition(". ")[0].rstrip(".")) for name, text in rows]
                found += [
                    CompletionItem(name, help=text) for name, text in told if name.startswith(incomplete)
                ]
        return found


def complete_values(
    parameters: Sequence[click.Parameter], lists: Sequence[Callable[[], tuple[str, Rows]]]
) -> None:
    """Let the shell complete what these parameters of a verb take; ``lists`` are those of its help."""
    for parameter in parameters:
        if not isinstance(parameter.type, click.types.StringParamType):
            continue  # a choice or a number
        if isinstance(parameter, click.Argument) or parameter.metavar in FILES:
            parameter.type = _Kind("file")
        elif parameter.metavar in FOLDERS:
            parameter.type = _Kind("dir")
        elif parameter.metavar == "NAME":
            parameter.type = _Names(lists)
