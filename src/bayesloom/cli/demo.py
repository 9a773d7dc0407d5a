"""``bayesloom demo``: a story of a minute, on a table whose true network is known.

Every step is a command that is shown and run as it is shown, so that whoever reads it can go on from any.
"""

from __future__ import annotations

import shlex
from importlib import resources
from pathlib import Path

import click

from bayesloom.cli import EXIT_STOPPED
from bayesloom.cli.help import Verb
from bayesloom.errors import InputError
from bayesloom.printable import one_line

ROWS, SEED = 3000, 1
ASKED, GIVEN = "complaint", {"supplier": "Bo", "speed": "fast"}
FILES = (
    *("truth.bif", "loom.csv", "network.bif", "network.svg", "run.json", "credible.json"),
    *("report.html", "differences.svg"),
)


@click.command("demo", cls=Verb, examples=[("In the folder bayesloom-demo", "bayesloom demo")])
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="bayesloom-demo",
    show_default=True,
    help="Folder for the files; those of an earlier demo in it are replaced.",
)
@click.option(
    "--rows", type=click.IntRange(1), metavar="N", default=ROWS, show_default=True, help="Rows to draw."
)
def command(output: str, rows: int) -> int:
    """Draw a table from a small network of a weaving mill, learn it back, and look at it from all sides.

    Each step is a command that is shown, and run as it is shown. All files stay in the output folder.
    """
    folder = Path(output)
    if any((folder / name).exists() for name in FILES):
        click.echo(f"{one_line(output)} has the files of an earlier demo, which are replaced.", err=True)
    folder.mkdir(parents=True, exist_ok=True)
    at = {name: f"{output}/{name}" for name in FILES}

    _title("1. A weaving mill: its true network, and what was written down there")
    with resources.as_file(resources.files("bayesloom") / "demo" / "loom.bif") as path:
        _run("convert", str(path), at["truth.bif"])
    _run("sample", at["truth.bif"], "-n", str(rows), "--seed", str(SEED), "-o", at["loom.csv"])

    _title("2. The best network of that table, and how good it is")
    code = _run("learn", at["loom.csv"], "-o", at["network.bif"], "--json", at["run.json"])
    _run("convert", at["network.bif"], at["network.svg"])

    _title("3. How sure is each edge? All networks that fit nearly as well")
    _run("credible", at["loom.csv"], "--json", at["credible.json"])

    _title("4. A page to look at and to pass on")
    beside = ["--data", at["loom.csv"], "--credible", at["credible.json"]]
    _run("report", at["run.json"], *beside, "-o", at["report.html"])
    click.echo(f"open it in a browser: {one_line((folder / 'report.html').resolve().as_uri())}")

    _title("5. A question: a complaint, if the yarn is from Bo and the loom runs fast?")
    given = [word for name, state in GIVEN.items() for word in ("--evidence", f"{name}={state}")]
    try:
        _run("query", at["network.bif"], *given, "--target", ASKED)
    except InputError as error:  # of very few rows, which do not show all states
        click.echo(one_line(str(error)))

    _title("6. Checked from scratch, by code that the search does not share")
    _run("verify", at["run.json"], "--data", at["loom.csv"])

    _title("7. Beside the truth")
    _run("compare", at["network.bif"], at["truth.bif"], "-o", at["differences.svg"])

    _title("Files")
    for name in FILES:
        click.echo(f"  {one_line(at[name])}  {(folder / name).stat().st_size:,} bytes")
    return code


def _title(text: str) -> None:
    click.secho(f"\n{text}", bold=True)


def _run(verb: str, *arguments: str) -> int:
    """Show a command, run it, and return its exit code; what ends the command ends the demo."""
    from bayesloom.cli import command_named

    shown = shlex.join(["bayesloom", verb, *arguments])
    click.echo(f"  $ {one_line(shown)}")
    before, Verb.line = Verb.line, shown
    try:
        code = command_named(verb).main(list(arguments), prog_name=f"bayesloom {verb}", standalone_mode=False)
    finally:
        Verb.line = before
    if isinstance(code, int) and code not in (0, EXIT_STOPPED):
        raise SystemExit(code)
    return code if isinstance(code, int) else 0
