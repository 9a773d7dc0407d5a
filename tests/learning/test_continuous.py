"""`learn` and what follows it on tables with numbers."""

from __future__ import annotations

import importlib
import json

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.solvers.result import run_object
from made.command import run
from made.continuous import conditional_gaussian, linear_gaussian, tied_numbers
from made.scores import of_both, of_numbers


@pytest.mark.parametrize("name", of_numbers)
def test_a_small_table_is_proved_verified_and_counted(name):
    table, _ = linear_gaussian(1, variables=7, rows=500, degree=2)
    result = bl.learn(table, score=name, threads=1)
    assert (result.status, result.proof, result.gap) == ("optimal", "all networks", 0)
    assert result.verify(exhaustive=True).ok
    best = bl.search(bl.score(table, score=name), solver="dp")
    assert best.fixed_score == result.fixed_score
    found = result.credible(20.0)
    assert found.count >= 1
    assert bl.search(bl.score(table, score=name, bayes_factor=20.0), solver="astar").score == result.score


@pytest.mark.parametrize("penalty", [0.5, 2.0, 5.0])
def test_a_penalty_is_proved_and_verified_and_cannot_be_denied(penalty):
    table, _ = linear_gaussian(1, variables=7, rows=500, degree=3)
    given = {"penalty": penalty}
    result = bl.learn(table, score="bic-g", options=given, threads=1)
    assert (result.status, result.proof, result.gap) == ("optimal", "all networks", 0)
    assert result.verify(exhaustive=True).ok
    best = bl.search(bl.score(table, score="bic-g", options=given), solver="dp")
    loop = bl.learn(table, score="bic-g", options=given, method="loop", threads=1)
    assert best.fixed_score == result.fixed_score == loop.fixed_score
    plain = bl.learn(table, score="bic-g", threads=1)
    assert (len(plain.network.edges) > len(result.network.edges)) == (penalty > 1)
    said = run_object(result, "learn")
    assert said["score_options"] == given
    assert bl.verify_run(said, table=table, exhaustive=True).ok
    for wrong in ({}, {"penalty": 2 * penalty}):
        assert not bl.verify_run({**said, "score_options": wrong}, table=table).ok


@pytest.mark.parametrize("name", of_both)
def test_a_small_mixed_table_is_proved_and_verified(name):
    table, _ = conditional_gaussian(2, variables=6, rows=400)
    result = bl.learn(table, score=name, threads=1)
    assert (result.status, result.proof) == ("optimal", "all networks")
    assert result.verify().ok
    if name == "bic-cg":
        numbers = set(table.continuous)
        assert all(v in numbers for u, v in result.network.edges if u in numbers)
        assert [set(names) for names in result.constraints["tiers"]][1] == numbers
        across = [edge for edge in result.edges if (edge.source in numbers) != (edge.target in numbers)]
        assert across
        assert all(edge.compelled for edge in across)
        assert result.credible(20.0).count >= 1
        assert bl.k_best(table, 3, score=name)


@pytest.mark.parametrize("name", [*of_numbers, *of_both])
def test_constraints_are_kept(name):
    table, _ = linear_gaussian(3, variables=6, rows=200)
    rules = {"required": [["X0", "X1"]], "forbidden": [["X2", "X3"], ["X3", "X2"]], "max_parents": 2}
    result = bl.learn(table, score=name, constraints=rules, threads=1)
    assert ("X0", "X1") in result.network.edges
    assert not {("X2", "X3"), ("X3", "X2")} & set(result.network.edges)
    assert result.verify().ok


@pytest.mark.parametrize("name", of_numbers)
def test_the_loop_takes_over_where_there_are_many_variables(name):
    table, _ = linear_gaussian(4, variables=40, rows=300, degree=3)
    result = bl.learn(table, score=name, method="loop", time_limit=3, threads=1)
    assert result.solver.startswith("loop")
    assert result.verify().ok
    greedy = bl.search(bl.score(table, score=name, max_parents=1), solver="obs", work_limit=10)
    assert result.score > greedy.score


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*of_numbers, "dg"])
def test_copies_and_sums_do_not_stop_the_loop(name, seed):
    """The climber meets sets that have no score, as an edge is turned or a parent added."""
    table = tied_numbers(seed, variables=9, rows=60)
    result = bl.learn(table, score=name, method="loop", time_limit=None, threads=1)
    assert result.verify().ok
    best = bl.search(bl.score(table, score=name), solver="dp")
    assert result.score <= best.score


