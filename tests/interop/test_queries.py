"""The same answers as pgmpy and pyAgrum, on the networks that everybody knows."""

from __future__ import annotations

import networkx
import numpy as np
import pytest

import bayesloom as bl
from made.data import NETWORKS, needs_data
from made.gaussian import random_gaussian

NAMES = sorted(path.name.partition(".")[0] for path in NETWORKS.glob("*.bif.gz"))

TOO_LARGE_FOR_PYAGRUM = {"link", "munin1"}
"""Its junction trees of the whole network take more memory than a machine has; parts are compared."""

LARGEST_PART = 60  # variables: pgmpy takes seconds for more


def cases(fitted, seed, count=3):
    """Targets with evidence among a few ancestors and relatives, and the part of the network that matters."""
    draw = np.random.default_rng(seed)
    row = fitted.sample(1, seed=seed)
    found = []
    for name in map(str, draw.permutation(fitted.names)):
        above = ancestors(fitted.network, [name])
        given = {
            str(other): row.states[row.index(str(other))][row.column(str(other))[0]]
            for other in draw.permutation(sorted(above - {name}))[:2]
        }
        for child in fitted.network.children(name)[:1]:
            if len(ancestors(fitted.network, [name, child])) <= LARGEST_PART:
                given[child] = row.states[row.index(child)][row.column(child)[0]]
        part = ancestors(fitted.network, [name, *given])
        if given and len(part) <= LARGEST_PART:
            found.append((name, given, part))
        if len(found) == count:
            break
    return found


def ancestors(network, names):
    found, waiting = set(), list(names)
    parents = network.parents
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += parents[name]
    return found


def part_of(fitted, names):
    """The network of some variables and all their ancestors."""
    kept = [name for name in fitted.names if name in names]
    network = bl.Network(kept, {name: fitted.network.parents[name] for name in kept})
    places = [fitted.names.index(name) for name in kept]
    return bl.FittedNetwork(network, [fitted.states[v] for v in places], [fitted.tables[v] for v in places])


@pytest.mark.filterwarnings("ignore")
@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_queries_equal_those_of_pgmpy(name):
    inference = pytest.importorskip("pgmpy.inference", reason="pgmpy is not installed: run `make interop`")
    fitted = bl.read_network(NETWORKS / f"{name}.bif.gz")
    asked = cases(fitted, seed=1)
    assert asked
    for target, evidence, part in asked:
        model = part_of(fitted, part).to_pgmpy()
        theirs = inference.VariableElimination(model).query([target], evidence=evidence, show_progress=False)
        ours = fitted.query(target, evidence)
        states = theirs.state_names[target]
        expected = [ours[state] for state in states]
        assert theirs.values.tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_queries_equal_those_of_pyagrum(name):
    gum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed: run `make interop`")
    fitted = bl.read_network(NETWORKS / f"{name}.bif.gz")
    asked = cases(fitted, seed=2)
    assert asked
    for target, evidence, part in asked:
        model = part_of(fitted, part).to_pyagrum()
        engine = gum.VariableElimination(model)
        engine.setEvidence(evidence)
        engine.addTarget(target)
        engine.makeInference()
        ours = fitted.query(target, evidence)
        labels = model.variable(target).labels()
        theirs = dict(zip(labels, engine.posterior(target).toarray().tolist(), strict=True))
        assert theirs == pytest.approx(ours, abs=1e-9)
    if name in TOO_LARGE_FOR_PYAGRUM:
        return
    model = fitted.to_pyagrum()
    row = fitted.sample(1, seed=5)
    draw = np.random.default_rng(0)
    evidence = {
        own: row.states[v][row.codes[v][0]] for v, own in enumerate(fitted.names) if draw.random() < 0.1
    }
    engine = gum.LazyPropagation(model)
    engine.setEvidence(evidence)
    engine.makeInference()
    for own, distribution in fitted.query(None, evidence).items():
        theirs = engine.posterior(own).toarray().tolist()
        assert theirs == pytest.approx(list(distribution.values()), abs=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_interventions_and_best_states_equal_those_of_pyagrum_and_pgmpy():
    gum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed: run `make interop`")
    inference = pytest.importorskip("pgmpy.inference", reason="pgmpy is not installed: run `make interop`")
    causal = pytest.importorskip("pyagrum.causal", reason="pyAgrum has no causal part here")
    looked = 0
    for seed in range(8):
        fitted = bl.random_network(6, states=(2, 3), max_parents=2, concentration=0.5, seed=seed)
        model = fitted.to_pyagrum()
        x, y = next(iter(fitted.network.edges), (None, None))
        if x is None:
            continue
        _, table, _ = causal.causalImpact(causal.CausalModel(model), on=y, doing=x)
        effect = fitted.effect(x, y)
        for a in effect.x_states:
            for b in effect.y_states:
                assert table[{x: a, y: b}] == pytest.approx(effect[a][b])
        engine = gum.LazyPropagation(model)
        _, log = engine.mpeLog2Posterior()
        ours = fitted.most_probable()
        assert log == pytest.approx(ours.log_probability / np.log(2))
        theirs = inference.VariableElimination(fitted.to_pgmpy()).map_query(show_progress=False)
        assert theirs == ours.states
        looked += 1
    assert looked > 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_linear_gaussian_networks_equal_those_of_pgmpy(seed):
    pytest.importorskip("pgmpy", reason="pgmpy is not installed: run `make interop`")
    net = random_gaussian(6, 0, seed)
    model = net.to_pgmpy()
    assert model.check_model()
    mean, covariance = model.to_joint_gaussian()
    order = list(networkx.topological_sort(model))
    ours = net.query(order)
    assert ours.mean == pytest.approx(np.asarray(mean).ravel(), abs=1e-6)
    assert ours.covariance == pytest.approx(np.asarray(covariance), abs=1e-6)
    with pytest.raises(bl.InputError, match="continuous variables only"):
        random_gaussian(4, 2, seed).to_pgmpy()
