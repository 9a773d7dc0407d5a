"""Options that several verbs share, and what is made of them."""

from __future__ import annotations

import functools
import json
import math
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from bayesloom.errors import InputError
from bayesloom.interrupts import CLOSED
from bayesloom.printable import json_printable

if TYPE_CHECKING:
    from bayesloom.networks.network import Network
    from bayesloom.progress import ProgressFunction

NETWORK_FILES = ".bif, .xmlbif, .net, .json, .dot, .graphml or .modelstring"
WITHOUT_TABLE = ".json, .dot, .graphml or .modelstring"  # formats that hold no probabilities, or need not
STATES_ALONE = (
    ".bif, .xmlbif and .net hold states alone: with --score auto all numbers are then cut and scored by bic."
)
RUN = "Write the run as JSON, network, score, bound and all, for `report` and `verify`"
LARGEST_SHOWN = 1e6  # gigabytes; who asks for more means all there is

F = TypeVar("F", bound=Callable[..., Any])


def _all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return what adds several options, to be shown in this order."""

    def add(command: F) -> F:
        found: Any = command
        for option in reversed(options):
            found = option(found)
        return found  # type: ignore[no-any-return]

    return add


def table_options(command: F) -> F:
    """Add the options that say how a table is read: the same for every verb that reads one."""
    return _all_of(
        *(
            click.option(
                "--strict",
                is_flag=True,
                help="Guess nothing: no column is left out, grouped or taken apart by itself (ids and"
                " dates stay, each text and each number of up to 20 values is a state); missing values and"
                " numbers with more values are an error unless an option says how they are read.",
            ),
            click.option("--lenient", is_flag=True, hidden=True, help="What is done without --strict."),
            click.option(
                "--exclude",
                metavar="COL",
                multiple=True,
                help="Leave a column out, a date as a whole; repeatable, not with --only.",
            ),
            click.option(
                "--only",
                metavar="COL",
                multiple=True,
                help="Keep this column, even an id, and no others; repeatable, not with --exclude.",
            ),
            click.option(
                "--weights",
                metavar="COL",
                help="A column of whole numbers: how often each row counts, as if it stood there so often.",
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
                " comes again in its columns].",
            ),
            click.option("--sheet", metavar="NAME", help="Which sheet of an .xlsx file is read [the first]."),
            click.option(
                "--discretize",
                metavar="[NAME=]RULE",
                multiple=True,
                help="How columns of numbers with more than 20 values, and those with 6 to 20 that are"
                " grouped, are cut: mean (2 ranges), quantile:K (K of about as many rows each) or width:K"
                " (K of equal width) [quantile:3]. For a single column, of however many values: NAME=RULE"
                " or NAME=40,60 (up to 40, above 40 up to 60, above 60); repeatable, also beside a rule"
                " for the others. A rule for all also cuts what --score auto would keep as numbers.",
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
                help="What is kept as numbers, uncut. NAME (repeatable): this column, and others not; or one"
                " word alone. normal: columns of numbers with more than 20 values whose distribution is near"
                " normal or flat and of which few are missing, the default of --score auto; auto: whatever"
                " their distribution, the default of bic-cg, dg and pnal; all: every column of numbers, that"
                " of bic-g and bge. Other scores are of states alone.",
            ),
            click.option(
                "--missing",
                type=click.Choice(["drop", "state", "keep"]),
                help="Drop rows with missing values (empty, ?, NA, N/A, NaN, null; in capitals or small"
                " letters; among numbers also . - -- * #N/A Na none None missing unknown; others by"
                " --missing-code), make 'missing' a state, in a column that is cut one beside its"
                " ranges, or keep them missing, for --score pnal [pnal and --em: keep; else state, but rows"
                " with a value missing in a column where under 1 % are missing are dropped]. Rows that lack a"
                " number of a column that is kept as numbers are dropped all the same, but by keep.",
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


BY_KIND = "auto: bic of states, bic-g of numbers, bic-cg of both"


def score_options(*, default: str = BY_KIND) -> Callable[[F], F]:
    """Add the options that choose a score; `default` says what is taken without them."""
    return _all_of(
        click.option(
            *("--score", "score_name"),
            default="auto",
            metavar="NAME",
            help=f"How networks are scored; the names are below [{default}].",
        ),
        click.option(
            "--ess",
            type=float,
            metavar="X",
            help="Equivalent sample size, for bdeu and bds only: short for --score-option ess=X"
            f" [{'1' if default == BY_KIND else 'as --score; 1'}].",
        ),
        click.option(
            "--score-option",
            "score_option",
            metavar="NAME=VALUE",
            multiple=True,
            help="An option of the score, such as gamma=0.5 of ebic; repeatable.",
        ),
    )


def _within(context: click.Context, _: click.Parameter, gigabytes: float | None) -> float | None:
    """Let what the command reads stay within the memory too, from here on."""
    from bayesloom.limits import reading_within, resolve_memory

    context.with_resource(reading_within(gigabytes))
    if (
        gigabytes is not None
        and (found := resolve_memory(gigabytes) / 1e9) < 0.999 * gigabytes < LARGEST_SHOWN
    ):
        click.echo(
            f"--memory {gigabytes:g}: {found:.3g} GB is what the control group leaves, and used", err=True
        )
    return gigabytes


def memory_option(command: F, *, handed_on: bool = False) -> F:
    """Add ``--memory``, which holds for all that is read; `handed_on`, also as an argument."""
    return click.option(
        "--memory",
        type=click.FloatRange(0, min_open=True),
        metavar="GB",
        callback=_within,
        expose_value=handed_on,
        help="Gigabytes to plan with: work that would take more is cut short or refused; the program"
        " itself comes on top [80 % of what is free].",
    )(command)


def run_options(
    *,
    seed: bool = False,
    memory: bool = False,
    time: str = "Stop after S seconds, with the best so far [no limit].",
) -> Callable[[F], F]:
    """Add the options that rule how long work runs and what it shows; `time` says what a time limit does."""
    options = [
        click.option(
            "--threads", type=click.IntRange(1), metavar="N", help="Threads to use [all processors]."
        ),
        click.option(
            "--time-limit",
            type=click.FloatRange(0, min_open=True),
            metavar="S",
            help=time,
        ),
    ]
    if seed:
        options.append(
            click.option(
                "--seed",
                type=click.IntRange(0),
                metavar="N",
                default=0,
                show_default=True,
                help="Seed of random choices: the same seed and solver, the same result on any number of"
                " threads, unless time or memory ends the work. With another seed or solver another"
                " network of the same score may be shown.",
            )
        )
    if memory:
        options.append(functools.partial(memory_option, handed_on=True))
    options.append(
        click.option(
            "--progress",
            type=click.Choice(["auto", "plain", "none", "json"]),
            default="auto",
            show_default=True,
            help="How progress is shown on stderr: auto is live on a terminal, else a line every 5 s;"
            " json: an object a line, of work that takes longer than a moment.",
        )
    )
    return _all_of(*options)


def constraint_option(command: F) -> F:
    """Add ``--constraints``."""
    return constraint_option_for("")(command)


def constraint_option_for(purpose: str) -> Callable[[F], F]:
    """Add ``--constraints``, with a sentence on what they are for."""
    return click.option(
        "--constraints",
        metavar="FILE",
        help="What you know of the edges: a .toml file, see below; any other ending is a file of GOBNILP,"
        " with lines such as b<-a (a is a parent of b) and ~b<-a (it is not)."
        + (purpose or " Of limits on parents the smaller holds."),
    )


def executor_options(
    *, kept_alone: bool = False, here: str = "this process", blocks: str | None = None
) -> Callable[[F], F]:
    """Add ``--dask`` and ``--blocks``; `kept_alone`, the second also without the first.

    `here` is where the work is done without them, `blocks` the second's help where nothing is kept.
    """
    kept = "With or without --dask: keep" if kept_alone else "With --dask: keep"
    return _all_of(
        click.option(
            *("--dask", "executor"),
            metavar="ADDRESS|local:N",
            help="Work on the workers of this Dask scheduler, such as tcp://host:8786, or on N processes of"
            f" this machine; needs pip install 'bayesloom[dask]' [{here}].",
        ),
        click.option(
            "--blocks",
            metavar="DIR|URL",
            help=blocks
            or f"{kept} finished parts in this folder, or at an address such as s3://bucket/folder, and"
            " go on from those that are there [kept nowhere].",
        ),
    )


def output_options(json_help: str) -> Callable[[F], F]:
    """Add ``--json``, with what it writes, and ``--quiet``."""
    return _all_of(
        click.option("--json", "json_to", metavar="FILE|-", help=f"{json_help}; - is stdout."),
        click.option("-q", "--quiet", is_flag=True, help="Print no summary and no progress."),
    )


HOW_A_TABLE_IS_READ = (
    *("strict", "lenient", "exclude", "only", "weights", "interventions"),
    *("header", "sheet", "discretize", "discrete", "continuous", "missing", "missing_values", "states"),
)
HOW_IT_IS_SCORED = ("score_name", "ess", "score_option")
AGAIN = (*HOW_A_TABLE_IS_READ, *HOW_IT_IS_SCORED, "max_parents", "constraints")


def was_given(name: str) -> bool:
    """Whether an option of the command was given, be it with its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def given_again(argument: str, chosen: Mapping[str, object] | None = None, written: str | None = None) -> str:
    """Return an argument of this command with the options that say how it is read and scored, as given.

    For a command that is suggested: it must mean the same table and the same networks. `chosen` are values
    that the command found itself, in place of what was given; `written` is the table that it wrote, which
    the result is of: its columns are not read anew.
    """
    chosen = chosen or {}
    context = click.get_current_context()
    words = [str(context.params.get(argument, "")) if written is None else written]
    decided = () if written is None else set(HOW_A_TABLE_IS_READ) - {"weights", "states"}
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


