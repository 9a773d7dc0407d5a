"""What is written: a plain file whole or not at all, everything else through, and each output by itself."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import bayesloom as bl
from bayesloom import _core, files
from bayesloom.errors import InputError, ResourceError
from faults import program
from made import command

AS_ROOT = os.geteuid() == 0


def write_by_python(path: Path) -> None:
    files.write_text(path, "new")


def write_by_core(path: Path) -> None:
    _core.write_file(bytes(path), b"new")


WRITERS = pytest.mark.parametrize("write", [write_by_python, write_by_core])


# One file


@WRITERS
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_the_mode_of_a_file_that_is_replaced_is_kept(tmp_path, write, mode):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@WRITERS
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_obeys_the_umask(tmp_path, write, mask):
    before = os.umask(mask)
    try:
        write(tmp_path / "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~mask


@WRITERS
@pytest.mark.skipif(not AS_ROOT, reason="only root can give files away")
def test_the_owner_of_a_file_that_is_replaced_is_kept(tmp_path, write):
    path = tmp_path / "a"
    path.write_text("old")
    os.chown(path, 12345, 54321)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


@WRITERS
@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed_and_stay_links(tmp_path, write, exists):
    (tmp_path / "there").mkdir()
    target, link, second = tmp_path / "there" / "target", tmp_path / "link", tmp_path / "second"
    if exists:
        target.write_text("old")
    link.symlink_to("there/target")
    second.symlink_to(link)
    write(second)
    assert target.read_text() == "new"
    assert link.is_symlink()
    assert second.is_symlink()
    assert [p.name for p in target.parent.iterdir()] == ["target"]


@WRITERS
def test_links_in_a_circle_are_refused(tmp_path, write):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="cannot be written: too many levels of symbolic links"):
        write(tmp_path / "a")


@WRITERS
def test_a_device_is_written_and_stays_a_device(write):
    write(Path("/dev/null"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@WRITERS
def test_a_device_that_is_full_is_a_resource_error(write):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(ResourceError, match="/dev/full: cannot be written: no space left on device"):
        write(Path("/dev/full"))


@WRITERS
def test_a_named_pipe_is_written_through(tmp_path, write):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@WRITERS
def test_a_descriptor_goes_on_where_it_is(tmp_path, write):
    with (tmp_path / "a").open("wb") as file:
        file.write(b"before ")
        file.flush()
        write(Path(f"/dev/fd/{file.fileno()}"))
        file.write(b" after")
    assert (tmp_path / "a").read_bytes() == b"before new after"


@WRITERS
def test_a_folder_is_refused(tmp_path, write):
    with pytest.raises(InputError, match="cannot be written: it is a folder"):
        write(tmp_path)


@WRITERS
@pytest.mark.skipif(AS_ROOT, reason="root may write everything")
def test_a_file_that_is_write_protected_is_not_replaced(tmp_path, write):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(InputError, match="cannot be written: permission denied"):
        write(path)
    assert path.read_text() == "old"


@WRITERS
def test_the_longest_name_can_be_written(tmp_path, write):
    path = tmp_path / ("n" * 255)
    write(path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_temporary_names_differ_and_what_is_planted_there_is_not_touched(tmp_path):
    first, second = _core.AtomicFile(bytes(tmp_path / "a")), _core.AtomicFile(bytes(tmp_path / "a"))
    names = sorted(p.name for p in tmp_path.iterdir())
    assert len(names) == 2
    assert all(name.startswith(".a.") and name.endswith(".tmp") and len(name) == 23 for name in names)
    first.write(b"first")
    first.commit()
    second.abandon()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"first"


def test_unfinished_files_can_be_removed_by_a_process_that_ends(tmp_path):
    file = _core.AtomicFile(bytes(tmp_path / "a"))
    file.write(b"half")
    _core.remove_unfinished_files()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="cannot be written"):
        file.commit()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.dat", "t.parquet", "t.feather"])
def test_every_kind_of_table_is_written_whole_or_not_at_all(tmp_path, name):
    table = bl.random_network(8, seed=1).sample(2000, seed=1)
    path = tmp_path / name
    path.write_bytes(b"old")
    _fails_for_want_of_room(lambda: table.write(path), 100)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == [name]
    table.write(path)
    assert bl.read_table(path).row_count == 2000


@pytest.mark.parametrize("name", ["c.blc", "c.jkl", "c.pss", "c.blc.gz"])
def test_every_kind_of_cache_is_written_whole_or_not_at_all(tmp_path, name):
    cache = bl.score(bl.random_network(9, seed=1).sample(300, seed=1))
    path = tmp_path / name
    path.write_bytes(b"old")
    _fails_for_want_of_room(lambda: cache.write(path), 100)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["n.jsonl", "n.jsonl.gz", "n.parquet"])
@pytest.mark.parametrize("by", ["network", "class"])
def test_networks_that_are_written_as_they_are_found_are_whole_or_not_there(tmp_path, name, by):
    found = bl.credible(bl.random_network(7, seed=2).sample(100, seed=1), bayes_factor=150)
    path = tmp_path / name
    _fails_for_want_of_room(lambda: found.write(path, by=by), 100)
    assert list(tmp_path.iterdir()) == []
    assert found.write(path, by=by) > 0


def _fails_for_want_of_room(write, size: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(ResourceError, match="cannot be written: file too large"):
            write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# Several outputs


def test_an_output_that_fails_does_not_take_the_others_down(rain_folder, capsys):
    os.symlink("/dev/full", "full.bif")
    code, out, err = command.run(
        capsys, "learn", "rain.csv", "-o", "full.bif", "--report", "r.html", "--json", "run.json"
    )
    assert code == 1
    assert "bayesloom: full.bif: cannot be written: no space left on device." in err
    assert "report written to r.html" in out
    assert "network written" not in out
    assert json.loads((rain_folder / "run.json").read_text())["status"] == "optimal"
    assert (rain_folder / "r.html").read_text().startswith("<!")


def test_every_output_that_fails_is_named(rain_folder, capsys):
    os.symlink("/dev/full", "full.bif")
    code, _, err = command.run(
        capsys, "learn", "rain.csv", "-o", "full.bif", "--report", "r.md", "--json", "/dev/full"
    )
    assert code == 1
    sentences = [line for line in err.splitlines() if line.startswith("bayesloom: ")]
    assert [line.split(":")[1].strip() for line in sentences] == ["full.bif", "/dev/full"]
    assert (rain_folder / "r.md").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "rain.csv", "-o", "c.blc", "--json", "/dev/full"],
        ["search", "given.blc", "-o", "n.dot", "--json", "/dev/full"],
        ["credible", "given.blc", "-o", "n.jsonl", "--json", "/dev/full"],
        ["credible", "given.blc", "--k", "2", "-o", "n.jsonl", "--json", "/dev/full"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_every_verb_writes_what_it_can(rain_folder, capsys, arguments):
    bl.score("rain.csv", bayes_factor=20).write("given.blc")
    code, _, err = command.run(capsys, *arguments)
    assert code == 1
    assert "bayesloom: /dev/full: cannot be written: no space left on device." in err
    assert (rain_folder / arguments[arguments.index("-o") + 1]).stat().st_size > 0


def test_json_to_the_null_device_leaves_it_a_device(rain_folder, capsys):
    assert command.run(capsys, "learn", "rain.csv", "--json", "/dev/null")[0] == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_json_to_dev_stdout_follows_what_was_printed(rain_folder):
    with (rain_folder / "out").open("wb") as out:
        out.write(b"before\n")
        out.flush()
        subprocess.run(
            [sys.executable, "-m", "bayesloom", "learn", "rain.csv", "-q", "--json", "/dev/stdout"],
            stdout=out,
            check=True,
            cwd=rain_folder,
        )
    first, second = (rain_folder / "out").read_text().splitlines()
    assert first == "before"
    assert json.loads(second)["command"] == "learn"


# Before the work begins


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "rain.csv", "-o", "no/net.bif"], "no/net.bif: there is no folder 'no'"),
        (["learn", "rain.csv", "--json", "."], r"\.: cannot be written: it is a folder"),
        (["learn", "rain.csv", "--report", "a.md", "--json", "./a.md"], "are the same file"),
        (["learn", "rain.csv", "--json", "rain.csv"], "rain.csv: the command reads this file"),
        (["learn", "rain.csv", "--json", "link.csv"], "link.csv: the command reads this file"),
        (["score", "rain.csv", "-o", "no/c.blc"], "no/c.blc: there is no folder 'no'"),
        (["score", "rain.csv", "-o", "c.blc", "--json", "c.blc"], "are the same file"),
        (["search", "given.blc", "--json", "given.blc"], "given.blc: the command reads this file"),
        (
            ["learn", "rain.csv", "--start", "net.bif", "-o", "net.bif"],
            "net.bif: the command reads this file",
        ),
        (["search", "given.blc", "--start", "n.json", "-o", "n.json"], "n.json: the command reads this file"),
        (
            ["score", "rain.csv", "-o", "c.blc", "--constraints", "c.blc.resume"],
            "resume: the command reads this",
        ),
        (["credible", "given.blc", "-o", "no/n.jsonl"], "no/n.jsonl: there is no folder 'no'"),
        (["credible", "given.blc", "-o", "x.jsonl", "--json", "x.jsonl"], "are the same file"),
        (["merge", "given.blc", "-o", "given.blc"], "given.blc: the command reads this file"),
        (["convert", "rain.csv", "rain.csv"], "rain.csv: the command reads this file"),
        (["sample", "--random", "3", "-n", "5", "-o", "no/t.csv"], "no/t.csv: there is no folder 'no'"),
        (["verify", "net.json", "--data", "rain.csv", "--json", "rain.csv"], "the command reads this file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_written_is_said_before_the_work(rain_folder, capsys, monkeypatch, arguments, message):
    bl.score("rain.csv").write("given.blc")
    os.symlink("rain.csv", "link.csv")
    files_before = {p.name: p.read_bytes() for p in rain_folder.iterdir()}

    def too_late(*_, **__):
        raise AssertionError("the work began")

    for verb in ("learn", "score", "search", "credible", "merge", "verify"):
        monkeypatch.setattr(bl, verb, too_late)
    monkeypatch.setattr(sys.modules["bayesloom.learning.api"], "learn", too_late)
    code, _, err = command.run(capsys, *arguments)
    assert code == 1
    assert len([line for line in err.splitlines() if line.startswith("bayesloom: ")]) == 1
    assert re.search(message, err), err
    assert {p.name: p.read_bytes() for p in rain_folder.iterdir()} == files_before


@pytest.mark.skipif(AS_ROOT, reason="root may write everything")
def test_a_folder_without_permission_is_said_before_the_work(rain_folder, capsys):
    (rain_folder / "locked").mkdir(mode=0o555)
    code, _, err = command.run(capsys, "learn", "rain.csv", "-o", "locked/net.bif")
    assert code == 1
    assert "is write-protected" in err


def test_a_result_may_replace_an_older_one(rain_folder, capsys):
    for _ in range(2):
        assert command.run(capsys, "learn", "rain.csv", "--json", "run.json", "-o", "n.bif")[0] == 0


def test_a_packed_file_through_a_link_is_packed_by_its_own_name(tmp_path):
    (tmp_path / "a.json.gz").symlink_to("plain")
    files.write_text(tmp_path / "a.json.gz", "text")
    assert gzip.decompress((tmp_path / "plain").read_bytes()) == b"text"


def test_no_space_for_a_command_is_one_sentence_and_no_file(rain_folder):
    """A limit on the size of files stands for a full disk; the program has to be another process."""

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))

    for arguments, name in (
        (["learn", "rain.csv", "-q", "--json", "run.json"], "run.json"),
        (["score", "rain.csv", "-q", "-o", "c.blc"], "c.blc"),
        (["convert", "rain.csv", "rain.tsv"], "rain.tsv"),
        (["sample", "--random", "5", "-n", "100", "-o", "t.csv"], "t.csv"),
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "bayesloom", *arguments],
            cwd=rain_folder,
            capture_output=True,
            text=True,
            preexec_fn=little_room,
            check=False,
        )
        assert ended.returncode == 1
        assert ended.stderr.splitlines()[-1] == f"bayesloom: {name}: cannot be written: file too large."
        assert "Traceback" not in ended.stderr
    assert [p.name for p in rain_folder.iterdir()] == ["rain.csv"]


def test_a_closed_pipe_ends_without_a_traceback_and_the_files_are_there(rain_folder):
    command = f"{sys.executable} -m bayesloom learn rain.csv --json run.json -o n.bif | true"
    ended = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], cwd=rain_folder, capture_output=True
    )
    assert ended.returncode in (0, 1)  # the summary may fit the pipe before it is closed
    assert b"Traceback" not in ended.stderr
    assert b"Exception ignored" not in ended.stderr
    assert json.loads((rain_folder / "run.json").read_text())["status"] == "optimal"
    assert program.run("verify", "run.json", "--data", "rain.csv", cwd=rain_folder).returncode == 0
