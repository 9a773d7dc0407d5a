"""What `posterior` and `bootstrap` write: right ones pass, wrong ones that fit together are found."""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.credible_sets.edge_posterior import EdgePosterior
from bayesloom.posterior_sampling.options import OPTIONS
from bayesloom.resampling.threshold import significance_threshold
from bayesloom.solvers.result import run_object
from bayesloom.verification import bootstrap_runs, posterior_runs
from bayesloom.verification.all_sums import sum_of_all
from bayesloom.verification.averaged_networks import verify_averaged
from bayesloom.verification.checks import UNIT, Checklist
from bayesloom.verification.every_network import lists_of_cache, networks_above
from made.caches import random_cache
from made.interventions import experiment


def written(found, command):
    return json.loads(json.dumps({"bayesloom": bl.__version__, "command": command, **found.to_json()}))


def outcome(found, what):
    return next(check.outcome for check in found.checks if check.what == what)


def table_of(n, seed, rows=60):
    return bl.random_network(n, states=(2, 3), max_parents=2, seed=seed).sample(rows, seed=seed)


# The sum over all networks

FAR = 10**18  # units: below any network


@pytest.mark.parametrize("seed", range(12))
def test_the_sum_over_all_networks_is_that_of_a_list_of_them(seed):
    cache = random_cache(seed, 4, 6)
    orders = [(0, 2), (3, 1)] if seed % 2 else []
    lists = lists_of_cache(cache)
    networks = list(networks_above(lists, -FAR, orders))
    if not networks:
        return
    best = max(score for score, _ in networks)
    weights = [math.exp((score - best) * UNIT) for score, _ in networks]
    total, edges = sum_of_all(lists, orders)
    assert total == pytest.approx(best * UNIT + math.log(math.fsum(weights)), abs=1e-9)
    for (a, b), share in edges.items():
        mass = math.fsum(w for w, (_, up) in zip(weights, networks, strict=True) if a in up[b])
        assert share == pytest.approx(mass / math.fsum(weights), abs=1e-12)


def test_sums_of_scores_thousands_of_nats_apart():
    lists = {
        "a": [(-1.0, []), (-3000.0, ["b", "c"])],
        "b": [(-2500.0, []), (-1.0, ["a", "c"])],
        "c": [(-4000.0, []), (-3999.0, ["b"]), (-10.0, ["a"])],
    }
    cache = bl.ScoreCache.from_candidates("abc", lists)
    found = bl.posterior(cache, method="exact")
    total, edges = sum_of_all(lists_of_cache(cache))
    assert total == pytest.approx(found.log_total)
    for (a, b), share in edges.items():
        assert share == pytest.approx(found.edge_posterior.matrix[a, b], abs=1e-12)


# Posteriors


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["exact", "chains"])
def test_posteriors_pass_and_are_found_again(seed, method):
    table = table_of(3 + seed, seed)
    run = written(bl.posterior(table, method=method, seed=seed), "posterior")
    found = bl.verify_run(run, table=table)
    assert found.problems == ()
    assert outcome(found, "values of posteriors") == "ok"


def test_more_variables_are_summed_if_asked_to():
    table = table_of(8, 1)
    run = written(bl.posterior(table), "posterior")
    assert outcome(bl.verify_run(run, table=table), "values of posteriors") == "not checked"
    assert outcome(bl.verify_run(run, table=table, exhaustive=True), "values of posteriors") == "ok"
    table = table_of(10, 1)
    run = written(bl.posterior(table), "posterior")
    found = bl.verify_run(run, table=table, exhaustive=True)
    assert found.ok
    assert outcome(found, "values of posteriors") == "not checked"


def with_other_shares(found, change):
    """The result of other shares of edges, in which everything that follows from them does."""
    matrix = found.edge_posterior.matrix.copy()
    change(matrix)
    edges = EdgePosterior(found.names, matrix)
    run = written(found, "posterior")
    error = {(e["from"], e["to"]): e["error"] for e in run["edges"]}
    run["edges"] = [
        {"from": a, "to": b, "posterior": p, "adjacent": q, "error": error.get((a, b), 0.0)}
        for a, b, p, q in edges.rows()
    ]
    return {**run, "averaged": json.loads(json.dumps(bl.averaged_network(edges).to_json()))}


def exchanged(matrix):
    """Exchange the surest pair with the least sure one that is there."""
    joined = np.triu(matrix + matrix.T, 1)
    i, j = np.unravel_index(np.argmax(joined), joined.shape)
    k, m = np.unravel_index(np.argmin(np.where(joined > 0, joined, 2.0)), joined.shape)
    for one, other in (((i, j), (k, m)), ((j, i), (m, k))):
        matrix[one], matrix[other] = matrix[other], matrix[one]


