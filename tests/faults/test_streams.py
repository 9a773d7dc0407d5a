"""Standard streams that are closed, or whose reader is gone: no traceback, a sensible exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import bayesloom as bl
from made.tables import RAIN


@pytest.fixture
def shell(tmp_path):
    (tmp_path / "rain.csv").write_text(RAIN)

    def run(command: str) -> subprocess.CompletedProcess[str]:
        program = f"'{sys.executable}' -m bayesloom"
        return subprocess.run(
            ["bash", "-c", command.replace("BAYESLOOM", program)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("BAYESLOOM learn rain.csv --json run.json 2>&-", 0, ""),
        ("BAYESLOOM learn rain.csv --json run.json >&-", 0, ""),
        ("BAYESLOOM learn rain.csv --json run.json <&-", 0, ""),
        ("BAYESLOOM learn rain.csv --json run.json <&- >&- 2>&-", 0, ""),
        ("BAYESLOOM learn rain.csv --json run.json --progress plain 2>&-", 0, ""),
        ("BAYESLOOM learn rain.csv --json run.json --progress json 2>&-", 0, ""),
        ("BAYESLOOM learn rain.csv --json - >&-", 1, "standard output: cannot be written: it is closed."),
        ("BAYESLOOM learn - <&-", 1, "standard input: it is closed"),
        ("BAYESLOOM learn nothing.csv 2>&-", 1, ""),
        ("BAYESLOOM learn rain.csv --nonsense 2>&-", 2, ""),
        ("BAYESLOOM learn rain.csv > /dev/full", 1, "standard output: no space left on device."),
        ("BAYESLOOM learn rain.csv --json - > /dev/full", 1, "standard output: cannot be written: no space"),
        ("BAYESLOOM learn rain.csv --json run.json 2> /dev/full", 0, ""),
        ("BAYESLOOM learn rain.csv --json run.json 2> >(true)", 0, ""),
        ("BAYESLOOM --help >&-", 0, ""),
        ("BAYESLOOM --help > /dev/full", 1, "no space left"),
    ],
)
def test_closed_and_full_streams(shell, tmp_path, command, code, message):
    ended = shell(command)
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert message in ended.stderr
    if "run.json" in command and code == 0:
        # Nothing that was meant for a closed stream has landed in the file.
        assert json.loads((tmp_path / "run.json").read_text())["status"] == "optimal"


def test_the_work_goes_on_when_nobody_watches_the_progress(tmp_path):
    """stderr is a pipe that is closed after the first line of progress."""
    bl.random_network(18, seed=4).sample(1500, seed=1).write(tmp_path / "t.csv")
    with subprocess.Popen(
        [sys.executable, "-m", "bayesloom", "score", "t.csv", "-o", "t.blc", "--progress", "json", "-q"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.stderr.close()
        assert process.wait() == 0
    assert bl.read_cache(tmp_path / "t.blc").complete
