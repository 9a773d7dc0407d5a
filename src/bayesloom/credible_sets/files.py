"""Credible sets as files: one JSON object per line, or Parquet, written as they are found.

Parquet has the columns of the JSON objects: `score`, for classes also `members`, `size` and `posterior`, and
`parents`, a struct with one list of names per variable.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.files import replacing, write_text
from bayesloom.scoring.cache import UNITS

if TYPE_CHECKING:
    from bayesloom.credible_sets.entries import CredibleClass
    from bayesloom.credible_sets.set import CredibleSet

LINES = 16384  # a few megabytes at a time
ROWS = 65536  # of a row group in Parquet
# Least and greatest names of a column say nothing, and take a third of the time.
HOW: dict[str, Any] = {"write_statistics": ["score"]}


def write_networks(core: _core.CredibleSet, path: str | os.PathLike[str], limit: int | None) -> int:
    """Write networks; the lines are made by the core."""
    stream = core.stream()
    written = 0
    with replacing(path) as file:
        while limit is None or written < limit:
            most = LINES if limit is None else min(LINES, limit - written)
            texts, count = stream.take_json(most)
            for text in texts:
                file.write(text)
            written += count
            if count < most:
                break
    return written


def write_classes(classes: Iterable[CredibleClass], path: str | os.PathLike[str], limit: int | None) -> int:
    """Write one network per class."""
    written = 0
    with replacing(path) as file:
        for found in islice(classes, limit):
            row = {
                "score": found.score,
                "members": found.members,
                "size": found.size,
                "posterior": None if math.isnan(found.posterior) else found.posterior,
                "parents": {name: list(up) for name, up in found.network.parents.items()},
            }
            file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
            written += 1
    return written


def write_parquet(
    found: CredibleSet, path: str | os.PathLike[str], *, by: Literal["network", "class"]
) -> int:
    """Write networks, or one per class, to a Parquet file, one row group after the other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pa.array(found.names)
    # Nothing but a posterior is ever missing; said so, the writer keeps no record of it.
    lists, columns_of_parents = _parents(found.names)
    fields = [pa.field("score", pa.float64(), nullable=False)]
    if by == "class":
        fields += [
            pa.field("members", pa.float64(), nullable=False),
            pa.field("size", pa.float64(), nullable=False),
            pa.field("posterior", pa.float64()),
        ]
    fields.append(pa.field("parents", pa.struct(columns_of_parents), nullable=False))
    schema = pa.schema(fields)

    def parent_lists(rows: npt.NDArray[np.uint64]) -> list[Any]:
        made = _core.parent_lists(found.cache.core, np.ascontiguousarray(rows).reshape(-1))
        return [
            pa.ListArray.from_arrays(
                pa.array(begins),
                pa.DictionaryArray.from_arrays(pa.array(parents), names, safe=False),
                type=lists,
            )
            for begins, parents in made
        ]

    written = 0
    with replacing(path) as file, pq.ParquetWriter(file, schema, **HOW) as writer:
        for rows, columns in _class_rows(found) if by == "class" else _network_rows(found):
            struct = pa.StructArray.from_arrays(parent_lists(rows), fields=columns_of_parents)
            writer.write_batch(pa.record_batch([*map(pa.array, columns), struct], schema=schema))
            written += len(rows)
    return written


def write_entries(rows: Sequence[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write the k best networks, each a dictionary, as lines of JSON, or to a Parquet file."""
    if not os.fspath(path).lower().endswith(".parquet"):
        write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    first: Mapping[str, Any] = rows[0] if rows else {}
    fields = [pa.field(name, pa.float64(), nullable=False) for name in first if name != "parents"]
    fields.append(pa.field("parents", pa.struct(_parents(first.get("parents", ()))[1]), nullable=False))
    table = pa.Table.from_pylist(list(rows), pa.schema(fields))
    with replacing(path) as file:
        pq.write_table(table, file, **HOW)


def _parents(names: Iterable[str]) -> tuple[Any, list[Any]]:
    """Return the type of a list of parents, and a field of it for each variable."""
    import pyarrow as pa

    lists = pa.list_(pa.field("item", pa.dictionary(pa.int32(), pa.string()), nullable=False))
    return lists, [pa.field(name, lists, nullable=False) for name in names]


def _network_rows(found: CredibleSet) -> Iterator[tuple[npt.NDArray[np.uint64], list[Any]]]:
    for rows, scores in found._chunks(found.limit, ROWS):
        yield rows, [scores / UNITS]


def _class_rows(found: CredibleSet) -> Iterator[tuple[npt.NDArray[np.uint64], list[Any]]]:
    stream = found.classes._core.stream()
    left = found.limit
    while left is None or left > 0:
        candidates, scores, members = stream.take(ROWS if left is None else min(ROWS, left))
        if len(scores) == 0:
            return
        rows = candidates.reshape(-1, len(found.names))
        sizes = [float(_core.class_size(found._network(row)._core)) for row in rows]
        posteriors = [float(m) * found._share(s) for m, s in zip(members, scores.tolist(), strict=True)]
        yield rows, [scores / UNITS, [float(m) for m in members], sizes, posteriors]
        left = None if left is None else left - len(scores)
