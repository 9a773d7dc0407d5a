"""Real files, where they are at hand: right numbers of variables, rows and states."""

from __future__ import annotations

import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table
from made.data import DATA, needs_data

pytestmark = needs_data


@pytest.mark.parametrize(
    ("name", "variables", "rows", "states"),
    [
        ("uci/adult.csv.gz", 14, 30_162, 2),
        ("uci/mushroom.csv.gz", 23, 8_124, 12),
        ("uci/wine.csv.gz", 14, 178, 3),
        ("debd/nltcs.test.data.gz", 16, 3_236, 2),
        ("debd/ad.valid.data.gz", 1_556, 327, 2),
        ("networks/samples/asia_10000.dat.gz", 8, 10_000, 2),
        ("networks/samples/alarm-5000.dat.gz", 37, 5_000, 4),
        ("networks/samples/discrete.dat.gz", 6, 5_000, 3),
        ("networks/samples/mildew-5000.dat.gz", 35, 5_000, 100),
        ("networks/samples/andes-5000.csv.gz", 223, 5_000, 2),
        ("networks/samples/link-5000.csv.gz", 676, 5_000, 4),
    ],
)
def test_files_of_the_papers(name, variables, rows, states):
    table = read_table(DATA / name)
    assert len(table.names) == variables
    assert table.row_count == rows
    assert max(table.cardinalities) == states


@pytest.mark.parametrize(("name", "states"), [("barley1000", 67), ("mildew1000", 79)])
def test_integers_with_many_states_must_be_said_to_be_discrete(name, states):
    path = DATA / "networks" / "samples" / f"{name}.csv.gz"
    with pytest.raises(InputError, match=rf"continuous, that is, .* \({states}\)"):
        read_table(path, strict=True)
    assert max(read_table(path, discrete=True).cardinalities) == states


@pytest.mark.parametrize("folder", ["uci", "debd", "networks/samples"])
def test_every_file_reads(folder):
    paths = [path for path in sorted((DATA / folder).glob("*.gz")) if path.stat().st_size < 100_000]
    assert paths
    for path in paths:
        table = read_table(path, discrete=True)
        assert all(
            column.max() < count for column, count in zip(table.codes, table.cardinalities, strict=True)
        )
