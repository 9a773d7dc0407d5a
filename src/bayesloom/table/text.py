"""CSV, TSV and ``.data``: text in rows of fields.

Arrow's reader does the work and is told to keep every field as text, coded against a dictionary
per column: ``01`` stays apart from ``1``, no type is guessed from the first block, and the rest of
the package handles a few distinct texts instead of millions of fields.

Arrow does not say in which line it failed, and takes a quote that is never closed for the end of
a field.  So the text is checked first (UTF-8, no NUL, quotes), and after a failure it is scanned
once more, slowly, with Python's ``csv`` to find the line.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.csv

from bayesloom.errors import InputError, option_in_note

from .arrow_types import arrow_buffer
from .columns import (
    COLUMN_LIMIT,
    Columns,
    check_name_count,
    checked_names,
    counted,
    listed,
    mended_names,
)
from .distinct import MISSING_TEXTS

_LINE = re.compile(rb"[^\r\n]*+(?:\r\n|\r|\n)?+")
_NUMBER = re.compile(r"(?:[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)?")
_LARGEST_BLOCK = 2**31 - 1
_LARGEST_FIELD = 131_072
_FIELDS_LOOKED_AT = 20_000
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]++(?:,[0-9]++)?")
_SEPARATOR_LINE = re.compile(rb"sep=([^\r\n\w\"])[ \t]*+(?:\r\n|\r|\n)")
_EMPTY_LINES = re.compile(rb"[\r\n]++")
_FULL_LINE = re.compile(rb"[^\r\n]++")
_QUOTED_PART = re.compile(r'"[^"]*+"?+')


def read_text(
    data: bytes,
    source: str,
    *,
    delimiter: str | None,
    header: bool | None,
    names: Sequence[str] | None,
    lenient: bool = False,
) -> Columns:
    """Read rows of fields; ``None`` for delimiter and header means: look at the first line.

    `lenient` mends names that are missing or occur twice, and reads decimal commas between semicolons.
    """
    data = checked_text(data, source)
    notes: list[str] = []
    told = None
    if delimiter is None and (told := _SEPARATOR_LINE.match(data)):
        delimiter = told[1].decode("utf-8")  # Excel writes it, for itself
        notes.append(f"The first line says that the fields are separated by {delimiter!r}.")
    if delimiter is None:
        delimiter = _detected_delimiter(data)
        if delimiter != ",":
            notes.append(f"The fields are separated by {_DELIMITERS[delimiter]}, not by commas.")
    text = Text(data, source, delimiter, quoted=b'"' in data)
    if told is not None:
        text = replace(text, start=told.end(), line=2)
    text.check_quotes()
    first = next(text.rows(), None)
    if first is None:
        raise InputError(f"{source}: the file holds nothing but empty lines.")
    if header is None:
        header = not all(_NUMBER.fullmatch(field.strip()) for field in first.fields)
        if not header:
            notes.append("No header: the first line holds only numbers, so it is read as a row.")
        elif text.repeats(first):
            header = False
            notes.append(
                "No header: all texts of the first line occur in their columns again;"
                f" {option_in_note('header', True)} if it is one."
            )
        elif odd := [
            field.strip() for field in first.fields if _NUMBER.fullmatch(field.strip()) and field.strip()
        ]:
            notes.append(
                f"Line {first.line} is read as names, {listed(list(map(repr, odd)))} among them:"
                " header=False (--no-header) if it is a row."
            )
    width = len(first.fields)
    if width > COLUMN_LIMIT:
        raise InputError(
            f"{source}, line {first.line}: {width} columns; a table has at most {COLUMN_LIMIT:,}."
        )
    if header:
        if names is None:
            given = mended_names(first.fields, notes) if lenient else first.fields
            names = checked_names(given, source, place=f"line {first.line}")
        else:
            notes.append(f"The header in line {first.line} is replaced by names=.")
        text = text.after(first)
    elif names is None:
        names = [f"X{i}" for i in range(width)]
        notes.append(f"Without a header the variables are named {names[0]} to {names[-1]}.")
    check_name_count(names, width, source)
    arrays = text.parsed(width)
    if not len(arrays[0]):
        raise InputError(f"{source}: the file has a header and no rows.")
    if lenient and delimiter == ";":
        arrays = _with_decimal_points(arrays, names, notes)
    return Columns(
        source=source,
        names=names,
        arrays=arrays,
        from_text=True,
        notes=notes,
        line_of_row=lambda row: text.line_of_row(row, width),
    )


@dataclass(frozen=True)
class TextRow:
    """One row of a text, header included: its line (from 1), its fields, and the byte and line after it."""

    line: int
    fields: list[str]
    end: int
    next_line: int


@dataclass(frozen=True)
class Text:
    """Checked text with its delimiter; ``start`` and ``line`` say where its first row begins."""

    data: bytes
    source: str
    delimiter: str
    quoted: bool
    start: int = 0
    line: int = 1
    blank_rows: bool = True  # whether an empty line is a row, with an empty field, where there is one column

    def after(self, row: TextRow) -> Text:
        """Return the text that follows a row."""
        return replace(self, start=row.end, line=row.next_line)

    def parsed(self, width: int) -> list[Any]:
        """Return one dictionary-coded ``ChunkedArray`` per column."""
        body = memoryview(self.data)[self.start :]
        if not body.nbytes:
            return [pa.chunked_array([], pa.string())] * width
        # Blocks of at least 16,384 rows: every block costs one dictionary per column, which would
        # dominate for wide tables.
        row_size = body.nbytes if width > 4096 else max(64, 32 * width)
        block = min(max(1 << 24, 16_384 * row_size), body.nbytes + 1, _LARGEST_BLOCK)
        try:
            return self._parse(body, width, block)
        except pa.ArrowException:
            self._explain(width)
        try:  # one row may be longer than a block
            return self._parse(body, width, min(body.nbytes + 1, _LARGEST_BLOCK))
        except pa.ArrowException:
            raise InputError(
                f"{self.source}: the text cannot be taken apart into {counted(width, 'field')} a line,"
                f" separated by {self.delimiter!r}."
            ) from None

    def _parse(self, body: memoryview, width: int, block: int) -> list[Any]:
        keys = [str(i) for i in range(width)]
        kind = pa.dictionary(pa.int32(), pa.string())
        csv_table = pyarrow.csv.read_csv(
            pa.BufferReader(arrow_buffer(body)),
            read_options=pyarrow.csv.ReadOptions(column_names=keys, block_size=block),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self.quoted else False,
                newlines_in_values=self.quoted,
                ignore_empty_lines=width > 1 or not self.blank_rows,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, kind), check_utf8=False, strings_can_be_null=False
            ),
        )
        return list(csv_table.unify_dictionaries().columns)

    def rows(self, *, blank: bool = False) -> Iterator[TextRow]:
        """Yield the rows one by one, slowly, with lines and positions; empty lines if asked for."""
        end = self.start
        line = next_line = self.line
        between = True  # rows, not inside a quoted field

        def lines() -> Iterator[str]:
            nonlocal end, line, next_line, between
            while end < len(self.data):
                if between and not blank and (empty := _EMPTY_LINES.match(self.data, end)):
                    end = empty.end()
                    next_line += line_at(empty[0], len(empty[0])) - 1
                    line = next_line
                    continue
                between = False
                match = _LINE.match(self.data, end)
                assert match is not None  # the pattern matches everywhere
                end = match.end()
                next_line += 1
                yield match[0].decode("utf-8")

        reader = csv.reader(
            lines(), delimiter=self.delimiter, quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE
        )
        while True:
            line, between = next_line, True
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error:
                raise InputError(
                    f"{self.source}, line {line}: a field is longer than {_LARGEST_FIELD} characters;"
                    " is there a quote that is never closed?"
                ) from None
            if fields or blank:
                yield TextRow(line, fields, end, next_line)

    def line_of_row(self, index: int, width: int) -> int | None:
        """Return the line in which a row begins."""
        row = next(itertools.islice(self.rows(blank=width == 1 and self.blank_rows), index, None), None)
        return row.line if row else None

    def repeats(self, head: TextRow) -> bool:
        """Whether every field of the first row occurs in its column again, as names hardly do."""
        wanted = [field.strip() for field in head.fields]
        if len(wanted) < 2:
            return False
        missing = set(range(len(wanted)))
        most = max(20, _FIELDS_LOOKED_AT // len(wanted))
        try:
            for row in itertools.islice(self.after(head).rows(), most):
                if len(row.fields) == len(wanted):
                    missing = {i for i in missing if row.fields[i].strip() != wanted[i]}
                if not missing:
                    return True
        except InputError:  # a very long field, which Arrow may read all the same
            pass
        return False

    def check_quotes(self) -> None:
        """Refuse a quoted field that is never closed: it would swallow the rest of the file."""
        if not self.quoted or _quotes_enclose_fields(self.delimiter).fullmatch(self.data, self.start):
            return
        # A row put behind the text comes out as itself, unless an open quote swallows it.
        sentinel = b"\n\x00end"
        last = None
        ended = replace(self, data=self.data + sentinel)
        for row in ended.rows():
            if row.fields == ["\x00end"]:
                return
            last = row
        if last is not None:
            raise InputError(f"{self.source}, line {last.line}: a quoted field is never closed.")

    def _explain(self, width: int) -> None:
        """Raise the error that names the first line with a wrong number of fields, if there is one."""
        for row in self.rows():
            if len(row.fields) != width:
                raise InputError(
                    f"{self.source}, line {row.line}: expected {counted(width, 'field')},"
                    f" found {len(row.fields)}."
                )


@cache
def _quotes_enclose_fields(delimiter: str) -> re.Pattern[bytes]:
    """Text in which every quote is one of a field that it opens or closes, or is doubled within one.

    A doubled quote closes one piece and opens the next, so quoted fields are runs of pieces in quotes.
    """
    end = re.escape(delimiter.encode())
    begins, piece = rb"(?:(?<![^\r\n])|(?<=%b))" % end, rb'"[^"]*+"'
    fields = rb"%b(?:(?:%b)?+%b)*+" % (piece, end, piece)
    return re.compile(rb'[^"]*+(?:%b%b(?:(?:%b|[\r\n])[^"]*+|\Z))*+' % (begins, fields, end))


def checked_text(data: bytes, source: str) -> bytes:
    """Return text without its byte order mark; refuse what is empty, binary or not UTF-8."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data:
        raise InputError(f"{source}: the file is empty.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{source}: the text is UTF-16. Save it as UTF-8.")
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{source}, line {line_at(data, nul)}: there is a NUL byte; this is not a text file."
        )
    if not data.isascii():
        try:
            codecs.utf_8_decode(data, "strict", True)
        except UnicodeDecodeError as error:
            raise InputError(
                f"{source}, line {line_at(data, error.start)}: byte 0x{data[error.start]:02x} is not UTF-8."
                " Save the file as UTF-8."
            ) from None
    return data


