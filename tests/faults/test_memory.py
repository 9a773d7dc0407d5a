"""Memory: what control groups leave, and that reading and unpacking stay within it."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import bayesloom as bl
from bayesloom import limits, memory
from bayesloom.errors import InputError, ResourceError
from bayesloom.files import read_stream, unpacked
from made.command import exit_code

GB = 10**9


def tree(root: Path, files: dict[str, str]) -> Path:
    """A file system that holds these files."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text("MemTotal: 99 kB\nMemAvailable:   8000000 kB\n")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


V2 = "sys/fs/cgroup/"
V1 = "sys/fs/cgroup/memory/"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/\n"}, None),
        ({"proc/self/cgroup": "0::/a/b\n", V2 + "a/b/memory.max": "max\n"}, None),
        # Our own group, with what it uses; cache that is given back on need does not count.
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                V2 + "a/b/memory.max": "3000000000\n",
                V2 + "a/b/memory.current": "1500000000\n",
                V2 + "a/b/memory.stat": "anon 1\ninactive_file 500000000\nactive_file 9\n",
            },
            2.0,
        ),
        # A group above is narrower.
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                V2 + "a/b/memory.max": "max\n",
                V2 + "a/memory.max": "1000000000\n",
                V2 + "a/memory.current": "250000000\n",
            },
            0.75,
        ),
        # Beyond `high` a group is slowed down until it is as good as stopped.
        (
            {
                "proc/self/cgroup": "0::/a\n",
                V2 + "a/memory.max": "4000000000\n",
                V2 + "a/memory.high": "2000000000\n",
                V2 + "a/memory.current": "1000000000\n",
            },
            1.0,
        ),
        # In a container the path may lead outside of what is mounted: the limit is at the root.
        ({"proc/self/cgroup": "0::/../x\n", V2 + "memory.max": "1000000000\n"}, 1.0),
        ({"proc/self/cgroup": "0::/docker/1f\n", V2 + "memory.max": "1000000000\n"}, 1.0),
        # More in use than is allowed leaves nothing.
        (
            {
                "proc/self/cgroup": "0::/\n",
                V2 + "memory.max": "1000\n",
                V2 + "memory.current": "2000\n",
            },
            0.0,
        ),
        # Version 1; the largest number of pages means no limit.
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/x\n3:memory:/job/7\n0::/user\n",
                V1 + "memory.limit_in_bytes": "9223372036854771712\n",
                V1 + "job/7/memory.limit_in_bytes": "2000000000\n",
                V1 + "job/7/memory.usage_in_bytes": "1200000000\n",
                V1 + "job/7/memory.stat": "inactive_file 7\ntotal_inactive_file 200000000\n",
            },
            1.0,
        ),
        ({"proc/self/cgroup": "3:memory:/\n", V1 + "memory.limit_in_bytes": "9223372036854771712\n"}, None),
        # What cannot be read is no limit.
        ({"proc/self/cgroup": "nonsense\n:::\n0::/a\n", V2 + "a/memory.max": "no number\n"}, None),
    ],
)
def test_control_groups_of_both_versions(tmp_path, files, expected):
    root = tree(tmp_path, files)
    found = memory.cgroup_available(root)
    assert found == (None if expected is None else expected * GB)
    machine = 8_000_000 * 1024
    assert memory.available(root) == (machine if expected is None else min(machine, expected * GB))


def test_the_default_and_what_is_asked_for_stay_within_the_group(monkeypatch):
    monkeypatch.setattr(limits, "cgroup_available", lambda: 2.0 * GB)
    monkeypatch.setattr(limits, "available", lambda: 2.0 * GB)
    assert limits.resolve_memory(None) == 0.8 * 2 * GB
    assert limits.resolve_memory(1.0) == 1 * GB
    assert limits.resolve_memory(64.0) == 2 * GB


