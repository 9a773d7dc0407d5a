"""Work in parts, and work that was killed: the cache is the same in the end, to the last byte."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from made.command import exit_code


@pytest.fixture(scope="module")
def table():
    return bl.random_network(14, states=(2, 3), max_parents=3, concentration=0.5, seed=9).sample(300, seed=9)


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_merged_parts_are_byte_identical_to_one_run(table, score, tmp_path):
    options = {"score": score, "bayes_factor": 3, "max_parents": 4}
    bl.score(table, **options).write(tmp_path / "one.blc")
    parts = [bl.score(table, shard=(i, 4), **options) for i in (3, 1, 4, 2)]
    bl.merge(parts).write(tmp_path / "merged.blc")
    assert (tmp_path / "merged.blc").read_bytes() == (tmp_path / "one.blc").read_bytes()


def test_more_parts_than_variables(table):
    small = table.select(table.names[:3])
    assert bl.merge([bl.score(small, shard=(i, 5)) for i in range(1, 6)]) == bl.score(small)


def test_parts_that_do_not_fit_together_are_refused(table):
    one, two, three = (bl.score(table, shard=(i, 3), max_parents=2) for i in (1, 2, 3))
    other = bl.score(table, shard=(3, 3), max_parents=2, score="aic")
    for parts, message in [
        ([], "nothing to merge"),
        ([one, two], "of 3 parts these are missing: 3"),
        ([one, two, two], "part 2 of 3 is given twice"),
        ([one, two, other], "part 3 was made with score 'aic', part 1 with 'bic'"),
        ([one, two, bl.score(table, max_parents=2)], "cache 3 is not a part"),
        ([one, two, bl.score(table, shard=(3, 4), max_parents=2)], "different numbers of parts"),
        ([one, two, bl.score(table.select(table.names[:9]), shard=(3, 3))], "has other variables"),
    ]:
        with pytest.raises(InputError, match=message):
            bl.merge(parts)
    assert bl.merge([three, one, two]) == bl.score(table, max_parents=2)
    with pytest.raises(InputError, match=r"shard must be \(i, m\) with i from 1 to m, got \(4, 3\)"):
        bl.score(table, shard=(4, 3))


SCRIPT = """
import os, signal, sys
import bayesloom as bl
from bayesloom import _core
table = bl.read_table("t.csv")
kernel, resume = sys.argv[1], sys.argv[2] != "new"


def die(work, seconds):
    if os.path.exists("work.resume"):
        os.kill(os.getpid(), signal.SIGKILL)


names = list(table.names)
common = dict(threads=2, checkpoint=b"work.resume", resume=resume, checkpoint_interval=0.0)
if sys.argv[2] == "die":
    common["progress"] = die
    _core.step_clock(0.1)  # every look is a poll
if kernel == "exhaustive":
    out = _core.exhaustive(table.encoded, names, "bdeu", {}, max_parents=5, **common)
else:
    common["sets_per_variable"] = 3000
    out = _core.anytime_parent_sets(table.encoded, names, "bdeu", {}, kernel, **common)
assert not out["stopped"]
bl.ScoreCache(out["cache"]).write("out.blc")
"""


def changed(path: Path) -> int | None:
    """When the file was last written, or None if it is not there."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["exhaustive", "independence"])
