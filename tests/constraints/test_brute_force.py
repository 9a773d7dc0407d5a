"""All limits with all constraints, against every network: found or refused, counted, and claimed rightly.

``BAYESLOOM_CASES`` sets how many tables are tried, ``BAYESLOOM_LARGEST`` of how many variables (5 at most).
"""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass, replace
from typing import Any

import pytest

import bayesloom as bl
from bayesloom.credible_sets import options
from bayesloom.errors import InfeasibleError
from made.constraints import any_constraints
from made.tables import tied_table
from reference.constraints import keeps, numbered
from reference.graphs import Parents, all_networks, skeleton, v_structures
from reference.local_scores import local_score

CASES = int(os.environ.get("BAYESLOOM_CASES", "300"))
LARGEST = int(os.environ.get("BAYESLOOM_LARGEST", "4"))  # variables
NEAR = 1e-6


@dataclass
class Case:
    """A table with constraints and a limit, and the score of every network."""

    seed: int

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        self.rng = rng
        self.table = tied_table(rng, rng.choice([2, 3, 3, LARGEST, LARGEST, LARGEST]))
        self.names = list(self.table.names)
        self.score = rng.choice(["bic", "bic", "bdeu", "qnml", "aic", "k2"])
        self.rules = any_constraints(rng, self.names)
        self.limit = rng.choice([None, None, 0, 1, 2, 3])
        plain = numbered(self.rules.to_json(), self.names)
        self.all = self._scored()
        self.unlimited = {g: s for g, s in self.all.items() if keeps(g, plain)}
        self.kept = {g: s for g, s in self.unlimited.items() if keeps(g, plain, self.limit)}

    def _scored(self) -> dict[Parents, float]:
        n = len(self.names)
        columns = [self.table.column(name).tolist() for name in self.names]
        rows = list(zip(*columns, strict=True))
        cards = list(self.table.cardinalities)
        known: dict[tuple[int, frozenset[int]], float] = {}

        def local(v: int, up: frozenset[int]) -> float:
            if (v, up) not in known:
                known[v, up] = local_score(rows, cards, v, sorted(up), self.score)
            return known[v, up]

        return {g: math.fsum(local(v, up) for v, up in enumerate(g)) for g in all_networks(n)}

    def plain(self, parents: Parents) -> bool:
        """Whether variables with one state have required edges only: others would change no score."""
        index = {name: v for v, name in enumerate(self.names)}
        required = {(index[a], index[b]) for a, b in self.rules.required}
        constant = {v for v, r in enumerate(self.table.cardinalities) if r == 1}
        edges = {(p, v) for v, up in enumerate(parents) for p in up}
        return all(edge in required for edge in edges if constant & set(edge))

    @property
    def common(self) -> dict[str, Any]:
        return {"score": self.score, "max_parents": self.limit}

    def parents(self, network: bl.Network) -> Parents:
        return tuple(map(frozenset, network.parent_indices))

    def check_result(self, result: bl.SearchResult) -> None:
        """The network is allowed, its score right, and what is claimed of it true."""
        found = self.parents(result.network)
        assert found in self.kept
        assert result.score == pytest.approx(self.kept[found], abs=NEAR)
        best = max(self.kept.values())
        assert result.score <= best + NEAR
        if result.status == "optimal" and result.complete:
            if result.max_parents is None:  # then it is a claim about networks with any number of parents
                best = max(self.unlimited.values())
            else:
                assert result.max_parents == self.limit
            assert result.score == pytest.approx(best, abs=NEAR)
        assert (" constraints" in result.claim) == bool(self.rules)


def refused(call: Any, case: Case) -> bool:
    """Whether constraints were refused, with names of variables in the sentence."""
    try:
        result = call()
    except InfeasibleError as error:
        message = str(error)
    else:
        case.check_result(result)
        return False
    assert any(repr(name) in message for name in case.names)
    return True


@pytest.mark.parametrize("part", range(4))
def test_learn_and_search_find_the_best_or_refuse(part: int) -> None:
    outcomes = {True: 0, False: 0}
    for seed in range(part, CASES, 4):
        case = Case(seed)
        infeasible = not case.kept
        outcomes[infeasible] += 1
        assert infeasible == bool(case.rules.problems(case.names, case.limit)), case
        method = case.rng.choice(["exhaustive", "exhaustive", "loop", "independence", "auto"])

        def learned(case: Case = case, method: str = method) -> bl.SearchResult:
            return bl.learn(
                case.table,
                method=method,
                constraints=case.rules,
                threads=1,
                time_limit=None if method != "independence" else 0.2,
                **case.common,
            )

        assert refused(learned, case) == infeasible, case
        if not infeasible:
            cache = bl.score(case.table, constraints=case.rules, threads=1, **case.common)
            assert cache.complete, case
            solver = case.rng.choice(["auto", "dp", "astar", "bfbnb", "bblp"])
            result = bl.search(cache, solver=solver, threads=1, memory=1)
            assert (result.status, result.complete) == ("optimal", True), case
            case.check_result(result)
    assert min(outcomes.values()) > 0


