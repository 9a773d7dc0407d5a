"""Predict, impute, sample given evidence, most probable states, do: against the whole joint distribution."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import bayesloom as bl
from reference import inference as obvious


def random_case(seed):
    """A network of up to 6 variables, and evidence for some of them."""
    draw = np.random.default_rng(seed)
    fitted = bl.random_network(int(draw.integers(2, 7)), states=(2, 3), max_parents=3, seed=seed)
    names = [str(name) for name in draw.permutation(fitted.names)]
    given = int(draw.integers(0, len(names)))
    evidence = {name: str(draw.choice(states_of(fitted, name))) for name in names[:given]}
    return draw, fitted, evidence, names[given:]


def states_of(fitted, name):
    return fitted.states[fitted.names.index(name)]


def holes(table, share, seed):
    """The table as lists of labels with some of them gone."""
    draw = np.random.default_rng(seed)
    frame = {}
    for name, states, codes in zip(table.names, table.states, table.codes, strict=True):
        gone = draw.random(len(codes)) < share
        frame[name] = [None if lost else states[k] for k, lost in zip(codes, gone, strict=True)]
    return frame


def row_of(frame, r):
    return {name: column[r] for name, column in frame.items() if column[r] is not None}


@pytest.mark.parametrize("seed", range(25))
def test_each_by_itself_is_what_each_alone_is(seed):
    _, fitted, evidence, free = random_case(seed)
    each = fitted.query(free, evidence, joint=False)
    assert fitted.query(None, evidence) == {name: each[name] for name in fitted.names if name in each}
    for name in free:
        for state, p in each[name].items():
            assert p == pytest.approx(obvious.conditional(fitted, [name], [state], evidence))


@pytest.mark.parametrize("seed", range(25))
def test_most_probable_states_of_all_and_of_some(seed):
    draw, fitted, evidence, free = random_case(seed)
    for targets in (None, [str(name) for name in draw.permutation(free)[: draw.integers(1, len(free) + 1)]]):
        asked = free if targets is None else targets
        found = fitted.most_probable(evidence, targets)
        every = {
            cell: obvious.conditional(fitted, asked, cell, evidence)
            for cell in itertools.product(*(states_of(fitted, name) for name in asked))
        }
        assert set(found.states) == set(asked)
        assert every[tuple(found.states[name] for name in asked)] == pytest.approx(max(every.values()))
        assert found.probability == pytest.approx(max(every.values()))
        both = obvious.probability(fitted, {**evidence, **found.states})
        assert found.log_probability == pytest.approx(math.log(both))


def test_maximising_after_summing_is_not_the_mode_of_all():
    """The best state of a by itself is in no best state of all: summing must come first."""
    fitted = bl.FittedNetwork(
        bl.Network("ab", {"b": ["a"]}),
        [["0", "1"], ["0", "1", "2"]],
        [[0.45, 0.55], [[1.0, 0.0, 0.0], [0.34, 0.33, 0.33]]],
    )
    assert fitted.most_probable().states == {"a": "0", "b": "0"}
    assert fitted.most_probable(targets="a").states == {"a": "1"}


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_predicted_as_each_alone(seed):
    fitted = bl.random_network(6, states=(2, 4), max_parents=3, seed=seed)
    frame = holes(fitted.sample(60, seed=seed), 0.3, seed)
    target = fitted.names[seed % 6]
    found = fitted.predict_proba(frame, target)
    states = fitted.predict(frame, target)
    for r in range(60):
        known = {name: state for name, state in row_of(frame, r).items() if name != target}
        assert found[r].tolist() == pytest.approx(list(fitted.query(target, known).values()))
        assert states[r] == states_of(fitted, target)[int(found[r].argmax())]
    assert (fitted.predict_proba(frame, target, threads=2) == found).all()
    some = {name: column for name, column in frame.items() if name not in (target, fitted.names[5])}
    if len(some) < 5:
        some["no such variable"] = list(range(60))
    for r in (0, 59):
        known = row_of({name: some[name] for name in fitted.names if name in some}, r)
        expected = list(fitted.query(target, known).values())
        assert fitted.predict_proba(some, target)[r].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(12))
def test_values_are_filled_in_by_mode_and_together(seed):
    fitted = bl.random_network(6, states=(2, 4), max_parents=3, seed=seed)
    whole = fitted.sample(50, seed=seed)
    frame = holes(whole, 0.3, seed)
    by_mode, together, drawn = (fitted.impute(frame, method) for method in ("mode", "joint", "draw"))
    filled = 0
    for r in range(50):
        known = row_of(frame, r)
        lost = [name for name in fitted.names if name not in known]
        for table in (by_mode, together, drawn):
            for name, state in known.items():
                assert table.states[table.index(name)][table.column(name)[r]] == state
        for name in lost:
            best = fitted.query(name, known)
            state = by_mode.states[by_mode.index(name)][by_mode.column(name)[r]]
            assert best[state] == pytest.approx(max(best.values()))
            filled += 1
        if lost:
            cell = {name: together.states[together.index(name)][together.column(name)[r]] for name in lost}
            assert cell == fitted.most_probable(known).states
    assert filled > 50
    assert fitted.impute(whole) == whole
    assert fitted.impute(frame, "draw", seed=3, threads=1) == fitted.impute(frame, "draw", seed=3, threads=2)
    assert fitted.impute(frame, "draw", seed=3) != fitted.impute(frame, "draw", seed=4)


def test_a_table_that_lacks_columns_is_completed():
    fitted = bl.random_network(5, seed=2)
    part = fitted.sample(40, seed=1).select(fitted.names[:3])
    found = fitted.impute(part)
    assert found.names == fitted.names
    assert found.select(part.names).codes[1].tolist() == part.codes[1].tolist()


def test_a_state_named_missing_is_no_answer():
    draw = np.random.default_rng(1)
    rain = draw.integers(0, 2, 500)
    wet = rain ^ (draw.random(500) < 0.1)
    lost = draw.random(500) < 0.6  # most are missing: that would be the most probable state
    frame = {
        "rain": rain.tolist(),
        "wet": [None if gone else int(w) for w, gone in zip(wet, lost, strict=True)],
    }
    table = bl.read_table(frame)
    assert "missing" in table.states[1]
    fitted = bl.Network(["rain", "wet"], {"wet": ["rain"]}).fit(table, method="dirichlet")
    for given in (table, frame):
        found = fitted.impute(given)
        assert found.states[1] == ("0", "1")
        assert found.column("wet")[lost].tolist() == rain[lost].tolist()
        assert found.column("wet")[~lost].tolist() == wet[~lost].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_rows_given_evidence_have_the_right_shares(seed):
    _, fitted, evidence, free = random_case(seed + 100)
    table = fitted.sample(4000, seed=seed, evidence=evidence)
    for name, state in evidence.items():
        assert (np.array(table.states[table.index(name)])[table.column(name)] == state).all()
    asked = free[:2]
    counts = dict.fromkeys(itertools.product(*(states_of(fitted, name) for name in asked)), 0)
    labels = [np.array(table.states[table.index(n)])[table.column(n)] for n in asked]
    for cell in zip(*labels, strict=True):
        counts[tuple(map(str, cell))] += 1
    for cell, count in counts.items():
        p = obvious.conditional(fitted, asked, cell, evidence)
        assert abs(count - 4000 * p) <= 5 * math.sqrt(4000 * p * (1 - p)) + 1e-9
    if evidence:
        assert fitted.sample(50, seed=1, evidence=evidence) == fitted.sample(50, seed=1, evidence=evidence)
        assert fitted.sample(50, seed=1, evidence=evidence) != fitted.sample(50, seed=2, evidence=evidence)


@pytest.mark.parametrize("seed", range(20))
def test_do_against_the_definition(seed):
    draw, fitted, _, _ = random_case(seed)
    x = str(draw.choice(fitted.names))
    i = fitted.names.index(x)
    done = fitted.do({x: fitted.states[i][-1]})
    whole = obvious.joint(fitted)
    for row in np.ndindex(*whole.shape):  # prod of P(v | parents) over all v but x
        own = fitted.tables[i][(*(row[p] for p in fitted.network.parent_indices[i]), row[i])]
        expected = whole[row] / own if row[i] == len(fitted.states[i]) - 1 else 0.0
        assert obvious.joint(done)[row] == pytest.approx(expected)
        if seed > 4:
            break
    for y in fitted.names:
        if y == x:
            continue
        effect = fitted.effect(x, y)
        for state in fitted.states[i]:
            assert effect[state] == pytest.approx(fitted.do({x: state}).query(y))


def test_do_on_a_known_effect():
    """Simpson's paradox [kidney stones, Charig and others 1986]: worse where seen, better if done."""
    small = {"small": {"a": (81, 87), "b": (234, 270)}, "large": {"a": (192, 263), "b": (55, 80)}}
    rows = [
        {"size": size, "treatment": treatment, "cured": cured, "n": count}
        for size, by in small.items()
        for treatment, (good, all_) in by.items()
        for cured, count in (("yes", good), ("no", all_ - good))
    ]
    table = bl.read_table(rows, weights="n")
    network = bl.Network(
        ["size", "treatment", "cured"], {"treatment": ["size"], "cured": ["size", "treatment"]}
    )
    fitted = network.fit(table, method="ml")
    seen = {t: fitted.query("cured", {"treatment": t})["yes"] for t in "ab"}
    done = {t: fitted.do({"treatment": t}).query("cured")["yes"] for t in "ab"}
    assert seen == pytest.approx({"a": 273 / 350, "b": 289 / 350})
    share = 357 / 700
    assert done["a"] == pytest.approx(share * 81 / 87 + (1 - share) * 192 / 263)
    assert done["b"] == pytest.approx(share * 234 / 270 + (1 - share) * 55 / 80)
    assert seen["a"] < seen["b"]
    assert done["a"] > done["b"]
    effect = fitted.effect("treatment", "cured")
    assert effect.difference("yes", "a", "b") == pytest.approx(done["a"] - done["b"])
    assert network.adjustment_sets("treatment", "cured") == [("size",)]


