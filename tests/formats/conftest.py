"""Networks for the tests of the file formats."""

from __future__ import annotations

import numpy as np
import pytest

from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.generate import random_network
from bayesloom.networks.network import Network


@pytest.fixture
def small() -> FittedNetwork:
    """Parents out of index order in no file, three states, numbers of many digits."""
    return random_network(6, max_parents=2, seed=5)


@pytest.fixture
def odd() -> FittedNetwork:
    """Names and states that upset readers."""
    network = Network(
        ["café au lait", "1st", "table", 'a"b;{}\\', "X%20", " node", "x", "net"],
        {"X%20": ["1st", "café au lait"], "table": ["X%20"], "x": ["net"]},
    )
    states = [
        *(["<5", "5-10", "≥10"], ["0", "1"], ["yes", "no way"], ["", " "], ["a,b", "c)d"]),
        *(['"', "\\"], ["// no", "/* comment */ %"], ["tab\t", "line\n", "\r"]),
    ]
    rng = np.random.default_rng(1)
    tables = []
    for i, up in enumerate(network.parent_indices):
        numbers = rng.random([len(states[j]) for j in (*up, i)])
        tables.append(numbers / numbers.sum(axis=-1, keepdims=True))
    return FittedNetwork(network, states, tables)
