"""What stands for a count that did not end: networks found one by one, and an estimate.

First random walks, which are unbiased (sequential_monte_carlo.hpp, probe.hpp). Where these are worth little, populations
that begin with all networks within a smaller factor (annealed_sampling.hpp), which tend to be a little low.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bayesloom import _core
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.credible_sets.strategy import make_near
from bayesloom.errors import ResourceError
from bayesloom.limits import resolve_memory, resolve_threads
from bayesloom.scoring.cache import ScoreCache

__all__ = ["stand_in"]

Estimate = tuple[float, float, int, float]  # count, error, draws, and how many of them it is worth

GATHERED = 150_000  # networks near the best, to list where counting does not end
PROBES = 1_000_000  # of an estimate that stands for the count
LAST_SECONDS = 30.0  # for it, if memory and not time ended the count
HURRIED_SECONDS = 0.5  # for it, if Ctrl-C did
GIGABYTE = 1e9
FEW_WALKS = 100  # are not to be relied on
NEAR = (1 / 8, 1 / 4, 1 / 2, 3 / 4)  # of the slack, to begin with
NEAR_TIME = 0.4  # of what is left, for each of them
FIRST_TIME = 0.1  # of what is left, for gathering, and for walks where populations may follow
NEAR_MOST = 2_000_000  # networks there that are listed, where they cannot be drawn
SIZES = (60, 250, 1000, 4000)  # of populations, as long as there is time


def stand_in(
    core: _core.CredibleSet | _core.WideSet, least: int, cache: ScoreCache, run: Run, clock: StageClock
) -> dict[str, Any]:
    """Return the count, its error, what it is worth, what it is by and the bounds, as for a count.

    Ctrl-C ends what is under way, and what was found by then is kept.
    """
    wide = isinstance(core, _core.WideSet)
    if isinstance(core, _core.WideSet):
        least = core.gather(GATHERED, seconds=_share(FIRST_TIME, clock))
    seconds = _share(FIRST_TIME if wide else 1.0, clock)
    count, error, _, effective = core.estimate(PROBES, run.seed, seconds=seconds)
    by = "walks"
    if isinstance(core, _core.WideSet) and effective < FEW_WALKS:
        tempered, near = _tempered(core, cache, run, clock)
        least = max(least, near)
        if tempered is not None:
            (count, error, _, effective), by = tempered, "populations"
    return {
        "count": max(least, round(count)),
        "error": error,
        "effective": effective,
        "by": by,
        "bounds": (least, None),
    }


def _share(share: float, clock: StageClock) -> float:
    left = clock.left()
    return LAST_SECONDS if left is None else share * left


def _tempered(
    core: _core.WideSet, cache: ScoreCache, run: Run, clock: StageClock
) -> tuple[Estimate | None, int]:
    """Return an estimate by populations, and how many networks the set has that they begin with."""
    near: tuple[_core.CredibleSet | _core.WideSet, int] | None = None
    least = 0
    # The set itself has half of the memory; two smaller ones are there while the next is made.
    run = replace(run, memory=resolve_memory(run.memory) / 2 / GIGABYTE)
    for share in NEAR:
        slack = round(share * core.slack)
        own = StageClock(_share(NEAR_TIME, clock))
        try:
            made = make_near(core, cache, slack, run, own)
        except (ResourceError, KeyboardInterrupt):
            break
        found = made.count(seconds=own.left())
        if isinstance(made, _core.WideSet):
            if not made.whole:
                break
            least = found["low"]
        else:
            if found["count"] is None:
                break
            least = found["count"]
            if least > NEAR_MOST:
                break
        near = (made, slack)
    if near is None:
        return None, least
    estimate = _spread(core, *near, run)
    best = None
    for size in SIZES:
        better = estimate(size, _share(1.0, clock))
        if better is None:
            break
        best = better
    return best, least


def _spread(
    core: _core.WideSet, near: _core.CredibleSet | _core.WideSet, slack: int, run: Run
) -> Callable[[int, float], Estimate | None]:
    """Populations from a smaller set: by their size and the seconds they have."""
    threads = resolve_threads(run.threads)
    if isinstance(near, _core.WideSet):
        return lambda size, seconds: core.tempered_estimate(near, size, run.seed, threads, seconds)
    candidates, scores = near.stream().take(NEAR_MOST)
    return lambda size, seconds: core.tempered_estimate(
        candidates, scores, slack, size, run.seed, threads, seconds
    )
