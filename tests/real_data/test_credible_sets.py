"""The credible sets of liao2018's tables, as an independent program counted them."""

from __future__ import annotations

import pytest

import bayesloom as bl
from made.data import DATA, needs_data

pytestmark = needs_data

# networks and classes at F = 3, 20, 150; None where listing the classes would make the test slow
COUNTS = {
    "uci/wine.csv.gz": [(308, 7), (3449, 101), (26153, 950)],
    "uci/tic-tac-toe.csv.gz": [(192, 8), (192, 8), (544, 40)],
    "uci/voting.csv.gz": [(27, 2), (441, 33), (2222, 170)],
    "uci/zoo.csv.gz": [(49, 13), (1111, 265), (21679, 4977)],
    "debd/nltcs.test.data.gz": [(240, 4), (1200, 20), (4606, 81)],
    "uci/hepatitis.csv.gz": [(580, 102), (87169, 14225), (5591502, None)],
}


@pytest.mark.parametrize("name", COUNTS)
def test_networks_and_classes(name):
    table = bl.read_table(DATA / name, discrete=True)
    for factor, (networks, classes) in zip((3, 20, 150), COUNTS[name], strict=True):
        found = bl.credible(table, factor)
        assert found.complete
        assert found.count == networks
        if classes is not None:
            assert found.classes.count == classes


@pytest.mark.parametrize("name", ["uci/wine.csv.gz", "uci/voting.csv.gz", "uci/tic-tac-toe.csv.gz"])
def test_every_class_is_whole(name):
    found = bl.credible(bl.read_table(DATA / name, discrete=True), 20)
    assert all(entry.members == entry.size for entry in found.classes)
