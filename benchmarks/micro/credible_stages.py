"""How long the stages of a credible set by diagrams take: prices at each pace, counting, classes.

Samples of random networks with two parents per variable at most: 35 variables with few rows, where there is a
choice between many parent sets, and 60 with more of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import bayesloom as bl
from bayesloom import _core
from bayesloom.solvers.warm_start import short_search

FACTOR = 20.0


def timed(action: Callable[..., Any], *given: Any, **more: Any) -> tuple[Any, float]:
    begin = time.process_time()
    result = action(*given, **more)
    return result, time.process_time() - begin


def rows(*, sizes: tuple[tuple[int, int], ...] = ((35, 100), (60, 300))) -> list[dict[str, Any]]:
    """Return one row per measurement: name, seconds, detail."""
    max_loss = math.ceil(math.log(FACTOR) * 2**30)
    found = []
    for variables, samples in sizes:
        table = bl.random_network(variables, max_parents=2, seed=1).sample(samples, seed=2)
        cache = bl.score(table, bayes_factor=FACTOR, max_parents=4, threads=1)
        size = f"{variables} variables, {cache.candidate_count} candidates"
        known = list(short_search(cache, None, 2000)["candidates"])
        for pace in (_core.Pace.rough, _core.Pace.quick, _core.Pace.slow):
            # The least of three: the first of them may pay for memory that the others find there.
            tries = [timed(_core.diagram_set, cache.core, max_loss, known=known, pace=pace) for _ in range(3)]
            made, seconds = tries[0][0]["set"], min(seconds for _, seconds in tries)
            detail = f"{size}, gap {made.gap / 2**30:.4f}"
            found.append({"name": f"{pace.name} prices", "seconds": seconds, "detail": detail})
        counted, seconds = timed(made.count, work=1_000_000)
        what = f"{size}, {'' if made.whole else 'at least '}{counted['low']:,} networks"
        found.append({"name": "count", "seconds": seconds, "detail": f"{what}, {counted['work']:,} steps"})
        if made.whole:
            classes, seconds = timed(made.classes)
            found.append({"name": "classes", "seconds": seconds, "detail": f"{classes.count:,} classes"})
    return found


if __name__ == "__main__":
    for row in rows():
        print(f"{row['name']:<13} {row['seconds']:8.4f} s   {row['detail']}")
