"""Repeat the replicates of a bootstrap: draw the rows by seed and number, and enumerate all networks.

Replicate k of seed s counts each row as often as numpy's PCG64 generator with the seed ``[s, k]`` draws it.
Each is scored by the verifier's own local scores, and all networks within rounding of the best are found.  If
there are several, the number of replicates with an edge is bounded from below and above over all choices
among them.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from bayesloom.verification.checks import UNIT, score_error
from bayesloom.verification.every_network import TooMany, best_of, lists_of_table, networks_above
from bayesloom.verification.labels import compelled_edges
from bayesloom.verification.network import orders_of, rows_of, weights_of
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
    if run.get("interventions"):
        return "rows were drawn within each set of targets, which is not done again here"
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
    weights, total = weights_of(table), rows_of(table)
    rows = len(table.codes[0])
    if weights is None:
        times = np.zeros(rows, dtype=np.uint32)
        np.add.at(times, generator.integers(0, rows, size=total), 1)
    else:
        times = generator.multinomial(total, weights / total).astype(np.uint32)
    there = times > 0
    return SimpleNamespace(
        names=table.names,
        cardinalities=table.cardinalities,
        codes=tuple(np.ascontiguousarray(column[there]) for column in table.codes),
        weights=times[there],
        gaps=bool(getattr(table, "gaps", False)),
    )


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
            for (a, b), compelled in compelled_edges(parents, rules).items():
                picture[a, b] = 1.0 if compelled else 0.5
                if not compelled:
                    picture[b, a] = 0.5
        found[frozenset(picture.items())] = picture
    return list(found.values())
