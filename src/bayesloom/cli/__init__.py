"""The command line: ``bayesloom VERB ...``, one file per verb.

Results go to stdout, log and progress to stderr.  Exit codes: 0 done, 1 error, 2 usage, 3 a result that is
written, but not proved the best or not complete, 4 constraints that no network satisfies, 130 interrupted by
Ctrl-C or SIGTERM (the best result so far is written).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import shlex
import sys
from collections.abc import Callable

import click

from bayesloom import __version__, interrupts
from bayesloom.cli.help import Verb, names_of_options
from bayesloom.errors import BayesloomError, InfeasibleError, Interrupted
from bayesloom.printable import one_line, printable_streams

__all__ = ["main", "message"]

EXIT_ERROR, EXIT_STOPPED, EXIT_INFEASIBLE = 1, 3, 4
EXIT_INTERRUPTED = interrupts.EXIT_INTERRUPTED

# Verb -> one line of help. A verb's module is imported only when it is used: `--help` stays quick.
VERBS = {
    "learn": "From a table to the best network, in one go.",
    "score": "From a table to a score cache: the parent sets that may matter, with their scores.",
    "cluster": "What scoring a table on many machines takes: tasks, bytes, seconds.",
    "merge": "Put together the parts of a score cache that were scored apart.",
    "search": "From a score cache to the best network, with a bound on how much better any other is.",
    "credible": "All networks within a Bayes factor of the best, and which edges they agree on.",
    "posterior": "How probable each edge is over all networks, at any number of variables.",
    "bootstrap": "How often each edge comes back when the rows are drawn anew and learned again.",
    "verify": "Check a result or a network against a table or a score cache.",
    "report": "A page to read or to pass on, from what `learn --json` or `search --json` wrote.",
    "view": "Show a network, a run or a score cache in the browser: one page to explore and pass on.",
    "compare": "Show how two networks differ.",
    "convert": "Convert a network, a score cache or a table to another file format.",
    "query": "Ask a network: what follows from what is known, or from what is done.",
    "sample": "Draw rows from a network, given or random.",
    "demo": "Learn a small generated table and show every step.",
}

EPILOG = """\b
`bayesloom VERB --help` shows options, the names that they take, and examples.
A first try:
  bayesloom demo
  bayesloom learn data.csv -o network.bif --report report.html
With more time, and what you know, such as this line in known.toml, by which
smoking is a parent of cancer:
required = [["smoking", "cancer"]]
  bayesloom learn data.csv --constraints known.toml --time-limit 600
Step by step, so that each stage can be looked at and saved:
  bayesloom score data.csv -o data.blc
  bayesloom search data.blc -o network.dot --json run.json
  bayesloom verify run.json --data data.csv
  bayesloom report run.json --data data.csv -o report.html
There -o writes the network, --json the whole run, for `report` and `verify`.
A .json of -o is a network, which `view` and `compare` take, and `query` too
but from `search`, which sees no table and writes no probabilities; one of
--json says under `command` which verb wrote it.
Look at it, or at any network of other programs, in the browser:
  bayesloom view network.bif
How sure is each edge: over all networks, over those near the best, which are
listed, or if the rows were drawn again:
  bayesloom posterior data.csv
  bayesloom credible data.csv
  bayesloom bootstrap data.csv
What follows from what is known:
  bayesloom query network.bif --evidence smoking=yes --target cancer
Words: the score says how well a network fits the table (larger is better; a
natural logarithm, so that 1 more, a nat, is 2.7 times the evidence, nearly so
for bic). It is the sum of the local scores, one for each variable with its
parents, its parent set; sets that may matter are candidates. Networks that no
table can tell apart are an equivalence class: an edge that all of them have in
the same direction is compelled, others are reversible. No network
made of the parent sets scored has a score above the bound: a gap of 0 between
score and bound proves the network the best of these, and the best of all where
the result says "no better network exists".
Exit codes: 0 done, 1 error (also of options that do not go together), 2 an
unknown, missing or repeated option, 3 the result is written, but not proved
the best or not complete, 4 no network (over the score cache) satisfies the
constraints, 130 interrupted (the best so far is written). Files that are
written replace those of the same name, complete or not at all.
"""

LONGEST_MESSAGE = 1000
MANY_OBJECTS = 50_000
"""New objects between two searches for garbage: with Python's 700 they take a tenth of a short command."""


