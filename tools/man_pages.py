"""Write the pages of the manual and the completions of shells from the command line itself.

Usage: python tools/man_pages.py [FOLDER]  (packaging/share by default). A page `bayesloom.1`, one for each
verb (`bayesloom-learn.1`), and what bash, zsh and fish load to complete commands; the wheel installs all of
them under `share`, where `man` and the shells look.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

import bayesloom
from bayesloom.cli import VERBS
from bayesloom.cli import _cli as group

FOLDER = Path(__file__).resolve().parents[1] / "packaging" / "share"
SHELLS = {
    "bash": "bash-completion/completions/bayesloom",
    "zsh": "zsh/site-functions/_bayesloom",
    "fish": "fish/vendor_completions.d/bayesloom.fish",
}


def roff(text: str) -> str:
    """Return a text with all that roff would read as its own taken from it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


class ManualFormatter(click.HelpFormatter):
    """Takes down what the help of a command shows, as a page of the manual."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(width=10_000, max_width=10_000)
        self.parts: list[str] = []

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        self.parts += [".SH SYNOPSIS", f"\\fB{roff(prog)}\\fR {roff(args)}", ".SH DESCRIPTION"]

    def write_paragraph(self) -> None:
        self.parts += [".PP"]

    def write_text(self, text: str) -> None:
        for block in re.split(r"\n\s*\n", re.sub(r"\n *\n", "\n\n", text.strip("\n"))):
            if block.lstrip().startswith("\b"):
                lines = block.lstrip()[1:].strip("\n")
                self.parts += [".PP", ".nf", roff(lines), ".fi"]
            else:
                self.parts += [".PP", roff(" ".join(block.split()))]

    def write_dl(self, rows: Any, col_max: int = 30, col_spacing: int = 2) -> None:
        for name, told in rows:
            self.parts += [".TP", f"\\fB{roff(name)}\\fR", roff(" ".join(told.split())) or "\\&"]

    def write(self, string: str) -> None:
        text = string.strip()
        if text:
            self.parts += [".PP" if text.endswith(":") else ".RS 4\n.nf", roff(text)]
            self.parts += [] if text.endswith(":") else [".fi\n.RE"]

    @contextlib.contextmanager
    def section(self, name: str) -> Iterator[None]:
        title, _, more = name.partition(" (")
        self.parts += [f".SH {roff(title.upper())}", *([roff(more.removesuffix(")"))] if more else [])]
        yield

    @contextlib.contextmanager
    def indentation(self) -> Iterator[None]:
        yield


def page(verb: str) -> str:
    """Return the page of a verb, or of the command as a whole."""
    command: click.Command = importlib.import_module(f"bayesloom.cli.{verb}").command if verb else group
    name = f"bayesloom-{verb}" if verb else "bayesloom"
    parent = click.Context(group, info_name="bayesloom", **group.context_settings)
    context = parent if not verb else click.Context(command, parent=parent, info_name=verb)
    formatter = ManualFormatter()
    command.format_help(context, formatter)
    told = VERBS[verb] if verb else "learn Bayesian network structure, and say how good the answer is."
    others = [f"bayesloom-{other}" for other in VERBS] if not verb else ["bayesloom"]
    lines = [
        f'.TH {name.upper()} 1 "" "bayesloom {bayesloom.__version__}" "Bayesloom"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(told[0].lower() + told[1:].rstrip('.'))}",
        *formatter.parts,
        ".SH SEE ALSO",
        ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others),
    ]
    return "\n".join(lines) + "\n"


def completion(shell: str) -> str:
    """Return what a shell loads to complete commands."""
    made = get_completion_class(shell)
    assert made is not None, shell
    return made(group, {}, "bayesloom", "_BAYESLOOM_COMPLETE").source().strip() + "\n"


def pages() -> dict[str, str]:
    """Return every file by its path under the folder."""
    found = {f"man/man1/bayesloom{'-' if verb else ''}{verb}.1": page(verb) for verb in ("", *VERBS)}
    return found | {path: completion(shell) for shell, path in SHELLS.items()}


def main(folder: Path) -> None:
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{len(pages())} files in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