@pytest.mark.parametrize("part", range(2))
def test_constraints_given_in_two_parts(part: int) -> None:
    """Some to `score` and the rest to `search`: as if given together, or refused, never half of them."""
    answered = turned_down = 0
    for seed in range(part, CASES, 2):
        case = Case(seed + 10**6)
        given = case.rules.to_json()
        first = {kind: value for kind, value in given.items() if case.rng.random() < 0.5}
        rest = {kind: value for kind, value in given.items() if kind not in first}
        try:
            cache = bl.score(case.table, constraints=first, threads=1, **case.common)
        except InfeasibleError:
            assert not case.kept, case
            turned_down += 1
            continue
        if not refused(lambda: bl.search(cache, constraints=rest, threads=1, memory=1), case):  # noqa: B023
            assert case.kept
            answered += 1
        elif case.kept:  # only where the cache lacks sets with required parents
            assert "required" in rest, case
    assert answered > CASES // 20
    assert turned_down > 0


@pytest.mark.parametrize("way", ["sets", "diagrams"])
def test_credible_sets_hold_what_they_say(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks, classes with their members, and the posterior of each edge, by definition."""
    if way == "diagrams":
        by_diagrams = replace(options.OPTIONS, dense_up_to=0, subset_dp_up_to=0, few_networks=0)
        monkeypatch.setattr(options, "OPTIONS", by_diagrams)
    whole = best_ones = unbounded = 0
    for seed in range(way == "diagrams", CASES, 2):
        case = Case(seed + 2 * 10**6)
        factor = case.rng.choice([1.0, 3.0, 20.0, 1000.0])
        if not case.kept:
            with pytest.raises(InfeasibleError):
                bl.credible(case.table, factor, constraints=case.rules, threads=1, **case.common)
            continue
        case.kept = {g: s for g, s in case.kept.items() if case.plain(g)}
        case.unlimited = {g: s for g, s in case.unlimited.items() if case.plain(g)}
        best = max(case.kept.values())
        least = best - math.log(factor)
        found = bl.credible(case.table, factor, constraints=case.rules, threads=1, **case.common)
        assert (found._core.backend == "diagram") == (way == "diagrams")
        assert found.complete, case
        expected = {g: s for g, s in case.kept.items() if s >= least - NEAR}
        listed = [case.parents(network) for network in found.networks]
        assert len(listed) == len(set(listed)) == found.count
        if set(listed) != set(expected):  # local scores are rounded: equal ones may come to differ by a unit
            near = {g for g, s in expected.items() if abs(s - least) < NEAR}
            assert set(expected) - near <= set(listed) < set(expected), case
            continue
        if found.cache.info["max_parents"] is None:  # then it is a claim about any number of parents
            unbounded += 1
            assert expected == {
                g: s
                for g, s in case.unlimited.items()
                if s >= max(case.unlimited.values()) - math.log(factor) - NEAR
            }
        assert (" the constraints" in found.claim) == bool(case.rules)
        members: dict[object, int] = {}
        sizes: dict[object, int] = {}
        for g in case.all:
            key = (skeleton(g), v_structures(g))
            sizes[key] = sizes.get(key, 0) + 1
            members[key] = members.get(key, 0) + (g in expected)
        members = {key: number for key, number in members.items() if number}
        assert found.classes.complete
        assert found.classes.count == len(members)
        for entry in found.classes:
            g = case.parents(entry.network)
            key = (skeleton(g), v_structures(g))
            assert g in expected
            assert (entry.members, entry.size) == (members.pop(key), sizes[key]), case
        if case.rng.random() < 0.2:
            best_ones += 1
            k = case.rng.randint(1, 6)
            top = bl.k_best(case.table, k, constraints=case.rules, threads=1, **case.common)
            scores = sorted(case.kept.values(), reverse=True)[:k]
            assert [entry.score for entry in top.entries] == pytest.approx(scores, abs=NEAR), case
            assert {case.parents(network) for network in top.networks} <= set(case.kept)
        weights = {g: math.exp(s - best) for g, s in expected.items()}
        total = math.fsum(weights.values())
        for i in range(len(case.names)):
            for j in range(len(case.names)):
                share = math.fsum(w for g, w in weights.items() if i in g[j]) / total
                assert found.edge_posterior.matrix[i, j] == pytest.approx(share, abs=1e-5)
        whole += 1
    assert whole > CASES // 8
    assert min(best_ones, unbounded) > 0
