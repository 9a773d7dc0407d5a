"""Constraints: contradictions are named, and what is left holds of every result of every solver."""

from __future__ import annotations

import itertools
import random

import pytest

import bayesloom as bl
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.scoring.constrained_cache import constrain
from bayesloom.solvers.api import SOLVERS
from made.constraints import along_an_order
from made.tables import coins
from reference.climbing import acyclic

NAMES = list("abcdef")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "required edge 'a' -> 'b' is forbidden too"),
        ({"required": [("a", "b")], "roots": ["b"]}, "required edge 'a' -> 'b' leads into root 'b'"),
        ({"required": [("a", "b")], "leaves": ["a"]}, "required edge 'a' -> 'b' leads out of leaf 'a'"),
        (
            {"required": [("b", "a")], "tiers": [["a"], ["b"]]},
            "required edge 'b' -> 'a' leads from tier 2 back to tier 1",
        ),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' is in tier 1 and in tier 2"),
        (
            {"required": [("a", "c"), ("b", "c")], "max_parents": {"c": 1}},
            "'c' has 2 required parents ('a', 'b'), but may have 1 at most",
        ),
        (
            {"required": [("a", "c"), ("a", "c")], "max_parents": 0},
            "'c' has 1 required parent ('a'), but may have 0 at most",
        ),
        (
            {"required": [("a", "b"), ("b", "a")]},
            "required edges form a cycle, 'a' -> 'b' -> 'a'",
        ),
        (
            {"required": [("a", "b"), ("b", "c"), ("c", "a")]},
            "required edges form a cycle, 'a' -> 'b' -> 'c' -> 'a'",
        ),
        ({"before": [("a", "b"), ("b", "a")]}, "orders form a cycle, 'a' before 'b' before 'a'"),
        (
            {"required": [("a", "b")], "before": [("b", "a")]},
            "required edges and orders form a cycle, 'b' before 'a' -> 'b'",
        ),
    ],
)
def test_contradictions_are_named(given, message):
    with pytest.raises(InfeasibleError) as error:
        Constraints(**given).check(NAMES)
    assert str(error.value).startswith(f"no network satisfies the constraints: {message}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": [("a", "x")]}, "unknown variable in constraint 'required': 'x'"),
        ({"roots": ["x"]}, "unknown variable in constraint 'roots': 'x'"),
        ({"tiers": [["x"]]}, "unknown variable in constraint 'tiers': 'x'"),
        ({"max_parents": {"x": 1}}, "unknown variable in constraint 'max_parents': 'x'"),
        ({"forbidden": [("a", "a")]}, "constraint 'forbidden' pairs variable 'a' with itself"),
    ],
)
def test_names_are_checked(given, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        Constraints(**given).check(NAMES)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": "ab"}, "must be a list"),
        ({"required": ["ab"]}, "must be a list"),
        ({"required": [("a",)]}, "takes pairs of names"),
        ({"required": [("a", 1)]}, "takes pairs of names"),
        ({"max_parents": {"a": -1}}, "at least 0"),
        ({"max_parents": 1.5}, "at least 0"),
        ({"roots": [1]}, "takes names"),
        ({"requires": []}, "unknown constraint 'requires'. Did you mean 'required'"),
    ],
)
def test_shapes_are_checked(given, message):
    with pytest.raises(InputError, match=message):
        Constraints.given(given)


def test_of_two_lists_of_tiers_both_hold():
    table = coins()
    cache = bl.score(table, constraints={"tiers": [["a"], ["b", "c"]]})
    same = bl.search(cache, constraints={"tiers": [["a"], ["c", "b"]]})
    assert same.constraints["tiers"] == [["a"], ["b", "c"]]
    both = bl.search(cache, constraints={"tiers": [["a", "b"], ["c"]]})
    assert both.constraints == {"tiers": [["a"], ["b", "c"]], "forbidden": [["c", "b"]]}
    rules = Constraints.given(both.constraints)
    for edge in (("b", "a"), ("c", "a"), ("c", "b")):
        assert rules.broken_by(bl.Network.from_edges("abc", [edge])), edge
    for edge in (("a", "b"), ("a", "c"), ("b", "c")):
        assert not rules.broken_by(bl.Network.from_edges("abc", [edge])), edge


def test_of_two_limits_the_smaller_holds():
    both = Constraints(max_parents={"*": 3, "a": 1}).together_with(Constraints(max_parents={"*": 2, "b": 5}))
    assert both.max_parents == {"*": 2, "a": 1, "b": 3}
    assert Constraints(roots=["a"]).together_with(Constraints(max_parents=1)).max_parents == {"*": 1}


def best_by_hand(table, rules: Constraints) -> float:
    """The best score of all networks that keep the constraints, one by one."""
    names = list(table.names)
    n = len(names)
    sets = [
        [c for k in range(n) for c in itertools.combinations([u for u in range(n) if u != v], k)]
        for v in range(n)
    ]
    families = [(names[v], [names[p] for p in chosen]) for v in range(n) for chosen in sets[v]]
    values = iter(bl.local_scores(table, families, threads=1).tolist())
    scored = [{chosen: next(values) for chosen in sets[v]} for v in range(n)]
    best = -float("inf")
    for parents in itertools.product(*sets):
        score = sum(scored[v][chosen] for v, chosen in enumerate(parents))
        if score > best and acyclic([set(chosen) for chosen in parents]):
            lists = {names[v]: [names[p] for p in chosen] for v, chosen in enumerate(parents)}
            if not rules.broken_by(lists):
                best = score
    return best


