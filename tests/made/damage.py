"""Many different damages of a file, for tests that it is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator


def damages(original: bytes, seed: int, count: int) -> Iterator[bytes]:
    """Yield many different damages of a file, each different from the original."""
    rng = random.Random(seed)
    size = len(original)

    def cut(data: bytearray) -> bytes:
        return bytes(data[: rng.randrange(size)])

    def flip(data: bytearray) -> bytes:
        for _ in range(rng.choice((1, 1, 1, 4))):
            data[rng.randrange(size)] ^= 1 << rng.randrange(8)
        return bytes(data)

    def swap_lines(data: bytearray) -> bytes:
        lines = bytes(data).split(b"\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
        return b"\n".join(lines)

    def drop_or_double_line(data: bytearray) -> bytes:
        lines = bytes(data).split(b"\n")
        i = rng.randrange(len(lines))
        lines[i : i + 1] = rng.choice(([], [lines[i]] * 2))
        return b"\n".join(lines)

    def overwrite(data: bytearray) -> bytes:
        piece = rng.choice(
            (b"\0", b"9" * 30, b"1e999", b"\xff\xff\xff\xff\xff\xff\xff\xff", b"-", b"\n", b"nan")
        )
        at = rng.randrange(size)
        data[at : at + rng.choice((0, len(piece)))] = piece
        return bytes(data)

    def change_digit(data: bytearray) -> bytes:
        digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
        data[rng.choice(digits)] = rng.randrange(48, 58)
        return bytes(data)

    def remove(data: bytearray) -> bytes:
        at = rng.randrange(size)
        del data[at : at + rng.randrange(1, 9)]
        return bytes(data)

    kinds: list[Callable[[bytearray], bytes]] = [
        cut, flip, swap_lines, drop_or_double_line, overwrite, change_digit, remove,
    ]  # fmt: skip
    yield b""
    made = 1
    while made < count:
        damaged = rng.choice(kinds)(bytearray(original))
        if damaged != original:
            made += 1
            yield damaged
