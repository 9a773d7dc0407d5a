"""Dates and times become parts that a network can use: year, month, weekday, hour.

A date as such names the row and little else; its parts are what other columns depend on.  Columns of a data
frame with a type for dates and texts that are all ISO dates (``2024-02-29``, ``2024-02-29 13:05``) give the
same.  A time of day becomes a number of hours, a duration one of seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bayesloom.errors import option_in_note

from .arrow_types import all_indices, is_text
from .column_records import Column
from .columns import Columns, listed
from .distinct import MISSING_TEXTS

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_DATE = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]++)?)?(?: ?(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]++)?)?"
_MONTH = (
    r"(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ep|[Oo]ct|[Nn]ov|[Dd]ec)[a-z]{0,6}\.?"
)
_OTHER_DATE = (
    r"(?:[0-9]{1,2}([./-])[0-9]{1,2}\1(?:[0-9]{2}|[0-9]{4})|[0-9]{4}([./])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{4}-[0-9]{2}"
    rf"|{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}|[0-9]{{1,2}}[ .-]{_MONTH}[ -][0-9]{{4}})(?: .*)?"
)
_OTHER_DATES = re.compile(_OTHER_DATE)
_DATES = re.compile(rf"(?:{_DATE}\0)++")
_TIMES = re.compile(rf"(?:{_TIME}\0)++")


@dataclass(frozen=True)
class Moments:
    """A column of dates or times: those that occur, and which of them each row has, -1 for none."""

    values: NDArray[Any]
    indices: NDArray[np.int64]

    @property
    def missing(self) -> int:
        return int(np.count_nonzero(self.indices < 0))

    def spread(self, values: NDArray[Any]) -> Any:
        """Return a value for each date that occurs as one for each row."""
        taken = values[self.indices] if values.size else np.zeros(self.indices.size, dtype=np.int64)
        return pa.chunked_array([pa.array(taken, mask=self.indices < 0)])


def with_date_parts(columns: Columns, keep: Collection[str] = (), *, all_parts: bool = False) -> Columns:
    """Return the columns with parts in the place of dates, and numbers in that of times.

    Columns in `keep` are not taken apart: their dates are texts.  With `all_parts` there are also those that
    are the same in all rows.
    """
    names: list[str] = []
    arrays: list[Any] = []
    parts_of: dict[str, list[str | Column]] = {}
    typed, replaced, numbers, others = set(columns.typed), [], [], []
    cardinalities = columns.cardinalities
    if cardinalities is not None:  # every state is declared
        return columns
    for name, array in zip(columns.names, columns.arrays, strict=True):
        moments = _moments(array, from_text=columns.from_text)
        if moments is not None and name not in keep:
            taken = {*columns.names, *names}
            parts = [(_free(f"{name} {part}", taken), own) for part, own in _parts(moments, all_parts)]
            own_names = [part for part, _ in parts]
            replaced.append(f"{name!r} by {listed([repr(part) for part in own_names])}")
            why = f"replaced by its parts {listed([repr(part) for part in own_names])}"
            record = Column(name, "date", missing=moments.missing, used=False, why=why)
            parts_of[name] = [record, *own_names]
            names += own_names
            arrays += [own for _, own in parts]
            typed.update(own_names)
            continue
        if moments is not None and not columns.from_text:
            array = moments.spread(_texts(moments.values))
        elif name not in keep and (hours := _numbers(array, from_text=columns.from_text)) is not None:
            array = hours
            typed.add(name)
            numbers.append(repr(name))
        elif name not in keep and _looks_like_other_dates(array, from_text=columns.from_text):
            others.append(repr(name))
        names.append(name)
        arrays.append(array)
    notes = list(columns.notes)
    if others:
        notes.append(
            f"Looks like dates, and is read as texts: {listed(others)}. Dates are known if written as"
            " 2024-02-29 or 2024-02-29 13:05."
        )
    if not replaced and not numbers:
        return replace(columns, arrays=arrays, notes=notes)
    if replaced:
        keeps = option_in_note("discrete", metavar="NAME")
        notes.append(f"Dates are replaced by their parts: {listed(replaced)}. {keeps} keeps a date.")
    if numbers:
        notes.append(
            f"Times are read as numbers (hours of the day, seconds of a duration): {listed(numbers)}."
        )
    layout: list[str | Column] = []
    for entry in columns.names if columns.layout is None else columns.layout:
        layout += parts_of.get(entry, [entry]) if isinstance(entry, str) else [entry]
    return replace(
        columns, names=names, arrays=arrays, layout=layout, typed=frozenset(typed), notes=notes
    )  # fmt: skip


def _moments(array: Any, *, from_text: bool) -> Moments | None:
    """Return the dates of a column, or None if it holds something else."""
    kind = array.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        array = _local(array)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        dictionary, indices = _coded(array)
        values = dictionary.cast(pa.timestamp("s"), safe=False).to_numpy(zero_copy_only=False)
        return Moments(values.astype("datetime64[s]"), indices)
    coded = _coded_texts(array, from_text=from_text, looks_right=_DATES)
    if coded is None:
        return None
    texts, indices = coded
    try:
        values = np.array([text[:19].replace(" ", "T") for text in texts], dtype="datetime64[s]")
    except ValueError:  # the 31st of February
        return None
    return Moments(values, indices)


def _numbers(array: Any, *, from_text: bool) -> Any | None:
    """Return times of day in hours and durations in seconds, or None if a column holds something else."""
    kind = array.type
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        dictionary, indices = _coded(array)
        whole = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        values = dictionary.cast(whole).to_numpy(zero_copy_only=False) / unit
        return Moments(values, indices).spread(values / 3600 if pa.types.is_time(kind) else values)
    coded = _coded_texts(array, from_text=from_text, looks_right=_TIMES)
    if coded is None:
        return None
    texts, indices = coded
    values = np.array([_hours(text) for text in texts])
    return Moments(values, indices).spread(values)


def _hours(text: str) -> float:
    """Return a time of day in hours.

    >>> _hours("13:30")
    13.5
    """
    return float(sum(float(part) / 60**place for place, part in enumerate(text.split(":"))))


def _coded(array: Any) -> tuple[Any, NDArray[np.int64]]:
    """Return the values of a column that occur, and which of them each row has, -1 for none."""
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if not coded.num_chunks:
        return pa.array([], array.type), np.zeros(0, dtype=np.int64)
    if coded.num_chunks > 1:
        coded = coded.unify_dictionaries()
    return coded.chunk(0).dictionary, all_indices(coded, null=-1).astype(np.int64)


def _coded_texts(
    array: Any, *, from_text: bool, looks_right: re.Pattern[str]
) -> tuple[list[str], NDArray[np.int64]] | None:
    """Return the texts of a column that occur, and which of them each row has, if all look right."""
    kind = array.type
    if pa.types.is_string_view(kind):  # of polars
        array = array.cast(pa.large_string())
        kind = array.type
    if not (from_text and pa.types.is_dictionary(kind)) and not (is_text(kind) and not from_text):
        return None
    if not array.num_chunks or not _begins_right(
        array.chunk(0).dictionary if from_text else array, looks_right
    ):
        return None
    dictionary, indices = _coded(array)
    texts = [(text or "").strip() for text in dictionary.to_pylist()]
    present = [text not in MISSING_TEXTS for text in texts]
    kept = [text for text, here in zip(texts, present, strict=True) if here]
    if not looks_right.fullmatch("".join(f"{text}\0" for text in kept)):
        return None
    rank = np.where(present, np.cumsum(present) - 1, -1)
    return kept, np.append(rank, -1)[indices]


def _looks_like_other_dates(array: Any, *, from_text: bool) -> bool:
    """Whether the first texts of a column are dates as people write them."""
    kind = array.type
    if not (from_text and pa.types.is_dictionary(kind)) and not (is_text(kind) and not from_text):
        return False
    if not array.num_chunks:
        return False
    texts = [
        (text or "").strip() for text in (array.chunk(0).dictionary if from_text else array)[:20].to_pylist()
    ]
    present = [text for text in texts if text not in MISSING_TEXTS]
    return bool(present) and all(map(_OTHER_DATES.fullmatch, present))


def _begins_right(array: Any, looks_right: re.Pattern[str]) -> bool:
    """Whether the first text of a column looks right: most columns need no second look."""
    for text in array[:100].to_pylist():
        if text is not None and text.strip() not in MISSING_TEXTS:
            return looks_right.fullmatch(f"{text.strip()}\0") is not None
    return True


def _local(array: Any) -> Any:
    """Return moments of a time zone as its clocks show them; as UTC where nothing is known of the zone."""
    import pyarrow.compute as pc

    try:
        return pc.local_timestamp(array)
    except (pa.ArrowException, NotImplementedError):
        return array.cast(pa.timestamp(array.type.unit))


def _texts(values: NDArray[Any]) -> NDArray[np.str_]:
    days = values.astype("datetime64[D]")
    return np.datetime_as_string(days if (days == values).all() else values)


def _parts(moments: Moments, all_parts: bool) -> Iterator[tuple[str, Any]]:
    """Yield the parts of dates that vary, at least the year; or all of them."""
    values = moments.values
    parts: dict[str, Callable[[], NDArray[np.int64]]] = {
        "year": lambda: values.astype("datetime64[Y]").astype(np.int64) + 1970,
        "month": lambda: values.astype("datetime64[M]").astype(np.int64) % 12 + 1,
        "weekday": lambda: (values.astype("datetime64[D]").astype(np.int64) + 3) % 7,
        "hour": lambda: values.astype("datetime64[h]").astype(np.int64) % 24,
    }
    found = {part: own() for part, own in parts.items()}
    varying = [part for part, own in found.items() if all_parts or (own.size and own.min() < own.max())]
    days = values.astype("datetime64[D]") - values.astype("datetime64[M]")
    if not all_parts and "weekday" in varying and bool((days == days[0]).all()):
        varying.remove(
            "weekday"
        )  # one day of every month or year: its weekday is an accident of the calendar
    for part in varying or ["year"]:
        yield part, _weekdays(moments, found[part]) if part == "weekday" else moments.spread(found[part])


def _weekdays(moments: Moments, days: NDArray[np.int64]) -> Any:
    """Return days of the week as categories, in their order, those that occur."""
    seen, codes = np.unique(days, return_inverse=True)
    indices = np.append(codes, 0)[moments.indices]
    coded = pa.array(indices.astype(np.int32), mask=moments.indices < 0)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(coded, [WEEKDAYS[day] for day in seen])])


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that no column has yet."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