def read_given_table(
    path: str,
    score_name: str | None = None,
    reading: object = None,
    *,
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
        from bayesloom.scoring.registry import scored_table

        def read(source: str, **how: Any) -> Any:
            return scored_table(source, score_name, **how)[0]

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


def given_score_options(ess: float | None, more: Sequence[str] = ()) -> dict[str, float]:
    """Return the score's options that were given on the command line.

    >>> given_score_options(None, ["gamma=0.5"])
    {'gamma': 0.5}
    """
    found: dict[str, float] = {} if ess is None else {"ess": ess}
    for text in more:
        name, equals, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not math.isfinite(number):
            raise InputError(f"--score-option must look like gamma=0.5, got {text!r}.")
        if name in found:
            raise InputError(f"option {name!r} of the score is given twice.")
        found[name] = number
    return found


def read_start(path: str | None) -> Network | None:
    """Return the network to begin with, or None if none was given."""
    if path is None:
        return None
    from bayesloom.networks.formats import read_network
    from bayesloom.networks.network import structure_of

    return structure_of(read_network(path))


@contextmanager
def shown_progress(mode: str, *, quiet: bool) -> Iterator[ProgressFunction | None]:
    """Show progress as ``--progress`` says; with ``--quiet`` only if it was asked for."""
    from bayesloom.progress import progress_display

    with progress_display("none" if quiet and mode == "auto" else mode) as listen:
        yield listen


@contextmanager
def patience(doing: str, mode: str, *, quiet: bool) -> Iterator[None]:
    """Say every half a minute what takes so long, of work that tells no progress."""
    from bayesloom.progress import progress_display

    with progress_display("none" if quiet or mode in ("none", "json") else "plain", doing):
        yield


def left_after_reading(limit: float, seconds: float) -> float:
    """Return what reading leaves of a time limit; if nothing, say so and leave the least there is."""
    from bayesloom.limits import LEAST_SECONDS

    if seconds < limit:
        return limit - seconds
    click.echo(
        f"reading took {seconds:.1f} s, all of the {limit:g} s allowed: what follows is cut short",
        err=True,
    )
    return LEAST_SECONDS


def write_json(result: dict[str, Any], to: str) -> None:
    """Write one JSON object to a file, complete or not at all, or to stdout for ``-``."""
    text = json_printable(json.dumps(result, ensure_ascii=False, allow_nan=False)) + "\n"
    if to == "-":
        if "stdout" in CLOSED:
            raise InputError("standard output: cannot be written: it is closed.")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from bayesloom.files import write_text

    write_text(to, text)
