"""Ctrl-C and SIGTERM: one line and 130 at any moment, and the best so far where there is one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess

import pytest

import bayesloom as bl
from bayesloom import _core, interrupts
from faults.program import finish, interrupted, run, start, visible, wait_for
from made.lists import tangled_cache

LINE = "bayesloom: interrupted."
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A table whose scoring takes minutes, and a cache whose search does."""
    folder = tmp_path_factory.mktemp("given")
    bl.random_network(60, states=(2, 4), max_parents=5, seed=1).sample(3000, seed=1).write(folder / "t.csv")
    bl.random_network(12, seed=2).sample(500, seed=1).write(folder / "small.csv")
    tangled_cache(random.Random(8), 150, candidates=60).write(folder / "t.blc")
    return folder


# Nothing to save yet


@SIGNALS
@pytest.mark.parametrize("module", ["numpy", "bayesloom.table.sources", "bayesloom.cli"])
def test_while_the_program_is_imported(tmp_path, number, module):
    """Standard input stays open and empty, so the program cannot end before the signal."""
    process = start("learn", "-", cwd=tmp_path, python=("-X", "importtime"), stdin=subprocess.PIPE)
    wait_for(process, f" {module}\n")
    os.kill(process.pid, number)
    code, out, err = finish(process)
    assert (code, out) == (130, "")
    assert LINE in err.splitlines()  # the import may tell of itself once more
    assert "Traceback" not in err


