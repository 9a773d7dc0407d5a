"""A folder with a table of five variables and its score cache, for the tests that run commands in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from made.command import exit_code
from made.runs import write_five


@pytest.fixture
def five(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_five(tmp_path / "t.csv")
    assert exit_code("score t.csv -o full.blc -q") == 0
    return tmp_path