def test_naive_bayes_of_a_thousand_features_does_not_underflow():
    names = ["class", *(f"x{k}" for k in range(1000))]
    rare = [[0.5, 0.5], *([[[0.999, 0.001], [0.998, 0.002]]] * 1000)]
    fitted = bl.FittedNetwork(
        bl.Network(names, {name: ["class"] for name in names[1:]}), [["no", "yes"]] * 1001, rare
    )
    evidence = dict.fromkeys(names[1:301], "yes") | dict.fromkeys(names[301:], "no")
    log_odds = 300 * math.log(2) + 700 * math.log(0.998 / 0.999)
    found = fitted.query("class", evidence)
    assert math.log(found["yes"] / found["no"]) == pytest.approx(log_odds)
    assert fitted.predict({name: [value] for name, value in evidence.items()}, "class").tolist() == ["yes"]
    every = fitted.most_probable(dict.fromkeys(names[1:301], "yes"))
    assert every.states["class"] == "yes"
    assert fitted.query(None, evidence)["class"] == pytest.approx(found)


def test_ranges_are_predicted_from_numbers():
    draw = np.random.default_rng(1)
    age = draw.integers(20, 80, 400)
    fitted = bl.learn({"age": age, "old": np.where(age > 50, "yes", "no")}, score="bic").fit()
    assert fitted.predict({"age": [21, 79.5, None]}, "old").tolist()[:2] == ["no", "yes"]
    assert fitted.predict({"age": [1e9]}, "old").tolist() == ["yes"]


