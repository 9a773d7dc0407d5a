"""Check that nothing scores above the bound: compare it with the best of all networks, where these can be
looked at."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from bayesloom.verification.checks import UNIT
from bayesloom.verification.every_network import Lists, best_of, lists_of_cache, lists_of_table
from bayesloom.verification.network import orders_of
from bayesloom.verification.subject import Subject

__all__ = ["Looked", "optimality"]

TRUST = "that no other parent set matters is the word of the scoring"


class Looked(NamedTuple):
    """All networks that were looked at: of a table, or over a cache.

    Attributes
    ----------
    names, lists, orders
        The variables, the parent sets of each by position, and the orders to keep; parent sets of a table
        without those of edges that credible sets are not about (`docs/credible.md`).
    best
        The best score, in units.
    unsure
        How far rounding may have moved the score of a network, in units: 0 over a cache.
    within_claim
        Whether the result speaks of all of them. One that is not complete speaks of the sets scored only.
    whole
        Whether these are all networks that it speaks of: there are no others in the table, or in its cache.
    """

    names: list[str]
    lists: Lists
    orders: list[tuple[int, int]]
    best: int
    unsure: int
    within_claim: bool
    whole: bool


def optimality(
    subject: Subject, bound: float, what: str, *, exhaustive: bool, proved: bool = False
) -> Looked | None:
    """Check that no network scores above the bound, called `what`; return the networks if looked at.

    `proved` says that a certificate has proved it.
    """
    checks, complete = subject.checks, subject.run["complete"]
    looked, which = _every_network(subject) if exhaustive else (None, "")
    if looked is None and proved:
        over = "all networks over the score cache"
        checks.ok("optimality", f"none of {over} is above the {what}: the certificate proves it")
    elif looked is None:
        no_proof = f"no proof was given, so that nothing scores above the {what} is the solver's word"
        checks.skip("optimality", which or no_proof)
    elif not looked.within_claim:
        best = looked.best * UNIT
        checks.skip("optimality", f"the {what} is over the sets scored; of {which} {best!r} is the best")
    else:
        best = looked.best * UNIT
        problem = f"the {what} {bound!r} is below the best score {best!r} of {which}."
        below = best > bound + looked.unsure * UNIT
        checks.all_of("optimality", [problem] if below else [], f"none of {which} is above the {what}")
    beyond = subject.run.get("bound_all_networks")
    if not complete and beyond is not None:
        if looked is not None and subject.table is not None and _of_table(subject):
            best = looked.best * UNIT
            problem = f"the bound over all networks {beyond!r} is below the best score {best!r} of {which}."
            below = best > beyond + looked.unsure * UNIT
            said = f"none of {which} is above the bound over all networks"
            checks.all_of("optimality of all networks", [problem] if below else [], said)
        else:
            checks.skip("optimality of all networks", "a bound of the scoring, which left no proof")
    if complete and (looked is None or subject.table is None or not _of_table(subject)):
        checks.skip("completeness", TRUST)
    return looked


def _of_table(subject: Subject) -> bool:
    """Whether all networks are those of the table: else they are those over the cache."""
    return subject.table is not None and (subject.of_table or subject.cache is None)


def _every_network(subject: Subject) -> tuple[Looked | None, str]:
    """Return all networks that keep limits and constraints, and what they are, or why there are none."""
    rules, limit, complete = subject.rules, subject.run["max_parents"], subject.run["complete"]
    if _of_table(subject):
        assert subject.table is not None
        names = list(subject.table.names)
        lists = lists_of_table(subject.table, subject.score, subject.options, rules, limit)
        which, within, whole = "all networks", complete, complete
        unsure = math.ceil(subject.rounding * len(names) / UNIT)
    else:
        assert subject.cache is not None
        names = list(subject.cache.names)
        lists = lists_of_cache(subject.cache, rules, limit)
        # Where this is not the cache of the result: only a bound of all networks is one over the cache too.
        which, whole, unsure = "all networks over the score cache", subject.own_cache is not None, 0
        within = complete or whole
        if [] in lists:
            return None, "no network over the score cache keeps limits and constraints"
    orders = orders_of(rules, names)
    best = best_of(lists, orders)
    if _of_table(subject):
        lists = _told_apart(subject, names, lists)
    return Looked(names, lists, orders, best, unsure, within, whole), which


def _told_apart(subject: Subject, names: list[str], lists: Lists) -> Lists:
    """Return the sets that credible sets are about: a variable of one state has required edges only."""
    assert subject.table is not None
    single = {v for v, column in enumerate(subject.table.codes) if _has_one_state(subject.table, v, column)}
    required = set(subject.rules.required)
    return [
        [
            (score, parents)
            for score, parents in part
            if all((names[p], names[v]) in required for p in parents if p in single or v in single)
        ]
        for v, part in enumerate(lists)
    ]


def _has_one_state(table: Any, v: int, column: Any) -> bool:
    """Whether a variable has one state, or one number in all rows."""
    if table.cardinalities[v] != 0:
        return bool(table.cardinalities[v] == 1)
    numbers = [x for x in column.tolist() if x == x]  # NaN is a missing value
    return all(x == numbers[0] for x in numbers)