def line_at(data: bytes, position: int) -> int:
    """Return the line (from 1) of a byte.

    >>> line_at(b"a\\nb\\r\\nc", 5)
    3
    """
    newlines, returns = data.count(b"\n", 0, position), data.count(b"\r", 0, position)
    return 1 + newlines + returns - data.count(b"\r\n", 0, position)


def _with_decimal_points(arrays: list[Any], names: Sequence[str], notes: list[str]) -> list[Any]:
    """Return the columns with ``1,5`` as ``1.5`` where a whole column is written so."""
    changed, out = [], []
    for name, array in zip(names, arrays, strict=True):
        texts = [text.strip() for text in array.chunk(0).dictionary.to_pylist()]
        present = [text for text in texts if text not in MISSING_TEXTS]
        if any("," in text for text in present) and all(map(_DECIMAL_COMMA.fullmatch, present)):
            changed.append(repr(name))
            points = pa.array([text.replace(",", ".") for text in texts])
            array = pa.chunked_array(
                [pa.DictionaryArray.from_arrays(chunk.indices, points) for chunk in array.chunks]
            )
        out.append(array)
    if changed:
        notes.append(f"Commas in the numbers of {listed(changed)} are read as decimal points.")
    return out


_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}


def _detected_delimiter(data: bytes) -> str:
    """Return the first of comma, tab, semicolon and bar that occurs in the first line with text."""
    match = _FULL_LINE.search(data)
    line = match[0].decode("utf-8") if match else ""
    unquoted = _QUOTED_PART.sub("", line)
    return next((delimiter for delimiter in _DELIMITERS if delimiter in unquoted), ",")
