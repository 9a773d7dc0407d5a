"""What shells complete, and the pages of the manual that the wheel installs."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class

import bayesloom as bl
import man_pages
from bayesloom.cli import VERBS, _cli

SHARE = Path(__file__).resolve().parents[2] / "packaging" / "share"


def offered(*words: str) -> list[tuple[str, str]]:
    """What a shell offers for the last of these words: (kind, value)."""
    made = get_completion_class("bash")
    assert made is not None
    completion = made(_cli, {}, "bayesloom", "_BAYESLOOM_COMPLETE")
    return [(item.type, item.value) for item in completion.get_completions(list(words[:-1]), words[-1])]


def names(*words: str) -> list[str]:
    return [value for kind, value in offered(*words) if kind == "plain"]


def test_verbs_and_options_are_completed():
    assert names("") == list(VERBS)
    assert names("cred") == ["credible"]
    assert "--score" in names("learn", "--sc")


@pytest.mark.parametrize("verb", ["learn", "score", "credible", "posterior", "bootstrap", "verify"])
def test_names_of_scores_are_completed(verb):
    assert sorted(names(verb, "x", "--score", "")) == sorted(bl.scores)
    assert set(names(verb, "x", "--score", "b")) == {name for name in bl.scores if name.startswith("b")}


def test_names_of_solvers_methods_and_learners_are_completed():
    assert names("search", "x", "--solver", "bb") == ["bblp"]
    assert "exhaustive" in names("score", "x", "--method", "")
    assert "auto" in names("learn", "x", "--method", "")
    assert "auto" in names("bootstrap", "x", "--learner", "")
    assert names("learn", "x", "--missing", "d") == ["drop"]
    assert names("query", "x", "--target", "") == []  # names of variables: the network is not read


def test_files_and_folders_are_left_to_the_shell():
    assert offered("learn", "da") == [("file", "da")]
    assert offered("learn", "x", "-o", "ne") == [("file", "ne")]
    assert offered("merge", "a.blc", "b") == [("file", "b")]
    assert offered("demo", "-o", "fo") == [("dir", "fo")]


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_the_manual_has_every_option_of_every_verb(verb):
    """Wording may lag behind until `make man`; an option that is missing or gone may not."""
    command = _cli if not verb else _cli.get_command(click.Context(_cli), verb)
    assert command is not None
    page = (SHARE / "man/man1" / f"bayesloom{'-' if verb else ''}{verb}.1").read_text(encoding="utf-8")
    entries = [line for line in page.splitlines() if line.startswith("\\fB\\-")]
    shown = {name for line in entries for name in re.findall(r"--?[a-z][a-z-]*", line.replace("\\-", "-"))}
    context = click.Context(command, **_cli.context_settings)
    options = [p for p in command.get_params(context) if isinstance(p, click.Option) and not p.hidden]
    known = {name for p in options for name in (*p.opts, *p.secondary_opts)}
    assert shown == known | {"-h"}, "run `make man`"  # click forgets -h once a verb was run by itself


def test_all_pages_and_completions_are_there():
    there = {path.relative_to(SHARE).as_posix() for path in SHARE.rglob("*") if path.is_file()}
    assert there == set(man_pages.pages()), "run `make man`"


def test_text_that_roff_would_obey_is_only_text():
    assert man_pages.roff(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert man_pages.roff("a\n'b \\n --c") == "a\n\\&'b \\en \\-\\-c"
