"""Where results of blocks are kept: a folder, or a place of an object store, named by its URL.

A result is written whole or not at all: in a folder under another name first, in an object store because
that is how objects are written there.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any

from bayesloom.errors import InputError, ResourceError
from bayesloom.files import replacing

__all__ = ["Place", "Store", "store_of"]

Place = str | os.PathLike[str]
"""A path, or a URL such as ``"s3://bucket/blocks"``."""

URL = r"[A-Za-z][A-Za-z0-9+.-]+://.*"


class Store(ABC):
    """Files by name."""

    folder: str | None = None
    """The folder, if it is one that other processes may see too."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    @abstractmethod
    def prepare(self) -> None:
        """Make the place if it is not there; refuse one that cannot be written to."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of what is there; none if the place is not."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Return what a file holds; None if it is not there."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Put a file there, whole."""


def store_of(place: Place) -> Store:
    """Return the store at a place.

    >>> store_of("blocks").shown
    'blocks'
    >>> kept = store_of("memory://blocks-of-an-example")  # of fsspec, which comes with Dask
    >>> kept.prepare()
    >>> kept.write("1.blc", b"rain")
    >>> kept.names(), kept.read("1.blc"), kept.read("2.blc")
    (['1.blc'], b'rain', None)
    """
    path = os.fspath(place)
    if not path or "\0" in path:
        raise InputError(f"{path!r} is no name of a folder of blocks.")
    return _Objects(path) if re.fullmatch(URL, path) else _Folder(path)


class _Folder(Store):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.folder = path

    def prepare(self) -> None:
        path = self.shown
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"{path}: cannot be the folder of blocks: {reason.lower()}.") from None
        if not os.access(path, os.W_OK | os.X_OK):
            raise InputError(f"{path}: cannot be the folder of blocks: it is write-protected.")

    def names(self) -> list[str]:
        with suppress(OSError):
            return os.listdir(self.shown)
        return []

    def read(self, name: str) -> bytes | None:
        with suppress(OSError), open(os.path.join(self.shown, name), "rb") as file:
            return file.read()
        return None

    def write(self, name: str, data: bytes) -> None:
        with replacing(os.path.join(self.shown, name)) as file:
            file.write(data)


class _Objects(Store):
    """By fsspec, which knows S3, Google Cloud Storage, Azure and others if their packages are installed."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        try:
            import fsspec  # type: ignore[import-untyped]
        except ImportError:
            raise InputError(f"{url}: object stores need fsspec: pip install 'bayesloom[dask]'.") from None
        try:
            files, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            lines = str(error).strip().splitlines()
            raise InputError(
                f"{url}: cannot be the place of blocks: {lines[0].rstrip('.') if lines else error!r}."
            ) from None
        self._files: Any = files
        self._root = root.rstrip("/")

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def prepare(self) -> None:
        try:
            self._files.makedirs(self._root, exist_ok=True)
        except Exception as error:
            raise InputError(f"{self.shown}: cannot be the place of blocks: {_reason(error)}.") from None

    def names(self) -> list[str]:
        try:
            self._files.invalidate_cache()
            found = self._files.ls(self._root, detail=False)
        except FileNotFoundError:
            return []
        except Exception as error:
            raise InputError(f"{self.shown}: cannot be read: {_reason(error)}.") from None
        return [str(name).rstrip("/").rsplit("/", 1)[-1] for name in found]

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self._files.cat_file(self._at(name)))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise InputError(f"{self.shown}: cannot be read: {_reason(error)}.") from None

    def write(self, name: str, data: bytes) -> None:
        try:
            self._files.pipe_file(self._at(name), data)
        except Exception as error:
            raise ResourceError(f"{self.shown}: a block could not be kept: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    """Return the first line of what an error says."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:200]
