"""Check what `credible` wrote: the best network, the number of networks, posteriors, components.

The number of networks and the posteriors of edges can be checked only by enumerating all networks, which
`every_network.recount` does for small problems on request. Otherwise they are checked for consistency.
"""

from __future__ import annotations

import math
from typing import Any

from bayesloom.verification.checks import UNIT, in_units
from bayesloom.verification.every_network import Allowed, Recount, recount
from bayesloom.verification.listed_edges import edges_of, pair_problems
from bayesloom.verification.optimality import Looked, optimality
from bayesloom.verification.subject import Subject, in_words

__all__ = ["verify_credible"]

FEW_WALKS = 100  # draws below which an estimate may be far off, and its claim says so
ROUNDED = 1e-9  # of a probability, by adding up


def verify_credible(subject: Subject, *, exhaustive: bool) -> float | None:
    """Check a credible set, the network and constraints of which were checked already.

    Return the best score if all networks were looked at.
    """
    run, checks = subject.run, subject.checks
    problems = subject.score_problem("best", run["best"])
    if not in_units(run["best"]):
        problems.append(f"best {run['best']!r} is not a multiple of 2^-30.")
    checks.all_of("best", problems, f"{run['best']!r}, the score of the network")
    checks.all_of("count", _count_problems(run), "number, bounds and kind fit together")
    _claims(subject)
    checks.all_of("edges", _edge_problems(subject), "posteriors fit together and to the network")
    checks.all_of("classes", _class_problems(run), "not more than networks")
    sizes = run["components"]
    problem = "the sizes of the components, largest first, do not add up to the number of variables."
    fits = sum(sizes) == len(subject.names) and 0 not in sizes and sizes == sorted(sizes)[::-1]
    checks.all_of("components", [] if fits else [problem], "their sizes add up")
    looked = optimality(subject, run["best"], "best score", exhaustive=exhaustive)
    _recounted(subject, looked)
    checks.skip("bayes_factor and tolerance", "what was asked for")
    return None if looked is None else looked.best * UNIT


def _count_problems(run: dict[str, Any] | Any) -> list[str]:
    low, high = run["count_bounds"]
    exact = run["count_is_exact"]
    problems = []
    if high is not None and high < low:
        problems.append("count_bounds are not a least and a greatest number.")
    elif exact != (low == high):
        problems.append("count_is_exact must say whether both count_bounds are equal.")
    elif not (low <= run["count"] and (high is None or run["count"] <= high)):
        problems.append("count is not within count_bounds.")
    if (high is not None) != (run["count_by"] == "count"):
        problems.append("count_by must be 'count' just if there is a greatest number.")
    if exact and (run["count_error"] != 0 or run["count_effective"] is not None):
        problems.append("an exact count has no error.")
    return problems


def _class_problems(run: dict[str, Any] | Any) -> list[str]:
    classes = run["classes"]
    problems = []
    if classes is not None and run["count_is_exact"] and not 1 <= classes <= run["count"]:
        problems.append(f"there cannot be {classes} classes of {run['count']} networks.")
    estimate = run["classes_estimate"]
    known = None if classes is None else [classes, 0]
    if run["classes_complete"] != (known is not None and estimate == known):
        problems.append(
            "classes_estimate must be the number of classes, without error, just if all were found."
        )
    if (run["edges"] is None) != (run["edges_missing"] is not None):
        problems.append("edges_missing must say why there are no edges, just if there are none.")
    if (run["edges"] is None) != (run["edges_error"] is None):
        problems.append("edges_error must be a number just if there are edges.")
    if (run["coverage"] is None) != (run["coverage_missing"] is not None):
        problems.append("coverage_missing must say why there is no coverage, just if there is none.")
    if run["coverage"] is not None and not run["count_is_exact"]:
        problems.append("there is a coverage of a set that was not counted to the end.")
    return problems


def _claims(subject: Subject) -> None:
    """Check complete and claim."""
    run, cache, checks = subject.run, subject.own_cache, subject.checks
    exact = run["count_is_exact"]
    whole: bool | None = None  # whether the cache is complete for the factor, if that is known
    if cache is not None:
        factor = None if subject.newly_required else cache.complete_factor
        needed = math.log(run["bayes_factor"]) + run["tolerance"]
        whole = factor is not None and math.log(factor) >= needed - ROUNDED
        checks.same("complete", run["complete"], whole and exact, "cache and count say", "as the cache says")
    elif run["complete"] and not exact:
        checks.wrong("complete", "complete is True, but the count is not exact.")
    else:
        checks.skip("complete", "the score cache that it was made from was not given")
        whole = run["complete"] if exact else None
    claims = {_claim(run, among) for among in ((True, False) if whole is None else (whole,))}
    before = {_claim(run, among, singular=False) for among in ((True, False) if whole is None else (whole,))}
    right = run["claim"] in claims | before  # older files say "1 networks"
    problem = f"claim is {run['claim']!r}, but the fields say {min(claims)!r}."
    checks.all_of("claim", [] if right else [problem], "as the fields say")


