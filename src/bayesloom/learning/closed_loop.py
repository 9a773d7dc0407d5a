"""The closed loop: search, and scoring where the search needs it.

Beyond a hundred variables no score cache holds all parent sets that could matter, and what it lacks
decides how good a network can become, not the search over it.  So the two take turns:

1. A hill climber with a tabu list gives a network within a second or a few (`hill_climb.hpp`).  Then it is
   shaken: some of its edges are taken away and the climber goes on from there, again and again; the best
   network is kept, and so are all sets that were scored on the way.
2. Sets next to its parent sets are scored: one parent added, removed or exchanged.  So are the same
   neighbours of the sets of least reduced cost, whosever they are, after a turn that found something better;
   and the best sets of each variable that were not extended yet are extended, a few, or more where few such
   are left.
3. A score cache is made of all sets scored so far.  Cluster prices (`dual/restricted_prices.hpp`) bound all
   networks over it; they go on from those of the turn before, and the reduced cost of each set says how near
   it is to being part of a better network.  A search over orders finds the best that can be put together.
4. Parent sets are grown and shrunk along its order, and the climber goes on from its network.

Steps 2 to 4 repeat until the time is up, or until there is nothing left to score and the search finds
nothing better.  Every set scored stays in the cache.  The kernels are in ``src/core/parent_sets``
(`neighbour_sets.hpp`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.learning.perturbation import edges_to_take
from bayesloom.learning.prices import fits
from bayesloom.limits import LEAST_SECONDS
from bayesloom.networks.network import Network
from bayesloom.progress import ProgressEvent, ProgressFunction
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import constrain
from bayesloom.solvers.api import search
from bayesloom.solvers.order_search import Minobs
from bayesloom.table import Table

__all__ = ["ClosedLoop", "LoopOptions"]


TELL_SECONDS = 0.2  # between two words on progress


@dataclass(frozen=True)
class LoopOptions:
    """How the turns are divided.

    Attributes
    ----------
    tabu, stall
        Of the climber: how long a pair of variables is left alone, and how many steps it takes
        without a better network before it ends.
    together
        How many variables a climb changes before it scores what these can gain next, on all threads.  None
        means one, and beyond `many_variables` one of 64.
    widen
        How many of the best sets of each variable are extended in a turn, at most; of those that reduced
        costs name, a quarter of that for each variable on average.  Not for longer than the search of the
        turn takes.
    shakes, most_shaken
        How often the network is shaken in a turn, if no time limits it, and how many of its edges are
        taken away, at most, and no more than a third.
    first_slice, growth
        The share of the time that the first search gets, and by how much the share grows after a turn
        that found nothing.
    pair_share
        The share of the time for all pairs of variables, which give each its parents considered.  Where it is
        too short for them, these parents are chosen by a sample of the rows.
    many_variables, quick_slice
        Beyond so many variables turns are quick at first: neighbours alone are scored, nothing is shaken or
        widened, and a search gets this share of the time.
    quick_gain
        Quick turns end with one that raises the score by less than this share of it.
    orders_up_to
        Up to so many variables a climb over orders takes the place of the hill climber and of what shakes it,
        where the score allows that.
    order_share, order_patience
        The share of the time for climbs over orders before the first turn, at most, and how many rounds in a
        row, for each variable, find nothing better before they end.
    beyond_share
        The share of the time for parents that are not considered, after the quick turns; what is found
        begins them anew.
    parents_considered
        From how many best single parents of a variable its sets are made.  None means 1,024, and fewer
        beyond 1,600 variables, so that a million parents are considered in all: a step of the climber
        tries all of one variable.
    idle_turns
        End after so many turns in a row that scored nothing new and found nothing better.
    fruitless_turns
        End after so many turns in a row that found nothing better, beyond `few_variables`: what more is
        scored then makes the bound weaker, and the time is better spent on lowering it.
    few_variables
        Up to so many variables all sets may be scored after the loop: it ends once it gains nothing.
    perturb_share, price_share, most_price_share
        Shares of the time of a search: for perturbed climbs, for dual prices at a time, and for these as long
        as the gap is above the least that was told before.
    price_work
        Steps on dual prices where no time limits them.
    price_bytes
        Bytes, 0 or more, for each pair of variables that dual prices take: where all of them exceed half of
        the memory, beyond ten thousand variables on a machine of 24 GB, sets are widened without them.
    priced_step, widen_step
        Sets between looks at the clock: of least reduced cost in all (or a quarter of the variables, if that
        is more), and of each variable.
    sets_share
        Share of the memory for the sets scored; the caches made of them, and the search, take as much.
    """

    tabu: int = 20
    stall: int = 100
    together: int | None = None
    shakes: int = 16
    most_shaken: int = 100
    widen: int = 64
    first_slice: float = 0.06
    growth: float = 1.5
    pair_share: float = 0.5
    many_variables: int = 512
    quick_slice: float = 0.01
    quick_gain: float = 1e-4
    orders_up_to: int = 2048
    order_share: float = 0.8
    order_patience: int = 10
    beyond_share: float = 0.4
    parents_considered: int | None = None
    idle_turns: int = 3
    fruitless_turns: int = 2
    few_variables: int = 64
    perturb_share: float = 0.5
    price_share: float = 0.5
    most_price_share: float = 1.0
    price_work: int = 100_000
    price_bytes: float = 64.0
    priced_step: int = 64
    widen_step: int = 4
    sets_share: float = 0.25


def considered(n: int) -> int:
    return 1024 if n <= 1600 else max(64, 1_000_000 // n)


@dataclass(frozen=True)
class Turn:
    """What one turn did: the seconds so far, the score then, local scores computed and sets kept."""

    seconds: float
    score: float
    scored: int
    candidates: int


class ClosedLoop:
    """Parent sets of a table, scored around better and better networks.

    Parameters
    ----------
    table, score, options
        What is scored, and how; see `bayesloom.score`.
    constraints, max_parents
        What every network keeps.
    memory_bytes
        Memory that everything may take together.  A quarter of it is for the sets scored, in equal parts
        for all variables; a variable that has used up its part gets no more sets for being promising,
        only those that the climber walks over.  None means no limit.
    """

    def __init__(
        self,
        table: Table,
        score: str,
        options: dict[str, float],
        *,
        loop: LoopOptions | None = None,
        constraints: Constraints | None = None,
        max_parents: int | None = None,
        threads: int = 1,
        seed: int = 0,
        memory_bytes: float | None = None,
        progress: ProgressFunction | None = None,
    ) -> None:
        self.loop = LoopOptions() if loop is None else loop
        self.names = list(table.names)
        self._index = {name: v for v, name in enumerate(self.names)}
        self._threads, self._seed, self._progress = threads, seed, progress
        self._begin = time.perf_counter()
        held = Constraints() if constraints is None else constraints
        self._sets = _core.NeighbourSets(
            table.encoded,
            score,
            options,
            parents_considered=self.loop.parents_considered or considered(len(self.names)),
            threads=threads,
            rules=held.rules(self.names, max_parents) if held or max_parents is not None else [],
            before=[(self._index[a], self._index[b]) for a, b in held.before],
            most_bytes=None if memory_bytes is None else int(memory_bytes * self.loop.sets_share),
        )
        self._info: dict[str, Any] = {
            "score": score,
            "options": options,
            "rows": table.total_weight,
            "method": "closed loop",
            "max_parents": max_parents,
            "complete_factor": None,
        }
        if held:
            self._info["constraints"] = held.to_json()
        self._required = {(self._index[a], self._index[b]) for a, b in held.required}
        self._by_orders = len(self.names) <= self.loop.orders_up_to and self._sets.climbs_orders
        needed = self.loop.price_bytes * len(self.names) ** 2
        self._prices = memory_bytes is None or needed <= memory_bytes / 2
        self.parents: list[list[int]] = []
        self.score: int | None = None
        self.turns: list[Turn] = []
        self.bound: int | None = None
        """A bound over the sets scored when it was found, if one was; more sets may raise it."""
        self.bounded_sets: int | None = None
        """How many these are."""
        self.prices: Sequence[Any] = ()
        """Lists of dual prices: of that bound, and those to go on from."""
        self._least_gap: int | None = None
        self._near: tuple[ScoreCache, npt.NDArray[np.int64]] | None = None  # by reduced cost, least first
        self.interrupted = False
        self._told = self._begin  # when progress was last told
        self._cache_rate = 1e-6  # seconds per set that `cache` takes
        self.climbed = False
        """Whether a climb has come to its end: before that the network says little."""
        self.idle = False
        """Whether the last run ended because there was nothing more to gain."""

    @property
    def network(self) -> Network:
        """The best network so far."""
        return Network(self.names, self.parents)

    @property
    def scored(self) -> int:
        """Local scores computed so far."""
        return self._sets.scored

    def add(self, cache: ScoreCache) -> None:
        """Add the candidates of a cache over the same variables."""
        self._sets.add(cache.core)

    def cache(self) -> ScoreCache:
        """Return everything scored so far that can matter."""
        begin = time.perf_counter()
        made = self._sets.cache(self.names)
        self._cache_rate = (time.perf_counter() - begin) / self._sets.set_count
        full = self._sets.full_count
        limited = f", cut short by memory for {full} of {len(self.names)} variables" if full else ""
        info = {**self._info, "method": self._info["method"] + limited, "cut_by_memory": full}
        return ScoreCache(made).with_info(info)

    def run(self, seconds: float | None, start: Network | None = None) -> None:
        """Take turns until the time is up or nothing more is gained; Ctrl-C keeps the best network so far."""
        try:
            self._take_turns(seconds, start)
        except KeyboardInterrupt:  # between two kernels, which hear it themselves
            if self.score is None:
                raise
            self.interrupted = True

    def _take_turns(self, seconds: float | None, start: Network | None) -> None:
        begin = time.perf_counter()
        if not self.turns:
            self._begin = begin
        end = None if seconds is None else begin + seconds
        given = None if start is None else self._positions(start)
        if seconds is not None and not self._by_orders:
            within = seconds * self.loop.pair_share
            self._run(lambda limit: self._sets.prepare(within=within, **limit), "climb", end)
        self._climb(given, end)
        if self._by_orders:
            self._climb_orders(None if seconds is None else begin + seconds * self.loop.order_share, end, 0)
        share, idle, fruitless, turn, gained = self.loop.first_slice, 0, 0, 0, True
        few = len(self.names) <= self.loop.few_variables
        # Where one climb takes longer than a search may, the first search gains more than any shake.
        slow = seconds is not None and time.perf_counter() - begin > seconds * share
        many = len(self.names) > self.loop.many_variables
        quick = beyond = many
        while not self._over(end) and idle < self.loop.idle_turns and fruitless < self.loop.fruitless_turns:
            turn += 1
            before = self.score
            if quick:
                self._around(end)
                if not self._over(end) and not self._over_after_cache(end):
                    quick_seconds = None if seconds is None else seconds * self.loop.quick_slice
                    self._search(quick_seconds, end, turn, bounded=False)
                quick = self._gained(before, self.loop.quick_gain)
                if not quick and beyond:
                    # What it finds is put together by quick turns again.
                    quick = self._look_beyond(seconds, end)
                    beyond = False
                continue
            turn_seconds = None if seconds is None else seconds * share
            if idle == 0 and (gained or not few) and not (turn == 1 and slow):
                self._shake(turn_seconds, end, turn)
            scored = self.scored
            self._around(end)
            self._widen(turn_seconds, end, by_prices=turn > 1 and gained)
            if self._over(end) or self._over_after_cache(end):
                break
            self._search(turn_seconds, end, turn)
            gained = self.score != before
            fruitless = 0 if gained or few else fruitless + 1
            idle = idle + 1 if not gained and self.scored == scored else 0
            # On few variables time is better spent on scoring all sets than on longer and longer searches.
            if not gained and not (idle > 0 and few):
                share *= self.loop.growth
        self.idle = idle >= self.loop.idle_turns

    def _gained(self, before: int | None, share: float) -> bool:
        """Whether the score has risen by more than a share of itself."""
        if before is None or self.score is None:
            return self.score != before
        return self.score - before > share * abs(self.score)

    def _around(self, end: float | None) -> None:
        """Score the neighbours of the network's parent sets."""
        both = len(self.names) > self.loop.many_variables
        self._run(lambda limit: self._sets.around(self.parents, both_ways=both, **limit), "score", end)

    def _look_beyond(self, seconds: float | None, end: float | None) -> bool:
        """Try every variable as a parent beside the sets of the network; whether any gains."""
        until = end
        if seconds is not None and end is not None:
            until = min(end, time.perf_counter() + seconds * self.loop.beyond_share)
        found = self._run(lambda limit: self._sets.look_beyond(self.parents, **limit), "score", until)
        return int(found["steps"]) > 0

    def _shake(self, seconds: float | None, end: float | None, turn: int) -> None:
        """Climb from the best network without some of its edges, for half as long as the search gets."""
        stop = None if seconds is None else time.perf_counter() + seconds * self.loop.perturb_share
        if self._by_orders:
            self._climb_orders(stop, end, turn)
            return
        draw = random.Random(self._seed + turn)
        shaken = 0
        while not (self._over(end) or self._over(stop)) and (stop is not None or shaken < self.loop.shakes):
            shaken += 1
            edges = [(u, v) for v, up in enumerate(self.parents) for u in up if (u, v) not in self._required]
            if len(edges) < 3:
                return
            gone = edges_to_take(edges, self.loop.most_shaken, draw, close=shaken % 2 == 0)
            self._climb([[u for u in up if (u, v) not in gone] for v, up in enumerate(self.parents)], end)

    def _widen(self, seconds: float | None, end: float | None, by_prices: bool) -> None:
        """Extend the best sets of every variable, for no longer than the search gets.

        With `by_prices`, first score next to sets of small reduced cost, and then extend a few, or more
        if reduced costs name few.
        """
        stop = None if seconds is None else time.perf_counter() + seconds
        if self._over(end) or self._over_after_cache(end):
            return
        many = by_prices and self._widen_by_prices(stop, end)
        step = self.loop.widen_step
        for _ in range(0, step if many else self.loop.widen, step):
            if self._over(end) or self._over(stop):
                break
            if self._run(lambda limit: self._sets.widen(step, **limit), "score", end)["steps"] == 0:
                break

    def _widen_by_prices(self, stop: float | None, end: float | None) -> bool:
        """Score next to the sets of least reduced cost; whether there were as many as a turn takes."""
        if self._near is None:
            return False
        cache, order = self._near
        self._near = None
        count = len(self.names)
        chunk, left = max(self.loop.priced_step, count // 4), self.loop.widen * count // 4
        for at in range(0, len(order), chunk):
            near = order[at : at + chunk].astype(np.uint64)
            left -= self._run(self._beside(cache, near), "score", end)["steps"]
            if left <= 0 or self._over(end) or self._over(stop):
                return True
        return False

    def _bound(self, cache: ScoreCache, seconds: float | None, end: float | None) -> None:
        """Bound all networks over a cache of everything scored so far, by prices that go on.

        Twice as long where the gap is above the least told before: what was added has raised it.
        """
        if self.score is None or not self._prices or self._over(end):
            return
        held, known, work = constrain(cache), self.score, self.loop.price_work if seconds is None else None
        stop = None if seconds is None else time.perf_counter() + seconds * self.loop.most_price_share
        while True:
            left = end if seconds is None else time.perf_counter() + seconds * self.loop.price_share
            priced = self._run(
                lambda limit: _core.reduced_costs(
                    held.shown.core, known, work=work, prices=self.prices, **limit
                ),
                "bound",
                left if end is None or left is None else min(left, end),
            )
            self.prices = [prices for prices in (priced["clusters"], priced["last"]) if fits(prices)]
            gap = int(priced["gap"])
            grown = self._least_gap is not None and gap > self._least_gap
            if not grown or stop is None or self._over(stop) or self._over(end):
                break
        self.bound, self.bounded_sets = known + gap, cache.candidate_count
        self._least_gap = gap if self._least_gap is None else min(gap, self._least_gap)
        reduced_cost = priced["reduced_cost"]
        order = np.argsort(reduced_cost, kind="stable")
        # What is further away is part of no better network over these sets.
        self._near = (
            cache,
            order[: int(np.searchsorted(reduced_cost[order], priced["gap"], side="right"))],
        )

    def _beside(
        self, cache: ScoreCache, candidates: npt.NDArray[np.uint64]
    ) -> Callable[[dict[str, Any]], dict[str, Any]]:
        return lambda limit: self._sets.beside(cache.core, candidates, **limit)

    def _search(self, seconds: float | None, end: float | None, turn: int, *, bounded: bool = True) -> None:
        """Bound and search all sets scored, then grow and climb from what is found."""
        cache = self.cache()
        if bounded:
            self._bound(cache, seconds, end)
            if self._over(end):
                return
        left = None if end is None else max(LEAST_SECONDS, end - time.perf_counter())
        limit = left if seconds is None or left is None else min(left, seconds)
        found = search(
            cache,
            solver="minobs",
            options=Minobs(patience=None if limit is not None else 4.0),
            time_limit=limit,
            seed=self._seed + turn,
            start=self.network,
            threads=self._threads,
            progress=None if self._progress is None else self._tell,
        )
        self.interrupted = self.interrupted or found.interrupted
        parents = self._positions(found.network)
        self._keep(found.fixed_score, parents)
        order = [self._index[name] for name in found.network.order]
        self._run(lambda limits: self._sets.grow(order, parents, **limits), "score", end)
        if not self._over(end):
            self._climb(parents, end)

    def _climb(self, start: list[list[int]] | None, end: float | None) -> None:
        if self._by_orders:
            out = self._run(
                lambda limits: self._sets.climb_orders(start, seed=self._seed, **limits), "climb", end
            )
            self.climbed = self.climbed or not out["stopped"]
            self._keep(out["score"], out["parents"])
            return
        loop = self.loop
        n = len(self.names)
        together = loop.together or (n // 64 if n > loop.many_variables else 1)
        out = self._run(
            lambda limits: self._sets.climb(
                start, tabu=loop.tabu, stall=loop.stall, together=together, seed=self._seed, **limits
            ),
            "climb",
            end,
        )
        self.climbed = self.climbed or not out["stopped"]
        self._keep(out["score"], out["parents"])

    def _climb_orders(self, stop: float | None, end: float | None, turn: int) -> None:
        """Climb over orders from the best network, again and again, until nothing better is found."""
        if self._over(end) or self._over(stop):
            return
        patience = self.loop.order_patience * len(self.names)
        out = self._run(
            lambda limits: self._sets.climb_orders(
                self.parents, patience=patience, seed=self._seed + turn, **limits
            ),
            "climb",
            end if stop is None else stop if end is None else min(stop, end),
        )
        self._keep(out["score"], out["parents"])

    def _keep(self, score: int, parents: list[list[int]]) -> None:
        if self.score is None or score > self.score:
            self.score, self.parents = score, parents
            seconds = time.perf_counter() - self._begin
            self.turns.append(Turn(seconds, _core.to_nats(score), self.scored, self._sets.set_count))

    def _run(
        self, step: Callable[[dict[str, Any]], dict[str, Any]], stage: str, end: float | None
    ) -> dict[str, Any]:
        seconds = None if end is None else max(LEAST_SECONDS, end - time.perf_counter())
        out = step({"seconds": seconds, "progress": self._listener(stage)})
        self.interrupted = self.interrupted or bool(out["interrupted"])
        # A kernel that ends within milliseconds tells nothing itself.
        if self._progress is not None and time.perf_counter() - self._told >= TELL_SECONDS:
            self._tell(ProgressEvent(stage, self.scored, 0.0))
        return out

    def _listener(self, stage: str) -> Callable[[int, float], None] | None:
        if self._progress is None:
            return None
        return lambda work, seconds: self._tell(ProgressEvent(stage, work, seconds))

    def _tell(self, event: ProgressEvent) -> None:
        """Pass an event on, with the time since the beginning and the best score so far."""
        if self._progress is not None:
            self._told = time.perf_counter()
            best = None if self.score is None else _core.to_nats(self.score)
            # Sets that were scored since may have led beyond it.
            known = self.bound is not None and self.score is not None and self.score <= self.bound
            bound = _core.to_nats(self.bound) if known and self.bound is not None else None
            sets = None if bound is None else self.bounded_sets
            seconds = time.perf_counter() - self._begin
            self._progress(replace(event, seconds=seconds, score=best, bound=bound, partial=True, sets=sets))

    def _over(self, end: float | None) -> bool:
        return self.interrupted or (end is not None and time.perf_counter() >= end)

    def _over_after_cache(self, end: float | None) -> bool:
        """Whether there is no time left for a search once its cache is made."""
        return end is not None and time.perf_counter() + self._cache_rate * self._sets.set_count >= end

    def _positions(self, network: Network) -> list[list[int]]:
        given = network.parents
        return [[self._index[parent] for parent in given[name]] for name in self.names]
