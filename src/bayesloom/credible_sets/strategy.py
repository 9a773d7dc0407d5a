"""The strategy: which backend makes a credible set, and how long each attempt may take.

Several solvers work together: a short order search gives a known network, the relaxation proves the best
score, and the core's `credible` counts the networks within the limit.  A known network is a list with one
candidate per variable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bayesloom import _core
from bayesloom.credible_sets import options
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.errors import Interrupted, ResourceError, option
from bayesloom.limits import resolve_memory, resolve_threads
from bayesloom.progress import kernel_progress
from bayesloom.scoring.cache import UNITS, ScoreCache
from bayesloom.scoring.constrained_cache import constrain, orders_of
from bayesloom.solvers.warm_start import START_WORK, short_search

__all__ = ["make", "make_near", "max_loss"]


def max_loss(factor: float, tolerance: float) -> int:
    """Return how far below the best a credible network may score, in units of a stored score."""
    return math.ceil(math.log(factor) * UNITS) + math.ceil(tolerance * UNITS)


def make(cache: ScoreCache, max_loss: int, run: Run, clock: StageClock) -> tuple[_core.CredibleSet, bool]:
    """Find the best score and what credible networks may use; also whether Ctrl-C was heard.

    =============  ====================================================================================
    variables      what is tried, in this order, until one ends
    =============  ====================================================================================
    up to 22       subset DP
    23 to 31       a diagram, a tenth of a second, if the dual gap is at most ln F / 10; subset DP
    32 and more    diagrams around a known network, with rough prices first if there are few candidates;
                   diagrams around a better one; the proof of the best and diagrams around that, which
                   go on if the dual gap is at most ln F; else subset DP
    =============  ====================================================================================

    A count that ends proves its best network.  One that does not end needs the best proved by the relaxation.
    The numbers are in `options.Options`.
    """
    clock.start("search")
    maker, how = _Maker(cache, max_loss, run, clock), options.OPTIONS
    many = cache.variable_count > how.subset_dp_up_to
    tried = None
    if cache.variable_count > how.dense_up_to:
        known = maker.search(how.search_work if many else START_WORK)
        if many and cache.candidate_count < how.sparse_candidates * cache.variable_count:
            tried = maker.try_diagrams(known, _core.Pace.rough)
            if tried is not None:
                maker.count(tried, how.rough_work)
                if tried.whole:
                    return tried, False
        tried = maker.try_diagrams(known, _core.Pace.quick)
        if tried is not None and (many or how.tight_gap * tried.gap <= max_loss):
            counted = maker.count(tried, how.first_work)
            # Subset DP has exact posteriors where diagrams would have to list too many networks.
            if tried.whole and (many or counted <= how.few_networks):
                return tried, False
    if many:
        better = maker.best(maker.search(how.better_search_work), proof=False)
        tried = maker.by_diagrams(better["candidates"])
        maker.count(tried, how.second_work)
        if not tried.whole:
            tried = maker.around_best(tried, how.proof_work)
        if tried is not None:
            maker.count(tried, how.proof_work, proved=True)
            if tried.whole or tried.gap <= max_loss or maker.interrupted:
                return tried, maker.interrupted
    share = how.subset_dp_share if many and tried is not None else 1.0
    found = maker.by_subset_dp(share, tried) or (tried if many else None)
    if found is None and not clock.over():
        found = maker.around_best(maker.by_diagrams(maker.known))
    if found is None:
        raise ResourceError(
            "the time limit ended before the best score was known, without which no network can be called "
            f"credible. Allow more time with {option('time_limit')}, or ask for less with a smaller"
            f" {option('bayes_factor')}."
        )
    return found, maker.interrupted


def make_near(
    core: _core.CredibleSet, cache: ScoreCache, max_loss: int, run: Run, clock: StageClock
) -> _core.CredibleSet:
    """Make a set within a smaller loss of the best, from one whose best network is proved to be so."""
    maker = _Maker(cache, max_loss, run, clock)
    tried = maker.by_diagrams(core.best_network)
    maker.count(tried, options.OPTIONS.proof_work, proved=True)
    if tried.whole or tried.gap <= max_loss or maker.interrupted:
        return tried
    return maker.by_subset_dp(1.0, tried) or tried


class _Maker:
    """The ways to make a credible set, each None if time, memory or work ended it."""

    def __init__(self, cache: ScoreCache, max_loss: int, run: Run, clock: StageClock) -> None:
        self.cache, self.max_loss, self.run, self.clock = cache, max_loss, run, clock
        self.shown = constrain(cache).shown
        self.memory = resolve_memory(run.memory) / 2
        self.orders = orders_of(cache)
        self.progress = kernel_progress(run.progress, "search")
        self.interrupted = False
        self.known: list[int] = []  # the best network so far

    def by_subset_dp(self, share: float, tried: _core.CredibleSet | None) -> _core.CredibleSet | None:
        """By subset DP, within a share of the time that is left; by the dual prices of what was tried."""
        left = self.clock.left()
        out = _core.subset_dp_set(
            self.cache.core,
            self.max_loss,
            threads=resolve_threads(self.run.threads),
            memory_bytes=self.memory,
            orders=self.orders,
            known=self.known,
            tried=tried,
            seconds=None if left is None else share * left,
            progress=self.progress,
        )
        self._heard(out)
        found: _core.CredibleSet | None = out["set"]
        return found

    def search(self, per_variable: int) -> list[int]:
        """Return the network that a short order search finds."""
        return list(short_search(self.shown, self.clock.left(), per_variable)["candidates"])

    def by_diagrams(self, known: list[int], pace: _core.Pace = _core.Pace.slow) -> _core.CredibleSet:
        """By diagrams around a known network, not counted yet."""
        self.known = known
        out = _core.diagram_set(
            self.cache.core,
            self.max_loss,
            self.orders,
            known,
            pace=pace,
            memory_bytes=self.memory,
            seconds=self.clock.left(),
            progress=self.progress,
        )
        self._heard(out)
        made: _core.CredibleSet = out["set"]
        return made

    def try_diagrams(self, known: list[int], pace: _core.Pace) -> _core.CredibleSet | None:
        """By diagrams, or None if such prices leave more variables together than they can have."""
        try:
            return self.by_diagrams(known, pace)
        except ResourceError:
            return None

    def count(self, tried: _core.CredibleSet, work: int, *, proved: bool = False) -> int:
        """Return how many networks there are, at least; without a proof of the best Ctrl-C leaves nothing."""
        counted = tried.count(seconds=self.clock.left(), work=work, progress=self.progress)
        self._heard({**counted, "set": tried if proved else None})
        least: int = counted["low"]
        return least

    def best(self, start: list[int], work: int | None = None, *, proof: bool) -> Mapping[str, Any]:
        """Return what a proof by the relaxation, or only its root, finds from a network."""
        out = _core.bblp(
            self.shown.core,
            start=start,
            moves=20 * self.cache.variable_count,
            branch=proof,
            memory_bytes=self.memory,
            seconds=self.clock.left(),
            work=work,
            progress=self.progress,
        )
        self._heard({**out, "set": None})
        self.known = out["candidates"]
        return out

    def around_best(self, tried: _core.CredibleSet, work: int | None = None) -> _core.CredibleSet | None:
        """Return the diagrams that were tried if theirs is the best network, else those around the best."""
        out = self.best(tried.best_network, work, proof=True)
        if out["score"] != out["bound"]:
            return None
        return tried if out["score"] == tried.best else self.by_diagrams(out["candidates"])

    def _heard(self, out: Mapping[str, Any]) -> None:
        self.interrupted = bool(out["interrupted"])
        if self.interrupted and out["set"] is None:
            raise Interrupted(
                "interrupted before the best score was known, without which no network can be called"
                " credible."
            )
