"""Good networks for any number of variables, by search over orders.

Given an order, each variable takes its best candidate among those whose parents all come before it.
Five solvers look for a good order; their options are the classes here, with the names of the solvers:

``obs``     exchanges neighbours in the order, with a tabu list [teyssier2005]
``asobs``   acyclic selection, then exchanges of neighbours [scanagatta2015]
``inobs``   moves one variable to any place [lee2017]
``iinobs``  the same from slightly disturbed orders, again and again [lee2017]
``minobs``  a population of orders with crossover and mutation [lee2017]

They return the best network found when a limit is reached; ``minobs`` is the one to use.  Options are
given to `bayesloom.search`, for example ``search(cache, solver="inobs", options={"selection": "best"})``.

Work is counted in variables looked up.  The same seed and work limit give the same result on any number
of threads: islands are independent searches that share the limit equally, and their number depends
on the number of threads only under a time limit alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeVar

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.protocol import Answer, SearchLimits, Solver, check_choice, check_number

__all__ = ["Asobs", "Iinobs", "Inobs", "Minobs", "Obs", "OrderSearchSolver"]

PATIENCE = 10.0
"""Where no limit is given: how many times the work of the last improvement to wait for the next."""


@dataclass(frozen=True, kw_only=True)
class OrderSearchSolver(Solver):
    """What all solvers of this module understand.

    Parameters
    ----------
    islands
        How many independent searches to run, each with random numbers of its own; the best result
        counts.  None means one for each thread under a time limit, else one.
    patience
        Stop when the work is this many times the work at the last improvement (at the least a hundred
        looks at every variable).  None means 10 where no limit and no target is given, else never.
    """

    islands: int | None = None
    patience: float | None = None

    exact: ClassVar[bool] = False
    takes_target: ClassVar[bool] = True
    endless: ClassVar[bool] = False
    """Whether it goes on until something stops it."""

    def __post_init__(self) -> None:
        if self.islands is not None:
            check_count("islands", self.islands, least=1)
        if self.patience is not None:
            check_number("patience", self.patience, least=1)

    @abstractmethod
    def _core_options(self, bounded: bool) -> Any:
        """Return the options as the core takes them; `bounded` if a limit or a target is given."""

    @abstractmethod
    def _run(self, *arguments: Any, **named: Any) -> Mapping[str, Any]:
        """Call the kernel."""

    def solve(self, cache: ScoreCache, limits: SearchLimits) -> Answer:
        """Return the best network found when a limit is reached or the search is out of patience."""
        return self._solve(cache, limits, self._islands(limits), None)

    def island(self, cache: ScoreCache, limits: SearchLimits, only: int, count: int) -> Answer:
        """Return what one of `count` islands finds, by number from 0: the same as among all of them."""
        return self._solve(cache, limits, count, only)

    def _solve(self, cache: ScoreCache, limits: SearchLimits, islands: int, only: int | None) -> Answer:
        bounded = not (limits.seconds is None and limits.work is None and limits.target is None)
        shared = _core.OrderSearchLimits()
        shared.work = limits.work
        shared.target = None if limits.target is None else _core.to_fixed(limits.target)
        shared.seed = limits.seed
        shared.threads = limits.threads
        shared.start = list(limits.start or ())
        shared.islands = islands
        shared.only = only
        shared.exchange = limits.exchange
        if self.patience is not None:
            shared.patience = self.patience
        elif self.endless and not bounded:
            shared.patience = PATIENCE
        out = self._run(
            cache.core, self._core_options(bounded), shared, seconds=limits.seconds, progress=limits.progress
        )
        return Answer.from_core(out)

    def _islands(self, limits: SearchLimits) -> int:
        only_time = limits.seconds is not None and limits.work is None
        if self.islands is None:
            return limits.threads if only_time else 1
        if only_time and self.islands > limits.threads:
            raise InputError(
                f"{self.islands} islands cannot run side by side on {limits.threads} threads. "
                f"Give threads={self.islands}, or a work_limit, under which they can take turns."
            )
        return self.islands


@dataclass(frozen=True, kw_only=True)
class Obs(OrderSearchSolver):
    """Options of ``obs``: exchanges of neighbours, with a tabu list and restarts.

    Parameters
    ----------
    tabu
        So many of the latest exchanges may not be undone.
    stall
        A climb ends after so many steps without a better score.
    climbs
        How many climbs, each from a random order.  None means until a limit or the target is reached,
        or one where none is given.
    """

    tabu: int = 10
    stall: int = 100
    climbs: int | None = None

    name = "obs"
    title = "exchanges of neighbours in the order"
    use = "for comparison"
    reference = "teyssier2005"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("tabu", self.tabu, least=0)
        check_count("stall", self.stall, least=0)
        _check_climbs(self.climbs)

    def _core_options(self, bounded: bool) -> _core.ObsOptions:
        return _filled(_core.ObsOptions(), self, climbs=_climbs(self.climbs, bounded))

    def _run(self, *arguments: Any, **named: Any) -> Mapping[str, Any]:
        return _core.obs(*arguments, **named)


@dataclass(frozen=True, kw_only=True)
class Asobs(OrderSearchSolver):
    """Options of ``asobs``: acyclic selection, then moves in the order, in turn until neither gains.

    Parameters
    ----------
    moves
        What follows selection: ``"swaps"`` of neighbours as in the paper, ``"inserts"``, or
        ``"none"``.
    tabu, stall, climbs
        As in `Obs`.
    """

    moves: Literal["swaps", "inserts", "none"] = "swaps"
    tabu: int = 10
    stall: int = 100
    climbs: int | None = None

    name = "asobs"
    title = "any parent set that closes no cycle, then exchanges in the order"
    use = "for comparison"
    reference = "scanagatta2015"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("moves", self.moves, list(_core.OrderMoves.__members__))
        check_count("tabu", self.tabu, least=0)
        check_count("stall", self.stall, least=0)
        _check_climbs(self.climbs)

    def _core_options(self, bounded: bool) -> _core.AsobsOptions:
        climbs = _climbs(self.climbs, bounded)
        return _filled(_core.AsobsOptions(), self, climbs=climbs, moves=_core.OrderMoves[self.moves])

    def _run(self, *arguments: Any, **named: Any) -> Mapping[str, Any]:
        return _core.asobs(*arguments, **named)


@dataclass(frozen=True, kw_only=True)
class Inobs(OrderSearchSolver):
    """Options of ``inobs``: climbs by inserts until no variable gains at any other place.

    Parameters
    ----------
    selection
        Which insert is made: of a random variable the best (``"hybrid"``) or a random one that
        gains (``"first"``), or the ``"best"`` of all.
    climbs
        As in `Obs`.
    """

    selection: Literal["hybrid", "first", "best"] = "hybrid"
    climbs: int | None = None

    name = "inobs"
    title = "inserts in the order"
    use = "one quick climb"
    reference = "lee2017"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("selection", self.selection, list(_core.Selection.__members__))
        _check_climbs(self.climbs)

    def _core_options(self, bounded: bool) -> _core.InobsOptions:
        return _filled(
            _core.InobsOptions(),
            self,
            climbs=_climbs(self.climbs, bounded),
            selection=_core.Selection[self.selection],
        )

    def _run(self, *arguments: Any, **named: Any) -> Mapping[str, Any]:
        return _core.inobs(*arguments, **named)


@dataclass(frozen=True, kw_only=True)
class Iinobs(OrderSearchSolver):
    """Options of ``iinobs``: shake up a local optimum, climb, keep what is not worse.

    The defaults measured best here; `Iinobs.published` has the values tuned in the paper.

    Parameters
    ----------
    shake
        ``"inserts"`` moves variables to random places, ``"swaps"`` exchanges pairs as in the paper.
    strength
        How many at once, as a share of the variables; at least one.
    leeway
        Accept down to ``score - leeway * abs(score)``.
    soft_restart, hard_restart
        Begin anew after so many shakes without a better score, or in all; None means never.
    soft_restart_share
        The same as `soft_restart`, as a multiple of the number of variables; whichever comes first.
    neutral
        In place of every so-many-th shake, lay the network or another one of its equivalence class
        out in a random order; None means never.
    """

    shake: Literal["inserts", "swaps"] = "inserts"
    strength: float = 0.0
    leeway: float = 0.0
    soft_restart: int | None = None
    soft_restart_share: float | None = 100.0
    hard_restart: int | None = None
    neutral: int | None = 100

    name = "iinobs"
    title = "iterated inserts in the order"
    use = "small caches"
    reference = "lee2017"
    endless = True

    @classmethod
    def published(cls) -> Iinobs:
        """Return the options of the paper, tuned there on three tables (Table 2).

        >>> Iinobs.published().soft_restart
        22
        """
        return cls(
            shake="swaps",
            strength=0.03,
            leeway=0.00005,
            soft_restart=22,
            soft_restart_share=None,
            hard_restart=100,
            neutral=None,
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("shake", self.shake, list(_core.Shake.__members__))
        check_number("strength", self.strength, least=0, most=1)
        check_number("leeway", self.leeway, least=0)
        if self.soft_restart_share is not None:
            check_number("soft_restart_share", self.soft_restart_share, least=0)
        for name in ("soft_restart", "hard_restart", "neutral"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), least=1)

    def _core_options(self, bounded: bool) -> _core.IinobsOptions:
        never = ("soft_restart", "soft_restart_share", "hard_restart", "neutral")
        counts = {name: getattr(self, name) or 0 for name in never}
        return _filled(_core.IinobsOptions(), self, shake=_core.Shake[self.shake], **counts)

    def _run(self, *arguments: Any, **named: Any) -> Mapping[str, Any]:
        return _core.iinobs(*arguments, **named)


@dataclass(frozen=True, kw_only=True)
class Minobs(OrderSearchSolver):
    """Options of ``minobs``: a population of local optima with crossover and mutation.

    The defaults are the paper's (Table 3), with polishing added; `Minobs.published` is without.

    Parameters
    ----------
    population
        How many orders are kept.
    crossover
        ``"ob"`` keeps half of the variables in place, ``"rx"`` sorts by mean place, ``"cx"`` mixes
        cycles of places.
    crossovers, mutations
        How many of each in a generation.
    mutation_power
        How many pairs a mutation exchanges, as a share of the variables; at least one.
    diversify_after, diversify_change, diversify_keep
        If the mean score has changed by at most ``diversify_change`` nats in ``diversify_after``
        generations, keep the best ``diversify_keep`` and draw the others anew.
    polish
        How long each new member is shaken by single inserts: until so many in a row were in vain, as a
        multiple of the number of variables.
    neutral
        As in `Iinobs`, while polishing.
    """

    population: int = 20
    crossover: Literal["ob", "rx", "cx"] = "ob"
    crossovers: int = 20
    mutations: int = 6
    mutation_power: float = 0.01
    diversify_after: int = 32
    diversify_change: float = 0.001
    diversify_keep: int = 4
    polish: float = 10.0
    neutral: int | None = 100

    name = "minobs"
    title = "a population of orders"
    use = "hundreds or thousands of variables"
    reference = "lee2017"
    endless = True

    @classmethod
    def published(cls) -> Minobs:
        """Return the options of the paper: no polishing.

        >>> Minobs.published().polish
        0.0
        """
        return cls(polish=0.0, neutral=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("crossover", self.crossover, list(_core.Crossover.__members__))
        for name, least in (
            ("population", 1),
            ("crossovers", 0),
            ("mutations", 0),
            ("diversify_after", 1),
            ("diversify_keep", 1),
        ):
            check_count(name, getattr(self, name), least=least)
        if self.crossovers + self.mutations == 0:
            raise InputError("crossovers and mutations are both 0: there would be no offspring.")
        check_number("mutation_power", self.mutation_power, least=0, most=1)
        check_number("diversify_change", self.diversify_change, least=0)
        check_number("polish", self.polish, least=0)
        if self.neutral is not None:
            check_count("neutral", self.neutral, least=1)

    def _core_options(self, bounded: bool) -> _core.MinobsOptions:
        return _filled(
            _core.MinobsOptions(),
            self,
            crossover=_core.Crossover[self.crossover],
            neutral=self.neutral or 0,
        )

    def _run(self, *arguments: Any, **named: Any) -> Mapping[str, Any]:
        return _core.minobs(*arguments, **named)


_CoreOptions = TypeVar("_CoreOptions")


def _filled(core: _CoreOptions, options: OrderSearchSolver, **translated: Any) -> _CoreOptions:
    """Return the core's options with all values of ours."""
    shared = {entry.name for entry in fields(OrderSearchSolver)}
    for entry in fields(options):
        if entry.name not in shared:
            setattr(core, entry.name, translated.get(entry.name, getattr(options, entry.name)))
    return core


def _climbs(climbs: int | None, bounded: bool) -> int:
    """Return how many climbs to make; 0 means until stopped."""
    return climbs if climbs is not None else 0 if bounded else 1


def _check_climbs(climbs: int | None) -> None:
    if climbs is not None:
        check_count("climbs", climbs, least=1)
