"""Plain enumeration: the best score under orders and constraints, and credible sets counted again."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.verification import every_network
from bayesloom.verification.checks import UNIT, score_error
from bayesloom.verification.every_network import best_of, lists_of_cache, lists_of_table, recount
from bayesloom.verification.network import family_scores
from made.caches import random_cache


@pytest.mark.parametrize("seed", range(12))
def test_the_best_under_constraints_is_that_of_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    cache = random_cache(seed, 4, 3)
    names = list(cache.names)
    rules = bl.Constraints(
        forbidden=[tuple(draw.sample(names, 2))],
        before=[tuple(draw.sample(names, 2))],
        max_parents={draw.choice(names): 1},
    )
    orders = [(names.index(a), names.index(b)) for a, b in rules.before]
    lists = [cache.candidates(name) for name in names]
    scores = []
    for chosen in itertools.product(*lists):
        parents = {name: up for name, (_, up) in zip(names, chosen, strict=True)}
        if bl.verify(_Given(names, parents), cache=cache, constraints=rules).ok:
            scores.append(sum(score for score, _ in chosen))
    if not scores:
        with pytest.raises(bl.InputError, match="acyclic"):
            best_of(lists_of_cache(cache, rules), orders)
        return
    assert best_of(lists_of_cache(cache, rules), orders) * UNIT == pytest.approx(max(scores), abs=1e-8)


class _Given:
    def __init__(self, names: list[str], parents: dict[str, tuple[str, ...]]) -> None:
        self.names, self.parents = names, parents


@pytest.mark.parametrize("seed", range(12))
def test_credible_networks_counted_again_are_as_many(seed: int) -> None:
    cache = random_cache(seed, 5, 3)
    rules = {"before": [(cache.names[0], cache.names[3])]} if seed % 2 else None
    for factor in (1, 3, 150):
        found = bl.credible(cache, factor, constraints=rules)
        loss = round(np.ceil(np.log(factor) / UNIT))
        again = recount(
            lists_of_cache(cache, bl.Constraints.given(rules)),
            round(found.best / UNIT),
            loss,
            [(0, 3)] if rules else [],
        )
        assert again is not None
        assert again.count == found.count
        if rules is None:
            assert again.classes == found.classes.count
        for (a, b), mass in again.edges.items():
            posterior = found.edge_posterior.directed(cache.names[a], cache.names[b])
            assert mass / again.mass == pytest.approx(posterior, abs=1e-9)


def test_too_many_networks_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_network, "MOST_STEPS", 10)
    cache = random_cache(1, 5, 3)
    assert recount(lists_of_cache(cache), 0, 10**15) is None


def test_tables_of_many_variables_are_refused() -> None:
    table = bl.random_network(11, seed=1).sample(20, seed=1)
    with pytest.raises(bl.InputError, match="limited to 10 variables; this one has 11"):
        lists_of_table(table, "bic", None)


@pytest.mark.parametrize("score", [name for name in sorted(bl.scores) if bl.scores[name].kinds == "discrete"])
@pytest.mark.parametrize(("rows", "states"), [(1, 2), (40, 2), (700, 5), (6000, 12)])
def test_scores_are_as_near_as_the_verifier_demands(score: str, rows: int, states: int) -> None:
    """With as much again in hand: the tolerance is what rounding explains, and never a false alarm."""
    rng = np.random.default_rng(rows)
    columns = [rng.choice(states, rows, p=rng.dirichlet(np.ones(states))).astype(np.uint8) for _ in range(6)]
    names = [f"x{k}" for k in range(6)]
    table = bl.Table.from_codes(names, [[str(k) for k in range(states)]] * 6, columns)
    families = [("x0", names[1 : 1 + size]) for size in range(4)] + [("x3", ["x1"]), ("x5", [])]
    fast = bl.local_scores(table, families, score=score)
    slow = np.array(family_scores(table, families, score))
    assert np.abs(fast - slow).max() <= score_error(rows, score) / 2


@pytest.mark.parametrize("score", ["dg", "bic-g", "bic-cg", "pnal"])
def test_sets_in_which_one_determines_another_are_no_networks_that_score_higher(score):
    rng = np.random.default_rng(3)
    rows = {"a": rng.normal(size=40), "b": rng.normal(size=40)}
    rows["sum"] = rows["a"] - 2 * rows["b"]
    rows["near"] = rows["a"] + 0.1 * rng.normal(size=40)
    found = bl.learn(rows, score=score, continuous="all", max_parents=3, threads=1)
    checked = found.verify(exhaustive=True)
    assert checked.ok, checked.problems
    assert [check.outcome for check in checked.checks if check.what == "optimality"] == ["ok"]
    with pytest.raises(bl.InputError, match="determined by its parents"):
        family_scores(found.table, [("sum", ["a", "b"])], score)


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e5, 1e7])
def test_under_bge_a_sum_has_a_score_unless_it_is_rounding(unit):
    """In large units the prior is nothing beside the columns: the determinant was wrong by up to 4 nats."""
    rows = {"a": [unit * (0.37 * k % 1) for k in range(60)], "b": [unit * (0.61 * k % 1) for k in range(60)]}
    rows["sum"] = [x + y for x, y in zip(rows["a"], rows["b"], strict=True)]
    found = bl.learn(rows, score="bge", threads=1)
    checked = found.verify(exhaustive=True)
    assert checked.ok, checked.problems
    assert (("a", "sum") in found.network.edges and ("b", "sum") in found.network.edges) == (unit < 1e4)
