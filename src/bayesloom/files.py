"""The bytes of a file: opened with clear errors, unpacked within the memory, written whole or not at all.

Shared by tables, networks, score caches and whatever else is a file.  What is written goes through the
core's one writer (``src/core/cache/atomic_file.hpp``).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from bayesloom import _core
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import check_fits, reading_memory

__all__ = ["read_bytes", "read_stream", "replacing", "unpacked", "write_text"]

_PIECE = 1 << 20  # bytes unpacked or read at a time


def read_bytes(path: str, *, gzipped: bool) -> bytes:
    """Return the content of a file, unpacked."""
    try:
        with open(path, "rb") as file:
            data = read_stream(file, path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory, not a file.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be read: {_reason(error)}.") from None
    return unpacked(data, path) if gzipped else data


def read_stream(file: BinaryIO, source: str) -> bytes:
    """Return all that an open file holds, as long as it fits the memory."""
    most = reading_memory()
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        check_fits(os.fstat(file.fileno()).st_size, most, source)  # a plain file tells its size
    pieces, size = [], 0
    while piece := file.read(16 * _PIECE):
        pieces.append(piece)
        size += len(piece)
        check_fits(size if len(pieces) == 1 else 2 * size, most, source)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def unpacked(data: bytes, source: str) -> bytes:
    """Return what a gzip stream holds, as long as it fits the memory."""
    if not data:
        raise InputError(f"{source}: the file is empty.")
    most = reading_memory()
    pieces, size = [], 0
    try:
        import gzip

        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                check_fits(2 * size, most, source, ", unpacked")  # the pieces, and what they make
    except (EOFError, OSError, zlib.error):
        raise InputError(
            f"{source}: the gzip data is damaged or cut short. Copy the file again, or unpack it first."
        ) from None
    return b"".join(pieces)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete.

    What is written goes to a temporary name beside the target; leaving the block renames it,
    an exception removes it, so a reader sees the old file or the new one and nothing between.
    Links are followed, the mode of a file that is replaced is kept, and devices and pipes are
    written as they are.
    """
    name = os.fspath(path)
    if not os.path.basename(name):
        raise InputError(f"{name!r} is not the name of a file.")
    raw = _Raw(name)
    try:
        buffered = io.BufferedWriter(raw, _PIECE)
        if name.lower().endswith(".gz"):
            # No time stamp and no name inside, so equal tables give equal files.
            import gzip

            with gzip.GzipFile(filename="", fileobj=buffered, mode="wb", compresslevel=6, mtime=0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield buffered
        buffered.flush()
        raw.target.commit()
    except OSError as error:
        kind = ResourceError if error.errno in (errno.ENOSPC, errno.EDQUOT) else InputError
        raise kind(f"{name}: cannot be written: {_reason(error)}.") from None
    finally:
        raw.abandon()


class _Raw(io.RawIOBase):
    """The core's writer as Python knows files."""

    def __init__(self, name: str) -> None:
        self.target = _core.AtomicFile(os.fsencode(name))
        self._ended = False

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        content = memoryview(data)  # type: ignore[arg-type]
        if not self._ended:  # what a buffer still holds after an error belongs to nothing
            self.target.write(content)
        return content.nbytes

    def tell(self) -> int:
        return self.target.written

    def abandon(self) -> None:
        """End without a file, unless it has its name already."""
        self._ended = True
        self.target.abandon()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a whole text file, compressed if its name ends in ``.gz``."""
    with replacing(path) as file:
        file.write(text.encode())


def _reason(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return reason[:1].lower() + reason[1:]
