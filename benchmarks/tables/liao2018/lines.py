"""Lines of results that are measured one at a time and kept in one file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any


def keep(line: dict[str, Any], path: Path, key: tuple[str, ...], order: list[str]) -> None:
    """Put a line into the file in place of an older one with the same key; the key begins with the table."""
    rows: list[dict[str, Any]] = []
    if path.exists():
        with path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))

    def of(row: dict[str, Any]) -> tuple[str, ...]:
        return tuple(str(row[name]) for name in key)

    rows = [row for row in rows if of(row) != of(line)] + [line]
    rows.sort(key=lambda row: (order.index(row[key[0]]), *(int(value) for value in of(row)[1:])))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=columns)
        writer.writeheader()
        writer.writerows(rows)
