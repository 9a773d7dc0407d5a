"""Networks that the tests know by heart."""

from __future__ import annotations

import pytest

from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.network import Network
from bayesloom.table import Table


@pytest.fixture
def sprinkler() -> FittedNetwork:
    """Season turns the sprinkler on and brings rain; both make the grass wet."""
    network = Network(
        ["season", "sprinkler", "rain", "wet"],
        {"sprinkler": ["season"], "rain": ["season"], "wet": ["sprinkler", "rain"]},
    )
    return FittedNetwork(
        network,
        states={
            "season": ["dry", "mild", "rainy"],
            "sprinkler": ["off", "on"],
            "rain": ["no", "yes"],
            "wet": ["no", "yes"],
        },
        tables={
            "season": [0.5, 0.25, 0.25],
            "sprinkler": [[0.3, 0.7], [0.5, 0.5], [1.0, 0.0]],
            "rain": [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]],
            "wet": [[[1.0, 0.0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]],
        },
    )


@pytest.fixture
def weather() -> Table:
    """Six rows over three of the variables and one more."""
    return Table.from_codes(
        ["rain", "wet", "season", "noise"],
        [["no", "yes"], ["no", "yes"], ["dry", "mild", "rainy"], ["x", "y"]],
        [[0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 2, 2, 0], [0, 1, 0, 1, 0, 1]],
    )
