"""Options that several verbs share, and what is made of them."""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayesloom.errors import InputError
from bayesloom.interrupts import CLOSED
from bayesloom.printable import json_printable

if TYPE_CHECKING:
    from bayesloom.networks.network import Network
    from bayesloom.progress import ProgressFunction

NETWORK_FILES = ".bif, .xmlbif, .net (Hugin), .json, .dot, .graphml or .modelstring (bnlearn)"
WITHOUT_TABLE = (
    ".json, .dot, .graphml or .modelstring (bnlearn)"  # formats that hold no probabilities, or need not
)
STATES_ALONE = (
    ".bif, .xmlbif and .net hold states alone: with --score auto all numbers are then cut and scored by bic,"
    " which does not go with --missing keep."
)
RUN = "Write the run as JSON, network, score, bound and all, for `report` and `verify`"
LARGEST_SHOWN = 1e6  # gigabytes; who asks for more means all there is

F = TypeVar("F", bound=Callable[..., Any])


def all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return what adds several options, to be shown in this order."""

    def add(command: F) -> F:
        found: Any = command
        for option in reversed(options):
            found = option(found)
        return found  # type: ignore[no-any-return]

    return add


BY_KIND = (
    "auto: bic of states, bic-g of numbers, or bge with no more rows than columns, bic-cg of both, pnal with"
    " --missing keep"
)


def score_options(*, default: str = BY_KIND) -> Callable[[F], F]:
    """Add the options that choose a score; `default` says what is taken without them."""
    return all_of(
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
            help="Equivalent sample size, with --score bdeu or bds only: short for --score-option ess=X"
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
    seed: str | None = None,
    memory: bool = False,
    time: str = "Stop after S seconds, with the best so far [no limit].",
) -> Callable[[F], F]:
    """Add the options that rule how long work runs and what it shows.

    `time` says what a time limit does, `seed` what another seed changes; without it nothing is random.
    """
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
    if seed is not None:
        options.append(
            click.option(
                "--seed",
                type=click.IntRange(0),
                metavar="N",
                default=0,
                show_default=True,
                help="Seed of random choices: the same seed and options, the same result on any number of"
                f" threads, unless time or memory ends the work. {seed}",
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
    return all_of(*options)


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
        + (purpose or " Where --max-parents is given too, the smaller limit holds."),
    )


def executor_options(
    *, kept_alone: bool = False, here: str = "this process", blocks: str | None = None
) -> Callable[[F], F]:
    """Add ``--dask`` and ``--blocks``; `kept_alone`, the second also without the first.

    `here` is where the work is done without them, `blocks` the second's help where nothing is kept.
    """
    each = (
        ""
        if blocks
        else " A task there has one thread (--threads N, if given, where a table is scored), and its share of"
        " what its worker has free, but at most --memory GB."
    )
    kept = "With or without --dask: keep" if kept_alone else "With --dask: keep"
    return all_of(
        click.option(
            *("--dask", "executor"),
            metavar="ADDRESS|local:N",
            help="Work on the workers of this Dask scheduler, such as tcp://host:8786, or on N processes of"
            f" this machine; needs pip install 'bayesloom[dask]' [{here}].{each}",
        ),
        click.option(
            "--blocks",
            metavar="DIR|URL",
            help=blocks
            or f"{kept} finished parts in this folder, or at an address such as s3://bucket/folder, and"
            " go on from those that are there [kept nowhere]. The folder is of this machine; workers need"
            " not see it. --time-limit, --threads, --memory, --replicates and the workers may be others"
            " the next time (but searches over orders begin anew with another number of workers); parts"
            " of another table, or with any other option changed, are not used.",
        ),
    )


def output_options(json_help: str) -> Callable[[F], F]:
    """Add ``--json``, with what it writes, and ``--quiet``."""
    return all_of(
        click.option("--json", "json_to", metavar="FILE|-", help=f"{json_help}; - is stdout."),
        click.option("-q", "--quiet", is_flag=True, help="Print no summary and no progress."),
    )


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
