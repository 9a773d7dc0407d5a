"""The bytes of a file: opened with clear errors, unpacked, written whole or not at all.

Shared by tables, networks and whatever else is a file; score caches are written by the core.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from bayesloom.errors import InputError, ResourceError

__all__ = ["read_bytes", "replacing", "unpacked", "write_text"]


def read_bytes(path: str, *, gzipped: bool) -> bytes:
    """Return the content of a file, unpacked."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory, not a file.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {_reason(error)}.") from None
    return unpacked(data, path) if gzipped else data


def unpacked(data: bytes, source: str) -> bytes:
    """Return what a gzip stream holds."""
    if not data:
        raise InputError(f"{source}: the file is empty.")
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error):
        raise InputError(
            f"{source}: the gzip data is damaged or cut short. Copy the file again, or unpack it first."
        ) from None


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete.

    What is written goes to a temporary name beside the target; leaving the block renames it,
    an exception removes it, so a reader sees the old file or the new one and nothing between.
    """
    target = Path(os.fspath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            if target.name.lower().endswith(".gz"):
                # No time stamp and no name inside, so equal tables give equal files.
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        kind = ResourceError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputError
        raise kind(f"{target}: cannot be written: {_reason(error)}.") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a whole text file, compressed if its name ends in ``.gz``."""
    with replacing(path) as file:
        file.write(text.encode())


def _reason(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return reason[:1].lower() + reason[1:]
