"""Check what `bootstrap` wrote: strengths, directions, intervals, threshold, the averaged network.

Strengths are multiples of 1 / replicates; intervals and threshold follow from them.  If the learner is exact
and there are few variables, the rows are drawn again and all networks are enumerated for each replicate, see
`replicates`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

from bayesloom.verification.averaged_networks import verify_averaged
from bayesloom.verification.every_network import Allowed
from bayesloom.verification.subject import Subject

__all__ = ["verify_bootstrap"]

ROUNDED = 1e-9  # of a share, by adding up
COUNTED = 1e-6  # of a number of replicates, by multiplying a share

Edge = tuple[str, str]


def verify_bootstrap(subject: Subject, *, exhaustive: bool) -> None:
    """Check a bootstrap, the variables, score and constraints of which were checked already."""
    run, checks = subject.run, subject.checks
    problems = []
    if run["replicates"] > run["asked"]:
        problems.append(f"there are {run['replicates']} replicates, but {run['asked']} were asked for.")
    checks.all_of("replicates", problems, f"{run['replicates']:,}, not more than were asked for")
    checks.skip("asked", "what was given")
    checks.skip("learner", "what was given")
    checks.skip("max_parents asked for", "what was given, and in no network of the result")
    if not checks.all_of("edges", _edge_problems(subject), "shares of replicates, the strongest first"):
        checks.skip("everything else", "what is wrong above must be mended first")
        return
    checks.all_of("low and high", _interval_problems(run), "Wilson's intervals of the strengths")
    if not run["edges"]:
        checks.skip("level", "there are no intervals")
    known = _thresholds(run, len(subject.names))
    problem = f"threshold is {run['threshold']!r}, the strengths give {min(known)!r}."
    checks.all_of("threshold", [] if run["threshold"] in known else [problem], "as the strengths tell")
    wrong = [
        f"significant of {edge['from']!r} -> {edge['to']!r} must say whether it is above the threshold."
        for edge in run["edges"]
        if edge["significant"] != (edge["strength"] > run["threshold"])
    ]
    checks.all_of("significant", wrong, "above the threshold")
    share = _shares(run)
    _averaged(subject, share)
    _again(subject, share, exhaustive=exhaustive)


def _edge_problems(subject: Subject) -> list[str]:
    run = subject.run
    position = {name: k for k, name in enumerate(subject.names)}
    allowed = Allowed(subject.rules, run["max_parents"])
    replicates, part = run["replicates"], 2 if run["classes"] else 1
    seen = set()
    for edge in run["edges"]:
        a, b, strength, direction = edge["from"], edge["to"], edge["strength"], edge["direction"]
        if a not in position or b not in position or a == b:
            return [f"there is no edge from {a!r} to {b!r}."]
        if frozenset((a, b)) in seen:
            return [f"{a!r} and {b!r} are listed twice."]
        seen.add(frozenset((a, b)))
        if not _is_whole(strength * replicates) or strength <= 0:
            return [f"the strength of {a!r} -> {b!r} is {strength!r}, no share of {replicates} replicates."]
        if not _is_whole(direction * strength * replicates * part):
            return [f"the direction of {a!r} -> {b!r} is {direction!r}, no share of those with the edge."]
        turned = position[a] > position[b]
        if direction < 0.5 - ROUNDED or (turned and direction < 0.5 + ROUNDED):
            return [f"{a!r} -> {b!r} is listed in its less frequent direction."]
        if not allowed.edge(a, b) or (direction < 1 - ROUNDED and not allowed.edge(b, a)):
            return [f"{a!r} and {b!r} are joined in a direction that the constraints forbid."]
    sure = {(edge["from"], edge["to"]) for edge in run["edges"] if edge["strength"] * edge["direction"] == 1}
    if missing := [edge for edge in subject.rules.required if edge not in sure]:
        return [f"{missing[0][0]!r} -> {missing[0][1]!r} is required, but not in all replicates."]
    order = [
        (-edge["strength"], -edge["direction"], position[edge["from"]], position[edge["to"]])
        for edge in run["edges"]
    ]
    return [] if order == sorted(order) else ["the edges are not listed from the strongest on."]


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) <= COUNTED


def _interval_problems(run: Mapping[str, Any]) -> list[str]:
    """Return which intervals are not Wilson's: where ``(x - s)^2 = z^2 x (1 - x) / replicates``."""
    z = NormalDist().inv_cdf((1 + run["level"]) / 2)
    wide = z * z / run["replicates"]
    problems = []
    for edge in run["edges"]:
        s = edge["strength"]
        root = math.sqrt(wide * wide + 4 * wide * s * (1 - s))
        ends = [(2 * s + wide + sign * root) / (2 * (1 + wide)) for sign in (-1, 1)]
        for key, end in zip(("low", "high"), ends, strict=True):
            if abs(edge[key] - min(1.0, max(0.0, end))) > ROUNDED:
                problems.append(f"{key} of {edge['from']!r} -> {edge['to']!r} is {edge[key]!r}, not {end!r}.")
    return problems