def test_killed_at_any_moment_it_goes_on_and_ends_with_the_same_cache(kernel, tmp_path):
    bl.random_network(24, states=(2, 3), max_parents=3, seed=5).sample(1500, seed=5).write(tmp_path / "t.csv")

    def start(mode: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", SCRIPT, kernel, mode], cwd=tmp_path)

    assert start("new").wait() == 0
    whole = (tmp_path / "out.blc").read_bytes()
    (tmp_path / "out.blc").unlink()
    (tmp_path / "work.resume").unlink()

    assert start("die").wait() == -signal.SIGKILL
    for _ in range(50):
        process = start("resume")
        before = changed(tmp_path / "work.resume")
        while process.poll() is None:  # kill as soon as there is new work on disk
            if changed(tmp_path / "work.resume") not in (None, before):
                process.send_signal(signal.SIGKILL)
                process.wait()
                break
            time.sleep(0.001)
        if process.returncode == 0:
            break
    else:
        assert start("resume").wait() == 0
    assert (tmp_path / "out.blc").read_bytes() == whole


def test_what_was_kept_before_counts_as_memory_after_a_resume(tmp_path):
    """A job that does not fit does not fit either when it goes on from a checkpoint."""
    table = bl.random_network(14, states=(2, 3), max_parents=4, seed=3).sample(400, seed=1)
    path = tmp_path / "c.resume"

    def run(memory: float, resume: bool) -> None:
        _core.exhaustive(
            data=table.encoded,
            names=list(table.names),
            score="aic",
            options={},
            margin=69.0,
            threads=1,
            max_parents=None,
            memory_bytes=memory,
            shard=(0, 1),
            checkpoint=os.fsencode(path),
            checkpoint_interval=0.0,
            resume=resume,
        )

    low, high = 1e4, 1e8
    for _ in range(20):
        memory = (low + high) / 2
        try:
            run(memory, resume=False)
            high = memory
        except bl.ResourceError:
            low = memory
    path.unlink(missing_ok=True)
    for resume in (False, True, True):
        with pytest.raises(bl.ResourceError):
            run(0.97 * low, resume=resume)


def test_a_checkpoint_of_other_work_or_a_damaged_one_is_refused(table, tmp_path, stepping_clock):
    path = tmp_path / "work.resume"
    names = list(table.names)

    def stopped(**options):
        return _core.anytime_parent_sets(
            table.encoded, names, "bic", {}, "sequential", checkpoint=bytes(path), threads=1, **options
        )

    stepping_clock(0.001)
    assert stopped(seconds=0.02, checkpoint_interval=0.0, sets_per_variable=10**9)["stopped"]
    with pytest.raises(InputError, match=r"work.resume: this checkpoint belongs to other data"):
        bl.score(table, method="greedy", sets_per_variable=10, checkpoint=path, resume=True)
    good = path.read_bytes()
    for damaged in (good[:-1], good[:20], b"", good[:30] + bytes([good[30] ^ 1]) + good[31:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"work.resume: this checkpoint is damaged"):
            stopped(resume=True)


def test_a_checkpoint_stays_until_the_result_is_in_place(table, tmp_path, monkeypatch, capsys):
    """A disk that is full when the cache is to be written: nothing of the work is lost."""
    from bayesloom.errors import ResourceError
    from bayesloom.scoring.cache import ScoreCache

    monkeypatch.chdir(tmp_path)
    table.write("t.csv")
    kernel, write = _core.exhaustive, ScoreCache.write
    monkeypatch.setattr(_core, "exhaustive", lambda **given: kernel(**given, checkpoint_interval=0.0))
    command = ["score", "t.csv", "-o", "out.blc", "--score", "bdeu", "--max-parents", "4", "--quiet"]
    bl.score(bl.read_table("t.csv"), score="bdeu", max_parents=4).write("whole.blc")

    def full(cache, path):
        raise ResourceError("the disk is full.")

    monkeypatch.setattr(ScoreCache, "write", full)
    assert exit_code(*command) == 1
    assert "the disk is full" in capsys.readouterr().err
    assert Path("out.blc.resume").exists()
    assert not Path("out.blc").exists()

    seen = []

    def written(cache, path):
        write(cache, path)
        seen.append(Path("out.blc.resume").exists())

    monkeypatch.setattr(ScoreCache, "write", written)
    assert exit_code(*command, "--resume") == 0
    assert seen == [True]
    assert not Path("out.blc.resume").exists()
    assert Path("out.blc").read_bytes() == Path("whole.blc").read_bytes()


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_what_a_checkpoint_was_made_with_is_needed_to_go_on(table, tmp_path, score):
    """With any other table or option it is refused; nothing is ever mixed."""
    path = tmp_path / "work.resume"
    names = list(table.names)
    common = {"checkpoint": bytes(path), "threads": 1, "checkpoint_interval": 0.0}
    rows = table.row_count
    others = [
        bl.Table.from_codes(table.names, table.states, [column[: rows - 1] for column in table.codes]),
        bl.Table.from_codes(table.names, table.states, [table.codes[0][::-1], *table.codes[1:]]),
    ]

    def exhaustive(data=table, **changed):
        given = {"max_parents": 3, "margin": 0.0, "shard": (0, 1), **changed}
        return _core.exhaustive(data.encoded, names, score, given.pop("options", {}), **common, **given)

    def anytime(data=table, strategy="greedy", **changed):
        given = {"max_parents": 3, "sets_per_variable": 30, "parents_considered": 9, **changed}
        return _core.anytime_parent_sets(data.encoded, names, score, {}, strategy, **common, **given)

    for run, changes in [
        (exhaustive, [{"max_parents": 2}, {"max_parents": None}, {"margin": 1.0}, {"shard": (0, 2)}]),
        (
            anytime,
            [
                {"sets_per_variable": 31},
                {"sets_per_variable": None, "seconds_per_variable": 1.0},
                {"parents_considered": 8},
                {"max_parents": 2},
                {"strategy": "sequential"},
            ],
        ),
    ]:
        path.unlink(missing_ok=True)
        once = run()["cache"]
        assert path.exists()
        for change in [*changes, {"data": others[0]}, {"data": others[1]}]:
            with pytest.raises(InputError, match="this checkpoint belongs to other data, another score or"):
                run(**change, resume=True)
        assert run(resume=True)["cache"] == once


def test_a_list_that_was_not_kept_is_not_certified(table, tmp_path):
    """A variable may be proved complete just when the time ends: its list is not kept, nor is the proof."""
    path = tmp_path / "work.resume"

    def stopped(**options):
        """So little time that no variable is reached."""
        return _core.anytime_parent_sets(
            table.encoded,
            list(table.names),
            "bic",
            {},
            "sequential",
            checkpoint=bytes(path),
            threads=1,
            seconds=1e-6,
            **options,
        )

    assert stopped()["certified"] == 0
    count, one = struct.pack("<Q", len(table.names)), struct.pack("<Q", 1)
    done, certified = bytes(len(table.names)), bytes([1] * len(table.names))
    content = path.read_bytes()[:16] + count + done + count + certified + 2 * (one + bytes(8))
    path.write_bytes(content + struct.pack("<Q", _core.xxh64(content)))
    assert stopped(resume=True)["certified"] == 0
