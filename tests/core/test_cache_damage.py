"""Damaged score cache files: refused with their place, or read exactly as the naive reader reads them."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache
from made.caches import content, random_cache
from made.damage import damages
from reference.jkl import read_jkl
from reference.pss import read_pss
from reference.xxh64 import xxh64

JKL = b"3\nrain 1\n-12.5 0\nwet 2\n-7.25 1 rain\n-13.75 0\nslip 2\n-3 2 wet rain\n-4 0\n"
PSS = b"META ess=1\nVAR rain\nMETA arity=2\n-12.5\nVAR wet\n-7.25 rain\n-13.75\nVAR slip\n-3 wet rain\n-4\n"


def same_or_refused(damaged: bytes, parse: Any, naive: Any) -> bool:
    """Check one damaged text; tell whether it was refused."""
    try:
        expected = naive(damaged)
    except ValueError:
        with pytest.raises(InputError, match=r"^x, line|^x: "):
            parse(damaged)
        return True
    assert content(parse(damaged)) == expected
    return False


@pytest.mark.parametrize("seed", range(3))
def test_damaged_jkl_is_refused_or_read_as_the_twin_reads_it(seed: int) -> None:
    original = JKL if seed == 0 else _core.format_jkl(random_cache(seed, 6, 6).core)
    parse = lambda text: _core.parse_jkl(text, "x")  # noqa: E731
    refused = [same_or_refused(damaged, parse, read_jkl) for damaged in damages(original, seed, 300)]
    assert sum(refused) > 100


@pytest.mark.parametrize("seed", range(3))
def test_damaged_pss_is_refused_or_read_as_the_twin_reads_it(seed: int) -> None:
    original = PSS if seed == 0 else _core.format_pss(random_cache(seed, 6, 6).core, [])
    parse = lambda text: _core.parse_pss(text, "x")[0]  # noqa: E731
    naive = lambda text: read_pss(text)[0]  # noqa: E731
    refused = [same_or_refused(damaged, parse, naive) for damaged in damages(original, seed, 300)]
    assert sum(refused) > 100


@pytest.mark.parametrize("seed", range(2))
def test_every_damaged_blc_is_refused(seed: int) -> None:
    original = _core.format_blc(random_cache(seed, 5, 5).core)
    for damaged in damages(original, seed, 400):
        with pytest.raises(InputError, match=r"^x, offset \d+: "):
            _core.parse_blc(damaged, "x")


def test_every_single_byte_of_a_blc_file_counts() -> None:
    original = _core.format_blc(ScoreCache.from_candidates(["a"], {"a": [(-1, [])]}).core)
    for at in range(len(original)):
        damaged = bytearray(original)
        damaged[at] ^= 0x20
        with pytest.raises(InputError, match=r"^x, offset \d+: "):
            _core.parse_blc(bytes(damaged), "x")
    for size in range(len(original)):
        with pytest.raises(InputError, match=r"^x, offset \d+: "):
            _core.parse_blc(original[:size], "x")


def forged(original: bytes, offset: int, patch: bytes) -> bytes:
    """A file with other bytes and a correct checksum: only the structure can give it away."""
    data = bytearray(original[:-8])
    data[offset : offset + len(patch)] = patch
    return bytes(data) + struct.pack("<Q", xxh64(bytes(data)))


def test_a_correct_checksum_does_not_excuse_a_wrong_structure() -> None:
    lists = {"a": [(-1, []), (-2, ["b"]), (-2, ["c"])], "b": [(-1, [])], "c": [(-1, ["a", "b"])]}
    original = _core.format_blc(ScoreCache.from_candidates("abc", lists, info={"rows": 1}).core)
    offsets = struct.unpack("<8Q", original[64:128])
    first, scores, parent_first, parents, _, name_first, names, info = offsets
    u64 = lambda *values: struct.pack(f"<{len(values)}q", *values)  # noqa: E731
    u16 = lambda *values: struct.pack(f"<{len(values)}H", *values)  # noqa: E731
    forgeries = [
        (0, b"nonsense", "offset 0: this is not a Bayesloom score cache"),
        (8, b"\3", "offset 8: the file has format version 3; this Bayesloom reads versions 1 and 2."),
        (8, b"\2", "offset 8: the format version does not go with the number of variables;"),
        (
            12,
            bytes.fromhex("0a0b0c0d"),
            "offset 12: the file was written on a machine of the other byte order",
        ),
        (12, b"xxxx", "offset 12: the byte order mark is damaged"),
        (16, u64(1), "offset 16: the file should have 1 bytes"),
        (24, u64(-1), "offset 24: a count is larger than the file"),
        (24, u64(40), "offset 64: the sections do not lie where the counts put them"),
        (64, u64(64), "offset 64: the sections do not lie where the counts put them"),
        (first, u64(1), f"offset {first}: the first offset of candidates is not 0."),
        (
            first,
            u64(0, 4, 3, 5),
            f"offset {first + 16}: the offsets of candidates are not in ascending order.",
        ),
        (first, u64(0, 3, 4, 4), f"offset {first + 24}: the last offset of candidates is not their number."),
        (first, u64(0, 0, 4, 5), f"offset {first}: a variable has no candidate."),
        (parent_first, u64(0, 3, 2), f"offset {parent_first + 16}: the offsets of parents are not"),
        (scores, u64(-(2**40)), f"offset {scores + 8}: candidates are not in order, best first."),
        (scores, u64(2**62 + 2**40), f"offset {scores}: a score is out of range or finer than a double."),
        (scores, u64(2**61 + 1), f"offset {scores}: a score is out of range or finer than a double."),
        (scores, u64(-(2**63)), f"offset {scores}: a score is out of range or finer than a double."),
        (parents, u16(3), f"offset {parents}: parents are out of range, out of order, or"),
        (parents, u16(0), f"offset {parents}: parents are out of range, out of order, or"),
        (parents, u16(2, 1), f"offset {scores + 16}: candidates are not in order"),
        (parents + 4, u16(1, 0), f"offset {parents + 4}: parents are out of range, out of order, or"),
        (parents + 4, u16(1, 1), f"offset {parents + 4}: parents are out of range, out of order, or"),
        (name_first, u64(0, 0, 2, 3), f"offset {names}: the name of a variable is empty."),
        (name_first, u64(0, 2, 1, 3), f"offset {name_first + 16}: the offsets of names are not"),
        (names, b"aab", f"offset {names}: two variables have the name 'a'."),
        (names, b"\xff", f"offset {names}: the name of a variable, '\\?', is not UTF-8"),
        (info, b"\xff", f"offset {info}: the info text is not UTF-8."),
    ]
    assert _core.parse_blc(forged(original, 0, b""), "x").candidate_count == 5
    for offset, patch, message in forgeries:
        with pytest.raises(InputError, match=rf"^x, {message}"):
            _core.parse_blc(forged(original, offset, patch), "x")
    twice = forged(forged(original, scores, u64(-(2**30), -(2**31), -(2**32))), parents, u16(1, 1))
    with pytest.raises(InputError, match=f"offset {parents + 2}: a parent set occurs twice."):
        _core.parse_blc(twice, "x")
    too_much = forged(original, scores, u64(0, -(2**60), -(2**60), -(2**61), -(2**61)))
    with pytest.raises(InputError, match=r"^x: the largest local scores of the variables sum to"):
        _core.parse_blc(too_much, "x")
