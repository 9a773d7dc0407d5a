"""`bl.credible` as a user meets it: tables in, whole classes out."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow.parquet as pq
import pytest

import bayesloom as bl
from bayesloom.credible_sets import options
from bayesloom.errors import InputError, ResourceError


@pytest.fixture(scope="module")
def rain():
    rng = random.Random(4)
    rows = 30
    rain = [rng.randrange(2) for _ in range(rows)]
    wet = [r if rng.random() < 0.85 else 1 - r for r in rain]
    cold = [rng.randrange(2) for _ in range(rows)]
    ice = [int(r and c) if rng.random() < 0.9 else rng.randrange(2) for r, c in zip(rain, cold, strict=True)]
    return bl.read_table({"rain": rain, "wet": wet, "cold": cold, "ice": ice}, discrete=True)


def test_posteriors_are_weighted_means_over_the_networks(rain):
    found = bl.credible(rain, 20)
    entries = list(found.networks.with_scores())
    assert math.fsum(entry.posterior for entry in entries) == pytest.approx(1)
    for a, b in combinations(found.names, 2):
        for source, target in ((a, b), (b, a)):
            expected = math.fsum(e.posterior for e in entries if (source, target) in e.network.edges)
            assert found.edge_posterior.directed(source, target) == pytest.approx(expected, abs=1e-12)
            has_edge = found.posterior(lambda g, edge=(source, target): edge in g.edges)
            assert has_edge == pytest.approx(expected, abs=1e-12)
        blanket = math.fsum(e.posterior for e in entries if b in e.network.markov_blanket(a))
        i, j = found.names.index(a), found.names.index(b)
        assert found.markov_blanket_posterior[i, j] == pytest.approx(blanket)
        assert found.markov_blanket_posterior[j, i] == pytest.approx(blanket)
    v_structure = math.fsum(
        e.posterior
        for e in entries
        if {"rain", "cold"} <= set(e.network.parents["ice"])
        and not {("rain", "cold"), ("cold", "rain")} & set(e.network.edges)
    )
    assert found.v_structure_posterior("rain", "ice", "cold") == pytest.approx(v_structure)
    assert found.path_posterior("rain", "wet") >= found.edge_posterior.directed("rain", "wet") - 1e-12
    total = math.fsum(weight for weight, _ in found.parent_set_posterior("ice"))
    assert total == pytest.approx(1)


def test_the_limit_caps_the_listing_and_never_the_count(rain):
    found = bl.credible(rain, 150, limit=3)
    assert len(list(found.networks)) == 3
    assert found.count > 3
    assert found.count == bl.credible(rain, 150).count
    assert len(list(bl.credible(rain, 150, limit=0).networks)) == 0


def test_a_threshold_network_holds_the_likely_edges(rain):
    found = bl.credible(rain, 20)
    likely = {(a, b) for a, b, directed, _ in found.edge_posterior.rows() if directed > 0.5}
    assert set(found.threshold_network().edges) <= likely
    assert set(found.threshold_network(1.0).edges) == set()
    with pytest.raises(InputError, match="between 0 and 1"):
        found.threshold_network(2)


def test_edges_that_would_close_a_cycle_are_left_out():
    matrix = np.array([[0, 0.6, 0], [0, 0, 0.62], [0.61, 0, 0]])
    network = bl.EdgePosterior(("A", "B", "C"), matrix).threshold_network()
    assert network.edges == [("C", "A"), ("B", "C")]


def test_files_hold_what_the_iterators_give(rain, tmp_path):
    found = bl.credible(rain, 20)
    assert found.write(tmp_path / "all.jsonl") == found.count
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    entries = list(found.networks.with_scores())
    assert [row["score"] for row in rows] == [entry.score for entry in entries]
    assert [row["parents"] for row in rows] == [
        {name: list(up) for name, up in entry.network.parents.items()} for entry in entries
    ]
    assert found.write(tmp_path / "classes.jsonl", by="class") == found.classes.count
    rows = [json.loads(line) for line in (tmp_path / "classes.jsonl").read_text().splitlines()]
    assert sum(row["members"] for row in rows) == found.count
    assert bl.credible(rain, 20, limit=2).write(tmp_path / "two.jsonl.gz") == 2


def test_names_are_quoted_in_files(tmp_path):
    table = bl.read_table({'a "b"\\': [0, 1] * 10, "tab\tü": [0, 1] * 10}, discrete=True)
    found = bl.credible(table, 3)
    found.write(tmp_path / "all.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {tuple(row["parents"]) for row in rows} == {('a "b"\\', "tab\tü")}


def test_a_cache_that_is_not_complete_for_the_factor_is_said_to_be_so(rain):
    narrow = bl.score(rain)
    found = bl.credible(narrow, 20)
    assert not found.complete
    assert "there may be others" in found.claim
    assert bl.credible(narrow, 1).complete
    limited = bl.credible(rain, 20, max_parents=1)
    assert "with at most 1 parent each" in limited.claim
    assert limited.count < bl.credible(rain, 20).count


def test_a_count_that_is_stopped_becomes_an_estimate(rain, monkeypatch):
    whole = bl.credible(rain, 150)

    class Stopped:
        """A set whose count ends after one unit of work."""

        def __init__(self, core):
            self._real = core

        def count(self, **_):
            stopped = self._real.count(work=1)
            assert stopped["count"] is None
            return stopped

        def __getattr__(self, name):
            return getattr(self._real, name)

    module = sys.modules["bayesloom.credible_sets.api"]
    make = module.make
    monkeypatch.setattr(module, "make", lambda *a: (Stopped(make(*a)[0]), False))
    found = bl.credible(rain, 150)
    assert not found.count_is_exact
    assert not found.complete
    assert "estimated" in found.claim
    assert abs(found.count - whole.count) <= max(1, 6 * found.count_error)
    assert all(math.isnan(e.posterior) for e in found.networks.with_scores())
    edges = found.edge_posterior
    assert 0 < edges.error < 0.05
    np.testing.assert_allclose(edges.matrix, whole.edge_posterior.matrix, atol=5 * edges.error)
    with pytest.raises(ResourceError, match="was not counted to the end"):
        found.coverage()
    with pytest.raises(bl.InputError, match=r"three different variables"):
        found.v_structure_posterior("rain", "rain", "wet")


def test_the_size_is_estimated_before_it_is_counted(rain):
    told = []
    found = bl.credible(rain, 150, on_estimate=lambda *estimate: told.append(estimate))
    assert told == [found.expected]
    assert abs(found.expected[0] - found.count) <= 6 * found.expected[1] + 1


def test_parquet_holds_what_json_lines_hold(rain, tmp_path):
    found = bl.credible(rain, 20)
    assert found.write(tmp_path / "all.jsonl") == found.write(tmp_path / "all.parquet") == found.count
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert pq.read_table(tmp_path / "all.parquet").to_pylist() == rows
    found.write(tmp_path / "classes.jsonl", by="class")
    found.write(tmp_path / "classes.parquet", by="class")
    rows = [json.loads(line) for line in (tmp_path / "classes.jsonl").read_text().splitlines()]
    assert pq.read_table(tmp_path / "classes.parquet").to_pylist() == rows
    assert bl.credible(rain, 20, limit=2).write(tmp_path / "two.parquet") == 2
    assert bl.credible(rain, 20, limit=2).write(tmp_path / "two.parquet", by="class") == 2
    with pytest.raises(InputError, match="by must be 'network' or 'class'"):
        found.write(tmp_path / "all.jsonl", by="edge")


def test_coverage_says_of_what(rain):
    found = bl.credible(rain, 20)
    covered = found.coverage()
    assert covered.among == "all networks over 4 variables"
    assert 0.5 < covered.share < bl.credible(rain, 1e6).coverage().share <= 1
    of_cache = bl.credible(bl.score(rain, bayes_factor=20), 20)
    assert "candidates of the cache" in of_cache.coverage().among
    assert of_cache.coverage().share >= covered.share
    assert of_cache.coverage(rain).share == pytest.approx(covered.share, rel=1e-12)
    limited = bl.credible(rain, 20, max_parents=1).coverage()
    assert limited.among == "all networks over 4 variables with at most 1 parent each"
    with pytest.raises(InputError, match="does not have the variables"):
        found.coverage({"other": [0, 1]})


def test_large_sets_are_averaged_over_draws(rain, monkeypatch):
    exact = bl.credible(rain, 150)
    monkeypatch.setattr(options, "OPTIONS", replace(options.OPTIONS, listed=1, listed_in_python=1))
    drawn = bl.credible(rain, 150)
    assert drawn.markov_blankets.error == 0.005
    np.testing.assert_allclose(drawn.markov_blanket_posterior, exact.markov_blanket_posterior, atol=0.03)
    np.testing.assert_allclose(drawn.path_posteriors.matrix, exact.path_posteriors.matrix, atol=0.03)
    value = drawn.v_structure_posterior("rain", "ice", "cold")
    assert not value.exact
    assert abs(value - exact.v_structure_posterior("rain", "ice", "cold")) < 6 * value.error
    edge = drawn.posterior(lambda g: ("rain", "wet") in g.edges)
    assert abs(edge - exact.edge_posterior.directed("rain", "wet")) < 6 * edge.error
    assert len(drawn.draw(5, seed=1)) == 5
    assert drawn.draw(5, seed=1) == drawn.draw(5, seed=1)


def test_k_best_is_the_head_of_the_sorted_set(rain):
    cache = bl.score(rain, bayes_factor=1e6)
    wide = sorted((e.score for e in bl.credible(cache, 1e4).networks.with_scores()), reverse=True)
    classes = sorted((e.score for e in bl.credible(cache, 1e4).classes), reverse=True)
    for k in (1, 2, 10, 40):
        best = bl.k_best(cache, k)
        assert [entry.score for entry in best.entries] == wide[:k]
        assert len(set(best.networks)) == k
        assert math.fsum(entry.posterior for entry in best.entries) == pytest.approx(1)
        assert best.complete
        by_class = bl.k_best(cache, k, by="class")
        assert [entry.score for entry in by_class.entries] == classes[:k]
        assert all(entry.members == entry.size for entry in by_class.entries)
        from_table = bl.k_best(rain, k)
        assert [entry.score for entry in from_table.entries] == wide[:k]
        assert from_table.complete
    assert not bl.k_best(bl.score(rain), 10**6).complete  # all there are over a narrow cache


def test_k_best_of_all_networks_is_all_of_them(rain):
    assert len(bl.k_best(rain, 10**6).entries) == 543
    assert len(bl.k_best(rain, 10**6, by="class").entries) == 185


def test_a_claim_names_what_is_counted_beyond_the_factor(rain):
    found = bl.credible(rain, bayes_factor=20, tolerance=1.5)
    assert found.claim.endswith("within Bayes factor 20 and 1.5 nats of the best")
    assert found.count > bl.credible(rain, bayes_factor=20).count


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bayes_factor": 0.5}, "bayes_factor must be a number of at least 1 and .*, got 0.5"),
        ({"bayes_factor": math.inf}, "bayes_factor must be a number"),
        ({"tolerance": -1}, "tolerance must be a number of nats"),
        ({"tolerance": 1000}, "tolerance must be a number of nats from 0 to 688"),
        ({"limit": -1}, "limit must be a whole number of at least 0"),
        ({"time_limit": 0}, "time_limit must be a positive number"),
    ],
)
def test_wrong_arguments_are_named(rain, arguments, message):
    with pytest.raises(InputError, match=message):
        bl.credible(rain, **arguments)


def test_a_cache_takes_no_score(rain):
    with pytest.raises(InputError, match="are for tables"):
        bl.credible(bl.score(rain), 3, score="bic")


def test_time_that_ends_before_the_best_is_known_is_an_error(stepping_clock):
    table = bl.random_network(22, states=(2, 2), seed=1).sample(200, seed=1)
    cache = bl.score(table, bayes_factor=3)
    stepping_clock(0.001)
    with pytest.raises(ResourceError, match="before the best score was known"):
        bl.credible(cache, 3, time_limit=0.01)


@pytest.mark.parametrize("even", [True, False])
def test_networks_are_drawn_evenly_or_by_mass(rain, even):
    found = bl.credible(rain, 20)
    draws = 40_000
    rows, scores = found._core.stream().take(found.count)
    listed = [tuple(row) for row in rows.reshape(found.count, -1).tolist()]
    mass = np.exp((scores - scores.max()) / 2**30)
    expected = np.full(found.count, draws / found.count) if even else draws * mass / mass.sum()
    drawn, _ = found._core.draw(draws, 3, even=even)
    met = Counter(tuple(row) for row in drawn.reshape(draws, -1).tolist())
    assert set(met) <= set(listed)
    assert all(abs(met[row] - mean) < 5 * math.sqrt(mean) for row, mean in zip(listed, expected, strict=True))


def test_the_number_of_classes_is_estimated_from_networks_drawn(rain):
    found = bl.credible(rain, 150)
    assert found.classes.complete
    about, error = found._class_estimate()
    assert abs(about - found.classes.count) < 5 * error + 1e-9


def test_posteriors_of_too_many_pairs_are_refused_before_they_are_made() -> None:
    """A number for each pair of 3,000 variables takes 72 MB, with copies 216."""
    names = [f"x{v}" for v in range(3000)]
    cache = bl.ScoreCache.from_candidates(names, {name: [(-1.0, [])] for name in names})
    found = bl.credible(cache, 3, memory=0.1)
    assert found.count == 1
    with pytest.raises(bl.ResourceError, match="all pairs of 3,000 variables"):
        _ = found.edge_posterior
