"""What ``bayesloom VERB --help`` shows: options in groups, the names they take, and examples that run.

Scores, methods and solvers are listed from where they are defined, each with its own sentence; nothing here
repeats their names.  Examples are run by a test.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import click

from bayesloom.cli.completion import complete_values

if TYPE_CHECKING:
    from bayesloom.solvers.protocol import Solver

__all__ = [
    "SCORES",
    "Verb",
    "constraint_lines",
    "methods_of_learn",
    "methods_of_score",
    "options_of_solvers",
    "solver_names",
]

Rows = list[tuple[str, str]]
Example = tuple[str, str]
"""What a command is for, and the command."""

GROUPS = {
    "The score": ("score_name", "ess", "score_option", "ess_sweep"),
    "Reading the table": (
        *("header", "sheet", "discretize", "discrete", "continuous", "missing", "missing_values", "states"),
        *("strict", "lenient", "exclude", "only", "weights", "interventions"),
    ),
    "Many machines": ("executor", "blocks"),
    "Limits": ("time_limit", "work_limit", "target", "threads", "memory", "seed"),
    "Results": ("output", "report", "json_to", "save_network", "progress", "quiet"),
}


READING = """A table is a .csv, .tsv, .parquet, .feather, .arff (Weka), .data (CSV without names) or .dat
file (GOBNILP: names, numbers of states, rows), each also .gz, or .xlsx; - reads CSV from stdin. Text is in
UTF-8, UTF-16 or Windows-1252. Fields are separated by tabs in .tsv; in .csv by commas if line 1 has one,
else by tabs, else by semicolons (then 1,5 is a number), else by |; they may stand between " ". A column
without a name is called `column 3` if it is the third, a second one called a `a (2)`. Each text is a state;
so are true and false, and, but under bic-g and bge, each number of a column with up to 5 values. Columns of
numbers with more than 20 values are kept as numbers where the score takes them (see --continuous), else cut
into ranges, which are states: three of about as many rows each; columns with 6 to 20 are cut only if ranges
show more dependence on other columns (by BIC, edge by edge) than the values do, and than ranges of shuffled
values. Of texts with more than 50 values those with less than 1 % of the rows become one, `(other)`; a
column is left out if that is most of its rows. Ids of more than 20 values are left out: texts that are new
in every row; whole numbers that go up by one from row to row; those that are new in every row and called id,
index, nr, no or row, or x_id and so on; and those that come again and are called id or x_id. Dates written
as 2024-02-29, also with 13:05 or 13:05:00 after a space or T, and Z or +01:00 after that, become columns
`NAME year`, `NAME month`, `NAME weekday` and `NAME hour`, as far as they vary; a time of day is a number of
hours; dates in other forms, such as 29.2.2024, are texts. `learn`, `score`, `credible`, `posterior`,
`bootstrap` and `convert` tell what they did; --json, where there is one, has it for each column."""

SCORING = """A score says how well a network fits the table: a natural logarithm, larger is better. Scores
of different names or options, or of a table that is read otherwise, cannot be compared, but for the ess of
bdeu and bds, where each is the evidence under a prior of its own. All networks have
the same prior, but for the penalty of edges in ebic. A posterior takes exp(score) for the evidence of a
network: it is that under bdeu, bds, k2 and bge, near it with many rows under bic, bic-g and bic-cg, and a
mere weight under the others. A score is score equivalent if networks that no table can tell apart score
alike; under one that is not, the score and not the table may choose which way a reversible edge points.
Begin with the default. For states there are also qnml, which needs no prior, bdeu for a posterior with a
prior of yours, and ebic for many columns and few rows; for missing values pnal."""

CONSTRAINTS = {
    'required = [["a", "b"]]': "a is a parent of b",
    'forbidden = [["a", "b"]]': "a is not a parent of b",
    'tiers = [["a", "b"], ["c"]]': "earliest first: no edge from c to a or b; variables in no tier are free",
    'roots = ["a"]': "a has no parents",
    'leaves = ["c"]': "c has no children",
    'before = [["a", "c"]]': "no path leads from c to a",
    'max_parents = {"*" = 3, c = 2}': "at most 2 parents of c, 3 of all others",
}
"""A line of a .toml file for each kind of constraints, and what it says."""

ABOVE = {"The score": SCORING, "Reading the table": READING}
"""What stands above the options of a group."""

_RANGE = re.compile(r"  \[(?:0<=)?x[<>]=?[0-9.]+\]|; x>=?[0-9.]+|(?<=\[)x>=?[0-9.]+; ")
"""What click says of ranges: that a number of threads is 1 at least needs no words."""


class Verb(click.Command):
    """A verb: its help shows options in groups, lists of names, and examples."""

    running: ClassVar[click.Command | None] = None
    """The verb that was called, for the names of its options in messages."""
    line: ClassVar[str] = ""
    """The command as it was given, for whoever wants to repeat it."""

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
        complete_values(self.params, self.lists)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that is given twice and takes one value: the first would be lost in silence."""
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        once = [one for one in order if isinstance(one, click.Option) and not one.multiple]
        for one in once:
            if once.count(one) > 1 and (not one.is_flag or one.secondary_opts):
                names = ", ".join([*one.opts, *one.secondary_opts])
                ctx.fail(f"{names}: given {once.count(one)} times, and only one is taken. Give one.")
        return super().parse_args(ctx, args)

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
                    if group in ABOVE:
                        formatter.write_text(ABOVE[group])
                        formatter.write_paragraph()
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


