"""The learners of replicates: known by name, or any function from a table to a network.

============  ==============================================================================================
hill_climb    a climb over networks with a tabu list (``src/core/parent_sets/hill_climb.hpp``): milliseconds
exact         all parent sets that can matter are scored, and the best network of all is found and proved
auto          ``exact`` where that takes some milliseconds, up to about 16 variables, else ``hill_climb``
============  ==============================================================================================

The named ones are limited by work, not by seconds, so a replicate does not depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.constraints.model import Constraints
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
    "hill_climb": "a climb over networks with a tabu list: milliseconds, any number of variables.",
    "exact": "all parent sets scored, and the best network of all, proved.",
    "auto": "exact up to about 16 variables, else hill_climb.",
}
"""Names, with a sentence each."""

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

    def learn(self, table: Table, seed: int, limits: TaskLimits) -> Network:
        """Return the network of a replicate.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C ended it.
        ResourceError
            If time ended it: an unfinished network is not a replicate.
        """
        if self.function is not None:
            found = structure_of(self.function(table))  # type: ignore[arg-type]
            if found.names != table.names:
                raise InputError(f"{self.name} returned a network over other variables than the table has.")
            return found
        return self._exact(table, limits) if self.name == "exact" else self._climb(table, seed, limits)

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

    def _climb(self, table: Table, seed: int, limits: TaskLimits) -> Network:
        n, loop = len(table.names), LoopOptions()
        rules = Constraints.given(dict(self.constraints))
        held = bool(rules) or self.max_parents is not None
        sets = _core.NeighbourSets(
            table.encoded,
            self.score,
            dict(self.options),
            parents_considered=considered(n),
            threads=limits.threads,
            rules=rules.rules(list(table.names), self.max_parents) if held else [],
            before=[(table.index(a), table.index(b)) for a, b in rules.before],
        )
        out = sets.climb(
            None,
            tabu=loop.tabu,
            stall=loop.stall,
            together=n // 64 if n > loop.many_variables else 1,
            seed=seed,
            seconds=limits.seconds if limits.seconds is None else max(LEAST_SECONDS, limits.seconds),
            progress=limits.progress,
        )
        _check(interrupted=bool(out["interrupted"]), stopped=bool(out["stopped"]))
        return Network(table.names, out["parents"])


def _check(*, interrupted: bool, stopped: bool) -> None:
    if interrupted:
        raise Interrupted("interrupted while a replicate was learned.")
    if stopped:
        raise ResourceError("the time ended while a replicate was learned.")


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
        module, name = getattr(given, "__module__", None), getattr(given, "__qualname__", None)
        return Learner(f"{module}.{name}", score, options, max_parents, rules, given)
    if not isinstance(given, str):
        raise InputError(f"learner must be a name or a function, got {shown(given)}.")
    if given not in LEARNERS:
        raise unknown("learner", given, list(LEARNERS))
    if given == "auto":
        work = estimate(table, score=score, options=options, max_parents=max_parents)
        given = "exact" if work.local_scores <= OPTIONS.exact_local_scores else "hill_climb"
    return Learner(given, score, options, max_parents, rules)
