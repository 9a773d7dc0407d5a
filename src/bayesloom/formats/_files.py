"""Bytes in and out of files: compressed or not, and never half-written."""

from __future__ import annotations

import gzip
import os
import secrets
import zlib
from pathlib import Path

from bayesloom.errors import InputError
from bayesloom.formats._format import Source


def read_source(path: Path) -> Source:
    """Read a file; a name that ends in ``.gz`` is decompressed."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}.") from None
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path.name}: the compressed file is damaged: {error}.") from None
    return Source(path.name, data)


def write_atomically(path: Path, text: str) -> None:
    """Write a file under a temporary name beside it and rename it, so that no reader sees half of it.

    The same text always gives the same bytes: no time is stored in a ``.gz`` file.
    """
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}.") from None