class _Stopped(Exception):
    """Ctrl-C where nothing was to be saved; the text says at what."""


def command_named(verb: str) -> click.Command:
    """Return the command of a verb."""
    command: click.Command = importlib.import_module(f"bayesloom.cli.{verb}").command
    return command


class _Verbs(click.Group):
    """A group whose verbs are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name) if cmd_name in VERBS else None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # click would print an empty line for it
            raise _Stopped(error if isinstance(error, Interrupted) else "interrupted.") from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"unknown verb {args[0]!r}.{hint} Known: {', '.join(VERBS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Verbs,
    epilog=EPILOG,
    options_metavar="",
    subcommand_metavar="VERB ...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(version=__version__, message="bayesloom %(version)s")
def _cli() -> None:
    """Learn Bayesian network structure from data, and know how good the answer is."""


def message(error: BayesloomError) -> str:
    """Return the sentence of an error with options named as on the command line."""
    text = one_line(error.worded(_here))
    if len(text) > LONGEST_MESSAGE:  # of a file that is one long line, or a name that is a whole file
        half = LONGEST_MESSAGE // 2
        text = f"{text[:half]} ... ({len(text):,} letters) ... {text[-half:]}"
    return f"bayesloom: {text}"


def _here(name: str, value: str) -> str | None:
    """Return an option as the running verb takes it; None if it has none of that name."""
    written = names_of_options([name]).get(name)
    return f"{written} {value}" if written and value else written


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    if interrupts.is_command():
        interrupts.install()
        gc.set_threshold(MANY_OBJECTS)
        sys.meta_path.insert(0, _NoPandas())
        sys.stderr = _Log(
            sys.stderr.buffer, encoding=sys.stderr.encoding, errors="backslashreplace", line_buffering=True
        )
    try:
        _run(arguments)
    finally:
        interrupts.done()


@printable_streams()
def _run(arguments: list[str] | None) -> None:
    """Run a command and exit with its code, whatever goes wrong."""
    try:
        Verb.line = shlex.join(["bayesloom", *(sys.argv[1:] if arguments is None else arguments)])
        code = _cli.main(args=arguments, prog_name="bayesloom", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        _say(error.format_message(), show=error.show)
        sys.exit(error.exit_code)
    except InfeasibleError as error:
        _say(message(error))
        sys.exit(EXIT_INFEASIBLE)
    except BayesloomError as error:
        _say(message(error))
        sys.exit(EXIT_ERROR)
    except MemoryError:
        _say("bayesloom: there is not enough memory. Close other programs, or give a smaller table.")
        sys.exit(EXIT_ERROR)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # else the reader of our output has seen enough
            where = error.filename if error.filename else "standard output"
            _say(f"bayesloom: {where}: {(error.strerror or str(error)).lower()}.")
        _drop_output()
        sys.exit(EXIT_ERROR)
    except _Stopped as error:
        _say(f"bayesloom: {error}")
        sys.exit(EXIT_INTERRUPTED)
    except KeyboardInterrupt:
        _say("bayesloom: interrupted.")
        sys.exit(EXIT_INTERRUPTED)


class _NoPandas:
    """Keeps pandas from being imported.

    Arrow does so wherever pandas is installed, to know its data frames when it meets them.  That takes a
    second, and no verb meets any.
    """

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("the command line works without pandas", name=name)


class _Log(io.TextIOWrapper):
    """Standard error that may fail: a log that nobody can read is no reason to end the work."""

    def write(self, text: str, /) -> int:
        with contextlib.suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def _say(text: str, show: Callable[[], None] | None = None) -> None:
    """Write a sentence to stderr; if nobody can hear it, the exit code says enough."""
    try:
        click.echo(text, err=True) if show is None else show()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    """Let what is still to be written go nowhere, so that the end of the program does not fail on it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
                continue
            os.dup2(nowhere, stream.fileno())
