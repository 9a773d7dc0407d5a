"""From a score cache to a credible set that is not counted yet: which way, and how long to try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayesloom import _core
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.errors import Interrupted, ResourceError
from bayesloom.limits import resolve_memory, resolve_threads
from bayesloom.progress import kernel_progress
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import constrain, orders_of
from bayesloom.solvers.warm_start import START_WORK, short_search, start_candidates

__all__ = ["make", "make_near"]

MOST_FOR_SETS = 31  # variables up to which sets of them are tried before diagrams
PRICED_FROM = 22  # beyond so many variables a good network and cluster prices fix candidates first
SETS = 0.4  # of the time, where a try by diagrams can be gone on with
TIGHT = 10  # times the gap that prices leave is within the slack
FEW = 1_000_000  # networks that are listed where all of them are wanted
GOOD_WORK = 300  # for a good network, for each variable
BETTER_WORK = 10_000  # for a better one: less than a second
SPARSE = 6  # candidates for each variable, below which rough prices may do
SPARSE_WORK = 10_000  # for diagrams by these: some milliseconds
FIRST_WORK = 50_000  # for diagrams around it: a tenth of a second
SECOND_WORK = 1_000_000  # around what the root of a proof finds
TRY_WORK = 4_000_000  # for diagrams, and if they do not end for the proof of the best: a few seconds each


def make(
    cache: ScoreCache, slack: int, run: Run, clock: StageClock
) -> tuple[_core.CredibleSet | _core.WideSet, bool]:
    """Find the best score and what credible networks may use; also whether Ctrl-C was heard.

    A set is made by sets of variables or by diagrams. Beyond `PRICED_FROM` variables diagrams around a good
    network are tried first, shortly, with rough prices where there are few candidates; and if there are at
    most `MOST_FOR_SETS` only where prices leave almost no gap. If that ends, the best is among what was
    counted. Then up to `MOST_FOR_SETS` variables sets serve. With more a better network is looked for and
    diagrams are tried around that. If they still do not end the best is proved; they are trusted to end
    later if the bound by prices is close. Sets come before where it is not, or where the proof takes long.
    How long a try is, is counted, not timed, so that the outcome does not depend on the machine.
    """
    clock.start("search")
    maker = _Maker(cache, slack, run, clock)
    many = cache.variable_count > MOST_FOR_SETS
    tried = None
    if cache.variable_count > PRICED_FROM:
        good = maker.good_order(GOOD_WORK if many else START_WORK)
        if many and cache.candidate_count < SPARSE * cache.variable_count:
            tried = maker.try_diagrams(good, _core.Pace.rough)
            if tried is not None:
                maker.count(tried, SPARSE_WORK)
                if tried.whole:
                    return tried, False
        tried = maker.try_diagrams(good, _core.Pace.quick)
        if tried is not None and (many or TIGHT * tried.gap <= slack):
            counted = maker.count(tried, FIRST_WORK)
            # Sets have exact posteriors where diagrams would have to list too many networks.
            if tried.whole and (many or counted <= FEW):
                return tried, False
    if many:
        start = start_candidates(cache, maker.good_order(BETTER_WORK))
        tried = maker.by_diagrams(maker.best(start, proof=False)["order"])
        maker.count(tried, SECOND_WORK)
        if not tried.whole:
            tried = maker.around_best(tried, TRY_WORK)
        if tried is not None:
            maker.count(tried, TRY_WORK, proved=True)
            if tried.whole or tried.gap <= slack or maker.interrupted:
                return tried, maker.interrupted
    found = maker.by_sets(SETS if many and tried is not None else 1.0, tried) or (tried if many else None)
    if found is None and not clock.over():
        found = maker.around_best(maker.by_diagrams(maker.good))
    if found is None:
        raise ResourceError(
            "the time limit ended before the best score was known, without which no network can be called "
            "credible. Allow more time, or a smaller Bayes factor."
        )
    return found, maker.interrupted


def make_near(
    core: _core.WideSet, cache: ScoreCache, slack: int, run: Run, clock: StageClock
) -> _core.CredibleSet | _core.WideSet:
    """Make the set of a smaller slack than that of a set whose best network is proved to be so."""
    maker = _Maker(cache, slack, run, clock)
    tried = maker.by_diagrams(_core.order_of(cache.core, maker.orders, core.best_network))
    maker.count(tried, TRY_WORK, proved=True)
    if tried.whole or tried.gap <= slack or maker.interrupted:
        return tried
    return maker.by_sets(1.0, tried) or tried


class _Maker:
    """The ways to make a credible set, each None if time, memory or work ended it."""

    def __init__(self, cache: ScoreCache, slack: int, run: Run, clock: StageClock) -> None:
        self.cache, self.slack, self.run, self.clock = cache, slack, run, clock
        self.memory = resolve_memory(run.memory) / 2
        self.orders = orders_of(cache)
        self.progress = kernel_progress(run.progress, "search")
        self.interrupted = False
        self.good: list[int] = []  # an order of the best network known

    def by_sets(self, share: float, tried: _core.WideSet | None) -> _core.CredibleSet | None:
        """By sets of variables, within a share of the time that is left; by the prices of what was tried."""
        left = self.clock.left()
        out = _core.credible_set(
            self.cache.core,
            self.slack,
            threads=resolve_threads(self.run.threads),
            memory_bytes=self.memory,
            orders=self.orders,
            good=self.good,
            tried=tried,
            seconds=None if left is None else share * left,
            progress=self.progress,
        )
        self._heard(out)
        found: _core.CredibleSet | None = out["set"]
        return found

    def good_order(self, per_variable: int) -> list[int]:
        """The order of a good network, after a short search."""
        return list(short_search(constrain(self.cache).shown, self.clock.left(), per_variable)["order"])

    def by_diagrams(self, good: list[int], pace: _core.Pace = _core.Pace.slow) -> _core.WideSet:
        """By diagrams around the network of an order, not counted yet."""
        self.good = good
        out = _core.wide_set(
            self.cache.core,
            self.slack,
            self.orders,
            good,
            pace=pace,
            memory_bytes=self.memory,
            seconds=self.clock.left(),
            progress=self.progress,
        )
        self._heard(out)
        made: _core.WideSet = out["set"]
        return made

    def try_diagrams(self, good: list[int], pace: _core.Pace) -> _core.WideSet | None:
        """By diagrams, or None if such prices leave more variables together than they can have."""
        try:
            return self.by_diagrams(good, pace)
        except ResourceError:
            return None

    def count(self, tried: _core.WideSet, work: int, *, proved: bool = False) -> int:
        """How many networks there are, at least; without a proof of the best Ctrl-C leaves nothing."""
        counted = tried.count(seconds=self.clock.left(), work=work, progress=self.progress)
        self._heard({**counted, "set": tried if proved else None})
        least: int = counted["low"]
        return least

    def best(self, start: list[int], work: int | None = None, *, proof: bool) -> Mapping[str, Any]:
        """What a proof, or the root of one, finds from a network."""
        out = _core.best_network(
            self.cache.core,
            self.orders,
            start,
            branch=proof,
            memory_bytes=self.memory,
            seconds=self.clock.left(),
            work=work,
            progress=self.progress,
        )
        self._heard({**out, "set": None})
        self.good = out["order"]
        return out

    def around_best(self, tried: _core.WideSet, work: int | None = None) -> _core.WideSet | None:
        """The diagrams that were tried if theirs is the best network, or else those around the best."""
        out = self.best(tried.best_network, work, proof=True)
        if not out["proved"]:
            return None
        return tried if out["score"] == tried.best else self.by_diagrams(out["order"])

    def _heard(self, out: Mapping[str, Any]) -> None:
        self.interrupted = bool(out["interrupted"])
        if self.interrupted and out["set"] is None:
            raise Interrupted(
                "interrupted before the best score was known, without which no network can be called"
                " credible."
            )
