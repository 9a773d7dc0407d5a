"""Workbooks of Excel (``.xlsx``), by openpyxl, which is an extra and imported here only."""

from __future__ import annotations

import datetime
import io
import warnings
import zipfile
from collections.abc import Sequence
from typing import Any

from bayesloom.errors import BayesloomError, InputError, option_in_note, unknown
from bayesloom.limits import check_fits, reading_memory

from .arrow import array_of
from .columns import COLUMN_LIMIT, Columns, check_name_count, checked_names, mended_names
from .mixed import is_missing

_ERRORS = frozenset({"#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"})
_TIMES_ITS_XML = 4
"""Memory that the values take at most, in sizes of the XML that holds them."""


def read_excel(
    data: bytes,
    source: str,
    *,
    header: bool | None,
    names: Sequence[str] | None,
    lenient: bool,
    sheet: str | None = None,
) -> Columns:
    """Read a sheet of a workbook, the first if none is named."""
    notes: list[str] = []
    which = "the first sheet" if sheet is None else f"sheet {sheet!r}"
    rows = _rows(data, source, notes, sheet)
    if not rows:
        raise InputError(f"{source}: {which} is empty.")
    width = max(len(values) for _, values in rows)
    if width > COLUMN_LIMIT:
        raise InputError(f"{source}: {width} columns; a table has at most {COLUMN_LIMIT:,}.")
    line, first = rows[0]
    if header is None:
        header = any(isinstance(value, str) for value in first)
        if not header:
            notes.append("No header: the first row holds only numbers, so it is read as a row.")
    if header:
        rows = rows[1:]
        own = ["" if value is None else str(value) for value in first] + [""] * (width - len(first))
        if names is None:
            given = mended_names(own, notes) if lenient else own
            names = checked_names(given, source, place=f"line {line}")
        else:
            notes.append(f"The header in line {line} is replaced by names=.")
    elif names is None:
        names = [f"X{i}" for i in range(width)]
        notes.append(f"Without a header the variables are named {names[0]} to {names[-1]}.")
    check_name_count(names, width, source)
    if not rows:
        raise InputError(f"{source}: {which} has a header and no rows.")
    lines = [line for line, _ in rows]
    columns: list[list[Any]] = [
        [values[i] if i < len(values) else None for _, values in rows] for i in range(width)
    ]
    arrays = [
        array_of(column, name, source, notes=notes if lenient else None)
        for name, column in zip(names, columns, strict=True)
    ]
    return Columns(source=source, names=names, arrays=arrays, notes=notes, line_of_row=lambda row: lines[row])


def _rows(data: bytes, source: str, notes: list[str], sheet: str | None) -> list[tuple[int, list[Any]]]:
    """Return the rows that are not empty, with their numbers from 1."""
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise InputError(
            f"{source}: openpyxl is needed to read .xlsx. Install it with: pip install 'bayesloom[excel]';"
            " or save the sheet as .csv."
        ) from None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
        check_fits(_TIMES_ITS_XML * size, reading_memory(), source, ", unpacked")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and printers
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = book.worksheets
            if not sheets:
                raise InputError(f"{source}: the workbook has no sheet with cells.")
            titles = [one.title for one in sheets]
            if sheet is not None and sheet not in titles:
                raise InputError(f"{source}: {unknown('sheet', sheet, titles)}")
            chosen = sheets[0 if sheet is None else titles.index(sheet)]
            chosen.reset_dimensions()  # what a file says about its size may be wrong
            rows = [
                (line, [_value(value) for value in values])
                for line, values in enumerate(chosen.iter_rows(values_only=True), 1)
            ]
            book.close()
    except (BayesloomError, MemoryError):
        raise
    except Exception:  # whatever a damaged file makes of the reader
        raise InputError(f"{source}: this is not an Excel workbook (.xlsx), or it is damaged.") from None
    if sheet is None and len(titles) > 1:
        another = option_in_note("sheet", titles[1])
        notes.append(
            f"The workbook has {len(titles)} sheets; the first, {titles[0]!r}, is read. Another: {another}."
        )
    kept = [(line, _trimmed(values)) for line, values in rows]
    kept = [(line, values) for line, values in kept if values]
    errors = sum(value in _ERRORS for _, values in kept for value in values if isinstance(value, str))
    if errors:
        notes.append(f"{errors} cells hold an error such as #N/A, and are read as missing values.")
        kept = [(line, [None if value in _ERRORS else value for value in values]) for line, values in kept]
    return kept


def _value(value: Any) -> Any:
    """Return the value of a cell, with dates as texts."""
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    return None if is_missing(value) or value == "" else value


def _trimmed(values: list[Any]) -> list[Any]:
    """Return the values without the empty ones at the end."""
    while values and values[-1] is None:
        values.pop()
    return values
