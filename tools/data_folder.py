"""Where the collected tables, networks and score files lie, for tests and benchmarks.

The environment variable BAYESLOOM_DATA names the folder; without it, ``../shared/data`` beside the checkout.
It has the subfolders ``uci``, ``debd``, ``networks`` and ``scores``; tests that need it are skipped without.
"""

from __future__ import annotations

import os
from pathlib import Path

DEFAULT = Path(__file__).resolve().parents[1].parent / "shared" / "data"
DATA = Path(os.environ.get("BAYESLOOM_DATA") or DEFAULT)
