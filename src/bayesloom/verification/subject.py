"""A run beside the table and the cache it is checked against: what all kinds of runs have in common.

Variables, parents, the score and its options, limits and constraints. Each is compared with table or cache as
far as they can tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.registry import resolve_score
from bayesloom.verification.checks import UNIT, Checklist, checked_tolerance, score_error
from bayesloom.verification.every_network import Lists, lists_of_cache, lists_of_table
from bayesloom.verification.network import (
    AnyTable,
    cycle_problems,
    family_scores,
    no_candidates,
    orders_of,
    units_from_cache,
)

__all__ = ["Subject"]

LONGEST = 250  # letters of a sentence about constraints, which may show any value
EXACT = 2.0**23  # nats: below, a local score is a whole number of units to the last bit
NO_PROOF = "no proof was given, so that nothing scores above the bound is the solver's word"


class Subject:
    """A run, what it is checked against, and the checks so far.

    Attributes
    ----------
    names, parents
        The network of the run, once `network` has found that it is one.
    rules
        Its constraints, once `constraints` has read them.
    units, exact
        The local scores of the network: from the cache in units of 2^-30 nat, and from the table.
    """

    def __init__(
        self,
        run: Mapping[str, Any],
        *,
        table: AnyTable | None,
        cache: ScoreCache | None,
        score: str | None,
        options: Mapping[str, float] | None,
        constraints: object,
        tolerance: float | None,
    ) -> None:
        self.run = run
        self.table = table
        self.cache = cache
        self.asked_score = None if score is None else resolve_score(score, options)
        self.asked_rules = None if constraints is None else Constraints.given(constraints)  # type: ignore[arg-type]
        self.tolerance = checked_tolerance(tolerance)
        self.checks = Checklist()
        self.names: list[str] = []
        self.parents: dict[str, list[str]] = {}
        self.rules = Constraints()
        self.score = "bic"
        self.options: dict[str, float] = {}
        self.units: dict[str, int | None] = {}
        self.exact: dict[str, float] = {}

    @property
    def of_table(self) -> bool:
        """Whether `learn` made the run, which keeps no cache."""
        return bool(self.run["command"] == "learn")

    # The network

    def network(self) -> bool:
        """Check variables and parents; return whether there is a network to go on with."""
        names: list[str] = self.run["variables"]
        if not names:
            raise InputError("the result has no variables: an empty network proves nothing.")
        fine = self.checks.all_of("variables", self._name_problems(names), f"{len(names):,}, as given")
        return fine and self._parents(names, self.run["parents"])

    def _name_problems(self, names: list[str]) -> list[str]:
        if len(set(names)) < len(names):
            return ["a variable is listed twice."]
        sources = [("table", self.table), ("score cache", self.cache)]
        if not self.of_table:
            sources.reverse()
        # The run lists variables in the order of what it was made from, the other may have another.
        for k, (what, source) in enumerate((what, source) for what, source in sources if source is not None):
            theirs = list(source.names)
            if odd := set(theirs) - set(names):
                return [f"variable {min(odd)!r} of the {what} is not in the result."]
            if odd := set(names) - set(theirs):
                return [f"variable {min(odd)!r} of the result is not in the {what}."]
            if k == 0 and theirs != names:
                return [f"the variables are listed in another order than in the {what}."]
        return []

    def _parents(self, names: list[str], parents: Mapping[str, list[str]]) -> bool:
        problems = self.parent_problems(names, parents)
        if self.checks.all_of("parents", problems, f"{sum(map(len, parents.values())):,} edges, no cycle"):
            self.names, self.parents = list(names), {name: parents[name] for name in names}
            return True
        return False

    @staticmethod
    def parent_problems(names: list[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
        """Return what keeps lists of parents from being those of a network, as they are written."""
        position = {name: k for k, name in enumerate(names)}
        if missing := [name for name in names if name not in parents]:
            return [f"variable {missing[0]!r} has no list of parents."]
        if odd := [name for name in parents if name not in position]:
            return [f"there are parents of {odd[0]!r}, which is not a variable."]
        for child, given in parents.items():
            if odd := [name for name in given if name not in position]:
                return [f"{odd[0]!r}, a parent of {child!r}, is not a variable."]
            places = [position[name] for name in given]
            if len(set(places)) < len(places):
                return [f"variable {child!r}: a parent is named twice."]
            if places != sorted(places):
                return [f"the parents of {child!r} are not in the order of the variables."]
        return cycle_problems(names, parents)

    # The score

    def scoring(self) -> bool:
        """Check which score it is and find the local scores; return whether they can be known."""
        name, options = self.run["score_name"], self.run["score_options"]
        if not self.checks.all_of("score_name", self._scoring_problems(name, options), name or "not known"):
            return False
        if name is None:
            if self.asked_score is not None:
                self.score, self.options = self.asked_score[0].name, self.asked_score[1]
        else:
            self.score, self.options = name, dict(options)
        if self.cache is not None:
            self.units = units_from_cache(self.names, self.parents, self.cache)
            problems = no_candidates(self.units, self.parents)
            self.checks.all_of("candidates used", problems, "each parent set is in the score cache")
        if self.table is not None:
            families = list(self.parents.items())
            values_ = family_scores(self.table, families, self.score, self.options)
            self.exact = dict(zip(self.parents, values_, strict=True))
        return True

    def _scoring_problems(self, name: str | None, options: Mapping[str, float]) -> list[str]:
        problems = []
        shown = _score_in_words(name, options)
        if name is None:
            if options:
                problems.append("there are options of a score, but no score_name.")
            if self.table is not None and self.asked_score is None:
                problems.append("the result does not say which score it is of; say which.")
        else:
            try:
                found, values = resolve_score(name, options)
            except InputError as error:
                return [str(error)]
            if found.name != name or values != options:
                expected = _score_in_words(found.name, values)
                problems.append(f"the score is given as {shown}, in full it is {expected}.")
        if self.asked_score is not None and name is not None:
            asked = _score_in_words(self.asked_score[0].name, self.asked_score[1])
            if asked != shown:
                problems.append(f"the result is of score {shown}, but {asked} was asked for.")
        if self.cache is not None:
            info = self.cache.info
            theirs = _score_in_words(info.get("score"), info.get("options") or {})
            if theirs != shown and not (self.of_table and info.get("score") is None):
                problems.append(f"the result is of score {shown}, the score cache of {theirs}.")
        return problems

    @property
    def each(self) -> float:
        """How far a local score may be from that of the table, in nats."""
        if self.tolerance is not None:
            return self.tolerance
        rows = 1 if self.table is None else max(1, len(self.table.codes[0]))
        return score_error(rows, self.score)

    def near_table(self, value: float, exact: float, terms: int = 1) -> bool:
        """Whether a value is that of the table, as a sum of so many local scores."""
        return abs(value - exact) <= terms * self.each + 1e-15 * abs(exact)

    def found(self) -> dict[str, float | None]:
        """Return the local scores as they were recomputed."""
        if self.exact:
            return {**self.exact}
        return {name: None if value is None else value * UNIT for name, value in self.units.items()}

    def score_problem(self, what: str, given: float) -> list[str]:
        """Return what is wrong with the score of the network: against the cache exactly, or the table."""
        if self.units and None not in self.units.values():
            total = sum(value for value in self.units.values() if value is not None) * UNIT
            if abs(given - total) > (self.tolerance or 0.0):
                return [f"{what} is {given!r}, the score cache gives {total!r}."]
        if self.exact:
            total = math.fsum(self.exact.values())
            if not self.near_table(given, total, len(self.exact)):
                return [f"{what} is {given!r}, the table gives {total!r}."]
        return []

    # Limits and constraints

    def constraints(self) -> bool:
        """Check constraints and the limit on parents; return whether they could be read."""
        given = self.run["constraints"]
        try:
            rules = Constraints.given(given)
            rules.check(self.names, self.run["max_parents"])
        except InputError as error:
            self.checks.wrong("constraints", f"the constraints of the result cannot be: {error}"[:LONGEST])
            return False
        self.rules = rules
        problems = [f"the constraints are broken: {phrase}." for phrase in rules.broken_by(self.parents)]
        if rules.to_json() != given:
            problems.append("the constraints are not written as Bayesloom writes them.")
        problems += self._other_constraints(rules)
        kept = "all are kept by the network" if rules else "there are none"
        self.checks.all_of("constraints", problems, kept)
        if self.asked_rules is None:
            self.checks.skip("constraints asked for", "give them too, and they are compared")
        limit = self.run["max_parents"]
        problems = [
            f"{name!r} has {len(given)} parents, but max_parents is {limit}."
            for name, given in self.parents.items()
            if limit is not None and len(given) > limit
        ]
        if self.cache is not None and not self.of_table:
            theirs = self.cache.info.get("max_parents")
            if theirs != limit:
                problems.append(f"max_parents is {limit}, that of the score cache is {theirs}.")
        self.checks.all_of(
            "max_parents", problems, "kept by the network" if limit is not None else "no limit"
        )
        return True

    def _other_constraints(self, rules: Constraints) -> list[str]:
        """Return how constraints differ from those asked for and those of the cache, put together."""
        theirs = Constraints()
        if self.cache is not None and not self.of_table:
            theirs = Constraints.given(self.cache.info.get("constraints"))
        elif self.asked_rules is None:
            return []
        if self.asked_rules is not None:
            if _sets(theirs.together_with(self.asked_rules)) == _sets(rules):
                return []
            return ["the constraints of the result are not those it is checked against."]
        # Whatever was asked for in the search comes on top of those of the cache.
        if _sets(theirs.together_with(rules)) == _sets(rules):
            return []
        return ["the result lacks constraints that the score cache was made under."]

    @property
    def newly_required(self) -> bool:
        """Whether an edge is required that the cache was not scored for, which ends its completeness."""
        if self.cache is None:
            return False
        theirs = Constraints.given(self.cache.info.get("constraints"))
        return bool(set(self.rules.required) - set(theirs.required))

    # All networks

    def every_set(self) -> tuple[Lists, list[tuple[int, int]], str]:
        """Return all parent sets that a network may use, the orders to keep, and what they are of."""
        if self.table is not None and (self.of_table or self.cache is None):
            lists = lists_of_table(self.table, self.score, self.options, self.rules, self.run["max_parents"])
            return lists, orders_of(self.rules, self.table.names), "all networks"
        assert self.cache is not None
        lists = lists_of_cache(self.cache, self.rules)
        return lists, orders_of(self.rules, self.cache.names), "all networks over the score cache"


def _sets(rules: Constraints) -> tuple[object, ...]:
    """Return constraints such that those in another order are equal."""
    pairs = [frozenset(part) for part in (rules.required, rules.forbidden, rules.before)]
    names = [frozenset(part) for part in (*rules.tiers, rules.roots, rules.leaves)]
    return (*pairs, *names, dict(rules.max_parents))


def _score_in_words(name: str | None, options: Mapping[str, float]) -> str:
    if name is None:
        return "unknown"
    listed = ", ".join(f"{key} {float(value)!r}" for key, value in sorted(options.items()))
    return f"{name} ({listed})" if listed else name