@SIGNALS
@pytest.mark.parametrize("verb", [["learn", "-"], ["score", "-", "-o", "c.blc"], ["credible", "-"]])
def test_while_a_table_is_read(tmp_path, number, verb):
    process = start(*verb, cwd=tmp_path, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("a,b\n" + "0,1\n" * 100_000)  # more than a pipe holds: some of it was read
    process.stdin.flush()
    os.kill(process.pid, number)
    assert finish(process) == (130, "", LINE + "\n")
    assert visible(tmp_path) == []


@SIGNALS
def test_what_was_found_is_written_also_when_the_signal_comes_after(given, tmp_path, number):
    """The first output is a named pipe: until it is read, the program waits with the others to write."""
    os.mkfifo(tmp_path / "pipe.bif")
    process = start(
        *("learn", given / "small.csv", "-q", "-o", "pipe.bif", "--report", "r.md", "--json", "run.json"),
        cwd=tmp_path,
    )
    with (tmp_path / "pipe.bif").open("rb") as pipe:  # waits for the program
        os.kill(process.pid, number)
        assert pipe.read().startswith(b"network")
    code, _, err = finish(process)
    assert (code, err) == (0, "")
    assert visible(tmp_path) == ["pipe.bif", "r.md", "run.json"]
    assert run("verify", "run.json", "--data", given / "small.csv", cwd=tmp_path).returncode == 0


# An answer to save


def stopped(*words, cwd, by, at='"stage"') -> list[str]:
    """Stop a command when its progress comes to a stage; it ends with 130; what it said besides progress."""
    code, _, err = interrupted(*words, "--progress", "json", "-q", cwd=cwd, at=at, by=by)
    assert code == 130, err
    assert "Traceback" not in err
    return [line for line in err.splitlines() if not line.startswith("{")]


@SIGNALS
def test_learn_writes_the_best_so_far(given, tmp_path, number):
    outputs = ("--json", "run.json", "-o", "n.bif", "--report", "r.html")
    stopped("learn", given / "t.csv", "--time-limit", 3600, *outputs, cwd=tmp_path, by=number)
    assert visible(tmp_path) == ["n.bif", "r.html", "run.json"]
    assert run("verify", "run.json", "--data", given / "t.csv", cwd=tmp_path).returncode == 0


@SIGNALS
@pytest.mark.parametrize("solver", ["auto", "bblp", "minobs"])
def test_search_writes_the_best_so_far(given, tmp_path, number, solver):
    stopped("search", given / "t.blc", "--solver", solver, "--json", "run.json", cwd=tmp_path, by=number)
    assert run("verify", "run.json", "--cache", given / "t.blc", cwd=tmp_path).returncode == 0


@SIGNALS
@pytest.mark.parametrize("method", ["exhaustive", "independence"])
def test_score_writes_what_is_finished(given, tmp_path, number, method):
    more = [] if method == "exhaustive" else ["--time-per-variable", 3600]
    words = ("score", given / "t.csv", "-o", "c.blc", "--method", method, "--json", "run.json", *more)
    stopped(*words, cwd=tmp_path, by=number)
    assert not bl.read_cache(tmp_path / "c.blc").complete
    assert json.loads((tmp_path / "run.json").read_text())["complete"] is False


@SIGNALS
@pytest.mark.parametrize("more", [[], ["--k", "3"]])
def test_credible_says_that_scoring_was_interrupted(given, tmp_path, number, more):
    words = ("credible", given / "t.csv", "--json", "c.json", *more)
    assert stopped(*words, cwd=tmp_path, by=number, at='"score"') == [
        "bayesloom: interrupted while the table was scored: before that is done no network can be called"
        " credible."
    ]
    assert visible(tmp_path) == []


@SIGNALS
@pytest.mark.parametrize("more", [["--bayes-factor", "1e9"], ["--k", "100000"]])
def test_credible_from_a_cache_is_interrupted_without_a_traceback(given, tmp_path, number, more):
    [said] = stopped("credible", given / "t.blc", "--json", "c.json", *more, cwd=tmp_path, by=number)
    assert said.startswith("bayesloom: interrupted")


def stopped_after(work, stage, *words, cwd, by) -> tuple[int, str]:
    """Send a signal when a stage says that so much work is done; return the code and what it said."""
    process = start(*words, "--progress", "json", "-q", cwd=cwd)
    assert process.stderr is not None
    for line in process.stderr:
        told = json.loads(line) if line.startswith("{") else {}
        if told.get("stage") == stage and told["work"] >= work:
            break
    else:
        pytest.fail("the program ended before it was asked to")
    os.kill(process.pid, by)
    code, _, err = finish(process)
    assert "Traceback" not in err
    return code, "\n".join(line for line in err.splitlines() if not line.startswith("{"))


@SIGNALS
def test_posterior_writes_what_the_chains_say_so_far(given, tmp_path, number):
    """Two rounds of samples of all chains at least, 150 variables at 5 temperatures."""
    outputs = ("--json", "run.json", "-o", "n.dot")
    words = ("posterior", given / "t.blc", "--method", "chains", "--samples", 100_000, *outputs)
    code, said = stopped_after(100_000, "posterior", *words, cwd=tmp_path, by=number)
    assert (code, said) == (130, "bayesloom: interrupted; this is what the chains say so far.")
    assert visible(tmp_path) == ["n.dot", "run.json"]
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["interrupted"]
    assert written["draws"] >= 4 * 4
    assert run("verify", "run.json", "--cache", given / "t.blc", cwd=tmp_path).returncode == 0


@SIGNALS
def test_bootstrap_writes_the_replicates_that_are_done(given, tmp_path, number):
    outputs = ("--json", "run.json", "-o", "n.bif")
    words = ("bootstrap", given / "small.csv", "--replicates", 1_000_000, "--learner", "hill_climb", *outputs)
    code, said = stopped_after(2, "bootstrap", *words, cwd=tmp_path, by=number)
    written = json.loads((tmp_path / "run.json").read_text())
    done = written["replicates"]
    assert (code, said) == (130, f"bayesloom: interrupted; {done:,} of 1,000,000 replicates were learned.")
    assert 10 <= done < 1_000_000
    assert visible(tmp_path) == ["n.bif", "run.json"]
    assert run("verify", "run.json", "--data", given / "small.csv", cwd=tmp_path).returncode == 0


def test_killed_chains_are_gone_on_with(given, tmp_path):
    """kill -9 after some blocks; the same line ends with the result of a run that was never killed."""
    words = ("posterior", given / "small.csv", "--method", "chains", "--seed", 3, "--samples", 6000)
    whole = run(*words, "-q", "--json", "whole.json", cwd=tmp_path)
    kept = (*words, "--blocks", "kept", "--json", "run.json")
    process = start(*kept, "-q", cwd=tmp_path)
    while not any((tmp_path / "kept").glob("*chain*.bin")):
        assert process.poll() is None, "the program ended before it was killed"
    os.kill(process.pid, signal.SIGKILL)
    code, _, _ = finish(process)
    assert code == -signal.SIGKILL
    assert not (tmp_path / "run.json").exists()
    again = run(*kept, "-q", cwd=tmp_path)
    assert again.returncode == whole.returncode
    written = [json.loads((tmp_path / name).read_text()) for name in ("whole.json", "run.json")]
    assert {**written[0], "seconds": None} == {**written[1], "seconds": None}
    other = run(*kept[:4], *("--seed", 4), *kept[6:], "-q", cwd=tmp_path)
    assert other.returncode == 1
    assert "seed was 3 and is 4" in other.stderr


def test_a_second_signal_ends_at_once(given, tmp_path):
    """After the first the program waits for a reader of its named pipe; only the second ends it."""
    os.mkfifo(tmp_path / "pipe")
    process = start(
        *("learn", given / "t.csv", "--time-limit", 3600, "--progress", "json", "-q"),
        *("--report", "r.md", "--json", "pipe"),
        cwd=tmp_path,
    )
    wait_for(process, '"stage"')
    os.kill(process.pid, signal.SIGINT)
    while not (tmp_path / "r.md").exists():
        assert process.poll() is None
    while process.poll() is None:  # signals that follow at once are taken for one
        os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=0.3)
        except subprocess.TimeoutExpired:
            continue
    code, _, err = finish(process)
    assert code == 130
    assert err.splitlines()[-1] == LINE
    assert visible(tmp_path) == ["pipe", "r.md"]


