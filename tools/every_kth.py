"""For pytest: run every k-th test only, spread over all files. `EVERY_KTH=10 pytest -p every_kth`."""

from __future__ import annotations

import os
from typing import Any


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    step = int(os.environ.get("EVERY_KTH", "1"))
    dropped = [item for place, item in enumerate(items) if place % step]
    if dropped:
        items[:] = items[::step]
        config.hook.pytest_deselected(items=dropped)
