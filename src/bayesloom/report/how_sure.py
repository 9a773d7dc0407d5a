"""How sure each edge is, as a page says it: of a credible set, a posterior or a bootstrap.

All three give every edge a share: of the weight of the credible networks, of the posterior of all networks,
of the resampled tables.  They differ in what they are a share of, which `HowSure` puts in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Edge
from bayesloom.report.checks import check_bootstrap, check_credible, check_posterior
from bayesloom.words import counted

__all__ = ["HowSure", "how_sure", "is_how_sure"]


@dataclass(frozen=True)
class HowSure:
    """What is known of how sure each edge is, with its words.

    Attributes
    ----------
    found
        The JSON object that a command wrote.
    kind
        What it is: ``"credible set"``, ``"posterior"`` or ``"bootstrap"``.
    heading
        The heading of its part of a page.
    title
        The title of a page of it alone.
    column
        What a column of shares is called.
    meaning
        What a share is a share of.
    disagree
        What is said before the edges that are neither sure nor absent.
    claim
        What is claimed of all of it.
    parents, stands
        The network that stands for it, and which that is.
    shares
        The share of each edge, as far as it is known.
    figures, facts
        What it says of itself: at a glance on its own page, and in the table of its part.
    missing
        Why there are no shares, if there are none.
    """

    found: Mapping[str, Any]
    kind: str
    heading: str
    title: str
    column: str
    meaning: str
    disagree: str
    claim: str
    parents: Mapping[str, Any]
    stands: str
    shares: Mapping[Edge, float]
    figures: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    missing: str | None = None

    @property
    def known(self) -> bool:
        """Whether shares are known, if only that all of them are 0."""
        return self.found.get("edges") is not None

    @property
    def error(self) -> float:
        """The largest standard error of a share; 0 if they are exact or it is not said."""
        return float(self.found.get("edges_error") or 0.0)


def how_sure(found: Mapping[str, Any], name: str = "the object") -> HowSure:
    """Return what a page says of the JSON object of `credible`, `posterior` or `bootstrap`.

    >>> import bayesloom as bl
    >>> drawn = bl.bootstrap({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, replicates=20, threads=1)
    >>> how_sure(drawn.to_json()).heading
    'Edges of resampled tables'

    Raises
    ------
    InputError
        If it is none of the three, or a field of it is wrong.
    """
    if "bayes_factor" in found:
        return _of_credible(found, name)
    if "left_out" in found:
        return _of_posterior(found, name)
    if "replicates" in found:
        return _of_bootstrap(found, name)
    raise InputError(
        f"{name} is not the JSON object of a run of credible, posterior or bootstrap. Give what --json of one"
        " of them wrote."
    )


def is_how_sure(found: Mapping[str, Any]) -> bool:
    """Return whether a JSON object looks like one of `credible`, `posterior` or `bootstrap`."""
    return ("claim" in found and "bayes_factor" in found) or "averaged" in found


def _of_credible(found: Mapping[str, Any], name: str) -> HowSure:
    check_credible(found, name)
    facts = [("Bayes factor", f"{found['bayes_factor']:g}")]
    if type(number := found.get("count")) is int:
        facts.append(("networks", f"{number:,}" if found.get("count_is_exact") else f"about {number:,}"))
    if found.get("classes") is not None:
        least = "" if found.get("classes_complete") else "at least "
        facts.append(("equivalence classes", f"{least}{found['classes']:,}"))
    if coverage := found.get("coverage"):
        facts.append(
            ("share of the posterior of all networks", f"{coverage['share']:.4f} of {coverage['among']}")
        )
    elif found.get("coverage_missing"):
        facts.append(("share of the posterior of all networks", f"not known: {found['coverage_missing']}"))
    return HowSure(
        found,
        kind="credible set",
        heading="Credible networks",
        title="Credible Bayesian networks",
        column="posterior",
        meaning="how much of the weight of all credible networks has the edge this way",
        disagree="Edges that the networks do not agree on",
        claim=found["claim"],
        parents=found["parents"],
        stands="the best of them",
        shares={(e["from"], e["to"]): float(e["posterior"]) for e in found.get("edges") or ()},
        figures=(("best score", f"{found['best']:,.3f}"),),
        facts=tuple(facts),
        missing=found.get("edges_missing"),
    )


def _of_posterior(found: Mapping[str, Any], name: str) -> HowSure:
    check_posterior(found, name)
    drawn = (("networks drawn", f"{found['draws']:,}"),)
    facts = [*drawn]
    if told := found.get("diagnostics"):
        r_hat = "infinite" if told["r_hat"] is None else f"{told['r_hat']:.3f}"
        facts += [
            ("chains", f"{told['chains']:,}, which {'agree' if told['agree'] else 'do not agree'}"),
            ("split R-hat of the weight of the partition", r_hat),
            ("effective samples of that weight", f"{told['effective']:,.0f}"),
        ]
    return HowSure(
        found,
        kind="posterior",
        heading="Posterior of edges",
        title="Posterior of Bayesian networks",
        column="posterior",
        meaning="how much of the posterior of all networks has the edge this way",
        disagree="Edges that are neither sure nor left out",
        claim=found["claim"],
        parents=found["averaged"]["parents"],
        stands=_averaged(found["averaged"], "whose mean distance from all of them is least"),
        shares={(e["from"], e["to"]): float(e["posterior"]) for e in found["edges"]},
        figures=drawn,
        facts=tuple(facts),
    )


def _of_bootstrap(found: Mapping[str, Any], name: str) -> HowSure:
    check_bootstrap(found, name)
    shares: dict[Edge, float] = {}
    for edge in found["edges"]:
        shares[edge["from"], edge["to"]] = edge["strength"] * edge["direction"]
        shares[edge["to"], edge["from"]] = edge["strength"] * (1 - edge["direction"])
    drawn = (("resampled tables", f"{found['replicates']:,}"),)
    short = "" if found["replicates"] == found["asked"] else f" of {found['asked']:,} asked for"
    significant = sum(edge["significant"] for edge in found["edges"])
    return HowSure(
        found,
        kind="bootstrap",
        heading="Edges of resampled tables",
        title="Bayesian networks of resampled tables",
        column="frequency",
        meaning="how many of the networks of resampled tables, as a share, have the edge this way",
        disagree="Edges that not all of them have this way",
        claim=f"{counted(found['replicates'], 'resampled table')}{short} learned, with learner"
        f" {found['learner']}",
        parents=found["averaged"]["parents"],
        stands=_averaged(found["averaged"], "which joins the pairs above the threshold"),
        shares=shares,
        figures=drawn,
        facts=(
            *drawn,
            ("threshold of the strength", f"{found['threshold']:g}"),
            ("pairs joined more often than that", f"{significant:,} of {len(found['edges']):,}"),
        ),
    )


def _averaged(averaged: Mapping[str, Any], which: str) -> str:
    """Return what an averaged network is; nothing is said of what was not proved."""
    shown = "" if averaged.get("exact") else ", as far as was searched: too many edges lie on cycles"
    return f"the averaged one, {which}{shown}"
