"""Damaged files: always a clear error or a network, never another exception, never a hang.

Every format is damaged 300 times, with seeds, in every way of `made.damage`.
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
from made.damage import KINDS, cut, damaged, drop, flip, swap_bytes

DAMAGES = 300


def refusal(read):
    """The message of the error, or None if a network was read; any other exception passes through."""
    try:
        assert isinstance(read(), Network | FittedNetwork)
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f.name)
def test_damaged_text_is_refused_or_read(format):
    rng = random.Random(format.name)
    good = format.write(random_network(5, max_parents=2, states=(2, 3), seed=2)).encode()
    refused = 0
    for k in range(DAMAGES):
        data = KINDS[k % len(KINDS)](good, rng)
        if rng.random() < 0.2:
            data = damaged(data, rng)
        message = refusal(lambda data=data: format.read(Source("damaged", data)))
        refused += message is not None
        assert message is None or re.fullmatch(r"damaged[,:].*\.", message, re.DOTALL)
    assert refused > DAMAGES / 4


def test_a_damaged_compressed_file_is_refused(tmp_path):
    rng = random.Random(1)
    path = tmp_path / "net.bif.gz"
    whole = random_network(5, max_parents=2, seed=2)
    whole.write(path)
    good = path.read_bytes()
    refused = 0
    for k in range(200):
        path.write_bytes([cut, flip, swap_bytes, drop][k % 4](good, rng))
        message = refusal(lambda: read_network(path))
        if message is None:  # in what gzip does not check, such as the time of the file
            assert read_network(path) == whole
        else:
            assert "net.bif.gz" in message
            refused += 1
    assert refused > 180


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
