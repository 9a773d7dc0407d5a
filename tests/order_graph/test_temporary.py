"""The temporary directory of bfbnb: private, one for each run, gone at the end whatever the end."""

from __future__ import annotations

import random
import stat
import subprocess
import sys
import tempfile

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import ResourceError
from bayesloom.loops import NOTE
from made.lists import tangled_cache


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("ending", ["done", "limit", "error"])
def test_a_temporary_directory_is_private_and_gone_at_the_end(cache, temporary, monkeypatch, ending):
    kernel, seen = _core.bfbnb, []

    def watched(core, *, scratch, **given):
        (made,) = temporary.iterdir()
        seen.append((scratch, stat.S_IMODE(made.stat().st_mode)))
        assert scratch == str(made)
        out = kernel(core, scratch=scratch, **given)
        seen.append(list(made.iterdir()))
        if ending == "error":
            raise ResourceError("no room")
        return out

    monkeypatch.setattr(_core, "bfbnb", watched)
    options = {"pattern_size": 1, "cluster_rounds": 0, "start_work": 0, "dense": "never"}
    limit = 3000 if ending == "limit" else None
    if ending == "error":
        with pytest.raises(ResourceError, match="no room"):
            bl.search(cache, solver="bfbnb", options=options)
    else:
        result = bl.search(cache, solver="bfbnb", options=options, work_limit=limit)
        assert result.status == ("stopped" if ending == "limit" else "optimal")
    assert seen[0][1] == 0o700
    assert bool(seen[1]) == (ending == "limit")
    assert list(temporary.iterdir()) == []


def test_temporary_directories_of_two_runs_differ(cache, temporary, monkeypatch):
    names, kernel = set(), _core.bfbnb

    def watched(core, *, scratch, **given):
        names.add(scratch)
        return kernel(core, scratch=scratch, **given)

    monkeypatch.setattr(_core, "bfbnb", watched)
    for _ in range(3):
        bl.search(cache, solver="bfbnb")
    assert len(names) == 3


INTERRUPTED = """
import glob, os, signal, sys, tempfile, threading, time
import bayesloom as bl
signal.signal(signal.SIGINT, signal.default_int_handler)
tempfile.tempdir = sys.argv[2]
cache = bl.read_cache(sys.argv[1])
def interrupt():
    while not glob.glob(sys.argv[2] + "/*/*/problem-0/layer-3"):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
options = {"pattern_size": 1, "cluster_rounds": 0, "start_work": 0, "dense": "never"}
result = bl.search(cache, solver="bfbnb", options=options, memory=0.01)
print(result.status, result.interrupted)
"""


def test_ctrl_c_removes_the_temporary_directory(temporary, tmp_path):
    """A search that would not end for days, interrupted once it has layers on disk."""
    path = tmp_path / "c.blc"
    tangled_cache(random.Random(8), 60, candidates=4).write(path)
    command = [sys.executable, "-c", INTERRUPTED, path, temporary]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("stopped True\n", f"{NOTE}\n")
    assert list(temporary.iterdir()) == []
