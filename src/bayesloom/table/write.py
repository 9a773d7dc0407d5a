"""A table into a file.

Text is put together in Arrow: every label is escaped once per state, and the columns are joined
line by line in C++.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa

from bayesloom.errors import InputError
from bayesloom.files import replacing

from .arrow_types import DECLARES
from .files import format_of
from .interventions import INTERVENTIONS_KEY
from .weights import WEIGHTS_KEY, free_name

if TYPE_CHECKING:
    from .table import Table

_VALUES_AT_ONCE = 4_000_000
"""How many values are turned into text before they are written: bounds the memory."""


def write_table(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a table in the format that the name of the file tells."""
    name = os.fspath(path)
    suffix, _ = format_of(name)
    writer = _WRITERS.get(suffix)
    if writer is None:
        raise InputError(f"{name}: cannot write {suffix or 'a file without extension'!r}."
                         f" Known: {', '.join(_WRITERS)}, each also with .gz.")  # fmt: skip
    with replacing(name) as file:
        writer(table, file, name)


def _write_csv(table: Table, file: BinaryIO, path: str) -> None:
    _write_separated(table, file, path, ",")


def _write_tsv(table: Table, file: BinaryIO, path: str) -> None:
    _write_separated(table, file, path, "\t")


def _write_separated(table: Table, file: BinaryIO, path: str, delimiter: str) -> None:
    for name, states in zip(table.names, table.states, strict=True):
        if any("\0" in text for text in (name, *states)):
            raise InputError(f"{path}: variable {name!r} has a NUL in its texts, which {path} cannot hold.")

    def escaped(text: str) -> str:
        # Every delimiter that reading looks for is quoted, not only ours.
        plain = text and text == text.strip() and not any(c in text for c in ',;\t"\r\n')
        return text if plain else '"' + text.replace('"', '""') + '"'

    names = list(table.names)
    if table.weights is not None:
        names.append(free_name(table.weight_name, names))
    if table.interventions is not None:
        names.append(free_name(table.interventions.name, names))
    file.write((delimiter.join(map(escaped, names)) + "\n").encode("utf-8"))
    for lines in _lines(table, delimiter, escaped):
        file.write(lines)


def _write_dat(table: Table, file: BinaryIO, path: str) -> None:
    """Write names, cardinalities and rows; labels that cannot stand in such a file are refused."""
    if table.interventions is not None:
        raise InputError(f"{path}: a .dat file cannot say which variables were set. Write .csv instead.")
    for name, states, codes in zip(table.names, table.states, table.codes, strict=True):
        if not states:
            raise InputError(
                f"{path}: variable {name!r} is continuous, and a .dat file holds states only."
                " Write .csv instead."
            )
        seen = np.bincount(codes, minlength=len(states))[: len(states)] > 0
        if table.gaps and bool((codes == len(states)).any()):
            raise InputError(
                f"{path}: variable {name!r} lacks values, and a .dat file holds states only."
                " Write .csv instead."
            )
        for text in (name, *(state for state, here in zip(states, seen, strict=True) if here)):
            if not text or text.startswith("#") or "\0" in text or text.split() != [text]:
                raise InputError(
                    f"{path}: {text!r} of variable {name!r} cannot stand in a .dat file, which separates by"
                    " white space and takes # for a comment. Write .csv instead."
                )
    counts = " ".join(map(str, table.cardinalities))
    file.write(f"{' '.join(table.names)}\n{counts}\n".encode())
    for lines in _lines(table, " ", str, repeat=True):  # the format knows no weights
        file.write(lines)


