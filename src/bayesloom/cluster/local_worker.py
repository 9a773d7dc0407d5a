"""Setup of each process of ``local:N``: it ignores Ctrl-C, to which only the caller reacts."""

from __future__ import annotations

import signal
from contextlib import suppress

__all__ = ["dask_setup"]


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to the process that started this one; Dask calls this when the worker starts."""
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