def test_ctrl_c_stays_ignored_where_it_was(given, tmp_path):
    process = start(
        *("learn", given / "t.csv", "--time-limit", 3600, "--progress", "json", "-q", "--json", "run.json"),
        cwd=tmp_path,
        deaf=True,
    )
    wait_for(process, '"stage"')
    os.kill(process.pid, signal.SIGINT)
    wait_for(process, '"stage"')
    wait_for(process, '"stage"')
    assert process.poll() is None
    os.kill(process.pid, signal.SIGTERM)
    assert finish(process)[0] == 130
    assert json.loads((tmp_path / "run.json").read_text())["command"] == "learn"


def test_a_request_stops_kernels_that_begin_later_too():
    """What `search` runs after the request ends at its first look, with an answer."""
    cache = bl.score(bl.random_network(8, seed=1).sample(200, seed=1))
    _core.request_interrupt()
    try:
        result = bl.search(cache, solver="minobs")
    finally:
        _core.request_interrupt(False)
    assert result.interrupted
    assert bl.verify(result.network, cache=cache, claimed_score=result.score).ok
    assert not bl.search(cache, solver="minobs", work_limit=1000).interrupted


@pytest.mark.parametrize(
    ("argv", "orig", "expected"),
    [
        (["/usr/bin/bayesloom", "learn"], ["python", "/usr/bin/bayesloom", "learn"], True),
        (["-m", "learn"], ["python", "-X", "dev", "-m", "bayesloom", "learn"], True),
        (["/x/bayesloom/__main__.py"], ["python", "-m", "bayesloom"], True),
        (["-m", "-m", "bayesloom"], ["python", "-m", "pytest", "-m", "bayesloom"], False),
        (["/usr/bin/pytest", "-m", "bayesloom"], ["python", "/usr/bin/pytest", "-m", "bayesloom"], False),
        (["my_bayesloom.py"], ["python", "my_bayesloom.py"], False),
        ([""], ["python"], False),
    ],
)
def test_only_the_program_itself_hears_signals_so(monkeypatch, argv, orig, expected):
    monkeypatch.setattr("sys.argv", argv)
    monkeypatch.setattr("sys.orig_argv", orig)
    assert interrupts.is_command() is expected


def test_who_imports_the_package_keeps_python_s_ctrl_c():
    assert not interrupts.installed()
    assert signal.getsignal(signal.SIGTERM) in (signal.SIG_DFL, signal.SIG_IGN)


def test_what_helps_to_write_is_not_stopped(monkeypatch):
    for name, value in {"installed": True, "saving": True, "writing": False, "first": None}.items():
        monkeypatch.setattr(interrupts._State, name, value)
    try:
        with interrupts.writing():
            interrupts._on_signal()
            assert interrupts.heard()
            assert not _core.interrupt_requested()
        assert _core.interrupt_requested()
        with interrupts.writing():
            assert not _core.interrupt_requested()
    finally:
        _core.request_interrupt(False)
