"""The value of the cluster relaxation by definition: one row per cluster, solved as a linear programme.

For at most six variables: there are 2^n clusters.  Slow and obvious; the fast twin is the solver
``bblp``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import highspy
import numpy as np


def clusters(names: list[str]) -> Iterator[frozenset[str]]:
    """All sets of at least two variables."""
    for size in range(2, len(names) + 1):
        yield from (frozenset(c) for c in combinations(names, size))


def relaxation_value(candidates: Mapping[str, Mapping[frozenset[str], int]], *, most_need: int = 1) -> float:
    """Maximise the score over fractions of candidates under every inequality of need 1 to `most_need`.

    An inequality of need k: of the members of a cluster at least k have fewer than k parents inside.
    """
    columns = [(v, parents, score) for v, sets in candidates.items() for parents, score in sets.items()]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    for _, _, score in columns:
        highs.addCol(float(score), 0.0, 1.0, 0, [], [])
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def add(low: float, high: float, chosen: list[int]) -> None:
        highs.addRow(low, high, len(chosen), np.array(chosen, dtype=np.int32), np.ones(len(chosen)))

    for name in candidates:
        add(1.0, 1.0, [c for c, (v, _, _) in enumerate(columns) if v == name])
    for cluster in clusters(list(candidates)):
        for need in range(1, min(most_need, len(cluster) - 1) + 1):
            free = [
                c
                for c, (v, parents, _) in enumerate(columns)
                if v in cluster and len(parents & cluster) < need
            ]
            add(float(need), highspy.kHighsInf, free)
    highs.run()
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(highs.getInfo().objective_function_value)
