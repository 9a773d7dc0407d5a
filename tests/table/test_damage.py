"""Damaged files of every format: an InputError or a valid table, and nothing else.

A flipped bit inside a label makes another label, so some damaged text files are valid tables; what
must never happen is another exception, or a table that breaks its own promises.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from bayesloom.errors import InputError
from bayesloom.table import Table, read_table

DAMAGES_PER_KIND = 40


def truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def beheaded(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(1, len(data)) :]


def flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def swapped_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def with_nul(data: bytes, rng: random.Random) -> bytes:
    return inserted(data, rng, b"\0" * rng.randint(1, 4))


def with_huge_number(data: bytes, rng: random.Random) -> bytes:
    return inserted(data, rng, rng.choice([b"9" * 30, b"1e999", b"-" + b"9" * 5000, b"\xff" * 8]))


def with_odd_characters(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(data))] = rng.choice(b'",\n\r \t;#\xff\x80?')
    return bytes(changed)


def wrong_counts(data: bytes, rng: random.Random) -> bytes:
    """Repeat or remove a few bytes, so that numbers of fields, rows and bytes no longer fit."""
    start = rng.randrange(len(data))
    end = start + rng.randint(1, 20)
    return data[:end] + data[start:] if rng.random() < 0.5 else data[:start] + data[end:]


def inserted(data: bytes, rng: random.Random, piece: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + piece + data[at:]


KINDS: list[Callable[[bytes, random.Random], bytes]] = [
    truncated,
    beheaded,
    flipped,
    swapped_lines,
    with_nul,
    with_huge_number,
    with_odd_characters,
    wrong_counts,
]


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(3)
    states = [["no", "yes"], ["0", "1", "2"], ["a", "b", "c", "d"]]
    codes = [rng.integers(0, len(one), 40) for one in states]
    return Table.from_codes(["smoke", "läng", "x_y"], states, codes)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".dat", ".parquet", ".feather", ".csv.gz", ".parquet.gz"])
@pytest.mark.parametrize("damage", KINDS, ids=lambda damage: damage.__name__)
def test_damage_is_refused_or_harmless(tmp_path, table, suffix, damage):
    path = tmp_path / f"t{suffix}"
    table.write(path)
    whole = path.read_bytes()
    rng = random.Random(f"{suffix} {damage.__name__}")
    for _ in range(DAMAGES_PER_KIND):
        path.write_bytes(damage(whole, rng))
        try:
            found = read_table(path)
        except InputError as error:
            message = str(error)
            assert message.startswith(str(path))
            assert message.endswith(".")
        else:
            # The constructor has checked codes and shapes; gzip's checksum promises more.
            assert found.row_count > 0
            if suffix.endswith(".gz"):
                assert found == table


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".data", ".dat", ".parquet", ".feather", ".csv.gz"])
@pytest.mark.parametrize("content", [b"", b"\0", b"\n", b" ", b"\xff\xfe", b"\xef\xbb\xbf", b",", b'"'])
def test_next_to_nothing(tmp_path, suffix, content):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_table(path)
