"""Pages that are written when the site is built: the reference of every public name and of every verb."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

FOLDER = "docs/reference"
KINDS = {"functions": "Functions", "classes": "Types", "errors": "Errors", "data": "Data"}


def kind_of(name: str) -> str:
    """Which section of the reference a public name belongs to."""
    import bayesloom

    thing = getattr(bayesloom, name)
    if inspect.isclass(thing):
        return "errors" if issubclass(thing, BaseException) else "classes"
    return "functions" if callable(thing) else "data"


def public_names() -> list[str]:
    """What `from bayesloom import *` gives, but for the version."""
    import bayesloom

    return [name for name in bayesloom.__all__ if not name.startswith("__")]


def python_page() -> str:
    import bayesloom

    lines = ["# Python reference", "", "Every public name of `bayesloom`, from its docstring.", ""]
    for kind, title in KINDS.items():
        names = sorted(name for name in public_names() if kind_of(name) == kind)
        lines += [f"## {title}", "", "```{eval-rst}"]
        for name in names:
            if kind == "functions":
                lines += [f".. autofunction:: bayesloom.{name}"]
            elif kind == "data":
                lines += [f".. py:data:: {name}", "", "   A mapping; one entry for each of:", ""]
                lines += [
                    f"   - ``{key}``: {entry.summary}" for key, entry in getattr(bayesloom, name).items()
                ]
            else:
                lines += [f".. autoclass:: bayesloom.{name}", "   :members:"]
            lines += [""]
        lines += ["```", ""]
    lines += ["## Estimator for scikit-learn", "", "```{eval-rst}"]
    lines += [".. autoclass:: bayesloom.sklearn.StructureLearner", "   :members:", "```", ""]
    return "\n".join(lines)


def command_page() -> str:
    import click

    from bayesloom.cli import VERBS
    from bayesloom.cli import _cli as group

    os.environ["COLUMNS"] = "100"
    lines = ["# Command line reference", "", "What `bayesloom VERB --help` prints, verb by verb.", ""]
    for verb in ("", *VERBS):
        command = group if not verb else group.get_command(click.Context(group), verb)
        assert command is not None, verb
        name = f"bayesloom {verb}".strip()
        parent = click.Context(
            group, info_name="bayesloom", terminal_width=100, max_content_width=100, **group.context_settings
        )
        context = parent if not verb else click.Context(command, parent=parent, info_name=verb)
        lines += [f"## {name}", "", "```text", command.get_help(context).replace("```", "'''"), "```", ""]
    return "\n".join(lines)


def write(app: Any) -> None:
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"python.md": python_page(), "commands.md": command_page()}.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def redirect(app: Any, error: Exception | None) -> None:
    """The front page stands at the top of the site, not in its folder docs."""
    if error is None and app.builder.name == "html":
        page = '<!doctype html><meta charset="utf-8">'
        page += '<meta http-equiv="refresh" content="0; url=docs/index.html">'
        page += '<title>Bayesloom</title><a href="docs/index.html">Bayesloom</a>\n'
        (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write)
    app.connect("build-finished", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
