"""Several solvers for one cache: what ``solver="auto"`` does.

Up to 20 variables ``dp`` is sure to be quick.  Beyond, ``bblp`` bounds and proves while ``minobs``
looks for better networks: side by side on two threads, or in turns of 50 milliseconds on one.  They
tell each other the best network and the lowest bound of either, and stop when the two meet.  ``bblp``
itself takes turns between branching and a search over sets of placed variables, so caches with few
and with many candidates are both served.  Up to 29 variables ``dp`` takes over if that has not led to a
proof in about the time that ``dp`` takes.

What the two tell each other depends on when, so the network may differ from run to run where several
have the same score, and score and bound where time ends the search.  A score that is proved to be the
best is the same always.  Under a work limit, or in less time than ten turns take, they run one after the
other; under a work limit the same seed gives the same result.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.solvers import order_graph, order_search, relaxation

if TYPE_CHECKING:
    from bayesloom.scoring.cache import ScoreCache
    from bayesloom.solvers.api import SearchLimits

__all__ = ["MOST_FOR_DP", "MOST_FOR_DP_LATER", "run"]

MOST_FOR_DP = 20  # a tenth of a second
MOST_FOR_DP_LATER = 29  # ten seconds and a gigabyte and a half
SECONDS_PER_STEP = 6e-10  # of `dp`, which takes n 2^n steps
LEAST_FOR_TURNS = 0.5  # seconds: ten turns


def run(cache: ScoreCache, limits: SearchLimits) -> Mapping[str, Any]:
    """Run what suits the cache; the answer names the solvers under ``"solver"``."""
    n = cache.variable_count
    fits = n <= MOST_FOR_DP_LATER and _core.subset_dp_bytes(n, limits.threads) <= limits.memory_bytes
    if n <= MOST_FOR_DP and fits:
        return {**order_graph.Dp.run(cache, replace(limits, options=None)), "solver": "dp"}
    too_short = limits.threads == 1 and limits.seconds is not None and limits.seconds < LEAST_FOR_TURNS
    if limits.work is not None or too_short:
        return _one_after_the_other(cache, limits)
    if not fits:
        return _together(cache, limits)
    dense = n * 2**n * SECONDS_PER_STEP / limits.threads
    if limits.seconds is not None and limits.seconds < 4 * dense:  # no use if it does not get to its end
        return _together(cache, limits)
    begin = time.perf_counter()
    out = _together(cache, replace(limits, seconds=max(dense, 0.1)))
    if out["score"] == out["bound"] or out["interrupted"]:
        return out
    left = None if limits.seconds is None else max(0.01, limits.seconds - (time.perf_counter() - begin))
    proved = order_graph.Dp.run(cache, replace(limits, seconds=left, options=None))
    best = max(out, proved, key=lambda answer: answer["score"])
    bound, work = min(out["bound"], proved["bound"]), int(out["work"]) + int(proved["work"])
    seconds = time.perf_counter() - begin
    last = (seconds, work, _core.to_nats(best["score"]), _core.to_nats(bound))
    return {
        **best,
        "bound": bound,
        "work": work,
        "interrupted": proved["interrupted"],
        "trace": [*out["trace"], last],
        "solver": "minobs+bblp+dp",
    }


def _together(cache: ScoreCache, limits: SearchLimits) -> Mapping[str, Any]:
    """Run `bblp` here and `minobs` on a thread of its own, until one of them is done."""
    exchange = _core.Exchange(turns=limits.threads == 1)
    errors: list[BaseException] = []
    # In turns each step of one is a step less of the other, so `minobs` ends when it is weary.
    alone = limits.threads > 1 and limits.seconds is not None
    options = order_search.Minobs(patience=None if alone else order_search.PATIENCE)
    companion = replace(
        limits,
        work=None,
        threads=max(1, limits.threads - 1),
        progress=None,
        options=options,
        exchange=exchange,
    )

    def find() -> None:
        try:
            order_search.run(cache, companion)
        except BaseException as error:
            errors.append(error)
        finally:
            exchange.leave(1)

    thread = threading.Thread(target=find, name="minobs", daemon=True)
    thread.start()
    try:
        out = relaxation.run(cache, replace(limits, options=None, exchange=exchange))
    finally:
        exchange.close()
        exchange.leave(0)
        thread.join()
    if errors:
        raise errors[0]
    return {**out, "solver": "minobs+bblp"}


def _one_after_the_other(cache: ScoreCache, limits: SearchLimits) -> Mapping[str, Any]:
    """Give `minobs` a fifth of the work and the time, and `bblp` its network and the rest."""
    begin = time.perf_counter()
    part = replace(
        limits,
        seconds=None if limits.seconds is None else limits.seconds / 5,
        work=None if limits.work is None else max(1, limits.work // 5),
        options=order_search.Minobs(patience=order_search.PATIENCE),
    )
    found = order_search.run(cache, part)
    if found["score"] == found["bound"] or found["interrupted"]:
        return {**found, "solver": "minobs"}
    used = time.perf_counter() - begin
    rest = replace(
        limits,
        seconds=None if limits.seconds is None else max(0.001, limits.seconds - used),
        work=None if limits.work is None else max(1, limits.work - int(found["work"])),
        start=tuple(found["order"]),
        options=None,
    )
    proved = relaxation.run(cache, rest)
    return {**proved, "work": int(found["work"]) + int(proved["work"]), "solver": "minobs+bblp"}
