"""Check the k best networks or classes: each a network that keeps what was asked, with its score, all
different, the best first, and none left out where all can be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bayesloom.errors import InputError
from bayesloom.verification.checks import UNIT
from bayesloom.verification.every_network import TooMany, class_key, networks_above
from bayesloom.verification.labels import class_members
from bayesloom.verification.network import structure_problems, units_from_cache
from bayesloom.verification.optimality import Looked, optimality
from bayesloom.verification.subject import Subject

__all__ = ["verify_k_best"]

WIDEST = 690.0  # nats: beyond, a Bayes factor is no number any more
SOUGHT = 689.0  # nats: where there are fewer than k, all of these were looked for
ROUNDED = 1e-9  # of a share, by adding up
LAST_BITS = 4e-16  # of an exponential, by another library
Parents = Mapping[str, Sequence[str]]


def verify_k_best(subject: Subject, *, exhaustive: bool) -> float | None:
    """Check the k best, the names, score and constraints of which were checked already.

    Return the best score if all networks were looked at.
    """
    run, checks = subject.run, subject.checks
    entries = run["entries"]
    if not entries:
        raise InputError("the result holds no networks: there is nothing to check.")
    # The best comes last, so that its local scores are what is shown.
    outcomes = [(f"entries[{k}]", _entry_problems(subject, e), e) for k, e in reversed([*enumerate(entries)])]
    fine = [
        checks.all_of(where, problems, f"score {entry['score']!r}")
        for where, problems, entry in reversed(outcomes)
    ]
    _list(subject)
    if not all(fine):
        checks.skip("members, size and optimality", "what is wrong with entries must be mended first")
        return None
    if run["by"] == "class":
        _sizes(subject)
    looked = optimality(subject, entries[0]["score"], "first score", exhaustive=exhaustive)
    _none_left_out(subject, looked)
    return None if looked is None else looked.best * UNIT


def _entry_problems(subject: Subject, entry: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with one entry by itself."""
    parents = entry["parents"]
    if problems := structure_problems(subject.names, parents):
        return problems
    subject.score_network({name: parents[name] for name in subject.names})
    problems = subject.broken_rules(parents) + subject.beyond_limit(parents)
    if subject.cache is not None:
        problems += subject.missing_candidates()
    problems += subject.score_problem("score", entry["score"])
    if (subject.run["by"] == "class") != ("members" in entry and "size" in entry):
        problems.append("members and size are of classes, and both of them.")
    elif "size" in entry and entry["members"] > entry["size"]:
        problems.append("a class has more members in the set than it has networks.")
    return problems


def _list(subject: Subject) -> None:
    """Check the entries beside each other: order, number, factor, shares and completeness."""
    run, checks, entries = subject.run, subject.checks, subject.run["entries"]
    scores = [entry["score"] for entry in entries]
    problems = ["the entries are not listed from the best on."] if scores != sorted(scores)[::-1] else []
    if len({_key(subject.names, entry["parents"], run["by"]) for entry in entries}) < len(entries):
        problems.append(f"a {run['by']} is listed twice.")
    if len(entries) > run["k"] or (run["complete"] and len(entries) < run["k"]):
        problems.append(f"there are {len(entries)} entries, but k is {run['k']}.")
    problems += _note_problems(run)
    checks.all_of("entries", problems, "all different, the best first")
    factor = math.exp(min(WIDEST, max(0.0, scores[0] - scores[-1])))
    problem = f"bayes_factor is {run['bayes_factor']!r}, the scores say {factor!r}."
    near = math.isclose(run["bayes_factor"], factor, rel_tol=LAST_BITS)
    checks.all_of("bayes_factor", [] if near else [problem], "as first and last score say")
    logs = [math.log(entry.get("members", 1)) + entry["score"] for entry in entries]
    weights = [math.exp(value - max(logs)) for value in logs]
    total = math.fsum(weights)
    problems = [
        f"the posterior of entries[{k}] is {entry['posterior']!r}, among all entries it is {w / total!r}."
        for k, (entry, w) in enumerate(zip(entries, weights, strict=True))
        if not math.isclose(entry["posterior"], w / total, rel_tol=ROUNDED)
    ]
    checks.all_of("posteriors", problems, "shares among the entries")
    if subject.own_cache is None:
        for what in ("complete", "max_parents asked for"):
            checks.skip(what, "the score cache that it was made from was not given")
    else:
        known = None if subject.newly_required else subject.own_cache.complete_factor
        proved = known is not None and known >= run["bayes_factor"] and len(entries) == run["k"]
        checks.same("complete", run["complete"], proved, "cache and entries say", "as the cache says")


