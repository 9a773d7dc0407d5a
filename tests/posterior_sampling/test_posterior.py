"""Posteriors over networks: against all networks, all partitions, and each other."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError, Interrupted, ResourceError
from bayesloom.posterior_sampling import api
from bayesloom.posterior_sampling import options as tuned
from bayesloom.posterior_sampling.diagnostics import Diagnostics, effective_size, error_of_batches, r_hat
from bayesloom.posterior_sampling.left_out import left_out_of
from bayesloom.posterior_sampling.result import largest_difference
from made.caches import random_cache
from made.command import run
from reference.posteriors import (
    AllNetworks,
    layers_of,
    local_array,
    log_partition_weight,
    partition_weight,
    partitions,
)


def small_table(n, seed, rows=60):
    return bl.random_network(n, states=(2, 3), max_parents=2, seed=seed).sample(rows, seed=seed)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_exact_sums_are_those_over_all_networks(n, seed):
    cache = bl.score(small_table(n, seed), bayes_factor=1e12)
    truth = AllNetworks(cache)
    found = bl.posterior(cache)
    assert found.method == "exact"
    assert found.log_total == pytest.approx(truth.log_total, abs=1e-9)
    assert np.allclose(found.edge_posterior.matrix, truth.edges(), atol=1e-11)
    assert found.deviation < 1e-10
    for v, name in enumerate(cache.names):
        for share, parents in found.parent_set_posterior(name):
            mask = sum(1 << cache.names.index(p) for p in parents)
            assert share == pytest.approx(truth.parent_set(v, mask), abs=1e-11)


@pytest.mark.parametrize("seed", range(8))
def test_exact_sums_of_any_cache(seed):
    """Random caches have sets whose subsets are missing, scores far apart, and parts that hang together."""
    cache = random_cache(seed, 5, 8)
    truth = AllNetworks(cache)
    found = bl.posterior(cache, method="exact")
    assert np.allclose(found.edge_posterior.matrix, truth.edges(), atol=1e-10)
    assert found.log_total == pytest.approx(truth.log_total, abs=1e-9)


def test_scores_thousands_of_nats_apart():
    lists = {
        "a": [(-1.0, []), (-3000.0, ["b", "c"])],
        "b": [(-2500.0, []), (-1.0, ["a", "c"])],
        "c": [(-4000.0, []), (-3999.0, ["b"]), (-10.0, ["a"])],
    }
    cache = bl.ScoreCache.from_candidates("abc", lists)
    truth = AllNetworks(cache)
    found = bl.posterior(cache, method="exact")
    assert np.allclose(found.edge_posterior.matrix, truth.edges(), atol=1e-12)
    assert found.log_total == pytest.approx(truth.log_total)


@pytest.mark.parametrize("far", [1e5, 6e7, 7e7, 5e8, 1e9])
def test_scores_as_far_apart_as_they_may_be(far):
    """A network needs a family this far below the best of its variable, so it cannot count as nothing."""
    lists = {
        "a": [(-far, []), (0.0, ["b"])],
        "b": [(-far - 1.5, []), (0.0, ["a"])],
        "c": [(-1.0, []), (0.0, ["a"])],
    }
    cache = bl.ScoreCache.from_candidates("abc", lists)
    found = bl.posterior(cache, method="exact", samples=200)
    a_first = 1 / (1 + math.exp(-1.5))
    matrix = found.edge_posterior.matrix
    assert matrix[0, 1] == pytest.approx(a_first, abs=1e-6)
    assert matrix[1, 0] == pytest.approx(1 - a_first, abs=1e-6)
    assert matrix[0, 2] == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-6)
    total = -far + math.log1p(math.exp(-1.5)) + math.log1p(math.exp(-1))
    assert found.log_total == pytest.approx(total, abs=1e-6)
    assert _core.log_total_weight(cache.core, 0, threads=1) == pytest.approx(total, abs=1e-6)


def test_weights_of_partitions_where_weights_of_families_underflow():
    """Sums from tables of weights are not trusted where these have few digits left."""
    names = "abcde"
    for far in (500.0, 600.0, 709.0, 730.0, 743.5, 744.4, 745.2, 800.0):
        lists = {
            name: [(-far - k / 7, up) for k, up in enumerate(([], ["c"], ["d"], ["c", "d"]))]
            + [(0.0, [other])]
            for name, other in ("ab", "ba")
        }
        lists |= {name: [(-k / 3, up) for k, up in enumerate(([], ["a"], ["b"], ["e"]))] for name in "cd"}
        lists["e"] = [(0.0, []), (-1.0, ["c"])]
        cache = bl.ScoreCache.from_candidates(names, lists)
        start = [int(cache.first[v]) for v in range(5)]
        start[0] = int(cache.first[0]) + 1  # a without parents
        sampler = _core.ChainSampler(cache.core, np.array(start, dtype=np.uint64), 1, 1, 0.15, 1)
        out = sampler.run(60, 1)
        scores, first = local_array(cache), cache.parent_first
        for row, weight in zip(out["candidates"].reshape(60, 5), out["log_weights"], strict=True):
            masks = np.array(
                [sum(1 << int(p) for p in cache.parents[first[c] : first[c + 1]]) for c in map(int, row)]
            )
            assert weight == pytest.approx(log_partition_weight(scores, layers_of(masks)), abs=1e-9), far


def test_independent_draws_have_the_posterior():
    cache = bl.score(small_table(5, 7, rows=40), bayes_factor=1e12)
    truth = AllNetworks(cache)
    found = bl.posterior(cache, samples=20_000, seed=3)
    for matrix, wanted in (
        (found.path_posteriors, truth.paths()),
        (found.markov_blankets, truth.blankets()),
    ):
        assert np.all(np.abs(matrix.matrix - wanted) <= 4.5 * matrix.errors)
    shares = found.posterior(lambda network: len(network.edges))
    edges = float(truth.edges().sum())
    assert abs(shares - edges) <= 4 * shares.error
    a, b = cache.names[:2]
    assert abs(found.path_posterior(a, b) - truth.paths()[0, 1]) <= 4.5 * found.path_posterior(a, b).error


@pytest.mark.parametrize("n", [2, 3, 4])
def test_partitions_have_the_weight_of_their_networks(n):
    """The twin itself: each network is in one partition, whose weight is the product of sums."""
    cache = bl.score(small_table(n, n), bayes_factor=1e12)
    truth = AllNetworks(cache)
    scores = local_array(cache) - truth.most / n
    by_partition: dict[object, float] = {}
    for row, weight in zip(truth.rows, truth.weights, strict=True):
        by_partition[layers_of(row)] = by_partition.get(layers_of(row), 0.0) + weight
    total = sum(partition_weight(scores, layers) for layers in partitions(tuple(range(n))))
    for layers in partitions(tuple(range(n))):
        share = partition_weight(scores, layers) / total
        assert share == pytest.approx(by_partition.get(layers, 0.0), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_chains_have_the_posterior(seed):
    cache = bl.score(small_table(5, seed + 20, rows=40), bayes_factor=1e12)
    truth = AllNetworks(cache)
    found = bl.posterior(cache, method="chains", samples=3000, seed=seed)
    assert found.method == "chains"
    assert found.diagnostics.agree
    assert np.all(
        np.abs(found.edge_posterior.matrix - truth.edges()) <= 4.5 * found.edge_posterior.errors + 1e-12
    )
    assert np.all(np.abs(found.path_posteriors.matrix - truth.paths()) <= 4.5 * found.path_posteriors.errors)
    assert np.abs(found.edge_posterior.matrix - truth.edges()).max() < 0.03


@pytest.mark.parametrize(
    ("temperatures", "block", "partition_moves"),
    [(1, 1, 0.0), (1, 2, 0.0), (1, 3, 0.0), (1, 4, 0.0), (1, 1, 1.0), (4, 2, 0.0), (4, 3, 1.0)],
)
def test_chains_visit_partitions_by_weight(temperatures, block, partition_moves):
    """On four variables: the share of each of the 75 partitions, by each kind of move and by all."""
    cache = bl.score(small_table(4, 3, rows=25), bayes_factor=1e12)
    truth = AllNetworks(cache)
    starts = np.tile([int(cache.first[v]) + _empty(cache, v) for v in range(4)], 2).astype(np.uint64)
    sampler = _core.ChainSampler(
        cache.core, starts, 2, temperatures, 0.2, 5, block=block, partition_moves=partition_moves
    )
    out = sampler.run(12_000, 2, threads=2)
    rows = out["candidates"].reshape(-1, 4)
    seen: dict[object, float] = {}
    flat, first = cache.parents, cache.parent_first
    masks = [sum(1 << int(p) for p in flat[int(a) : int(b)]) for a, b in itertools.pairwise(first)]
    for row in rows:
        layers = layers_of(np.array([masks[int(c)] for c in row]))
        seen[layers] = seen.get(layers, 0.0) + 1 / len(rows)
    wanted: dict[object, float] = {}
    for row, weight in zip(truth.rows, truth.weights, strict=True):
        wanted[layers_of(row)] = wanted.get(layers_of(row), 0.0) + weight
    apart = sum(abs(seen.get(k, 0.0) - wanted.get(k, 0.0)) for k in {*seen, *wanted}) / 2
    assert apart < 0.04
    assert sampler.moves["block"][0] > 0
    assert sampler.swaps[1] > 0 or temperatures == 1
    if partition_moves:
        assert all(tried > 0 for tried, _ in sampler.moves.values())


@pytest.mark.parametrize("seed", range(6))
def test_blocks_within_larger_networks(seed):
    """Seven variables, blocks of three alone: paths through others decide what a block may be."""
    cache = bl.score(small_table(7, seed, rows=40), bayes_factor=1e3)
    exact = bl.posterior(cache, method="exact").edge_posterior.matrix
    order = bl.search(cache).network
    starts = [
        int(cache.first[v]) + [set(p) for _, p in cache.candidates(name)].index(set(order.parents[name]))
        for v, name in enumerate(cache.names)
    ]
    sampler = _core.ChainSampler(
        cache.core, np.tile(starts, 2).astype(np.uint64), 2, 4, 0.25, seed, block=3, partition_moves=0.0
    )
    rows = sampler.run(6000, 2, threads=2)["candidates"].reshape(-1, 7)
    found = np.zeros((7, 7))
    for v in range(7):
        ids, counts = np.unique(rows[:, v], return_counts=True)
        for c, count in zip(ids.astype(int), counts, strict=True):
            for p in cache.parents[int(cache.parent_first[c]) : int(cache.parent_first[c + 1])]:
                found[int(p), v] += count / len(rows)
    assert np.abs(found - exact).max() < 0.05
    assert len(np.unique(rows, axis=0)) > 100


def _empty(cache, v):
    begin, end = int(cache.first[v]), int(cache.first[v + 1])
    sizes = [int(cache.parent_first[c + 1] - cache.parent_first[c]) for c in range(begin, end)]
    return sizes.index(0)


@pytest.mark.parametrize("method", ["exact", "chains"])
def test_the_same_on_any_number_of_threads(method, monkeypatch):
    monkeypatch.setattr(tuned, "OPTIONS", tuned.PosteriorOptions(doublings=1))
    cache = bl.score(small_table(9, 1, rows=100), bayes_factor=1e6)
    one, many = (bl.posterior(cache, method=method, seed=4, samples=60, threads=k) for k in (1, 3))
    assert np.array_equal(one.rows, many.rows)
    assert np.array_equal(one.candidate_posterior, many.candidate_posterior)
    assert not np.array_equal(one.rows, bl.posterior(cache, method=method, seed=5, samples=60).rows)


def test_chains_over_more_candidate_parents_than_a_word_holds(monkeypatch):
    """A variable with 70 candidate parents: sets of two words, no table."""
    monkeypatch.setattr(tuned, "OPTIONS", tuned.PosteriorOptions(temperatures=2, doublings=1))
    n = 71
    names = [f"v{i}" for i in range(n)]
    lists = {names[0]: [(-1.0 - 0.01 * i, [names[i]]) for i in range(1, n)] + [(-2.0, [])]}
    lists |= {names[i]: [(-1.0, []), (-1.5, [names[0]])] for i in range(1, n)}
    cache = bl.ScoreCache.from_candidates(names, lists)
    found = bl.posterior(cache, method="chains", samples=60, seed=1)
    assert found.cache.variable_count == n
    # By hand: v0 has parent k, or none; the others are children of v0 or free.
    child = math.exp(-0.5) / (1 + math.exp(-0.5))
    with_parent = sum(math.exp(-1 - 0.01 * i) for i in range(1, n)) * (1 - child)
    none = math.exp(-2.0)
    wanted = with_parent / (with_parent + none)
    share = found.posterior(lambda network: bool(network.parents["v0"]))
    assert abs(share - wanted) <= 5 * share.error + 0.01


def test_constraints_hold():
    table = small_table(5, 3)
    a, b, c = table.names[:3]
    rules = {"forbidden": [[a, b]], "before": [[c, a]], "max_parents": {"*": 2}}
    for method in ("exact", "chains"):
        found = bl.posterior(table, constraints=rules, method=method, samples=100)
        assert found.edge_posterior.directed(a, b) == 0
        assert found.path_posterior(a, c) == 0
        assert all(len(up) <= 2 for network in found.networks for up in network.parents.values())


@pytest.mark.parametrize("factor", [1.0, 3.0, 20.0, 1e4])
def test_what_is_left_out_is_bounded(factor):
    met = 0
    for seed in range(6):
        table = small_table(4, seed, rows=30)
        everything = AllNetworks(bl.score(table, bayes_factor=1e300))
        cache = bl.score(table, bayes_factor=factor)
        share = 1 - math.exp(AllNetworks(cache).log_total - everything.log_total)
        bound = left_out_of(cache).most
        assert share <= bound + 1e-12
        met += share > 1e-6
    assert met > 0 or factor > 100


def test_what_is_left_out_is_not_known_of_a_cache_that_is_not_complete():
    found = bl.posterior(random_cache(1, 4, 5))
    assert found.left_out.most is None
    assert "not known" in found.claim


def test_diagnostics_tell_chains_apart():
    draw = np.random.default_rng(2)
    same = draw.normal(size=(4, 400))
    assert r_hat(same) < 1.02
    assert r_hat(same + np.array([[0], [0], [0], [2]])) > 1.3
    slow = np.cumsum(draw.normal(size=(4, 400)), axis=1)
    assert effective_size(slow) < 60 < effective_size(same)
    assert r_hat(np.full((4, 10), 3.0)) == 1.0
    means = draw.normal(size=(4, 10, 3)) + 5 * np.arange(4)[:, None, None]
    assert np.all(error_of_batches(means, 0.0) > 2)  # as whole chains differ


def test_an_edge_that_does_not_mix_keeps_chains_from_agreeing():
    """The weight of the partition mixes, an edge seldom turns: all but its effective size looks fine."""
    fine = Diagnostics(4, 500, 1, 1.01, 900.0, 400.0, 0.1, ("a", "b"), {})
    assert fine.agree
    assert "agree (" in str(fine)
    assert "400 of the least certain edge" in str(fine)
    least = tuned.OPTIONS.least_effective_edges
    for edges, agree in ((least, True), (least - 1, False)):
        found = replace(fine, effective_edges=edges)
        assert found.agree == agree
        assert ("do NOT agree" in str(found)) == (not agree)
        assert found.to_json()["agree"] == agree


def test_chains_are_gone_on_with_until_the_least_certain_edge_is_known(monkeypatch):
    cache = bl.score(small_table(5, 3, rows=40), bayes_factor=1e6)
    sizes = [99.0, 60.0, 100.0]

    def told(*given):
        apart, edge, _ = largest_difference(*given)
        return min(apart, 0.1), edge, sizes.pop(0)

    monkeypatch.setattr(api, "largest_difference", told)
    found = bl.posterior(cache, method="chains", samples=200, seed=1)
    assert found.reliable
    assert sizes == []
    assert found.diagnostics.sweeps >= 4  # the third run


def test_chains_that_cannot_agree_say_so(monkeypatch):
    """Two modes with a deep valley between them, one temperature, and no time to cross it."""
    deep = -200.0
    lists = {
        "a": [(0.0, ["b", "c"]), (deep, [])],
        "b": [(0.0, ["a"]), (0.0, ["c"]), (2 * deep, [])],
        "c": [(0.0, ["a", "b"]), (deep, [])],
    }
    cache = bl.ScoreCache.from_candidates("abc", lists)
    monkeypatch.setattr(tuned, "OPTIONS", tuned.PosteriorOptions(temperatures=1, block=1, doublings=1))

    def starts(self, given, chains):
        modes = [{"b": ("a",), "c": ("a", "b")}, {"b": ("c",), "a": ("b", "c")}]
        rows = []
        for chain in range(chains):
            for v, name in enumerate(given.names):
                held = [parents for _, parents in given.candidates(name)]
                rows.append(int(given.first[v]) + held.index(modes[chain % 2].get(name, ())))
        return np.array(rows, dtype=np.uint64)

    monkeypatch.setattr(api._Work, "starts", starts)
    found = bl.posterior(cache, method="chains", samples=50)
    assert not found.reliable
    assert "do NOT agree" in found.claim
    assert found.diagnostics.largest_difference == 1


def stop_after(kept, which, seen):
    """Return runs of a sampler of which one is interrupted, after so many samples."""

    def running(self, sampler):
        def run(samples, sweeps):
            ends = len(seen) + 1 == which
            out = dict(sampler.run(min(samples, kept) if ends else samples, sweeps, threads=1))
            seen.append(int(out["count"]))
            out["interrupted"] = ends
            return out

        return run

    return running


def test_interrupted_chains_keep_what_they_have(monkeypatch):
    cache = bl.score(small_table(6, 3, rows=60), bayes_factor=1e6)
    few = tuned.PosteriorOptions(doublings=1)
    monkeypatch.setattr(tuned, "OPTIONS", few)
    whole = bl.posterior(cache, method="chains", samples=40, seed=1)
    # In the first run after the burn-in: its samples, as they are in a run that is not interrupted.
    monkeypatch.setattr(tuned, "OPTIONS", replace(few, burn_in=0.05))
    longer = bl.posterior(cache, method="chains", samples=40, seed=1)
    seen: list[int] = []
    monkeypatch.setattr(api._Work, "_running", stop_after(30, 2, seen))
    found = bl.posterior(cache, method="chains", samples=40, seed=1)
    assert found.interrupted
    assert len(seen) == 2
    assert found.diagnostics.samples == 30
    if longer.diagnostics.sweeps == found.diagnostics.sweeps:
        rows = longer.rows.reshape(4, 40, -1)[:, :30]
        assert np.array_equal(found.rows, rows.reshape(-1, 6))
    # In the burn-in: its later half. Before anything: an error that says so.
    monkeypatch.setattr(tuned, "OPTIONS", few)
    for samples, kept in ((20, 10), (8, 4)):
        monkeypatch.setattr(api._Work, "_running", stop_after(samples, 1, []))
        found = bl.posterior(cache, method="chains", samples=40, seed=1)
        assert found.interrupted
        assert len(found) == 4 * kept
        assert found.diagnostics.sweeps == 1
    monkeypatch.setattr(api._Work, "_running", stop_after(3, 1, []))
    with pytest.raises(Interrupted, match="before the chains had anything"):
        bl.posterior(cache, method="chains", samples=40, seed=1)
    assert not whole.interrupted


def test_the_verb_interrupted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bl.score(small_table(6, 3, rows=60), bayes_factor=1e6).write("t.blc")
    monkeypatch.setattr(api._Work, "_running", stop_after(40, 1, []))
    ended = run(capsys, "posterior t.blc --method chains --samples 40 --json run.json -o net.json")
    assert ended.code == 130
    assert "interrupted" in ended.err
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["interrupted"]
    assert written["draws"] == 40
    assert set(bl.read_network("net.json").names) == set(written["variables"])


def test_bad_input():
    cache = random_cache(1, 4, 5)
    with pytest.raises(InputError, match="are for tables"):
        bl.posterior(cache, score="bic")
    with pytest.raises(InputError, match="method"):
        bl.posterior(cache, method="best")
    with pytest.raises(InputError, match="chains"):
        bl.posterior(cache, chains=1)
    ring = [f"v{i}" for i in range(30)]
    lists = {v: [(-1.0, [ring[i - 1]]), (-2.0, [])] for i, v in enumerate(ring)}
    round_trip = bl.ScoreCache.from_candidates(ring, lists)
    with pytest.raises(ResourceError, match="limited to components"):
        bl.posterior(round_trip, method="exact")
    cyclic = bl.ScoreCache.from_candidates("ab", {"a": [(-1.0, ["b"])], "b": [(-1.0, ["a"])]})
    with pytest.raises(InfeasibleError):
        bl.posterior(cyclic)


def test_the_verb(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = small_table(5, 3, rows=100)
    table.write("t.csv")
    ended = run(capsys, "posterior t.csv --json run.json -o net.json")
    assert ended.code == 0
    assert "exact sums over all networks" in ended.out
    written = json.loads((tmp_path / "run.json").read_text())
    found = bl.posterior(bl.read_table("t.csv"))
    assert written["edges"] == found.to_json()["edges"]
    assert bl.read_network("net.json").network == found.averaged_network().network
    bl.score(table, bayes_factor=1e6).write("t.blc")
    ended = run(capsys, "posterior t.blc --method chains --samples 500 --seed 2")
    assert ended.code == 0
    assert "chains agree" in ended.out
    assert "at most" in ended.out
    assert run(capsys, "posterior t.blc --score bdeu").code == 1
    assert run(capsys, "posterior t.csv --method exact --chains 3").code == 1


def test_the_command_leaves_out_pairs_that_are_hardly_joined(tmp_path, capsys):
    truth = bl.random_network(6, states=(2, 3), max_parents=2, concentration=0.3, seed=2)
    truth.sample(600, seed=2).write(tmp_path / "data.csv")
    ended = run(capsys, "posterior", tmp_path / "data.csv", "--json", tmp_path / "found.json")
    edges = json.loads((tmp_path / "found.json").read_text())["edges"]
    likely = [edge for edge in edges if edge["adjacent"] >= 0.01]
    rare = len(edges) - len(likely)
    assert ended.code == 0
    assert likely
    assert rare
    printed = [line.split()[:2] for line in ended.out.splitlines() if line.endswith("  exact")]
    assert printed == [[edge["from"], edge["to"]] for edge in likely]
    assert f"... and {rare} more, of pairs joined with a posterior below 0.01 (see --json)" in ended.out