def _thresholds(run: Mapping[str, Any], variables: int) -> set[float]:
    """Return the thresholds that fit the strengths: one, or two if two constants are equally near.

    F is the distribution function of the strengths of all pairs.  The threshold is the quantile at the
    constant t for which the integral of ``|F(x) - t|`` from 0 to 1 is least; it is least at a value of F.
    """
    strengths = sorted(edge["strength"] for edge in run["edges"])
    pairs = variables * (variables - 1) // 2
    if not pairs:
        return {0.0}
    below = [(0.0, pairs - len(strengths))] if len(strengths) < pairs else [(0.0, 0)]
    for k, value in enumerate(strengths):
        count = pairs - len(strengths) + k + 1
        if below[-1][0] == value:
            below[-1] = value, count
        else:
            below.append((value, count))
    ends = [*(value for value, _ in below[1:]), 1.0]
    steps = [(end - begin, count) for (begin, count), end in zip(below, ends, strict=True)]
    distance = {
        value: math.fsum(length * abs(other - count) for length, other in steps) / pairs
        for value, count in below
    }
    least = min(distance.values())
    # From F on [value, next): the quantile at F is the largest strength not above it.
    return {value for value, far in distance.items() if far <= least + 1e-12}


def _shares(run: Mapping[str, Any]) -> dict[Edge, float]:
    """Return the share of each directed edge: a whole number, or half of one, over the replicates.

    The two shares of a pair add up to its strength exactly.
    """
    replicates, found = run["replicates"], {}
    for edge in run["edges"]:
        share = round(2 * edge["direction"] * edge["strength"] * replicates) / 2 / replicates
        found[edge["from"], edge["to"]] = share
        if edge["strength"] > share:
            found[edge["to"], edge["from"]] = edge["strength"] - share
    return found


def _averaged(subject: Subject, share: Mapping[Edge, float]) -> None:
    run, checks = subject.run, subject.checks
    averaged = run["averaged"]
    problems = []
    if averaged["threshold"] is None:
        problems.append("the averaged network has no threshold.")
    if averaged["distance"] != "pairs":
        problems.append("the distance of the averaged network is not that of pairs.")
    if not checks.all_of("averaged.distance", problems, "the structural Hamming distance"):
        return
    if averaged["threshold"] != run["threshold"]:
        checks.skip("averaged.threshold", "another than the strengths tell, which must have been asked for")
    verify_averaged(checks, subject.names, averaged, share, averaged["threshold"])


def _again(subject: Subject, share: Mapping[Edge, float], *, exhaustive: bool) -> None:
    """Learn the replicates again, where that can be done."""
    from bayesloom.verification.replicates import bounds_of_shares, why_not

    run, checks = subject.run, subject.checks
    what = "values of strengths and directions"
    if why := why_not(subject, exhaustive=exhaustive):
        checks.skip(what, why)
        return
    found = bounds_of_shares(subject)
    if found is None:
        checks.skip(what, "a replicate has too many networks near the best to look at")
        return
    low, high, unsure = found
    wrong = []
    for a in subject.names:
        for b in subject.names:
            given = share.get((a, b), 0.0) * run["replicates"]
            if not low.get((a, b), 0.0) - COUNTED <= given <= high.get((a, b), 0.0) + COUNTED:
                wrong.append(
                    f"{a!r} -> {b!r} counts {given:g} of {run['replicates']} replicates, learned again"
                    f" {high.get((a, b), 0.0):g}."
                )
    detail = "all replicates drawn and learned again"
    if unsure:
        detail += f"; {unsure:,} have several best networks, any of which may count"
        checks.skip("which of several best networks", f"of {unsure:,} replicates any may count")
    checks.all_of(what, wrong, detail)
