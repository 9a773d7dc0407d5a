"""Check what `posterior` wrote: edges, errors, diagnostics, what is left out, averaged network, claim.

With few variables the exact sums are recomputed (`all_sums`), and results of chains must agree with them
within their standard errors.  The networks drawn are not in the file, so values that only they determine
(such as R-hat) are listed as not checked; but they must be consistent with the rest.
"""

from __future__ import annotations

import math
from typing import Any

from bayesloom.verification.averaged_networks import verify_averaged
from bayesloom.verification.every_network import Allowed, Lists, lists_of_cache, lists_of_table
from bayesloom.verification.listed_edges import edges_of, pair_problems
from bayesloom.verification.network import orders_of
from bayesloom.verification.subject import Subject, in_words

__all__ = ["verify_posterior"]

ALWAYS_SUMMED = 7  # variables up to which all networks are summed up, a tenth of a second
MOST_SUMMED = 9  # the same if asked to look at all of them, some seconds
ERRORS = 6.0  # standard errors, beyond which a share of chains is wrong: one edge in 10^8 by chance
ROUNDED = 1e-9  # of a probability, by adding up
SUMMED = 1e-7  # of a probability, by another way of adding up
# When chains agree, see `docs/how_sure.md`.
MOST_R_HAT, MOST_DIFFERENCE, LEAST_EFFECTIVE, LEAST_EFFECTIVE_EDGES = 1.05, 0.2, 100.0, 100.0


def verify_posterior(subject: Subject, *, exhaustive: bool) -> None:
    """Check a posterior, the variables, score and constraints of which were checked already."""
    run, checks = subject.run, subject.checks
    checks.all_of("method", _method_problems(run), run["method"])
    if run["diagnostics"] is not None:
        checks.all_of("diagnostics", _diagnostics_problems(subject), "they fit together")
        checks.skip("values of diagnostics", "the networks of the chains are not kept")
    agree = run["diagnostics"] is None or run["diagnostics"]["agree"]
    checks.same("reliable", run["reliable"], agree, "the diagnostics say", "as the diagnostics say")
    if run["stopped"] and agree:
        checks.wrong("stopped", "stopped is True, but nothing was left to do.")
    else:
        checks.skip("stopped", "whether time ended it")
    _left_out(subject)
    claim = _claim(run)
    problem = f"claim is {run['claim']!r}, but the fields say {claim!r}."
    checks.all_of("claim", [] if run["claim"] == claim else [problem], "as the fields say")
    fine = checks.all_of("edges", _edge_problems(subject), "posteriors and errors fit together")
    if fine:
        share = {(edge["from"], edge["to"]): edge["posterior"] for edge in run["edges"]}
        checks.all_of("edges_error", _error_problems(subject), "the largest of the errors")
        problems = [] if run["averaged"]["threshold"] is None else ["the averaged network has a threshold."]
        if run["averaged"]["distance"] != "pairs":
            problems.append("the distance of the averaged network is not that of pairs.")
        checks.all_of("averaged.distance", problems, "the structural Hamming distance")
        verify_averaged(checks, subject.names, run["averaged"], share, None)
        _values(subject, exhaustive=exhaustive)
    else:
        checks.skip("everything about edges", "what is wrong above must be mended first")
    checks.skip("draws", "how many networks were asked for, and drawn")
    if run["diagnostics"] is None:
        checks.skip("deviation", "what rounding did")
    if subject.own_cache is None:
        checks.skip("max_parents asked for", "what was given, and in no network of the result")


def _method_problems(run: Any) -> list[str]:
    """Return what does not fit the method: exact sums have a total, chains have diagnostics."""
    exact = run["method"] == "exact"
    problems = []
    if exact == (run["diagnostics"] is not None):
        problems.append("there must be diagnostics just if the method is 'chains'.")
    if exact != (run["log_total"] is not None):
        problems.append("there must be log_total just if the method is 'exact'.")
    if not exact and run["deviation"] != 0:
        problems.append("deviation is of exact sums, chains have 0.")
    return problems


