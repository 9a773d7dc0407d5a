"""Damaged files: always a clear error or a network, never another exception, never a hang.

Every format is damaged 300 times, with seeds: cut, flipped, swapped, doubled, emptied, numbers made
huge, NUL and other bytes put in, counts changed.
"""

from __future__ import annotations

import random
import re

import pytest

from bayesloom.errors import InputError
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.formats import FORMATS, read_network
from bayesloom.networks.formats._format import Source
from bayesloom.networks.generate import random_network
from bayesloom.networks.network import Network

DAMAGES = 300


def cut(data, rng):
    return data[: rng.randrange(len(data))]


def flip(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def swap(data, rng):
    a, b = sorted(rng.sample(range(len(data)), 2))
    return data[:a] + data[b : b + 1] + data[a + 1 : b] + data[a : a + 1] + data[b + 1 :]


def drop(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 40) :]


def double(data, rng):
    at = rng.randrange(len(data))
    end = at + rng.randint(1, 200)
    return data[:end] + data[at:end] + data[end:]


def swap_lines(data, rng):
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines) if rng.random() < 0.2 else lines.insert(0, lines.pop(rng.randrange(len(lines))))
    return b"".join(lines)


def put(data, rng):
    thing = rng.choice(
        [
            b"\0",
            b"\xff",
            b'"',
            b"\\",
            b"{",
            b"}",
            b"(",
            b"[" * 5000,
            b"<a>",
            b"&x;",
            b"/*",
            b"%",
            b";",
            b"\r",
            b"\xe2\x80\xa8",
        ]
    )
    at = rng.randrange(len(data) + 1)
    return data[:at] + thing + data[at:]


def number(data, rng):
    found = list(re.finditer(rb"\d+(\.\d+)?(e-?\d+)?", data))
    if not found:
        return data + b"7"
    match = rng.choice(found)
    new = rng.choice(
        [b"1e999", b"-1", b"nan", b"inf", b"0", b"9" * 400, b"1_0", b"2147483648", b"", b"0x1", "٣".encode()]
    )
    return data[: match.start()] + new + data[match.end() :]


def empty(data, rng):
    return rng.choice([b"", b" ", b"\n\n", b"\xef\xbb\xbf", b"\0" * 10, b"null", b"{}", b"[]", b"<a/>", b'"'])


def refusal(read):
    """The message of the error, or None if a network was read; any other exception passes through."""
    try:
        assert isinstance(read(), Network | FittedNetwork)
    except InputError as error:
        return str(error)
    return None


KINDS = [cut, flip, swap, drop, double, swap_lines, put, number, empty]


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f.name)
def test_damaged_text_is_refused_or_read(format):
    rng = random.Random(format.name)
    good = format.write(random_network(5, max_parents=2, states=(2, 3), seed=2)).encode()
    refused = 0
    for k in range(DAMAGES):
        data = KINDS[k % len(KINDS)](good, rng)
        if rng.random() < 0.2 and len(data) > 1:
            data = rng.choice(KINDS)(data, rng)
        message = refusal(lambda data=data: format.read(Source("damaged", data)))
        refused += message is not None
        assert message is None or re.fullmatch(r"damaged[,:].*\.", message, re.DOTALL)
    assert refused > DAMAGES / 4


def test_a_damaged_compressed_file_is_refused(tmp_path):
    rng = random.Random(1)
    path = tmp_path / "net.bif.gz"
    random_network(5, max_parents=2, seed=2).write(path)
    good = path.read_bytes()
    for k in range(200):
        path.write_bytes([cut, flip, swap, drop][k % 4](good, rng))
        message = refusal(lambda: read_network(path))
        assert message is None or "net.bif.gz" in message


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f.name)
@pytest.mark.parametrize(
    "piece", [b'"', b"\\", b"(", b"[", b"{", b"a ", b"a,", b"/*", b"<a>", b"[a]", b"property ;", b"a -> "]
)
def test_long_repetitions_end_quickly(format, piece):
    """A hundred thousand of the same: nothing is tried over and over (the test's time is its proof)."""
    good = format.write(random_network(2, max_parents=1, seed=2)).encode()
    at = len(good) // 3
    for data in (piece * 100_000, good[:at] + piece * 100_000 + good[at:]):
        message = refusal(lambda data=data: format.read(Source("long", data)))
        assert message is None or len(message) < 400