@pytest.mark.parametrize("method", ["exact", "chains"])
def test_forged_posteriors_are_found_by_summing_again(method):
    """The shares of two pairs exchanged, and all that follows: nothing but the sum betrays it."""
    cache = bl.score(table_of(4, 11, rows=30), bayes_factor=1e6)
    forged = with_other_shares(bl.posterior(cache, method=method, seed=2), exchanged)
    found = bl.verify_run(forged, cache=cache)
    assert len(found.problems) >= 2
    assert all("found again" in problem for problem in found.problems)
    # Where nothing can be summed, it is said.
    table = table_of(10, 3, rows=50)
    forged = with_other_shares(bl.posterior(table), exchanged)
    found = bl.verify_run(forged, table=table)
    assert found.ok
    assert outcome(found, "values of posteriors") == "not checked"


def test_the_verifier_knows_when_chains_agree():
    assert OPTIONS.most_r_hat == posterior_runs.MOST_R_HAT
    assert OPTIONS.most_difference == posterior_runs.MOST_DIFFERENCE
    assert OPTIONS.least_effective == posterior_runs.LEAST_EFFECTIVE
    assert OPTIONS.least_effective_edges == posterior_runs.LEAST_EFFECTIVE_EDGES


def test_chains_said_to_agree_that_do_not():
    cache = bl.score(table_of(5, 2), bayes_factor=1e6)
    run = written(bl.posterior(cache, method="chains"), "posterior")
    assert run["reliable"]
    for key, value in (
        ("r_hat", 1.06),
        ("largest_difference", 0.21),
        ("effective", 99.0),
        ("effective_edges", 99.0),
    ):
        forged = copy.deepcopy(run)
        forged["diagnostics"][key] = value
        problems = bl.verify_run(forged, cache=cache).problems
        assert "agree is True, but by the other diagnostics it is False." in problems, key


def test_a_posterior_beside_something_else_than_what_it_was_made_from():
    table = table_of(4, 5)
    cache = bl.score(table, bayes_factor=1e6)
    of_cache, of_table = (written(bl.posterior(given), "posterior") for given in (cache, table))
    for run, against in ((of_cache, {"table": table}), (of_table, {"cache": cache})):
        found = bl.verify_run(run, **against)
        assert found.ok
        assert outcome(found, "values of posteriors") == "not checked"
    assert bl.verify_run(of_cache, table=table, cache=cache).ok
    assert bl.verify_run(of_table, table=table, cache=cache).ok
    other = table_of(4, 6)
    assert not bl.verify_run(of_table, table=other).ok


def test_sets_left_out_are_borne_by_the_sum_of_a_table(monkeypatch):
    from bayesloom.posterior_sampling import options as tuned

    monkeypatch.setattr(tuned, "OPTIONS", tuned.PosteriorOptions(all_sets_up_to=0, most_left_out=0.3))
    table = table_of(5, 4, rows=100)
    found = bl.posterior(table)
    assert 0 < found.left_out.most < 0.3
    checked = bl.verify_run(written(found, "posterior"), table=table)
    assert checked.problems == ()
    assert outcome(checked, "last digits of posteriors") == "not checked"


# Averaged networks


def checked(names, averaged, share, threshold):
    checks = Checklist()
    verify_averaged(checks, names, averaged, share, threshold)
    return checks.problems


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("rule", ["distance", "threshold"])
def test_averaged_networks_pass_and_others_do_not(seed, rule):
    draw = np.random.default_rng(seed)
    n = 5
    both = draw.random((n, n)) * (draw.random((n, n)) < 0.8)
    turn = draw.random((n, n))
    matrix = np.triu(both * turn, 1) + np.triu(both * (1 - turn), 1).T
    names = list("abcde")
    threshold = 0.4 if rule == "threshold" else None
    posterior = EdgePosterior(tuple(names), matrix)
    averaged = bl.averaged_network(posterior, threshold=threshold).to_json()
    share = {
        (names[i], names[j]): float(matrix[i, j])
        for i, j in itertools.product(range(n), range(n))
        if matrix[i, j]
    }
    assert checked(names, averaged, share, threshold) == ()
    # Every other network of one edge less, more or turned is told, unless it is as good.
    told = 0
    for a, b in itertools.permutations(names, 2):
        parents = copy.deepcopy({name: list(up) for name, up in averaged["parents"].items()})
        if a in parents[b]:
            parents[b].remove(a)
        elif b in parents[a]:
            parents[a].remove(b)
            parents[b] = sorted([*parents[b], a])
        else:
            parents[b] = sorted([*parents[b], a])
        told += bool(checked(names, {**averaged, "parents": parents}, share, threshold))
    assert told == n * (n - 1)


# Bootstraps


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("classes", [True, False])
def test_bootstraps_pass_and_are_learned_again(score, classes):
    table = table_of(4, 9)
    run = written(bl.bootstrap(table, 12, score=score, classes=classes, seed=3), "bootstrap")
    found = bl.verify_run(run, table=table)
    assert found.problems == ()
    assert outcome(found, "values of strengths and directions") == "ok"
    other = bl.verify_run({**run, "seed": 4}, table=table)
    assert any("learned again" in problem for problem in other.problems)


