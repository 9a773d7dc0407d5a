"""qNML beyond the exact recurrence, where joint states are too many to count to."""

from __future__ import annotations

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.verification import local_scores as verified_scores
from made.scores import of_states


@pytest.mark.parametrize("name", of_states)
@pytest.mark.parametrize("parents", [5, 12, 40])
def test_sets_with_astronomically_many_joint_states(name, parents):
    """4^40 joint states: counts stay small, and no number overflows."""
    rng = np.random.default_rng(parents)
    columns = [rng.integers(0, 4, size=300).astype(np.uint8) for _ in range(parents + 1)]
    data = _core.EncodedData(columns, [4] * (parents + 1))
    fixed = _core.score_families(
        data,
        name,
        {},
        np.array([parents], np.uint16),
        np.array([0, parents], np.uint64),
        np.arange(parents, dtype=np.uint16),
        1,
    )
    if name in ("bic", "ebic", "aic") and parents == 40:
        assert _core.to_nats(int(fixed[0])) < -(2**28)  # beyond the range the charge is cut off
        return
    lists = [[] for _ in range(parents)] + [list(range(parents))]
    expected = verified_scores(columns, [4] * (parents + 1), lists, name)[-1]
    assert _core.to_nats(int(fixed[0])) == pytest.approx(expected, rel=1e-9, abs=1e-8)