def _diagnostics_problems(subject: Subject) -> list[str]:
    run, said = subject.run, subject.run["diagnostics"]
    problems = []
    if said["chains"] * said["samples"] != run["draws"]:
        problems.append(
            f"there are {run['draws']} draws, but {said['chains']} chains of {said['samples']} samples."
        )
    problems += [
        f"{key} is {said[key]!r}, more than there are draws."
        for key in ("effective", "effective_edges")
        if said[key] > run["draws"] * (1 + ROUNDED)
    ]
    edge = said["largest_edge"]
    listed = [[one["from"], one["to"]] for one in run["edges"]]
    if edge is None and (listed or said["largest_difference"] != 0):
        problems.append("largest_edge must be named just if there are edges.")
    if edge is not None and edge not in listed:
        problems.append(f"largest_edge {edge!r} is not among the edges.")
    agree = (
        said["r_hat"] is not None
        and said["r_hat"] <= MOST_R_HAT
        and said["largest_difference"] <= MOST_DIFFERENCE
        and said["effective"] >= LEAST_EFFECTIVE
        and said["effective_edges"] >= LEAST_EFFECTIVE_EDGES
    )
    if said["agree"] != agree:
        problems.append(f"agree is {said['agree']}, but by the other diagnostics it is {agree}.")
    return problems


def _left_out(subject: Subject) -> None:
    """Check the bound on what the candidates leave out, and of which networks it speaks."""
    run, checks, cache = subject.run, subject.checks, subject.own_cache
    n, limit = len(subject.names), run["max_parents"]
    among = f"all networks over {n:,} {'variable' if n == 1 else 'variables'}"
    if limit is not None:
        among += f" with at most {limit} {'parent' if limit == 1 else 'parents'} each"
    held = in_words(run["constraints"])
    among += f" that keep {held}" if held else ""
    checks.same("left_out.among", run["left_out"]["among"], among, "the fields say", among)
    most = run["left_out"]["most"]
    if cache is None:
        checks.skip("left_out.most", "the score cache of a table is not kept")
        return
    factor = None if subject.newly_required else cache.complete_factor
    if factor is None or most is None:
        known = None if factor is None else "a number"
        checks.same(
            "left_out.most", most, known, "the score cache says", "not known, as the score cache says"
        )
        return
    others = n - 1
    sets = sum(math.comb(others, k) for k in range(min(others, others if limit is None else limit) + 1))
    kept = 1.0
    for part in lists_of_cache(cache, subject.rules, limit):
        kept /= 1 + max(0, sets - len(part)) / factor
    again = 1 - kept
    problem = f"left_out.most is {most!r}, the score cache gives {again!r}."
    near = abs(most - again) <= 1e-12 + 1e-9 * again
    checks.all_of("left_out.most", [] if near else [problem], "by the sets that the score cache lacks")


def _claim(run: Any) -> str:
    """Return what is known, in words."""
    how, said = "exact sums over all networks", run["diagnostics"]
    if said is not None:
        r_hat = math.inf if said["r_hat"] is None else said["r_hat"]
        numbers = (
            f"R-hat {r_hat:.3f}, effective samples {said['effective']:,.0f}"
            f", {said['effective_edges']:,.0f} of the least certain edge"
        )
        if said["largest_edge"] is not None:
            a, b = said["largest_edge"]
            numbers += f", edge {a} -> {b} differs by {said['largest_difference']:.2f} between two of them"
        how = f"the {said['chains']} chains agree ({numbers})"
        if not said["agree"]:
            how = (
                f"the {said['chains']} chains do NOT agree ({numbers}): these posteriors are not"
                " to be relied on. Give more time."
            )
    most, among = run["left_out"]["most"], run["left_out"]["among"]
    if most is None:
        left = (
            "how much of the posterior mass of all networks the candidates leave out is not known: not"
            " all parent sets that can matter were scored"
        )
    elif most >= 0.995:
        left = f"how much of the posterior mass of {among} is left out is not known: it may be nearly all"
    elif most == 0:
        left = f"nothing of the posterior mass of {among} is left out"
    else:
        share = "less than 1e-12" if most < 1e-12 else f"at most {most:.2g}"
        left = f"{share} of the posterior mass of {among} is left out"
    return f"{how}; {left}"


def _edge_problems(subject: Subject) -> list[str]:
    run = subject.run
    rows = [(edge["from"], edge["to"], edge["posterior"], edge["adjacent"]) for edge in run["edges"]]
    allowed = Allowed(subject.rules, run["max_parents"])
    known = None if subject.own_cache is None else edges_of(subject.own_cache)
    if problems := pair_problems(subject.names, rows, allowed, known):
        return problems
    sure = {(a, b) for a, b, posterior, _ in rows if posterior >= 1 - ROUNDED}
    if missing := [edge for edge in subject.rules.required if edge not in sure]:
        return [f"{missing[0][0]!r} -> {missing[0][1]!r} is required, but its posterior is not 1."]
    if run["diagnostics"] is None:
        return []
    for a, b, posterior, _ in rows:
        count = posterior * run["draws"]
        if abs(count - round(count)) > 1e-6:
            return [f"the posterior of {a!r} -> {b!r} is {posterior!r}, no share of {run['draws']} draws."]
    return []


