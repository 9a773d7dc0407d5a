"""The collected tables, networks and score files, where they are at hand; see `tools/data_folder.py`."""

from __future__ import annotations

import pytest

from data_folder import DATA

__all__ = ["DATA", "NETWORKS", "SCORES", "needs_data"]

NETWORKS, SCORES = DATA / "networks", DATA / "scores"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no {DATA}: name the folder of collected data by BAYESLOOM_DATA"
)
