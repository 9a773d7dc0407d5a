"""The command line in this process: the words of a command in, its exit code and what it printed out."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from bayesloom.cli import main


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def exit_code(*words: object) -> int:
    """Run ``bayesloom WORDS``; a single text is split into words. Every command ends by SystemExit."""
    given = words[0].split() if len(words) == 1 and isinstance(words[0], str) else map(str, words)
    with pytest.raises(SystemExit) as ended:
        main(list(given))
    assert isinstance(ended.value.code, int), ended.value.code
    return ended.value.code


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Ended:
    """The same, with what was printed."""
    code = exit_code(*words)
    return Ended(code, *capsys.readouterr())
