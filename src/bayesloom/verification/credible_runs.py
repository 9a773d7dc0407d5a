"""Check what `credible` wrote: the best network, what is said of the number, posteriors, the k best.

The number of networks and the posteriors of edges can be checked only by finding all of them again, which
`every_network.recount` does for small problems if asked to. Else it is checked that they fit together.
"""

from __future__ import annotations

import math
from typing import Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.verification.checks import UNIT
from bayesloom.verification.every_network import best_of, recount
from bayesloom.verification.network import family_scores, units_from_cache
from bayesloom.verification.subject import Subject

__all__ = ["verify_credible", "verify_k_best"]

FEW_WALKS = 100  # draws below which an estimate may be far off, and its claim says so
ROUNDED = 1e-9  # of a probability, by adding up
TAKEN_ON_TRUST = {
    "bayesloom": "which version wrote it",
    "seconds": "how long it took",
    "count_error": "an estimate",
    "count_effective": "an estimate",
    "expected": "an estimate",
    "edges_error": "an estimate",
    "edges_missing": "words for people",
    "coverage": "it takes all networks, also those far from the best",
    "coverage_missing": "words for people",
}


def verify_credible(subject: Subject, *, exhaustive: bool) -> None:
    """Check a credible set, the network and constraints of which were checked already."""
    run, checks = subject.run, subject.checks
    problems = subject.score_problem("best", run["best"])
    if not (run["best"] / UNIT).is_integer() and abs(run["best"]) < 2.0**23:
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
    if exhaustive:
        _recounted(subject)
    else:
        why = "they were not found again (exhaustive)"
        for what in ("number of networks", "values of posteriors", "number of classes", "optimality"):
            checks.skip(what, why)
    checks.skip("bayes_factor and tolerance", "what was asked for")
    for key, why in TAKEN_ON_TRUST.items():
        checks.skip(key, why)


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
    run, cache, checks = subject.run, subject.cache, subject.checks
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
        checks.skip("complete", "the score cache was not given")
        whole = run["complete"] if exact else None
    claims = {_claim(run, among) for among in ((True, False) if whole is None else (whole,))}
    right = run["claim"] in claims
    problem = f"claim is {run['claim']!r}, but the fields say {min(claims)!r}."
    checks.all_of("claim", [] if right else [problem], "as the fields say")


def _claim(run: Any, whole: bool) -> str:
    limit = run["max_parents"] if whole else None
    among = "" if limit is None else f" with at most {limit} parents each"
    among += " that keep the constraints" if run["constraints"] else ""
    within = f"within Bayes factor {run['bayes_factor']:g} of the best"
    number, remark = _number(run)
    if whole:
        return f"{number} networks{among} are {within}{remark}"
    return f"{number} networks{among} over the candidates scored are {within}{remark}; there may be others"


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
    position = {name: k for k, name in enumerate(subject.names)}
    one = {(a, b): posterior for a, b, posterior, _ in rows}
    for a, b, posterior, adjacent in rows:
        if a not in position or b not in position or a == b:
            return [f"there is no edge from {a!r} to {b!r}."]
        both = posterior + one.get((b, a), 0.0)
        if adjacent != min(1.0, both):
            return [f"adjacent of {a!r} and {b!r} is {adjacent!r}, their posteriors add up to {both!r}."]
        if both > 1 + ROUNDED:
            return [f"the posteriors of {a!r} and {b!r} add up to more than 1."]
        if posterior <= 0:
            return [f"the edge from {a!r} to {b!r} is listed with posterior 0."]
    if len(one) < len(rows):
        return ["an edge is listed twice."]
    problems = []
    places = [(-d, *sorted((position[a], position[b])), -c, position[a]) for a, b, c, d in rows]
    if places != sorted(places):
        problems.append("the edges are not listed from the surest pair on.")
    if not run["edges_error"]:
        missing = [(a, b) for b, up in subject.parents.items() for a in up if (a, b) not in one]
        if missing:
            problems.append(f"edge {missing[0][0]!r} -> {missing[0][1]!r} of the best network is not listed.")
    return problems


def _recounted(subject: Subject) -> None:
    """Find all networks again, and compare their number, their edges and their classes."""
    run, checks = subject.run, subject.checks
    lists, orders, which = subject.every_set()
    best = round(run["best"] / UNIT)
    unsure = math.ceil(subject.each * len(subject.names) / UNIT) if which == "all networks" else 0
    top = best_of(lists, orders)
    problem = f"the best score of {which} is {top * UNIT!r}, not {run['best']!r}."
    checks.all_of("optimality", [problem] if abs(top - best) > unsure else [], f"the best of {which}")
    loss = math.ceil(math.log(run["bayes_factor"]) / UNIT) + math.ceil(run["tolerance"] / UNIT)
    found = recount(lists, best, loss, orders, unsure)
    over = which == "all networks" and not run["complete"]
    if found is None or over or not run["count_is_exact"]:
        why = "there are too many" if found is None else "the set is not said to hold all of them"
        for what in ("number of networks", "values of posteriors", "number of classes"):
            checks.skip(what, why)
        return
    fits = found.count - found.near <= run["count"] <= found.count
    problem = f"count is {run['count']}, but there are {found.count} networks."
    checks.all_of("number of networks", [] if fits else [problem], f"{found.count:,} found again")
    if found.near:
        checks.skip("values of posteriors", f"{found.near} networks are at the very limit")
    elif run["edges"] is not None and not run["edges_error"]:
        index = {name: k for k, name in enumerate(subject.cache.names if subject.cache else subject.names)}
        given = {(index[e["from"]], index[e["to"]]): e["posterior"] for e in run["edges"]}
        expected = {edge: mass / found.mass for edge, mass in found.edges.items()}
        wrong = [
            f"the posterior of {a!r} -> {b!r} is {given.get((i, j), 0.0)!r}, found again {value!r}."
            for a, i in index.items()
            for b, j in index.items()
            if abs((value := expected.get((i, j), 0.0)) - given.get((i, j), 0.0)) > 1e-7
        ]
        checks.all_of("values of posteriors", wrong, "found again")
    if run["classes"] is None or not run["classes_complete"] or found.near:
        checks.skip("number of classes", "it is not said to be known")
    else:
        problem = f"classes is {run['classes']}, but there are {found.classes}."
        wrong = [problem] if run["classes"] != found.classes else []
        checks.all_of("number of classes", wrong, f"{found.classes:,} found again")


