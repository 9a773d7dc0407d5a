"""The results of an incomplete count: some networks, and an estimate of their number.

The first estimates are unbiased: random walks over the states of subset DP (probe.hpp), or sequential Monte
Carlo through diagrams (sequential_monte_carlo.hpp).  If the latter has a small effective sample size,
annealed sampling follows, from a smaller set that is counted (annealed_sampling.hpp); it tends to be a few
percent low.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bayesloom import _core
from bayesloom.credible_sets import options
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.credible_sets.strategy import make_near
from bayesloom.errors import ResourceError
from bayesloom.limits import resolve_memory, resolve_threads
from bayesloom.scoring.cache import ScoreCache

__all__ = ["estimate_count"]

Estimate = tuple[float, float, int, float]  # count, standard error, draws, effective sample size

GIGABYTE = 1e9


def estimate_count(
    core: _core.CredibleSet, least: int, cache: ScoreCache, run: Run, clock: StageClock
) -> dict[str, Any]:
    """Return the count, its error, its effective sample size, what it is by and the bounds, as for a count.

    Ctrl-C ends what is under way, and what was found by then is kept.
    """
    how, by = options.OPTIONS, "walks"
    diagrams = core.backend == "diagram"
    least = max(least, core.find_near_best(how.near_best, seconds=_share(how.walk_share, clock)))
    seconds = _share(how.walk_share if diagrams else 1.0, clock)
    count, error, _, effective = core.estimate(how.probes, run.seed, seconds=seconds)
    if diagrams and effective < how.least_effective:
        annealed, near = _annealed(core, cache, run, clock)
        least = max(least, near)
        if annealed is not None:
            (count, error, _, effective), by = annealed, "populations"
    return {
        "count": max(least, round(count)),
        "error": error,
        "effective": effective,
        "by": by,
        "bounds": (least, None),
    }


def _share(share: float, clock: StageClock) -> float:
    left = clock.left()
    return options.OPTIONS.last_seconds if left is None else share * left


def _annealed(
    core: _core.CredibleSet, cache: ScoreCache, run: Run, clock: StageClock
) -> tuple[Estimate | None, int]:
    """Return an estimate by annealed sampling, and how many networks the set has that it begins with."""
    near, least = _largest_near(core, cache, run, clock)
    if near is None:
        return None, least
    best = None
    for particles in options.OPTIONS.particles:
        threads, seconds = resolve_threads(run.threads), _share(1.0, clock)
        better = core.annealed_estimate(near, particles, run.seed, threads, seconds)
        if better is None:
            break
        best = better
    return best, least


def _largest_near(
    core: _core.CredibleSet, cache: ScoreCache, run: Run, clock: StageClock
) -> tuple[_core.CredibleSet | None, int]:
    """Return the largest smaller set that can be counted, and a lower bound on the number of networks."""
    how, near, least = options.OPTIONS, None, 0
    # The set itself has half of the memory; two smaller ones are there while the next is made.
    run = replace(run, memory=resolve_memory(run.memory) / 2 / GIGABYTE)
    for share in how.near_losses:
        own = StageClock(_share(how.near_share, clock))
        try:
            made = make_near(core, cache, round(share * core.max_loss), run, own)
        except (ResourceError, KeyboardInterrupt):
            break
        found = made.count(seconds=own.left())
        if not made.whole:
            break
        least = found["low"]
        if made.backend != "diagram" and least > how.near_most:
            break
        near = made
    return near, least