@pytest.mark.parametrize("seed", range(8))
def test_every_solver_finds_the_best_network_that_keeps_them(seed):
    rng = random.Random(seed)
    table = bl.random_network(4, states=(2, 3), max_parents=2, concentration=0.3, seed=seed).sample(
        60, seed=seed
    )
    rules = along_an_order(rng, list(table.names))
    rules.check(table.names)
    expected = best_by_hand(table, rules)
    cache = bl.score(table, constraints=rules, threads=1)
    assert cache.complete
    for solver in [*SOLVERS, "auto"]:
        exact = solver == "auto" or SOLVERS[solver].exact
        result = bl.search(
            cache, solver=solver, threads=1, memory=1, seed=1, work_limit=None if exact else 20_000
        )
        assert rules.broken_by(result.network) == []
        assert result.score <= expected + 1e-9
        if exact:
            assert result.score == pytest.approx(expected, abs=1e-6)
            assert "that keeps the constraints" in result.claim or not rules
    for method in ("exhaustive", "loop", "independence"):
        learned = bl.learn(table, constraints=rules, threads=1, time_limit=0.5, method=method)
        assert rules.broken_by(learned.network) == []
        assert learned.score <= expected + 1e-6
    assert bl.learn(table, constraints=rules, threads=1).score == pytest.approx(expected, abs=1e-6)


def test_forbidding_keeps_a_cache_complete_and_requiring_does_not():
    table = bl.random_network(6, seed=2).sample(200, seed=2)
    a, b = table.names[:2]
    cache = bl.score(table)
    assert constrain(cache, {"forbidden": [(a, b)]}).plain.complete
    held = constrain(cache, {"forbidden": [(a, b)]})
    again = bl.score(table, constraints={"forbidden": [(a, b)]})
    assert held.plain == again
    child = next(v for v in table.names if any(len(p) for _, p in cache.candidates(v)))
    parent = next(p[0] for _, p in cache.candidates(child) if p)
    assert not constrain(cache, {"required": [(parent, child)]}).plain.complete
    assert bl.score(table, constraints={"required": [(parent, child)]}).complete


def test_a_required_edge_that_no_candidate_has_is_refused_with_what_to_do():
    table = bl.read_table({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10})
    with pytest.raises(InfeasibleError, match=r"no candidate of 'b' .* Score the table with the same"):
        bl.search(bl.score(table), constraints={"required": [("a", "b")]})
    result = bl.learn(table, constraints={"required": [("a", "b")]})
    assert result.network.edges == [("a", "b")]
    assert result.complete


def test_constraints_of_a_cache_are_kept_with_it(tmp_path):
    table = bl.random_network(5, seed=4).sample(100, seed=4)
    a, b = table.names[:2]
    rules = {"before": [[b, a]], "max_parents": {"*": 2}}
    bl.score(table, constraints=rules).write(tmp_path / "held.blc")
    cache = bl.read_cache(tmp_path / "held.blc")
    assert cache.info["constraints"] == rules
    result = bl.search(cache)
    assert result.constraints == rules
    assert Constraints.given(rules).broken_by(result.network) == []
    more = bl.search(cache, constraints={"roots": [a]})
    assert more.network.parents[a] == ()
    assert more.constraints == {**rules, "roots": [a]}


def test_credible_keeps_constraints():
    table = bl.random_network(4, seed=1).sample(80, seed=1)
    a, b = table.names[:2]
    free = bl.credible(table, 20)
    held = bl.credible(table, 20, constraints={"forbidden": [(a, b), (b, a)]})
    assert all(not ({(a, b), (b, a)} & set(network.edges)) for network in held.networks)
    assert held.best <= free.best
    must = bl.credible(table, 20, constraints={"required": [(a, b)]})
    assert must.edge_posterior.directed(a, b) == pytest.approx(1.0)
    assert must.complete
    later = Constraints(before=[(a, b)])
    assert all(not later.broken_by(g) for g in bl.credible(table, 20, constraints=later).networks)


def test_verify_says_which_constraint_is_broken():
    table = bl.read_table({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10})
    network = bl.Network(["a", "b"], {"b": ["a"]})
    assert bl.verify(network, table=table, constraints={"required": [("a", "b")]}).ok
    [problem] = bl.verify(network, table=table, constraints={"forbidden": [("a", "b")]}).problems
    assert problem == "the constraints are broken: forbidden edge 'a' -> 'b' is there."


@pytest.mark.parametrize(
    ("given", "edges", "phrase"),
    [
        ({"required": [("a", "b")]}, [], "required edge 'a' -> 'b' is missing"),
        ({"tiers": [["a"], ["b"]]}, [("b", "a")], "edge 'b' -> 'a' leads from tier 2 to tier 1"),
        ({"leaves": ["a"]}, [("a", "b")], "leaf 'a' has child 'b'"),
        ({"roots": ["b"]}, [("a", "b")], "root 'b' has parents"),
        ({"max_parents": {"b": 0}}, [("a", "b")], "'b' has 1 parent, more than 0"),
        (
            {"before": [("a", "b")]},
            [("b", "c"), ("c", "a")],
            "no order of the network keeps all pairs of 'before': required edges and orders form a cycle",
        ),
    ],
)
def test_a_network_that_breaks_them_is_told_how(given, edges, phrase):
    network = bl.Network.from_edges(["a", "b", "c"], edges)
    assert any(found.startswith(phrase) for found in Constraints(**given).broken_by(network))


def test_required_parents_without_a_score_are_named():
    rows = {"first": [0.3 * k % 1 for k in range(60)], "other": [0.7 * k % 1 for k in range(60)]}
    rows["copy"] = [2 * x for x in rows["first"]]
    with pytest.raises(InfeasibleError, match="variable 'copy' cannot have the parents that are required"):
        bl.learn(rows, score="bic-g", constraints={"required": [["first", "copy"]]})
