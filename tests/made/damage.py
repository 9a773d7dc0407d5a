"""Damaged files: one list of kinds of damage, for tables, networks and caches alike, and for `fuzz`.

A kind takes the bytes and a generator and returns other bytes, or now and then the same.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

Damage = Callable[[bytes, random.Random], bytes]

NUMBERS = (
    *(b"0", b"-1", b"1e999", b"nan", b"inf", b"-inf", b"1e20", b"9" * 30, b"9" * 400, b"-" + b"9" * 5000),
    *(b"2147483648", b"4294967296", b"1_0", b"0x1", "٣".encode(), b""),
)
PIECES = (
    *(
        b"\0",
        b"\0" * 4,
        b"\xff",
        b"\xff" * 8,
        b"\x80",
        b'"',
        b"'",
        b"\\",
        b"{",
        b"}",
        b"(",
        b"<",
        b"<a>",
        b"&x;",
    ),
    *(b"&x;", b"[", b"[" * 5000, b"/*", b"//", b"%", b"#", b";", b",", b"?", b"-", b"\r", b"\n", b"\t", b" "),
    *(b"\x1b[2J", "\u2028".encode(), b"1e999", b"nan", b"9" * 30),
)
NOTHINGS = (b"", b" ", b"\n\n", b"\xef\xbb\xbf", b"\0" * 10, b"null", b"{}", b"[]", b"<a/>", b'"')


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def behead(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(1, len(data)) :]


def flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4))):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def scatter(data: bytes, rng: random.Random) -> bytes:
    return bytes(rng.randrange(256) if rng.random() < 3 / len(data) else byte for byte in data)


def swap_bytes(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted(rng.sample(range(len(data)), 2))
    return data[:a] + data[b : b + 1] + data[a + 1 : b] + data[a : a + 1] + data[b + 1 :]


def drop(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, rng.choice((8, 40))) :]


def double(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    end = at + rng.randint(1, rng.choice((20, 200)))
    return data[:end] + data[at:end] + data[end:]


def swap_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def move_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines) if rng.random() < 0.2 else lines.insert(0, lines.pop(rng.randrange(len(lines))))
    return b"".join(lines)


def drop_or_double_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    lines[i : i + 1] = rng.choice(([], [lines[i]] * 2))
    return b"\n".join(lines)


def put(data: bytes, rng: random.Random) -> bytes:
    """Put a piece in, or over what is there."""
    piece, at = rng.choice(PIECES), rng.randrange(len(data) + 1)
    return data[:at] + piece + data[at + rng.choice((0, len(piece))) :]


def other_number(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data))
    if not found:
        return data + b"7"
    match = rng.choice(found)
    return data[: match.start()] + rng.choice(NUMBERS) + data[match.end() :]


def other_digit(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"\d", data))
    if not found:
        return data + b"7"
    at = rng.choice(found).start()
    return data[:at] + b"%d" % rng.randrange(10) + data[at + 1 :]


def nothing(_data: bytes, rng: random.Random) -> bytes:
    return rng.choice(NOTHINGS)


KINDS: tuple[Damage, ...] = (
    *(cut, behead, flip, scatter, swap_bytes, drop, double, swap_lines, move_lines, drop_or_double_line),
    *(put, other_number, other_digit, nothing),
)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes after one damage of a random kind."""
    return rng.choice(KINDS)(data, rng) if len(data) > 1 else data + rng.choice(PIECES)


def damages(original: bytes, seed: int, count: int) -> Iterator[bytes]:
    """Yield many damages of a file, the empty one first, each different from the original."""
    rng = random.Random(seed)
    yield b""
    made = 1
    while made < count:
        other = damaged(original, rng)
        if other != original:
            made += 1
            yield other