def _says(note: str, found: int, k: int) -> bool:
    """Whether a note says that there are fewer than k."""
    return f"there are {found:,} " in note and f", not {k:,}, within" in note


def verify_k_best(subject: Subject) -> None:
    """Check the k best: each a network, with its score, all different, the best first."""
    run, checks, cache, table = subject.run, subject.checks, subject.cache, subject.table
    entries = run["entries"]
    if not entries:
        raise InputError("the result holds no networks: there is nothing to check.")
    source = cache if cache is not None else table
    assert source is not None
    names = list(source.names)
    if subject.asked_score is not None:
        subject.score, subject.options = subject.asked_score[0].name, subject.asked_score[1]
    elif cache is not None and cache.info.get("score") is not None:
        subject.score, subject.options = cache.info["score"], cache.info.get("options") or {}
    rules = Constraints.given(None if cache is None else cache.info.get("constraints"))
    if subject.asked_rules is not None:
        rules = rules.together_with(subject.asked_rules)
    else:
        checks.skip("constraints asked for", "give them too, and each entry is held against them")
    rules.check(names)
    for k, entry in enumerate(entries):
        where = f"entries[{k}]"
        problems = subject.parent_problems(names, entry["parents"])
        if not problems:
            subject.parents = {name: entry["parents"][name] for name in names}
            if cache is not None:
                subject.units = units_from_cache(names, subject.parents, cache)
                if None in subject.units.values():
                    problems.append("a parent set is not in the score cache.")
            if table is not None:
                values = family_scores(table, list(subject.parents.items()), subject.score, subject.options)
                subject.exact = dict(zip(names, values, strict=True))
            problems += subject.score_problem("score", entry["score"])
            broken = rules.broken_by(subject.parents)
            problems += [f"the constraints are broken: {phrase}." for phrase in broken]
        if (run["by"] == "class") != ("members" in entry and "size" in entry):
            problems.append("members and size are of classes only.")
        elif "size" in entry and entry["members"] > entry["size"]:
            problems.append("a class has more members in the set than it has networks.")
        checks.all_of(where, problems, f"score {entry['score']!r}")
    scores = [entry["score"] for entry in entries]
    problems = ["the entries are not listed from the best on."] if scores != sorted(scores)[::-1] else []
    keys = {tuple((name, tuple(up)) for name, up in sorted(entry["parents"].items())) for entry in entries}
    if len(keys) < len(entries):
        problems.append("a network is listed twice.")
    if len(entries) > run["k"] or (run["complete"] and len(entries) < run["k"]):
        problems.append(f"there are {len(entries)} entries, but k is {run['k']}.")
    note = run["note"] or ""
    if (run["note"] is not None) != (len(entries) < run["k"] or run["stopped"]):
        problems.append("a note says why there are fewer than k, or what was stopped, and only then.")
    elif run["stopped"] != note.startswith("the time limit ended the scoring"):
        problems.append("the note must say that the scoring was stopped just if it was.")
    elif len(entries) < run["k"] and not _says(note, len(entries), run["k"]):
        problems.append(f"the note does not say that there are {len(entries)}, not {run['k']}.")
    if run["stopped"] and run["complete"]:
        problems.append("the scoring was stopped, so nothing is proved of what was not scored.")
    checks.all_of("entries", problems, "all different, the best first")
    if run["note"] is not None:
        checks.skip("note", "words")
    factor = math.exp(min(690.0, scores[0] - scores[-1]))
    problem = f"bayes_factor is {run['bayes_factor']!r}, the scores say {factor!r}."
    near = math.isclose(run["bayes_factor"], factor, rel_tol=1e-9)
    checks.all_of("bayes_factor", [] if near else [problem], "as first and last score say")
    logs = [math.log(entry.get("members", 1)) + entry["score"] for entry in entries]
    weights = [math.exp(value - max(logs)) for value in logs]
    total = math.fsum(weights)
    problems = [
        f"the posterior of entries[{k}] is {entry['posterior']!r}, among all entries it is {w / total!r}."
        for k, (entry, w) in enumerate(zip(entries, weights, strict=True))
        if abs(entry["posterior"] - w / total) > ROUNDED
    ]
    checks.all_of("posteriors", problems, "shares among the entries")
    proved = None if cache is None else cache.complete_factor
    if run["complete"] and cache is not None and (proved is None or proved < factor * (1 - ROUNDED)):
        checks.wrong("complete", "complete is True, but the score cache is not complete for this factor.")
    else:
        why = "that no better network was left out is the word of the count, which exhaustive does not repeat"
        checks.skip("complete", why)
    checks.skip("bayesloom", "which version wrote it")
    if run["by"] == "class":
        checks.skip("members and size", "all networks of a class would have to be found")
