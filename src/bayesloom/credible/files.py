"""Credible sets as files: one JSON object per line, written as they are found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from bayesloom import _core
from bayesloom.files import replacing

if TYPE_CHECKING:
    from bayesloom.credible.entries import CredibleClass

LINES = 8192  # a few megabytes at a time


def write_networks(core: _core.CredibleSet, path: str | os.PathLike[str], limit: int | None) -> int:
    """Write networks; the lines are made by the core."""
    stream = core.stream()
    written = 0
    with replacing(path) as file:
        while limit is None or written < limit:
            most = LINES if limit is None else min(LINES, limit - written)
            text, count = stream.take_json(most)
            file.write(text)
            written += count
            if count < most:
                break
    return written


def write_classes(classes: Iterable[CredibleClass], path: str | os.PathLike[str], limit: int | None) -> int:
    """Write one network per class."""
    written = 0
    with replacing(path) as file:
        for found in islice(classes, limit):
            row = {
                "score": found.score,
                "members": found.members,
                "size": found.size,
                "posterior": found.posterior,
                "parents": {name: list(up) for name, up in found.network.parents.items()},
            }
            file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
            written += 1
    return written
