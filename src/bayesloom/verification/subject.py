"""A run with the table and the cache it is checked against, and the checks that all kinds of runs share.

These are checks of variables, parents, the score and its options, limits and constraints, as far as table or
cache determine them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.registry import resolve_score, scores
from bayesloom.verification.checks import UNIT, Checklist, checked_tolerance, score_error
from bayesloom.verification.network import (
    AnyTable,
    family_scores,
    no_candidates,
    rows_of,
    structure_problems,
    targets_of,
    units_from_cache,
)
from bayesloom.words import counted

__all__ = ["Subject"]

LONGEST = 250  # letters of a sentence about constraints, which may show any value


class Subject:
    """A run, what it is checked against, and the checks so far.

    Attributes
    ----------
    names, parents
        The network of the run, once `network` has found that it is one; of the k best there is none, and
        `variables` finds the names.
    rules
        The constraints of the run, once `constraints` has read them.
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
    def learned(self) -> bool:
        """Whether `learn` made the run."""
        return bool(self.run["command"] == "learn")

    @property
    def of_table(self) -> bool:
        """Whether the run was made from a table, which it scored itself and of which it kept no cache."""
        return self.run["command"] in ("learn", "bootstrap") or "score" in self.run["seconds"]

    @property
    def holds(self) -> str:
        """Where the run has what keeps limits and constraints, if not in a network."""
        return "edges" if self.run["command"] in ("posterior", "bootstrap") else "entries"

    @property
    def own_cache(self) -> ScoreCache | None:
        """The cache that the run was made from; another one only tells local scores."""
        return None if self.of_table else self.cache

    # The network

    def network(self) -> bool:
        """Check variables and parents; return whether there is a network to go on with."""
        if not self.variables():
            return False
        parents: Mapping[str, list[str]] = self.run["parents"]
        problems = structure_problems(self.names, parents)
        edges = f"{counted(sum(map(len, parents.values())), 'edge')}, no cycle"
        if not self.checks.all_of("parents", problems, edges):
            return False
        self.parents = {name: parents[name] for name in self.names}
        return True

    def variables(self) -> bool:
        """Check the names of the variables and their order; return whether they are those given."""
        names: list[str] = self.run["variables"]
        if not names:
            raise InputError("the result has no variables: an empty network proves nothing.")
        fine = self.checks.all_of("variables", self._name_problems(names), f"{len(names):,}, as given")
        if fine:
            self.names = list(names)
            fine = self._order()
        return fine

    def _name_problems(self, names: list[str]) -> list[str]:
        if len(set(names)) < len(names):
            return ["a variable is listed twice."]
        for what, source in (("table", self.table), ("score cache", self.cache)):
            if source is None:
                continue
            if odd := set(source.names) - set(names):
                return [f"variable {min(odd)!r} of the {what} is not in the result."]
            if odd := set(names) - set(source.names):
                return [f"variable {min(odd)!r} of the result is not in the {what}."]
        return []

    def _order(self) -> bool:
        """Check that variables are listed in the order of what the run was made from, if that is there."""
        source: AnyTable | ScoreCache | None = self.table if self.of_table else self.cache
        if source is not None and list(source.names) != self.names:
            what = "table" if self.of_table else "score cache"
            self.checks.wrong("variables", f"the variables are listed in another order than in the {what}.")
            return False
        if source is None:
            self.checks.skip("order of variables", "what it was made from was not given")
        return True

    # The score

    def scoring(self) -> bool:
        """Check which score it is and find the local scores; return whether they can be known."""
        name, options = self.run["score_name"], self.run["score_options"]
        if not self.checks.all_of("score_name", self._scoring_problems(name, options), name or "not known"):
            return False
        if name is not None:
            self.score, self.options = name, dict(options)
        elif self.asked_score is not None:
            self.score, self.options = self.asked_score[0].name, self.asked_score[1]
        if self.parents:
            self.score_network(self.parents)
            if self.cache is not None:
                problems = self.missing_candidates()
                if not problems and None in self.units.values():
                    self.checks.skip("candidates used", "this cache, which it was not made from, lacks some")
                else:
                    self.checks.all_of("candidates used", problems, "each parent set is in the score cache")
        return True

    def score_network(self, parents: dict[str, list[str]]) -> None:
        """Find the local scores of a network, in cache and table."""
        self.parents = parents
        if self.cache is not None:
            self.units = units_from_cache(self.names, parents, self.cache)
        if self.table is not None:
            values = family_scores(self.table, list(parents.items()), self.score, self.options)
            self.exact = dict(zip(parents, values, strict=True))

    def missing_candidates(self) -> list[str]:
        """Return a sentence for each parent set of the network that should be in the cache and is not."""
        problems = no_candidates(self.units, self.parents)
        if not problems or self.own_cache is not None:
            return problems
        if self.table is None:
            raise InputError(
                f"{problems[0]} But the result was not made from a score cache, so this may be right: give"
                " the table."
            )
        return []

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
            scored = _score_in_words(info.get("score"), info.get("options") or {})
            if scored != shown and (self.own_cache is not None or info.get("score") is not None):
                problems.append(f"the result is of score {shown}, the score cache of {scored}.")
        return problems

    @property
    def rounding(self) -> float:
        """How far a local score may be from that of the table, in nats."""
        if self.tolerance is not None:
            return self.tolerance
        rows = 1 if self.table is None else max(1, rows_of(self.table))
        return score_error(rows, self.score, self.table, self.parents)

    def near_table(self, value: float, exact: float, terms: int = 1) -> bool:
        """Whether a value is that of the table, as a sum of so many local scores."""
        return abs(value - exact) <= terms * self.rounding + 1e-15 * abs(exact)

    def recomputed(self) -> dict[str, float | None]:
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
        problems = [] if rules.to_json() == given else ["the constraints are not written as Bayesloom does."]
        problems += self._other_constraints(rules)
        limit_problems = []
        limit = self.run["max_parents"]
        if self.own_cache is not None:
            known = self.own_cache.info.get("max_parents")
            if known != limit:
                limit_problems.append(f"max_parents is {limit}, that of the score cache is {known}.")
        if self.parents:
            problems += self.broken_rules(self.parents)
            limit_problems += self.beyond_limit(self.parents)
        kept = "kept by the network" if self.parents else f"kept by the {self.holds}, see there"
        self.checks.all_of("constraints", problems, f"all are {kept}" if rules else "there are none")
        if self.asked_rules is None:
            self.checks.skip("constraints asked for", "give them too, and they are compared")
        self.checks.all_of("max_parents", limit_problems, kept if limit is not None else "no limit")
        self._interventions()
        self._reading()
        return True

    def _reading(self) -> None:
        """Check which columns are said to have been read as numbers."""
        if (given := self.run.get("reading")) is None:
            return  # of an older version
        own, what = None, ""
        if self.table is not None:
            sizes = zip(self.table.names, self.table.cardinalities, strict=True)
            own, what = [name for name, size in sizes if not size], "table"
        elif self.cache is not None:
            own, what = (self.cache.info.get("reading") or {}).get("continuous", []), "score cache"
        if own is None:
            return
        kept = given.get("continuous", [])
        if given and kept != own:
            problem = f"reading does not keep the columns as numbers that are numbers in the {what}."
            self.checks.wrong("reading", problem)
        else:
            numbers = "no column" if not own else counted(len(own), "column")
            self.checks.skip("reading", f"how the table was read, but for {numbers} kept as numbers")

    def _interventions(self) -> None:
        """Check which variables are said to have been set together in some rows."""
        given = self.run.get("interventions") or []
        problems = []
        if odd := [name for one in given for name in one if name not in self.names]:
            problems.append(f"the interventions name {odd[0]!r}, which is not a variable.")
        if given != sorted(sorted(set(one)) for one in given) or [] in given:
            problems.append("the interventions are not written as Bayesloom does.")
        if self.table is not None:
            own = sorted({tuple(sorted(one)) for one in targets_of(self.table) or () if one})
            if [list(one) for one in own] != given:
                problems.append(
                    "the interventions are not those of the table. Was it read with the same options?"
                )
        elif self.cache is not None:
            if (self.cache.info.get("interventions") or []) != given:
                problems.append("the interventions are not those of the score cache.")
        elif not problems:
            self.checks.skip("interventions", "they are of the table, which was not given")
            return
        self.checks.all_of("interventions", problems, "as in the source" if given else "there are none")

    def broken_rules(self, parents: Mapping[str, Sequence[str]]) -> list[str]:
        """Return which constraints of the run a network breaks."""
        return [f"the constraints are broken: {phrase}." for phrase in self.rules.broken_by(parents)]

    def beyond_limit(self, parents: Mapping[str, Sequence[str]]) -> list[str]:
        """Return which variables have more parents than the run says that any has."""
        limit = self.run["max_parents"]
        return [
            f"{name!r} has {len(up)} parents, but max_parents is {limit}."
            for name, up in parents.items()
            if limit is not None and len(up) > limit
        ]

    def _other_constraints(self, rules: Constraints) -> list[str]:
        """Return how constraints differ from those asked for and those of the cache, put together."""
        scored_under = Constraints()
        if rules.of_score and not self._are_of_score(rules):
            return ["the constraints are said to be those of the score, and are not."]
        if self.own_cache is not None:
            scored_under = Constraints.given(self.own_cache.info.get("constraints"))
        elif self.asked_rules is None:
            if _sets(self._with_those_of_the_score(rules)) == _sets(rules):
                return []
            return [f"the result lacks what score {self.score!r} demands: no number is a parent of a state."]
        if self.asked_rules is not None:
            wanted = scored_under.together_with(self.asked_rules)
            if self.own_cache is None:
                wanted = self._with_those_of_the_score(wanted)
            if _sets(wanted) == _sets(rules):
                return []
            return ["the constraints of the result are not those it is checked against."]
        # Whatever was asked for in the search comes on top of those of the cache.
        if _sets(scored_under.together_with(rules)) == _sets(rules):
            return []
        return ["the result lacks constraints that the score cache was made under."]

    def _are_of_score(self, rules: Constraints) -> bool:
        """Whether constraints may be those that the score brings: with a table, they are the same."""
        name = self.run["score_name"]
        if name is None or not scores[name].discrete_have_discrete_parents:
            return False
        own = self._with_those_of_the_score(Constraints())
        return self.table is None or _sets(own) == _sets(rules)

    def _with_those_of_the_score(self, rules: Constraints) -> Constraints:
        """Return constraints with those of the score: some allow discrete variables no continuous parent."""
        name = self.run["score_name"]
        if self.table is None or name is None or not scores[name].discrete_have_discrete_parents:
            return rules
        kinds = {
            v: column.dtype.kind == "f" for v, column in zip(self.table.names, self.table.codes, strict=True)
        }
        numbers = [v for v in self.table.names if kinds[v]]
        others = [v for v in self.table.names if not kinds[v]]
        if not numbers or not others:
            return rules
        if not rules.tiers:
            return rules.together_with(Constraints(tiers=[others, numbers]))
        tier = {v: k for k, members in enumerate(rules.tiers) for v in members}
        more = [(a, b) for a in numbers for b in others if b not in tier or tier.get(a, -1) <= tier[b]]
        return rules.together_with(Constraints(forbidden=more))

    @property
    def newly_required(self) -> bool:
        """Whether an edge is required that the cache was not scored for, which ends its completeness."""
        if self.own_cache is None:
            return False
        scored_under = Constraints.given(self.own_cache.info.get("constraints"))
        return bool(set(self.rules.required) - set(scored_under.required))


def in_words(rules: Mapping[str, Any]) -> str:
    """Return what a result must call its constraints; nothing if it has none."""
    if not rules:
        return ""
    if rules.get("of_score"):
        return "the rule of the score (a discrete variable has discrete parents only)"
    return "the constraints"


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
