"""The verifier reproduces the local scores that other programs wrote for the same tables."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from bayesloom import _core
from bayesloom.scoring.cache import ScoreCache, read_cache
from made.data import DATA, needs_data


def read_rows(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as file:
        text = file.read()
    return (
        [line.split() for line in text.splitlines()]
        if ".dat" in path.name
        else list(csv.reader(text.splitlines()))
    )


def columns_of(rows: list[list[str]]) -> list[np.ndarray]:
    return [np.unique(column, return_inverse=True)[1].astype(np.uint8) for column in zip(*rows, strict=True)]


def largest_difference(
    cache: ScoreCache, columns: list[np.ndarray], cardinalities: list[int], score: str
) -> float:
    """Recompute every candidate of the cache."""
    variables, parents = [], []
    for v in range(cache.variable_count):
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            variables.append(v)
            parents.append(
                cache.parents[int(cache.parent_first[c]) : int(cache.parent_first[c + 1])].tolist()
            )
    found = _core.check_local_scores(columns, cardinalities, variables, parents, score, 1.0)
    return float(np.abs(np.array(found) - cache.scores / 2.0**30).max())


@needs_data
@pytest.mark.parametrize(
    ("table", "scores", "score", "digits"),
    [
        ("networks/samples/asia_10000.dat.gz", "asia_10000.dat.3.jkl.gz", "bdeu", 8),  # pygobnilp
        ("uci/wine.csv.gz", "wine.BIC.3.jkl.gz", "bic", 8),  # GOBNILP
        ("uci/iris.csv.gz", "iris_BIC.jkl.gz", "bic", 6),  # as it comes with MINOBS
    ],
)
def test_every_published_local_score_is_reproduced(table: str, scores: str, score: str, digits: int) -> None:
    rows = read_rows(DATA / table)
    cache = read_cache(DATA / "scores" / scores)
    if ".dat" in table:
        names, arities, *rows = rows
        columns = columns_of(rows)
        order = [names.index(name) for name in cache.names]
        columns, cardinalities = [columns[i] for i in order], [int(arities[i]) for i in order]
    else:
        columns = columns_of(rows)
        cardinalities = [int(column.max()) + 1 for column in columns]
    assert largest_difference(cache, columns, cardinalities, score) < 0.51 * 10.0**-digits + 1e-9