def test_replicates_of_a_table_with_weights_and_of_numbers_are_drawn_again():
    plain = table_of(3, 4)
    weights = np.random.default_rng(1).integers(1, 5, size=plain.row_count)
    weighted = bl.Table(
        names=plain.names, states=plain.states, codes=plain.codes, weights=weights.astype(np.uint32)
    )
    draw = np.random.default_rng(2)
    x = draw.normal(size=80)
    numbers = {"x": x, "y": x + draw.normal(size=80), "z": draw.normal(size=80)}
    for given, score in ((weighted, "bic"), (numbers, "bic-g")):
        run = written(bl.bootstrap(given, 10, score=score, learner="exact"), "bootstrap")
        found = bl.verify_run(run, table=given)
        assert found.problems == ()
        assert outcome(found, "values of strengths and directions") == "ok"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [True, False])
def test_replicates_of_a_table_with_interventions_are_drawn_again(weighted, classes):
    table = experiment("discrete", 3, rows=80)
    if weighted:
        weights = np.random.default_rng(1).integers(1, 4, size=80)
        table = replace(table, weights=weights.astype(np.uint32))
    run = written(bl.bootstrap(table, 12, learner="exact", classes=classes, seed=2), "bootstrap")
    found = bl.verify_run(run, table=table)
    assert found.problems == ()
    assert outcome(found, "values of strengths and directions") == "ok"
    assert any(
        "learned again" in problem for problem in bl.verify_run({**run, "seed": 4}, table=table).problems
    )
    numbers = experiment("continuous", 3, rows=80)
    run = written(bl.bootstrap(numbers, 4, score="bge", learner="exact"), "bootstrap")
    found = bl.verify_run(run, table=numbers)
    assert found.ok
    assert outcome(found, "values of strengths and directions") == "not checked"


@pytest.mark.parametrize(
    "given",
    [{}, {"forbidden": [["X2", "X0"]]}, {"max_parents": {"X1": 1}}, {"tiers": [["X0", "X2"], ["X1", "X3"]]}],
)
@pytest.mark.parametrize("score", ["bic-cg", "dg"])
def test_constraints_asked_for_are_those_of_the_result_where_the_score_has_its_own(given, score):
    """bic-cg allows no continuous parent of a discrete variable, and the result says so as constraints."""
    table = replace(experiment("mixed", 10, variables=4, rows=80), interventions=None)
    assert table.continuous == ("X0", "X1")
    runs = [
        run_object(bl.learn(table, score=score, constraints=given), "learn"),
        written(bl.posterior(table, score=score, constraints=given), "posterior"),
        written(bl.bootstrap(table, 3, score=score, constraints=given, learner="exact"), "bootstrap"),
    ]
    for run in runs:
        assert bl.verify_run(run, table=table, constraints=given).problems == ()
        other = bl.verify_run(run, table=table, constraints={**given, "roots": ["X2"]})
        assert "the constraints of the result are not those it is checked against." in other.problems


def test_a_bootstrap_that_cannot_be_learned_again_says_why():
    table = table_of(4, 9)
    run = written(bl.bootstrap(table, 6), "bootstrap")
    for change, why in (
        ({"learner": "hill_climb"}, "only the learner 'exact'"),
        ({"asked": 7}, "which of the replicates"),
    ):
        found = bl.verify_run({**run, **change}, table=table)
        check = next(c for c in found.checks if c.what == "values of strengths and directions")
        assert check.outcome == "not checked"
        assert why in check.detail
    wide = table_of(6, 9)
    run = written(bl.bootstrap(wide, 4), "bootstrap")
    what = "values of strengths and directions"
    assert outcome(bl.verify_run(run, table=wide), what) == "not checked"
    assert outcome(bl.verify_run(run, table=wide, exhaustive=True), what) == "ok"


@pytest.mark.parametrize("seed", range(40))
def test_thresholds_are_those_of_the_rule(seed):
    draw = random.Random(seed)
    variables = draw.choice([2, 3, 5, 9])
    pairs = variables * (variables - 1) // 2
    strengths = [draw.choice([0.0, 0.05, 0.5, 0.95, 1.0, draw.random()]) for _ in range(pairs)]
    run = {"edges": [{"strength": s} for s in strengths if s > 0]}
    known = bootstrap_runs._thresholds(run, variables)
    assert significance_threshold(strengths) in known
    assert len(known) <= 2


def test_results_of_other_verbs_are_refused():
    table = table_of(3, 1)
    with pytest.raises(bl.InputError, match="learn, search, credible, posterior or bootstrap"):
        bl.verify_run({"bayesloom": bl.__version__, "command": "query"}, table=table)