def _claim(run: Any, whole: bool, *, singular: bool = True) -> str:
    limit = run["max_parents"] if whole else None
    number, remark = _number(run)
    networks, are, keep = "networks", "are", "keep"
    if singular and number == "1":
        networks, are, keep = "network", "is", "keeps"
    among = ""
    if limit is not None:
        among = f" with at most {limit} {'parent' if singular and limit == 1 else 'parents'} each"
    held = in_words(run["constraints"])
    among += f" that {keep} {held}" if held else ""
    within = f"within Bayes factor {run['bayes_factor']:g}"
    within += f" and {run['tolerance']:g} nats of the best" if run["tolerance"] else " of the best"
    if whole:
        return f"{number} {networks}{among} {are} {within}{remark}"
    scored = "over the candidates scored"
    return f"{number} {networks}{among} {scored} {are} {within}{remark}; there may be others"


def _number(run: Any) -> tuple[str, str]:
    low, high = run["count_bounds"]
    effective = run["count_effective"]
    if high is not None:
        return (f"{low:,}" if low == high else f"between {low:,} and {high:,}"), ""
    if not effective:
        return f"at least {low:,}", " (the time ended before they were counted)"
    error = math.inf if run["count_error"] is None else run["count_error"]
    remark = f"estimated, standard error {error:.2g}"
    if run["count_by"] == "populations":
        remark += ", by populations, which are often a few percent low"
    if effective < FEW_WALKS:
        remark += f", which rests on few random walks (worth {effective:.0f}) and may be too small"
    if low:
        remark += f"; at least {low:,} for certain"
    return f"about {run['count']:,}", f" ({remark})"


def _edge_problems(subject: Subject) -> list[str]:
    run = subject.run
    if run["edges"] is None:
        return []
    rows = [(edge["from"], edge["to"], edge["posterior"], edge["adjacent"]) for edge in run["edges"]]
    allowed = Allowed(subject.rules, run["max_parents"])
    known = None if subject.own_cache is None else edges_of(subject.own_cache)
    problems = pair_problems(subject.names, rows, allowed, known)
    if not run["edges_error"]:
        listed = {(a, b) for a, b, _, _ in rows}
        missing = [(a, b) for b, up in subject.parents.items() for a in up if (a, b) not in listed]
        if missing:
            problems.append(f"edge {missing[0][0]!r} -> {missing[0][1]!r} of the best network is not listed.")
    return problems


def _recounted(subject: Subject, looked: Looked | None) -> None:
    """Find all networks again, and compare their number, their edges, their classes and their components."""
    run, checks = subject.run, subject.checks
    found, why = None, "they were not found again (exhaustive)"
    if looked is not None:
        why = "the set is not said to hold all of them"
        if looked.whole and run["count_is_exact"]:
            loss = math.ceil(math.log(run["bayes_factor"]) / UNIT) + math.ceil(run["tolerance"] / UNIT)
            found = recount(looked.lists, round(run["best"] / UNIT), loss, looked.orders, looked.unsure)
            why = "there are too many"
    if looked is None or found is None:
        for what in (
            "number of networks",
            "values of posteriors",
            "number of classes",
            "sizes of components",
        ):
            checks.skip(what, why)
        return
    fits = found.count - found.near <= run["count"] <= found.count
    problem = f"count is {run['count']}, but there are {found.count} networks."
    checks.all_of("number of networks", [] if fits else [problem], f"{found.count:,} found again")
    if found.near:
        why = f"{found.near} networks are at the very limit"
        for what in ("values of posteriors", "number of classes", "sizes of components"):
            checks.skip(what, why)
        return
    _posteriors(subject, looked, found)
    if run["classes"] is None or not run["classes_complete"]:
        checks.skip("number of classes", "it is not said to be known")
    else:
        problem = f"classes is {run['classes']}, but there are {found.classes}."
        wrong = [problem] if run["classes"] != found.classes else []
        checks.all_of("number of classes", wrong, f"{found.classes:,} found again")
    _components(subject, looked, found)


def _posteriors(subject: Subject, looked: Looked, found: Recount) -> None:
    """Compare the posterior of each edge."""
    run, checks = subject.run, subject.checks
    if run["edges"] is None or run["edges_error"]:
        checks.skip("values of posteriors", "they are not said to be exact")
        return
    given = {(e["from"], e["to"]): e["posterior"] for e in run["edges"]}
    names = looked.names
    again = {(names[i], names[j]): mass / found.mass for (i, j), mass in found.edges.items()}
    wrong = [
        f"the posterior of {a!r} -> {b!r} is {given.get((a, b), 0.0)!r}, found again {value!r}."
        for a in names
        for b in names
        if abs((value := again.get((a, b), 0.0)) - given.get((a, b), 0.0)) > 1e-7
        or ((a, b) in given) != ((a, b) in again)
    ]
    checks.all_of("values of posteriors", wrong, "found again")


def _components(subject: Subject, looked: Looked, found: Recount) -> None:
    """Compare the sizes of the components: variables that cycles of edges of credible networks join.

    A set that is counted by bounds may keep parent sets of no use, and have fewer and larger components.
    """
    n = len(looked.names)
    reach = [1 << v for v in range(n)]
    for a, b in (*found.edges, *looked.orders):
        reach[a] |= 1 << b
    for through in range(n):
        for v in range(n):
            if reach[v] >> through & 1:
                reach[v] |= reach[through]
    parts = {frozenset(u for u in range(n) if reach[v] >> u & 1 and reach[u] >> v & 1) for v in range(n)}
    sizes = sorted(map(len, parts), reverse=True)
    given = subject.run["components"]
    if len(given) < len(sizes):
        subject.checks.skip("sizes of components", f"found again {sizes}; more may have been put together")
        return
    problem = f"components are {given}, found again {sizes}."
    subject.checks.all_of("sizes of components", [] if given == sizes else [problem], "found again")