def _error_problems(subject: Subject) -> list[str]:
    """Return what is wrong with standard errors: exact sums have none, chains at least some."""
    run, said = subject.run, subject.run["diagnostics"]
    errors = [edge["error"] for edge in run["edges"]]
    if said is None:
        return [] if not any([*errors, run["edges_error"]]) else ["exact sums have no errors."]
    least = 1.5 / (min(said["effective"], said["effective_edges"]) + 2) if len(subject.names) > 1 else 0.0
    problems = []
    if below := [error for error in errors if error < least * (1 - ROUNDED)]:
        problems.append(f"an error is {below[0]!r}, but by the effective samples none is below {least!r}.")
    most = max([least, *errors])
    if abs(run["edges_error"] - most) > ROUNDED:
        problems.append(f"edges_error is {run['edges_error']!r}, the largest error is {most!r}.")
    return problems


def _values(subject: Subject, *, exhaustive: bool) -> None:
    """Sum over all networks again, where there are few variables, and compare."""
    run, checks = subject.run, subject.checks
    n, margin, why = len(subject.names), 0.0, ""
    if n > (MOST_SUMMED if exhaustive else ALWAYS_SUMMED):
        more = "" if n > MOST_SUMMED else " unless asked for (exhaustive)"
        why = f"{n:,} variables are too many to sum over all networks{more}"
    elif subject.of_table and subject.table is None:
        why = "it was made from a table, which was not given"
    elif not subject.of_table and subject.cache is None:
        why = "it was made from a score cache, which was not given"
    elif subject.of_table and run["left_out"]["most"] is None:
        why = "it is over some parent sets only, which are not kept"
    elif not run["reliable"]:
        why = "it is said that they are not to be relied on"
    if why:
        for what in ("values of posteriors", *(["log_total"] if run["log_total"] is not None else [])):
            checks.skip(what, why)
        return
    if subject.of_table:
        margin = run["left_out"]["most"]
    from bayesloom.verification.all_sums import sum_of_all

    total, again = sum_of_all(_lists(subject), orders_of(subject.rules, subject.names))
    rounding = n * subject.rounding if subject.of_table else 0.0
    if run["log_total"] is not None:
        low = total + (math.log1p(-margin) if margin < 1 else -math.inf) - rounding - SUMMED
        fits = low <= run["log_total"] <= total + rounding + SUMMED
        problem = f"log_total is {run['log_total']!r}, found again {total!r}."
        checks.all_of("log_total", [] if fits else [problem], f"{total!r} found again")
    names, given = subject.names, {(e["from"], e["to"]): e for e in run["edges"]}
    wrong = []
    # An edge that chains never saw has an error too, the least there is.
    least = run["edges_error"]
    if run["diagnostics"] is not None:
        said = run["diagnostics"]
        least = 1.5 / (min(said["effective"], said["effective_edges"]) + 2)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            edge, value = given.get((a, b)), again.get((i, j), 0.0)
            posterior = 0.0 if edge is None else edge["posterior"]
            error = least if edge is None else edge["error"]
            if abs(posterior - value) > ERRORS * error + margin + 2 * rounding + SUMMED:
                wrong.append(f"the posterior of {a!r} -> {b!r} is {posterior!r}, found again {value!r}.")
    how = "found again by a sum over all networks"
    if run["diagnostics"] is not None:
        how = f"within {ERRORS:g} standard errors of a sum over all networks"
        checks.skip("last digits of posteriors", "what chains drew")
    elif margin:
        how += f", up to the {margin:.2g} left out"
        checks.skip("last digits of posteriors", "which parent sets were left out is not kept")
    checks.all_of("values of posteriors", wrong, how)


def _lists(subject: Subject) -> Lists:
    run = subject.run
    if subject.of_table:
        assert subject.table is not None
        table, score, options = subject.table, subject.score, subject.options
        return lists_of_table(table, score, options, subject.rules, run["max_parents"])
    assert subject.cache is not None
    return lists_of_cache(subject.cache, subject.rules, run["max_parents"])
