"""ARFF, the format of Weka, in which many public tables are kept.

::

    % comments
    @relation weather
    @attribute outlook {sunny, 'partly cloudy', rain}
    @attribute 'temp. (F)' real
    @data
    sunny, 85
    'partly cloudy', ?

A nominal attribute declares its states, seen or not, in their order; ``real``, ``integer`` and
``numeric`` are numbers, ``string`` and ``date`` texts.  ``?`` is a missing value.  Sparse rows
(``{1 x, 3 y}``) and attributes within attributes are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from bayesloom.errors import InputError, shown
from bayesloom.text_input import first_repeated
from bayesloom.text_input import number as plain_number

from .columns import Columns, check_name_count, checked_names, counted
from .text import checked_text

# No expression goes back (*+), so a line takes linear time whatever it holds.
_QUOTED = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|[^\s{{'\"][^\s{{]*+)\s*+(.*+)", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(rf"\s*+({_QUOTED}|[^,'\"]*+)\s*+(,|\Z)")
_STATE = re.compile(rf"\s*+({_QUOTED}|[^,'\"{{}}]*+)\s*+(,|\Z)")
_NUMBERS = ("real", "integer", "numeric")
_TEXTS = ("string", "date")


def read_arff(data: bytes, source: str, *, names: Sequence[str] | None) -> Columns:
    """Read attributes and rows."""
    lines = _lines(checked_text(data, source).decode("utf-8"))
    own_names, kinds = _header(lines, source)
    width = len(own_names)
    check_name_count(names, width, source)
    checked = checked_names(own_names, source)
    columns: list[list[str | None]] = [[] for _ in kinds]
    line_numbers = []
    for number, text in lines:
        if text.startswith("{"):
            raise InputError(f"{source}, line {number}: sparse rows of ARFF are not supported.")
        if "'" in text or '"' in text:
            fields = _fields(text, f"{source}, line {number}")
        else:
            fields = [None if (own := part.strip()) in ("?", "") else own for part in text.split(",")]
        if len(fields) != width:
            raise InputError(
                f"{source}, line {number}: expected {counted(width, 'field')}, found {len(fields)}."
            )
        for column, field in zip(columns, fields, strict=True):
            column.append(field)
        line_numbers.append(number)
    if not line_numbers:
        raise InputError(f"{source}: the file has attributes and no rows.")
    return Columns(
        source=source,
        names=checked if names is None else names,
        arrays=[
            _array(column, kind, f"variable {name!r}", source, line_numbers)
            for column, kind, name in zip(columns, kinds, checked, strict=True)
        ],
        declares=True,
        line_of_row=lambda row: line_numbers[row],
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, without those that are empty or comments."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if (stripped := line.strip()) and not stripped.startswith("%"):
            yield number, stripped


def _header(lines: Iterator[tuple[int, str]], source: str) -> tuple[list[str], list[str | list[str]]]:
    """Return names and kinds of the attributes: a word, or the states of a nominal one."""
    names: list[str] = []
    kinds: list[str | list[str]] = []
    for number, line in lines:
        where = f"{source}, line {number}"
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            if rest := line[len(word) :].strip().partition("%")[0]:
                raise InputError(f"{where}: expected the end of the line after @data, found {rest[:40]!r}.")
            if not names:
                raise InputError(f"{where}: there is no @attribute before @data.")
            return names, kinds
        if word == "@relation":
            continue
        found = _ATTRIBUTE.fullmatch(line)
        if found is None:
            closed = " with every quote closed" if "'" in line or '"' in line else ""
            raise InputError(f"{where}: expected @attribute NAME TYPE or @data{closed}, found {line[:40]!r}.")
        names.append(_plain(found[1]))
        kinds.append(_kind(found[2].strip(), names[-1], where))
    raise InputError(f"{source}: there is no line @data; this is not an ARFF file, or a part of one.")


def _kind(text: str, name: str, where: str) -> str | list[str]:
    if text.startswith("{"):
        if not text.endswith("}"):
            raise InputError(f"{where}: the states of {name!r} are not closed by }}.")
        states = [state or "" for state in _fields(text[1:-1].strip(), where, _STATE)]
        if (twice := first_repeated(states)) is not None:
            raise InputError(f"{where}: {name!r} has the state {twice!r} twice.")
        return states
    word, _, more = text.partition(" ")
    word = word.lower()
    # A date may have a format, a number a range, which says nothing about the states seen.
    if word not in (*_NUMBERS, *_TEXTS) or (more and word != "date" and not more.lstrip().startswith("[")):
        known = "{...}, " + ", ".join((*_NUMBERS, *_TEXTS))
        raise InputError(f"{where}: unknown type {text[:40]!r} of {name!r}. Known: {known}.")
    return word


def _fields(text: str, where: str, pattern: re.Pattern[str] = _FIELD) -> list[str | None]:
    """Return the fields of a row between commas, an unquoted ? being None, or the states of an attribute."""
    fields: list[str | None] = []
    at = 0
    while True:
        found = pattern.match(text, at)
        if found is None:
            what = "quote" if pattern is _FIELD else "quote or brace"
            raise InputError(f"{where}: a {what} stands inside of a field, or is never closed.")
        field = found[1].rstrip() if found[1][:1] not in ("'", '"') else found[1]
        fields.append(None if pattern is _FIELD and field in ("?", "") else _plain(field))
        at = found.end()
        if found[2] == "":
            return fields


def _plain(text: str) -> str:
    """Return a name or a field without its quotes."""
    if text[:1] in ("'", '"') and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _array(
    column: list[str | None], kind: str | list[str], what: str, source: str, lines: Sequence[int]
) -> pa.ChunkedArray:
    if isinstance(kind, list):
        code = {state: k for k, state in enumerate(kind)}
        codes = [None if field is None else code.get(field, -1) for field in column]
        if -1 in codes:
            row = codes.index(-1)
            raise InputError(
                f"{source}, line {lines[row]}: {what} has state {column[row]!r}, which is not declared."
            )
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(kind, pa.string()))]
        )
    if kind in _TEXTS:
        return pa.chunked_array([pa.array(column, pa.string())])
    numbers: list[float | None] = []
    for row, field in enumerate(column):
        try:
            missing = field is None or field.lower() == "nan"
            numbers.append(None if missing else plain_number(field or ""))
        except ValueError:
            raise InputError(
                f"{source}, line {lines[row]}: {what} is {shown(field)}, not a number."
            ) from None
    return pa.chunked_array([pa.array(numbers, pa.float64())])