def test_more_memory_than_the_group_leaves_is_told(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(limits, "cgroup_available", lambda: 2.0 * GB)
    (tmp_path / "t.csv").write_text("a,b\n" + "0,1\n1,0\n" * 5)
    assert exit_code("learn", str(tmp_path / "t.csv"), "-q", "--memory", "64") == 0
    assert "--memory 64: 2 GB is what the control group leaves, and used" in capsys.readouterr().err
    assert exit_code("learn", str(tmp_path / "t.csv"), "-q", "--memory", "1") == 0
    assert capsys.readouterr().err == ""


def test_what_is_set_for_reading_holds_within_the_block_only():
    with limits.reading_within(0.25):
        assert limits.reading_memory() <= 0.25 * GB
        with limits.reading_within(None):
            assert limits.reading_memory() <= 0.25 * GB
    assert limits.reading_memory() == pytest.approx(limits.resolve_memory(None), rel=0.5)
    with pytest.raises(InputError, match="memory must be a positive number"), limits.reading_within(-1):
        pass


class Zeros(io.RawIOBase):
    """A stream without end that counts what was taken from it."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        size = len(buffer)
        buffer[:] = bytes(size)
        self.taken += size
        return size


def test_a_stream_without_end_is_given_up_when_the_memory_is_used():
    stream = Zeros()
    with limits.reading_within(0.1), pytest.raises(ResourceError, match=r"reading it takes more than 0\.1"):
        read_stream(io.BufferedReader(stream), "standard input")
    assert stream.taken < 0.2 * GB


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """A gigabyte of zeros, packed."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        for _ in range(1000):
            file.write(bytes(10**6))
    return packed.getvalue()


def test_unpacking_ends_when_the_memory_is_used(bomb, monkeypatch):
    taken = []
    read = gzip.GzipFile.read

    def counted(self, size=-1):
        piece = read(self, size)
        taken.append(len(piece))
        return piece

    monkeypatch.setattr(gzip.GzipFile, "read", counted)
    with limits.reading_within(0.2), pytest.raises(ResourceError, match=r"unpacked; 0\.2 GB may be used"):
        unpacked(bomb, "bomb.csv.gz")
    assert sum(taken) <= 0.11 * GB


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("t.csv.gz", "learn t.csv.gz --memory 0.2"),
        ("t.dat.gz", "score t.dat.gz -o c.blc --memory 0.2"),
        ("t.arff.gz", "credible t.arff.gz --memory 0.2"),
        ("t.parquet.gz", "convert t.parquet.gz t.csv --memory 0.2"),
        ("c.blc.gz", "search c.blc.gz --memory 0.2"),
        ("c.jkl.gz", "credible c.jkl.gz --memory 0.2"),
        ("n.json.gz", "verify n.json.gz --data t.csv --memory 0.2"),
        ("n.bif.gz", "convert n.bif.gz n.net --memory 0.2"),
    ],
)
def test_every_verb_refuses_a_gzip_bomb_with_a_sentence(bomb, tmp_path, monkeypatch, capsys, name, command):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(bomb)
    assert exit_code(*command.split()) == 1
    err = capsys.readouterr().err
    assert f"bayesloom: {name}: reading it takes more than 0.2 GB, unpacked; 0.2 GB may be used." in err
    assert "Allow more with --memory, or give a smaller file." in err
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_table_that_takes_more_to_take_apart_than_may_be_used_is_refused_before(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "0,1\n" * 100_000)
    with limits.reading_within(0.1):
        assert bl.read_table(path).row_count == 100_000
    monkeypatch.setattr("bayesloom.table.sources.read_text", None)  # not reached
    with limits.reading_within(0.002), pytest.raises(ResourceError, match=r"takes more than 0\.0024 GB"):
        bl.read_table(path)


@pytest.mark.parametrize("call", ["learn", "score", "credible", "k_best"])
def test_functions_read_within_the_memory_they_are_given(tmp_path, call):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "0,1\n" * 100_000)
    more = (3,) if call == "k_best" else ()
    with pytest.raises(ResourceError, match="reading it takes more than"):
        getattr(bl, call)(path, *more, memory=0.002)


def test_a_parquet_file_of_few_bytes_and_many_rows_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    rows = 2_000_000
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), ["x"])
    pa.parquet.write_table(pa.table({"a": column, "b": column}), path)
    assert path.stat().st_size < 20_000
    with (
        limits.reading_within(0.02),
        pytest.raises(ResourceError, match=r"takes more than 0\.032 GB, unpacked"),
    ):
        bl.read_table(path)


@pytest.mark.parametrize("ending", ["jkl", "pss"])
def test_a_plain_score_cache_is_read_within_the_memory(tmp_path, ending):
    lists = {"a": [(-1.0, ["b"]), (-2.0, [])], "b": [(-1.0, ["a"]), (-2.0, [])]}
    path = tmp_path / f"c.{ending}"
    bl.ScoreCache.from_candidates("ab", lists).write(path)
    assert len(bl.read_cache(path).names) == 2
    with path.open("a") as file:
        file.write("#" * 2_000_000)
    with limits.reading_within(1e-3), pytest.raises(ResourceError, match="reading it takes more than"):
        bl.read_cache(path)


def test_what_fits_is_unpacked_as_before():
    assert unpacked(gzip.compress(b"one") + gzip.compress(b" two"), "x") == b"one two"
    for damaged in (gzip.compress(b"one")[:-3], b"\x1f\x8b" + bytes(20), b"no gzip"):
        with pytest.raises(InputError, match="the gzip data is damaged or cut short"):
            unpacked(damaged, "x")
