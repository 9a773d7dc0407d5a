"""Repeat the replicates of a bootstrap: draw the rows by seed and number, and enumerate all networks.

Replicate k of seed s counts each row as often as numpy's PCG64 generator with the seed ``[s, k]`` draws it:
among all rows or, if variables were set in some, among those in which the same ones were set.  Each is scored
by the verifier's own local scores, and all networks within rounding of the best are found.  If there are
several, the number of replicates with an edge is bounded from below and above over all choices among them.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from bayesloom.verification.checks import UNIT, score_error
from bayesloom.verification.every_network import TooMany, best_of, lists_of_table, networks_above
from bayesloom.verification.labels import compelled_edges
from bayesloom.verification.network import orders_of, rows_of, targets_of, weights_of
from bayesloom.verification.subject import Subject

__all__ = ["bounds_of_shares", "why_not"]

ALWAYS = 5  # variables up to which replicates are learned again
MOST = 9  # the same if asked to look at all networks
ALWAYS_COUNTED = 2e8  # rows counted, over all parent sets and replicates: a second or two
MOST_COUNTED = 2e10

Edge = tuple[str, str]
Counts = dict[Edge, float]


def why_not(subject: Subject, *, exhaustive: bool) -> str:
    """Return why replicates are not learned again, or nothing if they are."""
    run, n = subject.run, len(subject.names)
    if subject.table is None:
        return "the table was not given"
    if run["learner"] != "exact":
        return "only the learner 'exact' says what each replicate gives: the best network of all"
    kinds = dict(zip(subject.table.names, subject.table.codes, strict=True))
    if any(kinds[name].dtype.kind == "f" for one in run.get("interventions") or () for name in one):
        return "numbers were set, and rows drawn until these have a score, which is not done again here"
    if run["replicates"] != run["asked"]:
        return "which of the replicates asked for were learned is not kept"
    more = "" if exhaustive else " unless asked for (exhaustive)"
    if n > (MOST if exhaustive else ALWAYS):
        return f"{n:,} variables are too many{more if n <= MOST else ''}"
    counted = n * 2.0 ** (n - 1) * rows_of(subject.table) * run["replicates"]
    if counted > (MOST_COUNTED if exhaustive else ALWAYS_COUNTED):
        return "it would take too long" + (more if counted <= MOST_COUNTED else "")
    return ""


def bounds_of_shares(subject: Subject) -> tuple[Counts, Counts, int] | None:
    """Return how often each edge counts, at least and at most, and how many replicates are not unique.

    None if a replicate has too many networks near the best.
    """
    low: Counts = {}
    high: Counts = {}
    unsure = 0
    for number in range(subject.run["replicates"]):
        try:
            pictures = _pictures(subject, _drawn(subject.table, subject.run["seed"], number))
        except TooMany:
            return None
        unsure += len(pictures) > 1
        for edge in {edge for picture in pictures for edge in picture}:
            values = [picture.get(edge, 0.0) for picture in pictures]
            low[edge] = low.get(edge, 0.0) + min(values)
            high[edge] = high.get(edge, 0.0) + max(values)
    return low, high, unsure


def _drawn(table: Any, seed: int, number: int) -> Any:
    """Return the rows of a replicate, with how often each counts."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64([seed, number]))
    weights = weights_of(table)
    rows = len(table.codes[0])
    targets = [tuple(sorted(one)) for one in targets_of(table) or [set()] * rows]
    place = {target: k for k, target in enumerate(sorted(set(targets)))}  # nothing set comes first
    group = np.array([place[target] for target in targets])
    times = np.zeros(rows, dtype=np.uint32)
    for k in range(len(place)):
        among = np.flatnonzero(group == k)
        if weights is None:
            np.add.at(times, among[generator.integers(0, len(among), size=len(among))], 1)
        else:
            total = int(weights[among].sum(dtype=np.uint64))
            times[among] = generator.multinomial(total, weights[among] / total)
    there = times > 0
    return SimpleNamespace(
        names=table.names,
        cardinalities=table.cardinalities,
        codes=tuple(np.ascontiguousarray(column[there]) for column in table.codes),
        weights=times[there],
        gaps=bool(getattr(table, "gaps", False)),
        interventions=_of_rows(table, there),
    )


def _of_rows(table: Any, rows: Any) -> Any:
    """Return what was set in some rows."""
    given = getattr(table, "interventions", None)
    return None if given is None else SimpleNamespace(targets=given.targets, rows=given.rows[rows])


def _pictures(subject: Subject, table: Any) -> list[Counts]:
    """Return what each of the best networks of a replicate counts, all different."""
    names, rules = list(table.names), subject.rules
    lists = lists_of_table(table, subject.score, subject.options, rules, subject.run["max_parents"])
    orders = orders_of(rules, names)
    rounding = score_error(max(1, rows_of(table)), subject.score, table)
    unsure = math.ceil(len(names) * rounding / UNIT)
    found: dict[frozenset[tuple[Edge, float]], Counts] = {}
    for _, chosen in networks_above(lists, best_of(lists, orders) - 2 * unsure, orders):
        parents = {names[v]: [names[p] for p in up] for v, up in enumerate(chosen)}
        picture: Counts = {}
        if not subject.run["classes"]:
            picture = {(a, b): 1.0 for b, up in parents.items() for a in up}
        else:
            targets = subject.run.get("interventions") or ()
            for (a, b), compelled in compelled_edges(parents, rules, interventions=targets).items():
                picture[a, b] = 1.0 if compelled else 0.5
                if not compelled:
                    picture[b, a] = 0.5
        found[frozenset(picture.items())] = picture
    return list(found.values())