def test_numbers_are_kept_where_the_score_is_of_numbers():
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    rows = {
        "x": x,
        "y": x + rng.normal(size=60),
        "k": rng.integers(0, 4, 60),
        "s": rng.choice(["a", "b"], 60),
    }
    assert bl.learn(rows, score="bic", threads=1).table.continuous == ()
    assert bl.learn(rows, score="bic-g", exclude="s", threads=1).table.continuous == ("x", "y", "k")
    mixed = bl.learn(rows, score="bic-cg", threads=1)
    assert mixed.table.continuous == ("x", "y")
    assert ("x", "y") in mixed.network.edges or ("y", "x") in mixed.network.edges
    assert bl.learn(rows, score="dg", continuous=["x"], threads=1).table.continuous == ("x",)
    assert bl.learn(rows, score="dg", discretize="mean", threads=1).table.continuous == ()
    with pytest.raises(InputError, match="score 'bge' is of numbers, and 's' is not continuous"):
        bl.learn(rows, score="bge")
    with pytest.raises(InputError, match="discretize= cuts numbers, and score 'bge' is of numbers"):
        bl.learn(rows, score="bge", discretize="mean")


def test_the_command_line(tmp_path, capsys):
    table, _ = conditional_gaussian(5, variables=5, rows=200)
    data, out = tmp_path / "data.csv", tmp_path / "run.json"
    table.write(data)
    assert run(capsys, "learn", data, "--score", "bic-cg", "--json", out, "--threads", 1).code == 0
    made = json.loads(out.read_text())
    kinds = {column["name"]: column["kind"] for column in made["table"]["columns"]}
    assert [name for name, kind in kinds.items() if kind == "continuous"] == list(table.continuous)
    assert run(capsys, "verify", out, "--data", data).code == 0
    refused = run(capsys, "learn", data, "--score", "bge")
    assert refused.code == 1
    assert "not continuous" in refused.err


def test_the_estimator_keeps_numbers():
    pytest.importorskip("sklearn")
    learner = importlib.import_module("bayesloom.sklearn").StructureLearner
    table, _ = linear_gaussian(6, variables=4, rows=200, degree=3)
    values = np.stack([table.values(name) for name in table.names], axis=1)
    for name in [*of_numbers, *of_both]:
        fitted = learner(name, bayes_factor=3.0).fit(values)
        assert fitted.result_.table.continuous == ("x0", "x1", "x2", "x3")
        assert fitted.score_ == bl.learn(table, score=name).score
        assert fitted.edge_posterior_.shape == (4, 4)
        with pytest.raises(ValueError, match="continuous variables"):
            fitted.score(values)


def test_networks_are_written_reported_and_fitted(tmp_path):
    table, _ = linear_gaussian(7, variables=4, rows=100)
    result = bl.learn(table, score="bge", threads=1)
    result.write(tmp_path / "network.json")
    assert bl.read_network(tmp_path / "network.json").names == table.names
    result.report(tmp_path / "report.html")
    fitted = result.fit()
    assert isinstance(fitted, bl.GaussianNetwork)
    assert fitted.network == result.network


def test_the_bootstrap_draws_rows_of_numbers():
    table, _ = linear_gaussian(8, variables=4, rows=150)
    found = bl.bootstrap(table, 5, score="bic-g", threads=1)
    assert found.complete


def test_a_report_reads_the_table_as_the_run_did(tmp_path, capsys):
    table, _ = linear_gaussian(9, variables=4, rows=80)
    table.write(tmp_path / "t.csv")
    for verb in ("learn", "score"):
        more = ["--json", tmp_path / "run.json"] if verb == "learn" else ["-o", tmp_path / "t.blc"]
        assert run(capsys, verb, tmp_path / "t.csv", "--score", "bge", "-q", *more).code == 0
    for words in (["report", "run.json"], ["view", "run.json", "--no-open"], ["view", "t.blc", "--no-open"]):
        page = tmp_path / "page.html"
        given = [words[0], tmp_path / words[1], *words[2:], "--data", tmp_path / "t.csv", "-o", page]
        assert run(capsys, *given).code == 0
        if words[1] == "run.json":  # of a cache no columns are shown
            assert "are kept as numbers" in page.read_text(encoding="utf-8")