def scores_of_states() -> tuple[str, Rows]:
    """Return the scores of discrete variables with a sentence each, and their options."""
    return _scores("discrete", "of states: columns of numbers are cut into ranges")


def scores_of_numbers() -> tuple[str, Rows]:
    """Return the scores of continuous variables."""
    return _scores("continuous", "of numbers alone: a column of texts is an error, --exclude leaves it out")


def scores_of_both() -> tuple[str, Rows]:
    """Return the scores of mixed tables."""
    return _scores("any", "of states and numbers together")


SCORES = (scores_of_states, scores_of_numbers, scores_of_both)


def _scores(kinds: str, of: str) -> tuple[str, Rows]:
    from bayesloom.scoring.registry import ALIASES, scores

    rows = []
    for score in scores.values():
        if score.kinds != kinds:
            continue
        source = re.sub(r"([a-z]+)([0-9]+)", lambda key: f"{key[1].capitalize()} {key[2]}", score.reference)
        told = [f"{score.summary.removesuffix('.')} ({source})."]
        told += [] if score.equivalent else ["Not score equivalent."]
        told += [
            f"--score-option {o.name}=X: {o.help}, {o.low:.7g} to {o.high:g} [{o.initial:g}]."
            for o in score.options
        ]
        told += [f"Also called {alias}." for alias, name in ALIASES.items() if name == score.name]
        rows.append((score.name, " ".join(told)))
    return f"Scores {of} (--score NAME)", rows


def methods_of_score() -> tuple[str, Rows]:
    """Return the methods that find parent sets."""
    from bayesloom.scoring.parent_sets import METHODS

    return "Methods (--method NAME)", list(METHODS.items())


def methods_of_learn() -> tuple[str, Rows]:
    """Return the same for `learn`, with those that are its own."""
    from bayesloom.learning.planning import OWN_METHODS

    return "Methods (--method NAME)", [*OWN_METHODS.items(), *methods_of_score()[1]]


def solver_names() -> tuple[str, Rows]:
    """Return the solvers, and when to choose which."""
    return "Solvers (--solver NAME; leave it at auto unless you want to compare)", [
        (solver.name, f"{solver.title}; {'exact' if solver.exact else 'no proof'}; {solver.use}.")
        for solver in _solvers()
    ]


def _solvers() -> list[type[Solver]]:
    from bayesloom.solvers.api import SOLVERS, solver_named
    from bayesloom.solvers.auto import Auto

    return [solver_named(name) for name in (Auto.name, *SOLVERS)]


def options_of_solvers() -> str:
    """Return the options of every solver with their defaults and what they mean, from its class."""
    from bayesloom.solvers.protocol import Solver

    blocks = []
    for solver in _solvers():
        texts = [inspect.getdoc(own) or "" for own in solver.__mro__ if issubclass(own, Solver)]
        parts = [text.partition("Parameters\n----------\n")[2] for text in texts]
        first = texts[0].partition("\n")[0].replace("``", "")
        defaults = ", ".join(f"{one.name}={_shown(one.default)}" for one in fields(solver))
        told = "\n".join(part.rstrip() for part in parts if part).replace("``", "").replace("None", "null")
        for other in _solvers():
            told = told.replace(f"`{other.__name__}`", other.name)
        shown = textwrap.fill(f"Defaults: {defaults}", 100, subsequent_indent="  ")
        blocks.append(f"{first}\n{textwrap.indent(f'{shown}{chr(10)}{told}', '  ')}\n")
    return "\n".join(blocks).rstrip()


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def constraint_lines() -> tuple[str, Rows]:
    """Return what a file of constraints may hold."""
    return "Constraints (--constraints FILE.toml, with lines such as these)", list(CONSTRAINTS.items())


def names_of_options(names: Iterable[str]) -> dict[str, str]:
    """Return how the running verb writes each of these options; those it does not have are left out."""
    if Verb.running is None:
        return {}
    known = {p.name: max(p.opts, key=len) for p in Verb.running.params if isinstance(p, click.Option)}
    return {name: known[key] for name in names for key in (name, f"{name}_name") if key in known}
