"""What each process of ``local:N`` does first: Ctrl-C at a terminal goes to all, and only ours answers."""

from __future__ import annotations

import signal
from contextlib import suppress

__all__ = ["dask_setup"]


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the process that started this one; Dask calls this when the worker starts."""
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