def test_what_is_asked_wrongly_is_one_sentence():
    fitted = bl.FittedNetwork(
        bl.Network("ab", {"b": ["a"]}), [["no", "yes"]] * 2, [[1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]]]
    )
    for ask, match in [
        (lambda: fitted.predict({"a": ["no", "yes"]}, "b"), "row 2: the network holds"),
        (lambda: fitted.predict({"a": ["no", "perhaps"]}, "b"), "row 2: variable 'a' has state 'perhaps'"),
        (lambda: fitted.predict({"c": ["no"]}, "b"), "no column is a variable"),
        (lambda: fitted.predict({"a": ["no"]}, "c"), "unknown variable 'c'"),
        (lambda: fitted.impute({"a": ["no"]}, "mean"), "unknown method of impute"),
        (lambda: fitted.impute({"a": ["yes"]}), "row 1: the network holds"),
        (lambda: fitted.sample(3, evidence={"a": "yes"}), "impossible"),
        (lambda: fitted.sample(0, evidence={"a": "no"}), "number of rows"),
        (lambda: fitted.do({}), "one or more variables to set"),
        (lambda: fitted.do({"a": "maybe"}), "state of 'a' 'maybe'"),
        (lambda: fitted.effect("a", "a"), "two different variables"),
        (lambda: fitted.most_probable({"a": "no", "b": "no"}), "none is left"),
        (lambda: fitted.most_probable({"a": "yes"}), "impossible"),
        (lambda: fitted.most_probable(targets=[]), "one or more different variables"),
    ]:
        with pytest.raises(bl.InputError, match=match):
            ask()
