"""What `learn` returns goes on without reading again: fit, ask, look, check, compare, export, keep."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest

import bayesloom as bl


@pytest.fixture(scope="module")
def truth() -> bl.FittedNetwork:
    return bl.random_network(6, states=(2, 3), max_parents=2, concentration=0.5, seed=3)


@pytest.fixture(scope="module")
def result(truth) -> bl.LearnResult:
    return bl.learn(truth.sample(1500, seed=3), score="bdeu", options={"ess": 2.0}, max_parents=2)


def test_it_is_a_search_result_with_its_table(result, truth):
    assert isinstance(result, bl.SearchResult)
    assert result.table.row_count == 1500
    assert repr(result).startswith("LearnResult(")
    assert "LearnResult" not in json.dumps(result.to_json())


def test_fit_and_query(result):
    fitted = result.fit()
    assert fitted == result.network.fit(result.table, method="dirichlet")
    assert sum(fitted.query(fitted.names[0]).values()) == pytest.approx(1)
    assert result.fit("ml").log_likelihood(result.table) >= fitted.log_likelihood(result.table)


def test_credible_is_about_the_same_problem(result):
    found = result.credible(bayes_factor=3)
    same = bl.credible(result.table, 3, score="bdeu", options={"ess": 2.0}, max_parents=2)
    assert found.to_json() | {"seconds": 0} == same.to_json() | {"seconds": 0}
    assert found.best == result.score
    assert result.credible(3, max_parents=1).best <= result.score


def test_credible_keeps_the_constraints(truth):
    a, b = truth.network.edges[0]
    held = bl.learn(truth.sample(500, seed=1), constraints={"forbidden": [(a, b), (b, a)]})
    for network in held.credible(20):
        assert not {(a, b), (b, a)} & set(network.edges)


def test_posterior_and_bootstrap_are_about_the_same_problem(result):
    edge = result.network.edges[0]
    bound = bl.learn(result.table, score="bdeu", options={"ess": 2.0}, constraints={"forbidden": [edge]})
    assert bound.posterior().edge_posterior.directed(*edge) == 0.0
    assert edge not in bound.bootstrap(5, learner="hill_climb").averaged_network(threshold=0.01).network.edges
    assert edge in result.bootstrap(5, learner="hill_climb").averaged_network(threshold=0.01).network.edges
    same = bl.posterior(result.table, score="bdeu", options={"ess": 2.0}, max_parents=2)
    assert result.posterior().edge_posterior.rows() == same.edge_posterior.rows()


def test_printed_it_says_over_what_the_gap_is(result):
    assert "gap=0, status" in repr(result)
    later = dataclasses.replace(result, complete=False, fixed_bound_all=result.fixed_bound + 2**30)
    assert "gap=0 over the sets scored, 1 over all networks, status" in repr(later)
    unknown = dataclasses.replace(result, complete=False, fixed_bound_all=None)
    assert "gap=0 over the sets scored, status" in repr(unknown)


def test_verify(result):
    assert result.verify().ok
    assert result.verify(exhaustive=True).ok
    from dataclasses import replace

    assert not replace(result, score=result.score + 1).verify().ok


def test_compare_with_whatever_there_is(result, truth):
    one = result.compare(truth)
    assert one == result.compare(truth.network) == bl.compare(result.network, truth.network)
    assert result.compare(result).same_class


def test_report_and_drawing(result, tmp_path):
    result.report(tmp_path / "r.html")
    assert result.claim in (tmp_path / "r.html").read_text()
    drawn = result.plot()
    assert drawn._repr_svg_().startswith("<svg")
    drawn.write(tmp_path / "n.svg")
    assert (tmp_path / "n.svg").read_text().startswith("<svg")
    with pytest.raises(bl.InputError, match=r"ends in \.svg"):
        drawn.write(tmp_path / "n.gif")


def test_other_libraries(result):
    graph = result.to_networkx()
    assert set(graph.edges) == set(result.network.edges)
    assert "cpt" in graph.nodes[result.network.names[0]]


def test_the_network_as_a_file(result, tmp_path):
    result.write(tmp_path / "n.bif")
    assert bl.read_network(tmp_path / "n.bif") == result.fit()


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_results_survive(result, truth, again):
    one = again(result)
    assert one == result
    assert one.verify().ok
    cache = bl.score(result.table)
    for thing in (
        result.network,
        result.fit(),
        result.table,
        result.cpdag,
        result.compare(truth),
        result.plot(),
        result.verify(),
        result.credible(3).edge_posterior.rows(),
        cache,
        bl.search(cache),
        bl.Constraints(required=[("a", "b")]),
        bl.estimate(result.table),
    ):
        assert again(thing) == thing, type(thing)


def test_from_a_data_frame_to_a_query_by_public_names_alone():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    draw = np.random.default_rng(0)
    rain = draw.random(500) < 0.3
    frame = pandas.DataFrame({"rain": rain, "wet": rain | (draw.random(500) < 0.1)})
    result = bl.learn(frame)
    assert result.fit().query("rain", {"wet": True})["true"] > 0.7