def _lines(
    table: Table, delimiter: str, escaped: Callable[[str], str], *, repeat: bool = False
) -> Iterator[bytes]:
    """Yield the rows as text, many lines at a time, with their weights or as often as these say."""
    import pyarrow.compute as pc  # slow to import, and reading does not need it

    gap = [""] if table.gaps else []  # a missing value is an empty field
    targets = None
    if table.interventions is not None:
        targets = pa.array(
            [escaped(text) if text else "" for text in table.interventions.texts(table.source, table.names)]
        )
    labels = [
        pa.array([*map(escaped, states), *gap] if states else [], pa.large_string())
        for states in table.states
    ]
    step = max(1, _VALUES_AT_ONCE // len(labels))
    for start in range(0, table.row_count, step):
        texts = [
            label.take(pa.array(codes[start : start + step]))
            if len(label)
            else _number_texts(codes[start : start + step])
            for label, codes in zip(labels, table.codes, strict=True)
        ]
        weights = None if table.weights is None else table.weights[start : start + step]
        if weights is not None and not repeat:
            texts.append(pa.array(weights).cast(pa.large_string()))
        if targets is not None and table.interventions is not None:
            rows = table.interventions.rows[start : start + step]
            at = np.where(rows < 0, len(targets) - 1, rows)
            texts.append(targets.take(pa.array(at)).cast(pa.large_string()))
        separator = pa.scalar(delimiter, pa.large_string())
        lines = pc.binary_join_element_wise(*texts, separator).to_pylist()
        if weights is None or not repeat:
            yield ("\n".join(lines) + "\n").encode("utf-8")
            continue
        for line, weight in zip(lines, weights.tolist(), strict=True):
            text = f"{line}\n".encode()
            for count in _in_pieces(weight, max(1, _VALUES_AT_ONCE // len(text))):
                yield text * count


def _number_texts(numbers: Any) -> Any:
    """Return numbers as texts that are read as the same numbers."""
    texts = ["" if number != number else repr(number) for number in numbers.tolist()]
    return pa.array(texts, pa.large_string())


def _in_pieces(number: int, most: int) -> Iterator[int]:
    """Yield numbers of at most so much that add up to a number."""
    for start in range(0, number, most):
        yield min(most, number - start)


def arrow_table(table: Table) -> Any:
    """Return a table as a ``pyarrow.Table``; its schema says which column holds the weights, if one does."""
    arrays = [
        pa.DictionaryArray.from_arrays(_indices(column, len(one)), list(one))
        if one
        else pa.array(column, from_pandas=True)
        for one, column in zip(table.states, table.codes, strict=True)
    ]
    declares = {DECLARES: b"declared"}
    names = list(table.names)
    metadata: dict[bytes, Any] = dict(declares)
    if table.weights is not None:
        names.append(free_name(table.weight_name, names))
        arrays.append(pa.array(table.weights))
        metadata[WEIGHTS_KEY] = names[-1]
    if (own := table.interventions) is not None:
        names.append(free_name(own.name, names))
        texts = own.texts(table.source, table.names)[:-1]
        arrays.append(pa.DictionaryArray.from_arrays(pa.array(own.rows, mask=own.rows < 0), texts))
        metadata[INTERVENTIONS_KEY] = names[-1]
    return pa.table(arrays, names=names, metadata=metadata)


def _indices(column: Any, cardinality: int) -> Any:
    """Return the codes of a column as Arrow's; null where a value is missing."""
    return pa.array(column.astype(_index_type(cardinality + 1)), mask=column >= cardinality)


def _index_type(cardinality: int) -> type[np.signedinteger[Any]]:
    # Signed, since pandas does not take unsigned dictionary indices.
    return np.int8 if cardinality <= 128 else np.int16 if cardinality <= 32_768 else np.int32


def _write_parquet(table: Table, file: BinaryIO, path: str) -> None:
    import pyarrow.parquet

    # Without a limit on the dictionary, so that all states are kept, seen or not; with checksums, so
    # that a damaged file is refused.
    pyarrow.parquet.write_table(
        arrow_table(table),
        file,
        dictionary_pagesize_limit=2**30,
        write_page_checksum=True,
        compression="zstd",
    )


def _write_feather(table: Table, file: BinaryIO, path: str) -> None:
    whole = arrow_table(table)
    with pa.ipc.new_file(file, whole.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(whole)


_WRITERS: dict[str, Callable[[Table, BinaryIO, str], Any]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".dat": _write_dat,
    ".parquet": _write_parquet,
    ".feather": _write_feather,
}