def _note_problems(run: Mapping[str, Any]) -> list[str]:
    """Return what the note does not say, or should not."""
    note, found, k = run["note"] or "", len(run["entries"]), run["k"]
    if (run["note"] is not None) != (found < k or run["stopped"]):
        return ["a note says why there are fewer than k, or what was stopped, and only then."]
    if run["stopped"] != note.startswith("the time limit ended the scoring"):
        return ["the note must say that the scoring was stopped just if it was."]
    if found < k and not (f"there are {found:,} " in note and f", not {k:,}, within" in note):
        return [f"the note does not say that there are {found}, not {k}."]
    if run["stopped"] and run["complete"]:
        return ["the scoring was stopped, so nothing is proved of what was not scored."]
    return []


def _key(names: Sequence[str], parents: Parents, by: str) -> object:
    """Return what is the same for the same network, or for all networks of a class."""
    index = {name: k for k, name in enumerate(names)}
    known = [[index[p] for p in parents.get(name, ()) if p in index] for name in names]
    return class_key(known) if by == "class" else tuple(tuple(sorted(up)) for up in known)


def _sizes(subject: Subject) -> None:
    """Check how many networks each class has, and how many of them can be meant by its members."""
    problems: list[str] = []
    too_many = 0
    for k, entry in enumerate(subject.run["entries"]):
        everyone = class_members(entry["parents"])
        if everyone is None:
            too_many += 1
            continue
        if entry["size"] != len(everyone):
            problems.append(f"entries[{k}]: size is {entry['size']}, the class has {len(everyone)} networks.")
        least, most = _members(subject, everyone, round(entry["score"] / UNIT))
        if not least <= entry["members"] <= most:
            number = str(most) if least == most else f"between {least} and {most}"
            problems.append(f"entries[{k}]: members is {entry['members']}, it must be {number}.")
    if too_many < len(subject.run["entries"]):
        subject.checks.all_of("members and size", problems, "all networks of each class were looked at")
    if too_many:
        subject.checks.skip("members and size", f"{too_many} classes have too many networks to look at")


def _members(subject: Subject, everyone: list[dict[str, list[str]]], score: int) -> tuple[int, int]:
    """Return how many networks of a class are in the set at least, and at most.

    At most all that keep rules and limit and are over the cache; at least those that score as the entry.
    """
    least = most = 0
    for parents in everyone:
        if subject.broken_rules(parents) or subject.beyond_limit(parents):
            continue
        if subject.own_cache is not None:
            units = list(units_from_cache(subject.names, parents, subject.own_cache).values())
            if None in units:
                continue
            least += sum(value for value in units if value is not None) >= score
        most += 1
    return max(1, least), most


def _none_left_out(subject: Subject, looked: Looked | None) -> None:
    """Check that no network, or class, better than the last was left out."""
    what, checks, entries = "none left out", subject.checks, subject.run["entries"]
    if looked is None or not looked.within_claim:
        why = "looked at" if looked is None else "scored"
        checks.skip(what, f"that no better one was left out is the word of the count: not all were {why}")
        return
    by = subject.run["by"]
    listed = {_key(looked.names, entry["parents"], by) for entry in entries}
    least = round(entries[-1]["score"] / UNIT) + looked.unsure + 1
    if len(entries) < subject.run["k"]:  # all were sought, as far as the note says
        least = round((entries[0]["score"] - SOUGHT) / UNIT)
    try:
        for score, chosen in networks_above(looked.lists, least, looked.orders):
            found = class_key(chosen) if by == "class" else chosen
            if found not in listed:
                checks.wrong(what, f"a {by} of score {score * UNIT!r} is not among the entries.")
                return
    except TooMany:
        checks.skip(what, "there are too many better than the last to look at")
        return
    checks.ok(what, f"each {by} that is good enough is listed")
