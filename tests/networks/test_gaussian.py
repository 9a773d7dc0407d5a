"""Networks with continuous variables, against all discrete states and whole covariance matrices."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from made.gaussian import random_gaussian
from reference import gaussian as obvious

CASES = [(n, discrete, seed) for seed in range(8) for n, discrete in ((1, 0), (5, 0), (4, 2), (6, 3), (5, 5))]
CASES = [case for case in CASES if case[1] < case[0]]


def some_evidence(net, seed, share=0.4):
    draw = np.random.default_rng(seed)
    row = net.sample(1, seed=seed)
    known = {}
    for name in net.names:
        if draw.random() < share:
            value = row.column(name)[0]
            known[name] = float(value) if name in net.continuous else net.states[net.names.index(name)][value]
    return known


@pytest.mark.parametrize(("n", "discrete", "seed"), CASES)
def test_queries_against_whole_matrices(n, discrete, seed):
    net = random_gaussian(n, discrete, seed)
    evidence = some_evidence(net, seed)
    shares, log = obvious.given(net, evidence)
    assert net.log_probability(evidence) == pytest.approx(log)
    free = [name for name in net.names if name not in evidence]
    each = net.query(None, evidence)
    assert list(each) == free
    for name in free:
        if name in net.continuous:
            k = net.continuous.index(name)
            mean = sum(w * mu[k] for _, w, mu, _ in shares)
            second = sum(w * (cov[k, k] + mu[k] ** 2) for _, w, mu, cov in shares)
            assert each[name].mean == pytest.approx(mean)
            assert each[name].covariance == pytest.approx(second - mean**2)
        else:
            for state, p in each[name].items():
                expected = sum(w for at, w, _, _ in shares if at[name] == state)
                assert p == pytest.approx(expected, abs=1e-12)
    numbers = [name for name in free if name in net.continuous]
    if len(numbers) > 1:
        both = net.query(numbers[::-1], evidence)
        places = [net.continuous.index(name) for name in numbers[::-1]]
        mean = sum(w * mu[places] for _, w, mu, _ in shares)
        assert both.mean == pytest.approx(mean)
        whole = sum(
            w * (cov[np.ix_(places, places)] + np.outer(mu[places], mu[places])) for _, w, mu, cov in shares
        )
        assert both.covariance == pytest.approx(whole - np.outer(mean, mean), abs=1e-9)


@pytest.mark.parametrize(("n", "discrete", "seed"), CASES)
def test_likelihood_is_the_product_of_the_families(n, discrete, seed):
    net = random_gaussian(n, discrete, seed)
    table = net.sample(20, seed=seed)
    total = 0.0
    for r in range(20):
        row = {
            name: float(table.column(name)[r])
            if name in net.continuous
            else net.states[net.names.index(name)][table.column(name)[r]]
            for name in net.names
        }
        for name in net.names:
            up = net.network.parents[name]
            cell = tuple(net.states[net.names.index(p)].index(row[p]) for p in up if p not in net.continuous)
            if name in net.continuous:
                own = net.regression(name)
                mean = own.intercept[cell] + sum(
                    slope * row[p] for slope, p in zip(own.coefficients[cell], own.continuous, strict=True)
                )
                s = own.variance[cell]
                total += -0.5 * math.log(2 * math.pi * s) - (row[name] - mean) ** 2 / (2 * s)
            else:
                total += math.log(net.cpt(name)[(*cell, net.states[net.names.index(name)].index(row[name]))])
    assert net.log_likelihood(table) == pytest.approx(total)


def holes(net, table, share, seed):
    draw = np.random.default_rng(seed)
    frame = {}
    for name in net.names:
        own, gone = table.column(name), draw.random(table.row_count) < share
        labels = own.tolist() if name in net.continuous else [table.states[table.index(name)][k] for k in own]
        frame[name] = [None if lost else one for one, lost in zip(labels, gone, strict=True)]
    return frame


@pytest.mark.parametrize(("n", "discrete", "seed"), CASES)
def test_rows_are_predicted_and_filled_in_as_each_alone(n, discrete, seed):
    net = random_gaussian(n, discrete, seed)
    frame = holes(net, net.sample(25, seed=seed), 0.3, seed)
    filled = net.impute(frame)
    looked = 0
    for r in range(25):
        known = {name: column[r] for name, column in frame.items() if column[r] is not None}
        for name in net.names:
            own = filled.column(name)[r]
            state = own if name in net.continuous else net.states[net.names.index(name)][own]
            if name in known:
                assert state == known[name]
                continue
            looked += 1
            answer = net.query(name, known)
            if name in net.continuous:
                assert own == pytest.approx(answer.mean)
            else:
                assert answer[state] == pytest.approx(max(answer.values()))
    assert looked > 3
    for target in net.names[:3]:
        found = net.predict(frame, target)
        for r in (0, 24):
            known = {
                name: column[r] for name, column in frame.items() if column[r] is not None and name != target
            }
            answer = net.query(target, known)
            if target in net.continuous:
                assert found[r] == pytest.approx(answer.mean)
            else:
                assert answer[str(found[r])] == pytest.approx(max(answer.values()))
                assert net.predict_proba(frame, target)[r].tolist() == pytest.approx(list(answer.values()))


def test_many_rows_that_hide_different_values_at_once():
    """Enough rows for both ways through: patterns of their own, and many rows of one pattern."""
    net = random_gaussian(8, 0, 3)
    table = net.sample(600, seed=1)
    mixed = holes(net, table, 0.25, 1)
    for r in range(300):  # half of the rows hide the same two
        for name in net.names:
            mixed[name][r] = None if name in net.names[:2] else float(table.column(name)[r])
    filled = net.impute(mixed)
    for r in range(0, 600, 37):
        known = {name: column[r] for name, column in mixed.items() if column[r] is not None}
        for name in net.names:
            if name not in known:
                assert filled.column(name)[r] == pytest.approx(net.query(name, known).mean)


@pytest.mark.parametrize("seed", range(6))
def test_draws_given_evidence_have_the_right_moments(seed):
    net = random_gaussian(5, 2, seed)
    evidence = some_evidence(net, seed, share=0.3)
    rows = 6000
    table = net.sample(rows, seed=seed, evidence=evidence) if evidence else net.sample(rows, seed=seed)
    for name, answer in net.query(None, evidence).items():
        own = table.column(name)
        if name in net.continuous:
            assert abs(own.mean() - answer.mean) < 5 * answer.sd / math.sqrt(rows)
            assert own.var() == pytest.approx(answer.covariance, rel=0.25)
        else:
            for k, p in enumerate(answer.values()):
                assert abs((own == k).mean() - p) <= 5 * math.sqrt(p * (1 - p) / rows) + 1e-9
    for name, value in evidence.items():
        own = table.column(name)
        assert (
            own == (value if name in net.continuous else net.states[net.names.index(name)].index(value))
        ).all()
    assert net.sample(20, seed=4, evidence=evidence) == net.sample(20, seed=4, evidence=evidence)
    frame = holes(net, table, 0.3, seed)
    drawn = net.impute(frame, "draw", seed=1)
    for name in net.continuous:  # dependence stays: second moments are those of the rows that were there
        if name not in evidence:
            assert drawn.column(name).std() == pytest.approx(table.column(name).std(), rel=0.1)


@pytest.mark.parametrize("seed", range(10))
def test_effects_by_paths_and_by_setting(seed):
    net = random_gaussian(6, 0, seed)

    def along(x, y):
        """Sum over all directed paths of the products of their coefficients."""
        total = 0.0
        for child in net.network.children(x):
            own = net.regression(child)
            slope = float(own.coefficients[own.continuous.index(x)])
            total += slope * (1.0 if child == y else along(child, y))
        return total

    for x in net.names[:3]:
        for y in net.names:
            if x != y:
                assert float(net.effect(x, y)) == pytest.approx(along(x, y), abs=1e-12)
                low, high = (net.do({x: value}).query(y).mean for value in (-1.0, 2.5))
                assert high - low == pytest.approx(3.5 * along(x, y), abs=1e-9)
                assert net.effect(x, y).difference(2.5, -1) == pytest.approx(high - low, abs=1e-9)


def test_do_in_mixed_networks():
    """A confounder s: what is seen and what is done differ, and are known."""
    network = bl.Network(["s", "x", "y"], {"x": ["s"], "y": ["s", "x"]})
    net = bl.GaussianNetwork(
        network,
        {"s": ["a", "b"]},
        {
            "s": [0.5, 0.5],
            "x": {"intercept": [0.0, 4.0], "variance": [1.0, 1.0]},
            "y": {"intercept": [0.0, 10.0], "coefficients": [[1.0], [1.0]], "variance": [1.0, 1.0]},
        },
    )
    assert net.do({"x": 2.0}).query("y").mean == pytest.approx(2.0 + 5.0)
    assert net.do({"x": 2.0}).query("s") == {"a": 0.5, "b": 0.5}
    assert net.effect("x", "y").slope == pytest.approx(1.0)
    assert net.query("s", {"x": 4.0})["b"] > 0.99
    assert net.query("y", {"x": 4.0}).mean > 13.9
    assert net.do({"x": 4.0}).query("y").mean == pytest.approx(9.0)
    assert net.effect("s", "y").means == pytest.approx({"a": 0.0, "b": 14.0})
    assert net.effect("s", "y").difference("b", "a") == pytest.approx(14.0)
    done = net.do({"s": "b"})
    assert done.query("y").mean == pytest.approx(14.0)
    both = net.do({"x": 2.0})
    assert both.query("y", {"x": 2.0}).mean == pytest.approx(7.0)
    with pytest.raises(bl.InputError, match="impossible"):
        both.query("y", {"x": 3.0})
    assert both.sample(10, seed=1).values("x").tolist() == [2.0] * 10


@pytest.mark.parametrize("seed", range(6))
def test_fitting_is_least_squares_in_each_cell(seed):
    net = random_gaussian(5, 2, seed)
    table = net.sample(4000, seed=seed)
    fitted = net.network.fit(table)
    assert isinstance(fitted, bl.GaussianNetwork)
    for name in net.continuous:
        own, truth = fitted.regression(name), net.regression(name)
        for cell in np.ndindex(*own.intercept.shape):
            rows = np.ones(4000, dtype=bool)
            for parent, k in zip(own.discrete, cell, strict=True):
                rows &= table.column(parent) == k
            x = np.column_stack([np.ones(rows.sum()), *(table.values(p)[rows] for p in own.continuous)])
            y = table.values(name)[rows]
            if rows.sum() < x.shape[1] + 1:
                continue
            slopes, *_ = np.linalg.lstsq(x, y, rcond=None)
            assert own.intercept[cell] == pytest.approx(slopes[0])
            assert own.coefficients[cell].tolist() == pytest.approx(slopes[1:].tolist())
            assert own.variance[cell] == pytest.approx(((y - x @ slopes) ** 2).mean())
            if rows.sum() > 500:
                assert own.intercept[cell] == pytest.approx(truth.intercept[cell], abs=0.5)
    assert fitted.log_likelihood(table) >= net.log_likelihood(table)
    for name in net.names:
        if name not in net.continuous:
            part = net.discrete_part.network.fit(table.select(net.discrete_part.names))
            assert fitted.cpt(name).tolist() == part.cpt(name).tolist()


def test_weights_are_rows_repeated_and_empty_cells_take_the_whole():
    draw = np.random.default_rng(1)
    rows = {"s": ["a", "b"] * 20, "x": draw.normal(size=40)}
    weights = draw.integers(1, 4, 40)
    table = bl.read_table(
        {**rows, "w": weights}, continuous=["x"], weights="w", states={"s": ["a", "b", "c"]}
    )
    network = bl.Network(["s", "x"], {"x": ["s"]})
    heavy, plain = network.fit(table), network.fit(table.expanded())
    assert heavy.regression("x").intercept == pytest.approx(plain.regression("x").intercept)
    assert heavy.regression("x").variance == pytest.approx(plain.regression("x").variance)
    x = np.repeat(rows["x"], weights)
    assert heavy.regression("x").intercept[2] == pytest.approx(x.mean())  # no row has c
    assert heavy.regression("x").variance[2] == pytest.approx(x.var())


@pytest.mark.parametrize(("n", "discrete", "seed"), CASES)
def test_json_keeps_every_bit(n, discrete, seed, tmp_path):
    net = random_gaussian(n, discrete, seed)
    net.write(tmp_path / "net.json")
    assert bl.read_network(tmp_path / "net.json") == net
    assert pickle.loads(pickle.dumps(net)) == net
    for ending in ("dot", "graphml", "modelstring"):
        net.write(tmp_path / f"net.{ending}")
        assert set(bl.read_network(tmp_path / f"net.{ending}").edges) == set(net.network.edges)
    for ending in ("bif", "net", "xmlbif"):
        with pytest.raises(bl.InputError, match="holds discrete variables only"):
            net.write(tmp_path / f"net.{ending}")
    assert all(name in str(net) for name in net.names)


def test_json_lists_parents_in_any_order(tmp_path):
    net = random_gaussian(6, 3, 5)
    name = max(net.continuous, key=lambda one: len(net.network.parents[one]))
    assert len(net.network.parents[name]) > 1
    net.write(tmp_path / "net.json")
    data = json.loads((tmp_path / "net.json").read_text())
    entry = next(v for v in data["variables"] if v["name"] == name)
    own = net.regression(name)
    entry["parents"] = [*own.continuous[::-1], *own.discrete[::-1]]
    axes = list(range(len(own.discrete)))[::-1]
    entry["intercept"] = own.intercept.transpose(axes).reshape(-1).tolist()
    entry["variance"] = own.variance.transpose(axes).reshape(-1).tolist()
    turned = own.coefficients.transpose([*axes, len(axes)])[..., ::-1]
    entry["coefficients"] = turned.reshape(own.intercept.size, -1).tolist()
    (tmp_path / "net.json").write_text(json.dumps(data))
    assert bl.read_network(tmp_path / "net.json") == net


def test_what_is_wrong_is_one_sentence(tmp_path):
    net = random_gaussian(5, 2, 1)
    number, state = net.continuous[0], next(name for name in net.names if name not in net.continuous)
    for ask, match in [
        (lambda: net.query("no"), "unknown variable 'no'"),
        (lambda: net.query([]), "one or more different"),
        (lambda: net.query([number, state]), "not asked for together"),
        (lambda: net.query(number, {number: 1.0}), "asked for and given"),
        (lambda: net.query(state, {number: "high"}), "expected a finite number"),
        (lambda: net.query(state, {number: math.inf}), "expected a finite number"),
        (lambda: net.query(number, {state: "no"}), f"state of '{state}' 'no'"),
        (lambda: net.regression(state), "is discrete"),
        (lambda: net.cpt(number), "is continuous"),
        (lambda: net.do({}), "one or more variables to set"),
        (lambda: net.effect(number, state), "changes nothing"),
        (lambda: net.predict({"no": [1]}, number), "no column is a variable"),
        (lambda: net.predict({number: ["a"]}, state), "holds texts"),
        (lambda: net.predict({state: ["a"]}, number), f"variable '{state}' has state 'a'"),
        (lambda: net.predict_proba({state: ["s0"]}, number), "is continuous"),
        (lambda: net.impute({state: ["s0"]}, "joint"), "unknown method of impute"),
        (lambda: net.to_pyagrum(), "discrete variables only"),
        (lambda: net.log_likelihood(net.sample(3).select([number])), "lacks"),
        (lambda: bl.Network([number, state], {state: [number]}).fit(net.sample(9)), "cannot be fitted"),
        (
            lambda: bl.GaussianNetwork(bl.Network("ab", {"a": ["b"]}), {"a": ["x"]}, {"a": [[1]], "b": {}}),
            "continuous parent",
        ),
        (lambda: bl.GaussianNetwork(bl.Network("a", {}), {}, {"a": {"intercept": 1}}), "needs a mapping"),
        (
            lambda: bl.GaussianNetwork(bl.Network("a", {}), {}, {"a": {"intercept": [1], "variance": 1}}),
            "has shape",
        ),
        (
            lambda: bl.GaussianNetwork(bl.Network("a", {}), {}, {"a": {"intercept": 1, "variance": -1}}),
            "below 0",
        ),
    ]:
        with pytest.raises(bl.InputError, match=match):
            ask()
    for text in (
        '{"name": "a", "parents": [], "intercept": [1], "coefficients": [[]]}',
        '{"name": "a", "parents": [], "intercept": [1, 2], "coefficients": [[]], "variance": [1]}',
        '{"name": "a", "parents": [], "intercept": ["1"], "coefficients": [[]], "variance": [1]}',
        '{"name": "a", "parents": [], "intercept": {"x": 1}, "coefficients": [[]], "variance": [1]}',
        '{"name": "a", "parents": [], "intercept": ["x"], "coefficients": [[]], "variance": [1]}',
        '{"name": "a", "parents": [], "intercept": [1], "coefficients": [[]], "variance": [-1]}',
    ):
        path = tmp_path / "bad.json"
        path.write_text(f'{{"format": "bayesloom network", "version": 2, "variables": [{text}]}}')
        with pytest.raises(bl.InputError, match=r"bad\.json"):
            bl.read_network(path)


def test_an_exact_function_has_no_density():
    x = np.random.default_rng(1).normal(size=50)
    table = bl.read_table({"x": x, "y": 2 * x + 1}, continuous="all")
    fitted = bl.Network("xy", {"y": ["x"]}).fit(table)
    assert fitted.regression("y").variance == 0
    with pytest.raises(bl.InputError, match="exact function of its parents"):
        fitted.query("x", {"y": 2.0})


def test_too_many_unknown_states_are_refused():
    names = [f"d{k}" for k in range(20)]
    network = bl.Network([*names, "x"], {"x": names[:2]})
    families = {name: [0.5, 0.5] for name in names}
    families["x"] = {"intercept": np.zeros((2, 2)), "variance": np.ones((2, 2))}
    net = bl.GaussianNetwork(network, {name: ["n", "y"] for name in names}, families)
    assert net.query("d0", {"x": 1.0})["n"] == pytest.approx(0.5)  # the others do not bear on it
    with pytest.raises(bl.ResourceError, match="joint states in row 1"):
        net.impute({"x": [1.0]})


def test_a_notebook_shows_the_structure():
    assert "<svg" in random_gaussian(4, 1, 2)._repr_html_()


def test_from_learning_to_an_answer(tmp_path):
    net = random_gaussian(5, 2, 3)
    table = net.sample(800, seed=1)
    result = bl.learn(table, score="bic-cg", time_limit=20)
    fitted = result.fit()
    assert isinstance(fitted, bl.GaussianNetwork)
    assert result.log_likelihood() == pytest.approx(fitted.log_likelihood(table))
    result.write(tmp_path / "net.json")
    assert bl.read_network(tmp_path / "net.json") == fitted
    result.report(tmp_path / "page.html")
    x, y = fitted.continuous[:2]
    averaged = result.credible(20).effect(table, x, y)
    assert averaged.weights.sum() == pytest.approx(1)
    assert averaged.spread(float).interval(1.0)[0] <= averaged.spread(float).mean


@pytest.mark.parametrize(("n", "discrete", "seed"), CASES)
def test_the_most_probable_values_against_whole_matrices(n, discrete, seed):
    net = random_gaussian(n, discrete, seed)
    evidence = some_evidence(net, seed)
    free = [name for name in net.names if name not in evidence]
    if not free:
        with pytest.raises(InputError, match="none is left to explain"):
            net.most_probable(evidence)
        return
    found = net.most_probable(evidence)
    assert list(found.states) == free
    # The density of all values together, by another way, and of all others that are tried.
    assert net.log_probability({**evidence, **found.states}) == pytest.approx(found.log_probability)
    shares, log = obvious.given(net, evidence)
    assert math.log(found.probability) == pytest.approx(found.log_probability - log)
    places = [k for k, name in enumerate(net.continuous) if name in free]
    best = max(
        math.log(w) - 0.5 * np.linalg.slogdet(2 * math.pi * cov[np.ix_(places, places)])[1]
        for _, w, _, cov in shares
        if w > 0
    )
    assert math.log(found.probability) == pytest.approx(best)
    states = [name for name in free if name not in net.continuous]
    if states:  # alone, all else summed out
        alone = net.most_probable(evidence, states)
        table = net.query(states, evidence)
        assert alone.probability == pytest.approx(max(table.values()))
        assert table[tuple(alone.states.values())] == pytest.approx(alone.probability)
        assert alone.log_probability == pytest.approx(math.log(alone.probability) + log)


def test_the_most_probable_values_that_a_mixture_does_not_tell():
    table = {"sex": ["m", "f"] * 4, "size": [1.0, 2.0, 1.2, 2.2, 1.1, 1.9, 1.3, 2.4]}
    net = bl.Network(["sex", "size"], {"size": ["sex"]}).fit(bl.read_table(table, continuous=["size"]))
    with pytest.raises(InputError, match="a mixture over sex, which"):
        net.most_probable(targets="size")
    assert net.most_probable({"sex": "f"}).states["size"] == pytest.approx(2.125)
    assert net.most_probable({"size": 1.1}).states == {"sex": "m"}
    set_from_outside = net.do({"size": 2.0}).most_probable({"sex": "m"})
    assert set_from_outside.states == {"size": 2.0}
    for targets in ("sex", ["size", "size"]):
        with pytest.raises(InputError, match="different variables that are not known"):
            net.most_probable({"sex": "f"}, targets)
