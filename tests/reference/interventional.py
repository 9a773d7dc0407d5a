"""Interventions by their definition: a row does not count for what was set in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from reference import gaussian_scores
from reference.graphs import Parents, edges, skeleton, v_structures
from reference.local_scores import local_score as discrete_score

Targets = Iterable[frozenset[int]]


def was_set(table: Any, child: int) -> list[bool]:
    """In which rows of a table a variable was set."""
    own = table.interventions
    if own is None:
        return [False] * table.row_count
    return [k >= 0 and table.names[child] in own.targets[k] for k in own.rows.tolist()]


def local_score(
    table: Any, child: int, parents: Sequence[int], score: str, options: dict[str, float] | None = None
) -> float | None:
    """s(child, parents) over the rows in which the child was not set; None if there is none."""
    each = [1] * table.row_count if table.weights is None else table.weights.tolist()
    kept = [row for row, gone in enumerate(was_set(table, child)) if not gone for _ in range(each[row])]
    columns = [column[kept] for column in table.codes]
    if score in ("bic-g", "bge"):
        return gaussian_scores.local_score(np.column_stack(columns), child, parents, score, options)
    if score in ("bic-cg", "dg", "pnal"):
        own = options if score == "bic-cg" else None
        return gaussian_scores.mixed_score(columns, table.cardinalities, child, parents, score, **(own or {}))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    return discrete_score(rows, table.cardinalities, child, parents, score, **(options or {}))


def class_key(parents: Parents, targets: Targets) -> Any:
    """What networks have in common that fit any such table equally well [hauser2012, theorem 10].

    Skeleton and v-structures, and for each set of targets the skeleton without the edges into it.
    """
    left = tuple(
        frozenset(frozenset(edge) for edge in edges(parents) if edge[1] not in target) for target in targets
    )
    return skeleton(parents), v_structures(parents), left
