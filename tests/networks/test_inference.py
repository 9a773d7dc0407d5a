"""Queries of a fitted network against the whole joint distribution; ranges of numbers as states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.networks.intervals import bounds_of, plain_interval, state_of
from bayesloom.table.discretize import interval_names
from reference import inference as obvious


@pytest.mark.parametrize("seed", range(25))
def test_random_queries(seed):
    draw = np.random.default_rng(seed)
    fitted = bl.random_network(int(draw.integers(1, 7)), states=(2, 3), max_parents=3, seed=seed)
    names = [str(name) for name in draw.permutation(fitted.names)]
    given = int(draw.integers(0, len(names)))
    evidence = {name: str(draw.choice(fitted.states[fitted.names.index(name)])) for name in names[:given]}
    targets = names[given : given + int(draw.integers(1, 3))]
    found = fitted.query(targets, evidence)
    assert math.fsum(found.values()) == pytest.approx(1)
    for cell, probability in found.items():
        assert probability == pytest.approx(obvious.conditional(fitted, targets, cell, evidence))
    assert fitted.log_probability(evidence) == pytest.approx(math.log(obvious.probability(fitted, evidence)))
    alone = fitted.query(targets[0], evidence)
    for state, probability in alone.items():
        assert probability == pytest.approx(obvious.conditional(fitted, targets[:1], [state], evidence))


def test_much_evidence_does_not_underflow():
    chain = bl.Network([f"x{v}" for v in range(900)], {f"x{v}": [f"x{v - 1}"] for v in range(1, 900)})
    rare = [[0.999, 0.001]] + [[[0.999, 0.001], [0.999, 0.001]]] * 899
    fitted = bl.FittedNetwork(chain, [["no", "yes"]] * 900, rare)
    evidence = {f"x{v}": "yes" for v in range(899)}
    assert fitted.query("x899", evidence)["yes"] == pytest.approx(0.001)
    assert fitted.log_probability(evidence) == pytest.approx(899 * math.log(0.001))


def test_numbers_find_their_range():
    draw = np.random.default_rng(1)
    age = draw.integers(20, 80, 400)
    result = bl.learn({"age": age, "old": np.where(age > 50, "yes", "no")}, score="bic")
    fitted = result.fit()
    assert fitted.query("old", {"age": 25})["no"] > 0.9 > fitted.query("old", {"age": 79})["no"]
    assert fitted.query("old", {"age": 79}) == fitted.query("old", {"age": fitted.states[0][-1]})


def test_what_is_asked_wrongly_is_one_sentence():
    fitted = bl.FittedNetwork(
        bl.Network("ab", {"b": ["a"]}), [["no", "yes"]] * 2, [[1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]]]
    )
    for ask, match in [
        (lambda: fitted.query("c"), "'c'"),
        (lambda: fitted.query([]), "one or more different variables"),
        (lambda: fitted.query(["a", "a"]), "one or more different variables"),
        (lambda: fitted.query("a", {"a": "no"}), "asked for and given"),
        (lambda: fitted.query("a", {"b": "perhaps"}), "state of 'b' 'perhaps'"),
        (lambda: fitted.query("b", {"a": "yes"}), "a = yes impossible"),
        (lambda: fitted.query("b", {"a": [1]}), "a text or a number"),
    ]:
        with pytest.raises(bl.InputError, match=match):
            ask()
    assert fitted.log_probability({"a": "yes"}) == -math.inf


def test_a_table_that_is_too_large_is_refused_before_it_is_made():
    names = [f"x{v}" for v in range(40)]
    parents = {names[20 + k]: [names[k], names[(k + 1) % 20], names[(k + 7) % 20]] for k in range(20)}
    even = [np.full((9,) * (len(parents.get(name, [])) + 1), 1 / 9) for name in names]
    fitted = bl.FittedNetwork(bl.Network(names, parents), [list("abcdefghi")] * 40, even)
    with pytest.raises(bl.ResourceError, match="the answer takes"):
        fitted.query(names[:20], dict.fromkeys(names[20:], "a"))


def test_a_network_that_is_too_dense_is_refused_before_tables_are_made():
    """All pairs of 30 variables with 9 states have a common child: some table has 9^29 cells."""
    names = [f"x{v}" for v in range(30)]
    pairs = list(itertools.combinations(names, 2))
    children = [f"y{k}" for k in range(len(pairs))]
    network = bl.Network([*names, *children], dict(zip(children, pairs, strict=True)))
    even = [np.full(9, 1 / 9)] * 30 + [np.full((9, 9, 2), 0.5)] * len(children)
    fitted = bl.FittedNetwork(network, [list("abcdefghi")] * 30 + [["no", "yes"]] * len(children), even)
    with pytest.raises(bl.ResourceError, match=r"over \d+ variables at once: too densely connected"):
        fitted.query("x0", dict.fromkeys(children, "no"))
    with pytest.raises(bl.ResourceError, match="too densely connected"):
        fitted.most_probable(dict.fromkeys(children, "no"))
    assert fitted.query("x0", dict.fromkeys(names[1:], "a"))["a"] == pytest.approx(1 / 9)


def test_ranges_keep_their_meaning():
    for cuts in [(2.5, 7.0), (-1.5, -1.0, 1e-7, 1e9), (0.1,), (192.0, 209.0)]:
        edges = [-math.inf, *cuts, math.inf]
        for k, state in enumerate(interval_names(cuts)):
            plain = plain_interval(state)
            assert bounds_of(state) == bounds_of(plain) == (edges[k], edges[k + 1])
    assert bounds_of("le_monde") is None
    assert plain_interval("> many") is None
    assert state_of("x", interval_names((2.5, 7.0)), 2.5) == 0
    assert state_of("x", interval_names((2.5, 7.0)), float("inf")) == 2
    assert state_of("x", ["1", "2.0"], 2) == 1


@pytest.mark.parametrize("suffix", ["bif", "net", "xmlbif", "json"])
def test_ranges_survive_every_format(tmp_path, suffix):
    draw = np.random.default_rng(2)
    weight = draw.normal(200, 15, 300)
    result = bl.learn({"weight": weight, "heavy": np.where(weight > 205, "yes", "no")}, score="bic")
    result.write(tmp_path / f"n.{suffix}")
    text = (tmp_path / f"n.{suffix}").read_text()
    back = bl.read_network(tmp_path / f"n.{suffix}")
    assert back.states == result.fit().states
    if suffix == "bif":  # which knows plain names only
        assert "le_" in text
    assert back.query("heavy", {"weight": 240})["yes"] > 0.8


def test_a_cpt_as_a_labelled_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    fitted = bl.random_network(6, max_parents=2, seed=3)
    for v, name in enumerate(fitted.names):
        frame = fitted.frame(name)
        assert isinstance(frame, pandas.DataFrame)
        assert tuple(frame.columns) == fitted.states[v]
        assert frame.columns.name == name
        parents = [fitted.names[p] for p in fitted.network.parent_indices[v]]
        if parents:
            assert list(frame.index.names) == parents
            for row in np.ndindex(*fitted.cpt(name).shape[:-1]):
                labels = tuple(
                    fitted.states[fitted.names.index(p)][k] for p, k in zip(parents, row, strict=True)
                )
                values = frame.loc[labels if len(labels) > 1 else labels[0]]
                assert list(values) == list(fitted.cpt(name)[row])
