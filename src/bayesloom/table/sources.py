"""What was given becomes columns: a path, standard input, a data frame, an array, a mapping, rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayesloom.errors import InputError, option
from bayesloom.files import read_bytes
from bayesloom.limits import check_fits, reading_memory

from .arrow import read_array, read_arrow_file, read_arrow_stream, read_mapping
from .columns import Columns
from .encodings import as_utf8
from .files import ARROW_SUFFIXES, EXCEL_SUFFIXES, format_of, read_stdin, unknown_format
from .frames import by_column, collected, is_pandas, is_rows, read_pandas
from .table import Table
from .text import read_text

TIMES_ITS_SIZE = 6
"""Memory that a text takes at least while it is read, in sizes of it; up to 17 for numbers all different."""


def read_source(
    source: Any,
    *,
    header: bool | None,
    names: Sequence[str] | None,
    delimiter: str | None,
    lenient: bool,
    sheet: str | None = None,
) -> Columns:
    """Return the columns of whatever was given; `lenient` mends what can be mended, and notes it."""
    if delimiter is not None and (len(delimiter.encode("utf-8")) != 1 or delimiter in '"\r\n\0'):
        raise InputError(
            f"{option('delimiter', subject=True)}: expected a single ASCII character, got {delimiter!r}."
        )
    is_path = isinstance(source, str | bytes | os.PathLike) and source != "-"
    if sheet is not None and not (is_path and format_of(os.fsdecode(source))[0] in EXCEL_SUFFIXES):
        raise InputError(f"{option('sheet')} is for workbooks of Excel (.xlsx).")
    if isinstance(source, str) and source == "-":
        data = read_stdin()
        check_fits(TIMES_ITS_SIZE * len(data), reading_memory(), "standard input")
        return _text(data, "standard input", ".csv", header, names, delimiter, lenient)
    if isinstance(source, str | bytes | os.PathLike):
        return _read_file(os.fsdecode(source), header, names, delimiter, lenient, sheet)
    for name, given in (("header", header), ("delimiter", delimiter)):
        if given is not None:
            raise InputError(f"{option(name)} is for text files.")
    source = collected(source)
    if lenient and is_pandas(source):
        return read_pandas(source, names=names)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        columns = read_arrow_stream(source, type(source).__name__, names=names, lenient=lenient)
        return replace(columns, source=source.source) if isinstance(source, Table) else columns
    if isinstance(source, np.ndarray):
        return read_array(source, names=names, lenient=lenient)
    if isinstance(source, Mapping):
        return read_mapping(source, names=names, lenient=lenient)
    if is_rows(source):
        columns = read_mapping(by_column(source), names=names, lenient=lenient)
        return replace(columns, source=type(source).__name__)
    raise InputError(
        f"cannot read a table from an object of type {type(source).__name__}. Give a path, a data frame or"
        " another object with __arrow_c_stream__, a 2-d array, a mapping from names to sequences, or a list"
        " of rows, each a mapping."
    )


def _read_file(
    path: str,
    header: bool | None,
    names: Sequence[str] | None,
    delimiter: str | None,
    lenient: bool,
    sheet: str | None,
) -> Columns:
    suffix, gzipped = format_of(path)
    data = read_bytes(path, gzipped=gzipped)
    check_fits(TIMES_ITS_SIZE * len(data), reading_memory(), path)
    if suffix in EXCEL_SUFFIXES:
        from .excel import read_excel

        if delimiter is not None:
            raise InputError(f"{path}: {option('delimiter')} has no meaning for {suffix} files.")
        return read_excel(data, path, header=header, names=names, lenient=lenient, sheet=sheet)
    for name, given in (("header", header), ("delimiter", delimiter)):
        if given is not None and suffix in (*ARROW_SUFFIXES, ".dat", ".arff"):
            raise InputError(f"{path}: {option(name)} has no meaning for {suffix} files.")
    if suffix in ARROW_SUFFIXES:
        return read_arrow_file(data, suffix, path, names=names, lenient=lenient)
    return _text(data, path, suffix, header, names, delimiter, lenient)


def _text(
    data: bytes,
    source: str,
    suffix: str,
    header: bool | None,
    names: Sequence[str] | None,
    delimiter: str | None,
    lenient: bool,
) -> Columns:
    """Read a text of the format that a suffix names."""
    if suffix not in (".csv", ".tsv", ".data", ".dat", ".arff") and delimiter is None:
        raise unknown_format(source, suffix)
    notes: list[str] = []
    if lenient:
        data = as_utf8(data, source, notes)
    if suffix == ".dat":
        from .dat import read_dat

        columns = read_dat(data, source, names=names)
    elif suffix == ".arff":
        from .arff import read_arff

        columns = read_arff(data, source, names=names)
    else:
        if suffix == ".data" and header is None:
            header = False
        if suffix == ".tsv" and delimiter is None:
            delimiter = "\t"
        columns = read_text(data, source, delimiter=delimiter, header=header, names=names, lenient=lenient)
    return replace(columns, notes=[*notes, *columns.notes])
