"""Damaged files of every format: an InputError or a valid table, and nothing else.

A flipped bit inside a label makes another label, so some damaged text files are valid tables; what
must never happen is another exception, or a table that breaks its own promises.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from bayesloom.errors import InputError
from bayesloom.table import Table, read_table
from made.damage import KINDS

DAMAGES_PER_KIND = 40


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
    for strict in (False, True):
        with pytest.raises(InputError):
            read_table(path, strict=strict)
