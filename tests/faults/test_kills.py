"""Kills at random moments across the verbs; ``BAYESLOOM_KILLS=100`` makes it a hundred."""

from __future__ import annotations

import os

import pytest

from faults.kills import SCENARIOS, kill


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing(tmp_path):
    count = int(os.environ.get("BAYESLOOM_KILLS", len(SCENARIOS)))
    kills = kill(count, seed=int(os.environ.get("BAYESLOOM_KILLS_SEED", 1)), folder=tmp_path)
    assert sum(kills.ended.values()) == count
    assert kills.problems == []
