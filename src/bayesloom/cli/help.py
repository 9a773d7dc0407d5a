"""What ``bayesloom VERB --help`` shows: options in groups, the names they take, and examples that run.

Scores, methods and solvers are listed from where they are defined, each with its own sentence; nothing here
repeats their names.  Examples are run by a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import click

__all__ = ["Verb", "methods_of_learn", "methods_of_score", "score_names", "solver_names"]

Rows = list[tuple[str, str]]
Example = tuple[str, str]
"""What a command is for, and the command."""

GROUPS = {
    "The score": ("score_name", "ess", "score_option", "ess_sweep"),
    "Reading the table": (
        *("header", "discretize", "discrete", "missing", "states"),
        *("strict", "lenient", "exclude", "only", "weights"),
    ),
    "Many machines": ("executor", "blocks"),
    "Limits": ("time_limit", "work_limit", "target", "threads", "memory", "seed"),
    "Results": ("output", "report", "json_to", "save_network", "progress", "quiet"),
}


_RANGE = re.compile(r"  \[(?:0<=)?x[<>]=?[0-9.]+\]|; x>=?[0-9.]+|(?<=\[)x>=?[0-9.]+; ")
"""What click says of ranges: that a number of threads is 1 at least needs no words."""


class Verb(click.Command):
    """A verb: its help shows options in groups, lists of names, and examples."""

    running: ClassVar[click.Command | None] = None
    """The verb that was called, for the names of its options in messages."""

    def __init__(
        self,
        *arguments: Any,
        lists: Sequence[Callable[[], tuple[str, Rows]]] = (),
        examples: Sequence[Example] = (),
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.lists = lists
        self.examples = tuple(examples)

    def invoke(self, ctx: click.Context) -> Any:
        Verb.running = self
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those that belong together under a heading of their own."""
        own = {parameter.name for parameter in self.params}
        home = {name: group for group, names in GROUPS.items() for name in names}
        if "discretize" not in own:  # no table is read: --states of `sample` is another thing
            home = {name: group for name, group in home.items() if group != "Reading the table"}
        found: dict[str, Rows] = {group: [] for group in ("Options", *GROUPS)}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (row := parameter.get_help_record(ctx)) is not None:
                plain = row[0], _RANGE.sub("", row[1])
                found[home.get(parameter.name or "", "Options")].append(plain)
        if found["Results"]:
            found["Results"].append(found["Options"].pop())  # --help
        for group, rows in found.items():
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the options can name, and the examples."""
        for make in self.lists:
            title, rows = make()
            with formatter.section(title):
                formatter.write_dl(rows)
        if self.examples:
            with formatter.section("Examples"):
                for purpose, shown in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{purpose}:\n")
                    formatter.write(f"{'':{formatter.current_indent}}  {shown}\n")


def score_names() -> tuple[str, Rows]:
    """Return the scores with a sentence each, and their options."""
    from bayesloom.scoring.registry import scores

    rows = []
    for score in scores.values():
        options = "".join(
            f" --score-option {o.name}=X: {o.help}, {o.low:g} to {o.high:g} [{o.initial:g}]."
            for o in score.options
        )
        rows.append((score.name, score.summary + options))
    return "Scores (--score NAME; natural logarithms, larger is better)", rows


def methods_of_score() -> tuple[str, Rows]:
    """Return the methods that find parent sets."""
    from bayesloom.scoring.parent_sets import METHODS

    return "Methods (--method NAME)", list(METHODS.items())


def methods_of_learn() -> tuple[str, Rows]:
    """Return the same for `learn`, with those that are its own."""
    from bayesloom.learning.planning import OWN_METHODS

    return "Methods (--method NAME)", [*OWN_METHODS.items(), *methods_of_score()[1]]


def solver_names() -> tuple[str, Rows]:
    """Return the solvers."""
    from bayesloom.solvers.api import SOLVERS, solver_named
    from bayesloom.solvers.auto import Auto

    def sentence(exact: bool) -> str:
        return "exact: ends with a proof" if exact else "good networks of any size, no proof"

    solvers = [solver_named(name) for name in (Auto.name, *SOLVERS)]
    return "Solvers (--solver NAME)", [
        (solver.name, f"{solver.title}; {sentence(solver.exact)}.") for solver in solvers
    ]


def names_of_options(names: Iterable[str]) -> dict[str, str]:
    """Return how the running verb writes each of these options; those it does not have are left out."""
    if Verb.running is None:
        return {}
    known = {p.name: max(p.opts, key=len) for p in Verb.running.params if isinstance(p, click.Option)}
    return {name: known[key] for name in names for key in (name, f"{name}_name") if key in known}
