"""How a table is read: the options that say so, the same for every verb that reads one, and the reading."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayesloom.cli.options import all_of
from bayesloom.errors import InputError

if TYPE_CHECKING:
    from bayesloom.table import Table

F = TypeVar("F", bound=Callable[..., Any])

HOW_A_TABLE_IS_READ = (
    *("strict", "lenient", "exclude", "only", "weights", "interventions"),
    *("header", "sheet", "discretize", "discrete", "continuous", "missing", "missing_values", "states"),
)


def table_options(command: F) -> F:
    """Add the options that say how a table is read: the same for every verb that reads one."""
    return all_of(
        *(
            click.option(
                "--strict",
                is_flag=True,
                help="Guess nothing: no column is left out, grouped or taken apart by itself (ids and"
                " dates stay; each text is a state, and so is each number of up to 20 values, unless the"
                " score or --continuous keeps it as a number); missing values and"
                " numbers with more values are an error unless an option says how they are read.",
            ),
            click.option("--lenient", is_flag=True, hidden=True, help="What is done without --strict."),
            click.option(
                "--exclude",
                metavar="COL",
                multiple=True,
                help="Leave a column out, a date as a whole by its own name; repeatable, not with --only.",
            ),
            click.option(
                "--only",
                metavar="COL",
                multiple=True,
                help="Keep this column, even an id, and no others; repeatable, not with --exclude. The"
                " columns of --weights and --interventions need not be named.",
            ),
            click.option(
                "--weights",
                metavar="COL",
                help="A column of whole numbers, which is no variable then: how often each row counts, as"
                " if it stood there so often; 0 leaves a row out.",
            ),
            click.option(
                "--interventions",
                metavar="COL",
                help="A column of names: which variables were set by an experimenter in each row, several"
                " as a+b, none as an empty field; to what they were set stands in their own columns. Such"
                " a row does not count for what was set in it, but for all other variables.",
            ),
            click.option(
                "--header/--no-header",
                default=None,
                help="Whether line 1 holds names [it does, unless all of it are numbers, or all of it"
                " comes again in its columns; not in .data]. Without names the columns are called X0, X1, X2"
                " and so on, from the left: in results, and in other options and --constraints.",
            ),
            click.option("--sheet", metavar="NAME", help="Which sheet of an .xlsx file is read [the first]."),
            click.option(
                "--discretize",
                metavar="[NAME=]RULE",
                multiple=True,
                help="How columns of numbers with more than 20 values, and those with 6 to 20 that are"
                " grouped, are cut: mean (2 ranges), quantile:K (K of about as many rows each) or width:K"
                " (K of equal width), K from 2 on [quantile:3]. For a single column, of however many"
                " values: NAME=RULE or NAME=40,60 (up to 40, above 40 up to 60, above 60); repeatable, also"
                " beside a rule for the others. A rule for all also cuts what --score auto, bic-cg, dg and"
                " pnal would keep as numbers; bic-g and bge refuse it.",
            ),
            click.option(
                "--discrete",
                metavar="NAME|all",
                multiple=True,
                help="Keep every value of a column (numbers, ids, dates, rare texts), or of all; repeatable.",
            ),
            click.option(
                "--continuous",
                metavar="NAME|normal|auto|all",
                multiple=True,
                help="Which columns are kept as numbers, uncut. NAME (repeatable): these columns and no"
                " others; or one word alone. normal: columns of numbers with more than 20 values whose"
                " distribution is near normal or flat (R^2 of the normal plot 0.95 or"
                " more, no value in half of the rows) and of which under 5 % are missing (with --missing drop"
                " or keep any share, with state none), the default of --score auto;"
                " auto: those with more than 20 values, whatever their distribution, the default of bic-cg,"
                " dg and pnal; all: every column of numbers, that of bic-g and bge. Other scores are of"
                " states alone and refuse it.",
            ),
            click.option(
                "--missing",
                type=click.Choice(["drop", "state", "keep"]),
                help="Drop rows with missing values (empty, ?, NA, N/A, NaN, null; in capitals or small"
                " letters; among numbers also . - -- * #N/A Na none None missing unknown; others by"
                " --missing-code), make 'missing' a state, in a column that is cut one beside its ranges,"
                " or keep them missing, for --score pnal [pnal and --em: keep; else state, but rows that"
                " lack a value of a column of which under 1 % are missing (under 5 % in a table with"
                " columns kept as numbers) are dropped, columns with the fewest first, as long as under 5 %"
                " of all rows go; what is left of missing values is a state]. Rows that lack a number of a"
                " column that is kept as numbers are dropped all the same, but by keep.",
            ),
            click.option(
                *("--missing-code", "missing_values"),
                metavar="[NAME=]VALUE",
                multiple=True,
                help="A text or number that stands for a missing value too, such as -99, in all columns or"
                " in that called NAME; repeatable.",
            ),
            click.option(
                "--states",
                type=click.Choice(["declared", "seen"]),
                help="Where the file declares states: which of them a variable has, all, or those that a row"
                " shows [.dat, .arff: declared; categories of Parquet and Feather: seen].",
            ),
        )
    )(command)


def read_given_table(
    path: str,
    score_name: str | None = None,
    reading: object = None,
    *,
    to_fill_in: bool = False,
    strict: bool,
    lenient: bool,
    exclude: tuple[str, ...],
    only: tuple[str, ...],
    weights: str | None,
    interventions: str | None,
    header: bool | None,
    sheet: str | None,
    discretize: tuple[str, ...],
    discrete: tuple[str, ...],
    continuous: tuple[str, ...],
    missing: str | None,
    missing_values: tuple[str, ...],
    states: str | None,
) -> Any:
    """Read the table that the options describe: for a score if one is named, or as a result was read."""
    from bayesloom.table import read_table

    if strict and lenient:
        raise InputError("--strict and --lenient exclude each other.")
    general: str | None = None
    single: dict[str, str | list[float]] = {}
    for given in discretize:
        name, equals, rule = given.rpartition("=")
        if not equals:
            if general is not None:
                raise InputError(f"--discretize gives two rules for all columns, {general} and {rule}.")
            general = rule
        elif name in single:
            raise InputError(f"--discretize gives two rules for column {name!r}.")
        else:
            single[name] = _cut_points(rule) or rule
    rules: str | dict[str, str | list[float]] | None = general
    if single:
        rules = single if general is None else {**single, "*": general}
    as_they_are = True if "all" in discrete else list(discrete) or None
    read: Any = read_table
    if reading is not None:
        from bayesloom.scoring.registry import table_again

        read = functools.partial(table_again, score=score_name, reading=reading)
    elif score_name is not None:
        from bayesloom.scoring import registry

        chosen = registry.table_to_fill_in if to_fill_in else registry.scored_table

        def read(source: str, **how: Any) -> Any:
            return chosen(source, score_name, **how)[0]

    return read(
        path,
        strict=strict or (None if reading is not None and not lenient else False),
        exclude=exclude or None,
        only=only or None,
        weights=weights,
        interventions=interventions,
        header=header,
        sheet=sheet,
        discretize=rules,
        discrete=as_they_are,
        continuous=_continuous(continuous),
        missing=missing,
        missing_values=_codes(missing_values),
        states=states,
    )


def reading_back(table: Table, path: str) -> dict[str, Any]:
    """Return the options that read a table again, as it is, from a file that it was written to."""
    from bayesloom.table.weights import free_name

    text = path.lower().removesuffix(".gz")
    how: dict[str, Any] = {"strict": True}
    if text.endswith((".csv", ".tsv")):
        how["header"] = True
    if states := [name for name, own in zip(table.names, table.states, strict=True) if own]:
        how["discrete"] = states if table.continuous else True
    if table.continuous:
        how["continuous"] = list(table.continuous)
    if table.weights is not None and not text.endswith(".dat"):  # there each row stands as often as it counts
        how["weights"] = free_name(table.weight_name, table.names)
    return how


def options_to_read_back(table: Table, path: str) -> list[str]:
    """Return the same options as on a command line; only those that it takes."""
    from bayesloom.table.reading_options import CONTINUOUS_ABOVE

    words = ["--strict"]
    for name, states in zip(table.names, table.states, strict=True):
        if not states:
            words += ["--continuous", name]
        elif len(states) > CONTINUOUS_ABOVE and all(map(_is_number, states)):
            words += ["--discrete", name]
    if "weights" in (known := reading_back(table, path)):
        words += ["--weights", known["weights"]]
    return words


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _continuous(given: tuple[str, ...]) -> str | list[str] | None:
    """Return what --continuous asks for: a word for many columns, or names."""
    if words := [word for word in given if word in ("auto", "normal", "all")]:
        if len(given) > 1:
            raise InputError(f"--continuous {words[0]} stands for many columns; give no other with it.")
        return words[0]
    return list(given) or None


def _codes(given: tuple[str, ...]) -> dict[str, list[str]] | None:
    """Return what stands for a missing value, by column; ``"*"`` stands for all."""
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, code = text.rpartition("=")
        found.setdefault(name if equals else "*", []).append(code)
    return found or None


def _cut_points(rule: str) -> list[float]:
    """Return the numbers of a list such as 40,60, or nothing."""
    try:
        return [float(part) for part in rule.split(",")]
    except ValueError:
        return []
