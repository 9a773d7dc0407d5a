"""Which formats of tables there are, and standard input."""

from __future__ import annotations

import os
import sys

from bayesloom.errors import InputError
from bayesloom.files import read_stream, unpacked
from bayesloom.interrupts import CLOSED

TEXT_SUFFIXES = (".csv", ".tsv", ".data", ".dat", ".arff")
ARROW_SUFFIXES = (".parquet", ".feather", ".arrow", ".ipc")
EXCEL_SUFFIXES = (".xlsx",)
_OTHER_SHEETS = (".xls", ".xlsb", ".ods", ".numbers")


def format_of(path: str) -> tuple[str, bool]:
    """Return the suffix that names the format, in lower case, and whether the file is gzipped.

    >>> format_of("data/Asia.CSV.gz")
    ('.csv', True)
    """
    name = path.lower()
    gzipped = name.endswith(".gz")
    return os.path.splitext(name.removesuffix(".gz"))[1], gzipped


def unknown_format(path: str, suffix: str) -> InputError:
    """Return the error for a file name that does not tell the format."""
    found = f"unknown extension {suffix!r}" if suffix else "no extension"
    if suffix in _OTHER_SHEETS:
        return InputError(f"{path}: {suffix} is not read. Save the sheet as .xlsx or .csv.")
    known = ", ".join((*TEXT_SUFFIXES, *ARROW_SUFFIXES, *EXCEL_SUFFIXES))
    return InputError(f"{path}: {found}. Known: {known}, each also with .gz.")


def read_stdin() -> bytes:
    """Return all of standard input, unpacked if it is gzipped."""
    if sys.stdin is None or "stdin" in CLOSED:
        raise InputError("standard input: it is closed, so no table can be read from it.")
    data = read_stream(sys.stdin.buffer, "standard input")
    return unpacked(data, "standard input") if data.startswith(b"\x1f\x8b") else data
