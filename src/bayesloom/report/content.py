"""What a page is of: a run, a network, how sure its edges are, and what is known of each beyond its file.

A page shows what it was given; that it is true is for ``bayesloom verify`` to check.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.networks.cpdag import Cpdag, Edge
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.formats._format import AnyNetwork
from bayesloom.networks.network import Network, structure_of
from bayesloom.report.checks import check_run
from bayesloom.report.how_sure import HowSure, how_sure
from bayesloom.words import what_is_kept

if TYPE_CHECKING:
    from bayesloom.credible_sets import CredibleSet
    from bayesloom.posterior_sampling import NetworkPosterior
    from bayesloom.resampling import Bootstrap
    from bayesloom.scoring.cache import ScoreCache
    from bayesloom.table import Table

__all__ = ["Content", "Family", "of_how_sure", "of_network", "of_run"]

DRAWN = 500  # variables up to which all of a network is drawn on a page
ALTERNATIVES = 12  # parent sets of a variable that are shown, of a score cache

RANGES = 16  # bars of the histogram of a continuous variable

Family = tuple[tuple[str, ...], float]
"""Parents, and the local score of a variable with them."""


@dataclass(frozen=True)
class Content:
    """All that a page shows.

    Attributes
    ----------
    title
        What it is of.
    network, picture
        The network, and which of its edges are compelled.
    run
        The JSON object of `learn` or `search`; empty if there was none.
    sure
        How sure each edge is, if a credible set, a posterior or a bootstrap was given.
    fitted
        The network with probabilities.
    counts
        How many rows show each state of a variable.
    states
        The states of each variable, as far as they are known.
    families
        For each variable parent sets with their local scores, the best first.
    families_of
        What `families` are, in words.
    keeps_constraints
        Whether the network keeps the constraints, if there are any: an averaged one may not.
    """

    title: str
    network: Network
    picture: Cpdag
    run: Mapping[str, Any] = field(default_factory=dict)
    sure: HowSure | None = None
    fitted: FittedNetwork | None = None
    counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    families: Mapping[str, Sequence[Family]] = field(default_factory=dict)
    families_of: str = ""
    keeps_constraints: bool = True

    @property
    def kept(self) -> str:
        """How the constraints are called that `picture` is under; empty if it is under none."""
        held = self.under.get("constraints")
        return what_is_kept(held, short=True) if held and self.keeps_constraints else ""

    @property
    def strength(self) -> dict[Edge, float]:
        """The strength of every edge, where the run says it."""
        return {(edge["from"], edge["to"]): float(edge["strength"]) for edge in self.run.get("edges") or ()}

    @property
    def by_missing(self) -> set[Edge]:
        """The edges that rest on values missing together, where the run says it."""
        return {(e["from"], e["to"]) for e in self.run.get("edges") or () if e.get("rests_on_missing")}

    @property
    def shares(self) -> Mapping[Edge, float]:
        """The share of every edge, of networks or of their weight, where it is known."""
        return {} if self.sure is None else self.sure.shares

    @property
    def shares_called(self) -> str:
        """What a column of shares is called; nothing if they are not known."""
        return self.sure.column if self.sure is not None and self.sure.known else ""

    @property
    def under(self) -> Mapping[str, Any]:
        """What the run, or what says how sure it is, was told: constraints, score, versions."""
        return self.run or ({} if self.sure is None else self.sure.found)


def of_run(
    run: Mapping[str, Any],
    *,
    name: str = "the run",
    table: Table | None = None,
    cache: ScoreCache | None = None,
    sure: Mapping[str, Any] | None = None,
    sure_name: str | None = None,
) -> Content:
    """Return what a page shows of a run, with its table, score cache and how sure it is beside it.

    `sure` is the JSON object of a run of `credible`, `posterior` or `bootstrap`.

    Raises
    ------
    InputError
        If the object is no run, or what is given beside it is of other variables.
    """
    check_run(run, name)
    parents = run["parents"]
    network = Network(run.get("variables") or list(parents), parents)
    beside = None
    if sure is not None:
        beside = how_sure(sure, sure_name := sure_name or "what says how sure it is")
        _same_variables(network.names, beside.parents, name, sure_name)
    about = run.get("table") or {}
    found: dict[str, Any] = {
        "counts": _counts(about.get("counts"), about.get("states"), network.names),
        "states": _texts(about.get("states")),
    }
    if table is not None:
        found |= _of_table(network, table, run, name)
    if cache is not None:
        _same_variables(network.names, cache.names, name, "the score cache")
        found |= _of_cache(network, cache)
    # Found anew: a run of `search` does not say it, and an older one not under its constraints.
    picture = network.cpdag_under(run.get("constraints"), interventions=run.get("interventions") or ())
    title = f"Bayesian network of {_source_in_words(about.get('source'))}"
    return Content(title, network, picture, run=run, sure=beside, **found)


SOURCES = {
    **dict.fromkeys(("DataFrame", "LazyFrame"), "a data frame"),
    "Table": "a table",
    "dict": "columns given in Python",
    "list": "rows given in Python",
    "ndarray": "an array",
}
"""Types that stand where a file has its name."""


def _source_in_words(source: object) -> str:
    """Return what a table was read from, a file without its folders.

    >>> _source_in_words("data/mill.csv"), _source_in_words("DataFrame"), _source_in_words(None)
    ('mill.csv', 'a data frame', 'a score cache')
    """
    if not source:
        return "a score cache"
    return SOURCES.get(str(source)) or os.path.basename(str(source)) or str(source)


def of_how_sure(found: Mapping[str, Any], *, name: str = "the object") -> Content:
    """Return what a page shows of a credible set, a posterior or a bootstrap alone, with its network."""
    sure = how_sure(found, name)
    network = Network(found.get("variables") or list(sure.parents), sure.parents)
    rules = Constraints.given(found.get("constraints"))
    rules.check(network.names)
    if broken := rules.broken_by(network):  # as an averaged one may
        sure = replace(sure, stands=f"{sure.stands}. It breaks the constraints: {broken[0]}")
    held = None if broken else rules
    picture = network.cpdag_under(held, interventions=found.get("interventions") or ())
    return Content(sure.title, network, picture, sure=sure, keeps_constraints=not broken)


def how_sure_object(found: CredibleSet | NetworkPosterior | Bootstrap) -> dict[str, Any]:
    """Return what a page shows of how sure edges are, as ``--json`` of the command has it.

    Classes and coverage of a credible set are not looked for, which may take long: they are shown if they are
    known already.
    """
    from bayesloom.credible_sets import CredibleSet

    own = found.to_json()
    if not isinstance(found, CredibleSet):
        return own
    posterior = found.edge_posterior
    classes = vars(found).get("classes")
    return {
        **own,
        "edges": [
            {"from": a, "to": b, "posterior": one, "adjacent": both} for a, b, one, both in posterior.rows()
        ],
        "edges_error": posterior.error,
        **({} if classes is None else {"classes": classes.count, "classes_complete": classes.complete}),
    }


def of_network(network: AnyNetwork, title: str) -> Content:
    """Return what a page shows of a network, with its probabilities if it has any.

    >>> of_network(Network("ab", {"b": ["a"]}), "Two variables").picture.reversible
    (('a', 'b'),)
    """
    structure = structure_of(network)
    fitted = network if isinstance(network, FittedNetwork) else None
    states = {} if fitted is None else dict(zip(structure.names, fitted.states, strict=True))
    return Content(title, structure, structure.cpdag, fitted=fitted, states=states)


def _same_variables(ours: Sequence[str], theirs: Any, name: str, other: str) -> None:
    if odd := sorted(set(ours) ^ set(theirs)):
        raise InputError(f"{name} and {other} are of different variables: {odd[0]!r} is in only one of them.")


def _of_table(network: Network, table: Table, run: Mapping[str, Any], name: str) -> dict[str, Any]:
    from bayesloom.scoring.registry import local_scores
    from bayesloom.solvers.result import state_counts

    _same_variables(network.names, table.names, name, table.source)
    states = dict(zip(table.names, map(list, table.states), strict=True))
    recorded = (run.get("table") or {}).get("states")
    if recorded is not None and recorded != states:
        raise InputError(
            f"{table.source}: its states are not those of {name}. Read it with the options that were given"
            " when it was learned."
        )
    ranges = {name: ranges_of(table, name) for name in table.continuous}
    found: dict[str, Any] = {
        "fitted": None if table.continuous else network.fit(table, method="dirichlet"),
        "counts": state_counts(table) | {name: counts for name, (counts, _) in ranges.items()},
        "states": states | {name: words for name, (_, words) in ranges.items()},
    }
    if (score := run.get("score_name")) is None:
        return found
    wanted = []
    for child, parents in network.parents.items():
        sets = {parents, (), *(tuple(p for p in parents if p != left) for left in parents)}
        wanted += [(child, one) for one in sorted(sets)]
    values = local_scores(table, wanted, score=score, options=run.get("score_options") or {}).tolist()
    return {
        **found,
        **_families(wanted, values),
        "families_of": "with its parents, and with one of them less",
    }


def ranges_of(table: Table, name: str) -> tuple[list[int], list[str]]:
    """Return how many rows are in each of some ranges of a continuous variable, and the ranges in words."""
    import numpy as np

    there = ~table.lacking(name)
    weights = None if table.weights is None else table.weights[there]
    counts, borders = np.histogram(table.values(name)[there], bins=RANGES, weights=weights)
    words = [f"{low:.4g} to {high:.4g}" for low, high in itertools.pairwise(borders.tolist())]
    return counts.astype(np.int64).tolist(), words


def _of_cache(network: Network, cache: ScoreCache) -> dict[str, Any]:
    wanted, values = [], []
    for child, parents in network.parents.items():
        sets = [(given, score) for score, given in cache.candidates(child)]
        own = [one for one in sets if set(one[0]) == set(parents)]
        best = sorted(sets, key=lambda one: (-one[1], one[0]))[:ALTERNATIVES]
        for chosen, value in [*best, *(one for one in own if one not in best)]:
            wanted.append((child, chosen))
            values.append(value)
    most = f"the {ALTERNATIVES} best of the parent sets scored"
    return {**_families(wanted, values), "families_of": most}


def _families(wanted: Sequence[tuple[str, tuple[str, ...]]], values: Sequence[float]) -> dict[str, Any]:
    families: dict[str, list[Family]] = {}
    for (child, parents), value in zip(wanted, values, strict=True):
        families.setdefault(child, []).append((parents, value))
    for found in families.values():
        found.sort(key=lambda family: (-family[1], len(family[0]), family[0]))
    return {"families": families}


def _texts(given: object) -> dict[str, list[str]]:
    return (
        {name: list(map(str, some)) for name, some in given.items() if isinstance(some, list)}
        if isinstance(given, Mapping)
        else {}
    )


def _counts(given: object, states: object, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the counts of a run, those that can be counts of the states it says."""
    if not isinstance(given, Mapping) or not isinstance(states, Mapping):
        return {}
    return {
        name: own
        for name in names
        if isinstance(own := given.get(name), list)
        and own
        and isinstance(known := states.get(name), list)
        and len(own) == len(known)
        and all(type(count) is int and 0 <= count < 2**53 for count in own)
    }
