"""The learners of replicates: known by name, or any function from a table to a network.

============  ==============================================================================================
hill_climb    a climb over networks to a local optimum (``src/core/parent_sets/hill_climb.hpp``), as ``hc`` of
              R's bnlearn: milliseconds
tabu          the same, and on past local optima with a tabu list: some times longer; as its ``tabu``
exact         all parent sets that can matter are scored, and the best network of all is found and proved
auto          ``exact`` where that takes some milliseconds, up to about 16 variables, else ``tabu``
============  ==============================================================================================

The named ones are limited by work, not by seconds, so a replicate does not depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom import _core
from bayesloom.constraints.model import Constraints, counted_parents
from bayesloom.errors import InputError, Interrupted, ResourceError, shown, unknown
from bayesloom.learning.closed_loop import LoopOptions, considered
from bayesloom.limits import LEAST_SECONDS
from bayesloom.networks.network import Network, structure_of
from bayesloom.resampling.options import OPTIONS
from bayesloom.scoring.estimation import estimate
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.solvers.api import search
from bayesloom.solvers.auto import Auto

if TYPE_CHECKING:
    from bayesloom.cluster.workers import TaskLimits
    from bayesloom.table import Table

__all__ = ["LEARNERS", "Learner", "learner_given"]

LEARNERS = {
    "hill_climb": "a climb over networks to a local optimum: milliseconds, any number of variables.",
    "tabu": "the same, and on past local optima with a tabu list: some times longer.",
    "exact": "all parent sets scored, and the best network of all, proved.",
    "auto": "exact where that takes milliseconds, up to about 16 variables, else tabu.",
}
"""Names, with a sentence each."""

COLUMNS = 1
"""Tells the order of the columns of a replicate from its rows, which are drawn with the same seeds."""

OwnLearner = Callable[["Table"], object]


@dataclass(frozen=True)
class Learner:
    """How a replicate is learned; it travels to workers."""

    name: str
    score: str
    options: Mapping[str, float]
    max_parents: int | None
    constraints: Mapping[str, Any]
    function: OwnLearner | None = None

    def described(self) -> dict[str, Any]:
        """Return everything that identifies this learner."""
        return {
            "learner": self.name,
            "score": self.score,
            "options": dict(self.options),
            "max_parents": self.max_parents,
            "constraints": dict(self.constraints),
        }

    def learn(self, table: Table, seed: int, number: int, limits: TaskLimits) -> Network:
        """Return the network of a replicate, by the seed of all and its number.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C ended it.
        ResourceError
            If time ended it: an unfinished network is not a replicate.
        """
        if self.function is not None:
            found = structure_of(self.function(table))
            if found.names != table.names:
                raise InputError(f"{self.name} returned a network over other variables than the table has.")
            self._check_kept(found)
            return found
        if self.name == "exact":
            return self._exact(table, limits)
        return self._climb(table, seed, number, limits)

    def _check_kept(self, network: Network) -> None:
        """Refuse a network that breaks the constraints: the result says that all keep them."""
        broken = Constraints.given(dict(self.constraints)).broken_by(network)
        most = max(map(len, network.parent_indices), default=0)
        if self.max_parents is not None and most > self.max_parents:
            broken.append(f"a variable has {counted_parents(most)}, more than {self.max_parents}")
        if broken:
            raise InputError(f"{self.name} returned a network that breaks the constraints: {broken[0]}.")

    def _exact(self, table: Table, limits: TaskLimits) -> Network:
        begin = time.perf_counter()
        common: dict[str, Any] = {"threads": limits.threads, "memory": limits.memory}
        cache = score_parent_sets(
            table,
            score=self.score,
            options=self.options,
            max_parents=self.max_parents,
            constraints=self.constraints,
            time_limit=limits.seconds,
            progress=limits.progress,
            **common,
        )
        _check(interrupted=bool(cache.info.get("interrupted")), stopped=not cache.complete)
        # `auto` may give another of several best networks each time.
        solver = "dp" if len(table.names) <= Auto.dp_first else "bblp"
        left = limits.seconds
        if left is not None:
            left = max(LEAST_SECONDS, left - (time.perf_counter() - begin))
        found = search(cache, solver=solver, time_limit=left, progress=limits.progress, **common)
        _check(interrupted=found.interrupted, stopped=found.status != "optimal")
        return found.network

    def _climb(self, table: Table, seed: int, number: int, limits: TaskLimits) -> Network:
        """Climb with the columns in an order drawn for the replicate.

        Among moves that gain the same the first is taken; directions should not follow from that.
        """
        names, n, loop = table.names, len(table.names), LoopOptions()
        past = self.name == "tabu"
        order = np.random.Generator(np.random.PCG64([seed, number, COLUMNS])).permutation(n).tolist()
        place = {names[k]: at for at, k in enumerate(order)}
        rules = Constraints.given(dict(self.constraints))
        held = bool(rules) or self.max_parents is not None
        sets = _core.NeighbourSets(
            table.encoded_as(order),
            self.score,
            dict(self.options),
            parents_considered=considered(n),
            threads=limits.threads,
            rules=rules.rules(list(place), self.max_parents) if held else [],
            before=[(place[a], place[b]) for a, b in rules.before],
        )
        out = sets.climb(
            None,
            tabu=loop.tabu if past else 0,
            stall=loop.stall if past else 0,
            together=n // 64 if n > loop.many_variables else 1,
            seed=number,
            seconds=limits.seconds if limits.seconds is None else max(LEAST_SECONDS, limits.seconds),
            progress=limits.progress,
        )
        _check(interrupted=bool(out["interrupted"]), stopped=bool(out["stopped"]))
        parents: list[list[int]] = [[] for _ in range(n)]
        for child, up in zip(order, out["parents"], strict=True):
            parents[child] = sorted(order[p] for p in up)
        return Network(names, parents)


def _check(*, interrupted: bool, stopped: bool) -> None:
    if interrupted:
        raise Interrupted("interrupted while a replicate was learned.")
    if stopped:
        raise ResourceError("the time ended while a replicate was learned.")


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function of a module; with ``<`` in it if another one may have the same.

    >>> from functools import partial
    >>> name_of(name_of), name_of(partial(name_of)), name_of([].append)
    ('bayesloom.resampling.learners.name_of', '<partial>', '<builtin_function_or_method append>')
    """
    own = getattr(function, "__self__", None)
    name = getattr(function, "__qualname__", None)
    if name is None:  # an object that can be called: what it does depends on what it holds
        return f"<{type(function).__name__}>"
    if own is not None and not isinstance(own, type | ModuleType):  # a method: of which object?
        return f"<{type(function).__name__} {function.__name__}>"
    return f"{function.__module__}.{name}"


def learner_given(
    given: object,
    table: Table,
    *,
    score: str,
    options: Mapping[str, float],
    max_parents: int | None,
    constraints: Constraints,
) -> Learner:
    """Return the learner by its name, or of a function."""
    rules = constraints.to_json()
    if callable(given):
        return Learner(name_of(given), score, options, max_parents, rules, given)
    if not isinstance(given, str):
        raise InputError(f"learner must be a name or a function, got {shown(given)}.")
    if given not in LEARNERS:
        raise unknown("learner", given, list(LEARNERS))
    if given == "auto":
        work = estimate(table, score=score, options=options, max_parents=max_parents)
        given = "exact" if work.local_scores <= OPTIONS.exact_local_scores else "tabu"
    return Learner(given, score, options, max_parents, rules)
