"""Effects over equivalence classes and credible sets, against all their networks one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.networks.averaged_effects import Spread, parent_sets_in_class
from made.gaussian import random_gaussian
from reference.classes import every_member
from reference.enumeration import networks as all_networks


def test_parent_sets_in_a_class_are_those_of_its_members():
    sizes = set()
    for seed in range(40):
        network = bl.random_network(6, states=(2, 2), max_parents=2, seed=seed).network
        members = every_member(network, 5000)
        assert len(members) == len(set(members))
        assert all(member.is_equivalent(network) for member in members)
        sizes.add(len(members))
        for x in network.names:
            found = list(parent_sets_in_class(network, x))
            assert all(made.is_equivalent(network) for made, _ in found)
            assert len(found) == len({up for _, up in found})
            assert {up for _, up in found} == {member.parents[x] for member in members}
    assert len(sizes) > 4


def test_effects_over_a_class_are_those_of_its_members():
    different = 0
    for seed in range(12):
        fitted = bl.random_network(5, states=(2, 3), max_parents=2, seed=seed)
        table = fitted.sample(300, seed=seed)
        network = fitted.network
        members = every_member(network, 5000)
        for x, y in itertools.permutations(network.names, 2):
            found = network.effects(table, x, y)
            ours = {tuple(np.round(effect.table, 9).ravel()) for effect in found.effects}
            theirs = {
                tuple(np.round(member.fit(table, method="dirichlet").effect(x, y).table, 9).ravel())
                for member in members[:: max(1, len(members) // 30)]
            }
            # The members fit alike, so an effect depends on the parents of x alone.
            assert theirs <= ours
            different += len(ours) > 1
            if (len(members) <= 30) and x == network.names[0]:
                assert theirs == ours
    assert different > 20


def test_a_credible_set_averages_over_its_networks():
    fitted = bl.random_network(4, states=(2, 3), max_parents=2, concentration=0.5, seed=8)
    table = fitted.sample(150, seed=8)
    found = bl.credible(table, 5000)
    networks = list(found.networks.with_scores())
    assert len(networks) > 10
    for x, y in itertools.permutations(table.names, 2):
        averaged = found.effect(table, x, y)
        assert averaged.networks == len(networks)
        expected = sum(
            one.posterior * one.network.fit(table, method="dirichlet").effect(x, y).table for one in networks
        )
        assert averaged.mean.table == pytest.approx(expected)
        none = sum(one.posterior for one in networks if not any(path for path in [leads(one.network, x, y)]))
        assert averaged.no_effect == pytest.approx(none)
        assert averaged.weights.sum() == pytest.approx(1)
        a, b = averaged.mean.x_states[:2]
        spread = averaged.difference(averaged.mean.y_states[0], a, b)
        assert spread.mean == pytest.approx(averaged.mean.difference(averaged.mean.y_states[0], a, b))


def leads(network, x, y):
    return any(child == y or leads(network, child, y) for child in network.children(x))


def test_a_posterior_averages_over_the_networks_drawn():
    table = bl.random_network(4, states=(2, 3), max_parents=2, concentration=0.5, seed=8).sample(150, seed=8)
    found = bl.posterior(table, samples=200, seed=2)
    assert len(set(found.networks)) > 10
    for x, y in itertools.permutations(table.names[:3], 2):
        averaged = found.effect(table, x, y)
        assert averaged.networks == 200
        assert averaged.drawn
        each = [network.fit(table, method="dirichlet").effect(x, y).table for network in found.networks]
        assert averaged.mean.table == pytest.approx(np.mean(each, axis=0))
        assert averaged.no_effect == pytest.approx(np.mean([not leads(one, x, y) for one in found.networks]))


def test_a_set_of_all_networks_is_the_sum_over_all_networks():
    """Every network of three variables, with weights by the definition of the posterior."""
    table = bl.random_network(3, states=(2, 2), max_parents=2, concentration=0.5, seed=1).sample(40, seed=1)
    cache = bl.score(table, bayes_factor=1e30)
    averaged = bl.credible(cache, 1e30).effect(table, table.names[0], table.names[1])
    every = [
        bl.Network(table.names, [[p for p in range(3) if mask >> p & 1] for mask in row])
        for row in all_networks(3).tolist()
    ]
    logs = np.array([sum(bl.network_scores(network, table).values()) for network in every])
    weights = np.exp(logs - logs.max())
    tables = [
        network.fit(table, method="dirichlet").effect(table.names[0], table.names[1]).table
        for network in every
    ]
    assert averaged.networks == len(every) == 25
    assert averaged.mean.table == pytest.approx(
        np.tensordot(weights / weights.sum(), np.array(tables), axes=1), abs=1e-6
    )


def test_spreads():
    spread = Spread(np.array([-1.0, 0.0, 2.0]), np.array([0.2, 0.5, 0.3]))
    assert spread.mean == pytest.approx(0.4)
    assert spread.sd == pytest.approx(math.sqrt(0.2 * 1.4**2 + 0.5 * 0.4**2 + 0.3 * 1.6**2))
    assert [spread.quantile(q) for q in (0, 0.2, 0.21, 0.7, 0.71, 1)] == [-1, -1, 0, 0, 2, 2]
    with pytest.raises(bl.InputError, match="from 0 to 1"):
        spread.quantile(1.5)


def test_linear_effects_over_a_class_are_regressions_on_the_parents():
    """What IDA does: the slope of y on x and the parents that x has, in some network of the class."""
    different = 0
    for seed in range(6):
        net = random_gaussian(5, 0, seed, max_parents=2)
        table = net.sample(200, seed=seed)
        members = every_member(net.network, 5000)
        whole = net.network.fit(table).query(list(net.names)).covariance  # the same for all members
        for x, y in itertools.permutations(net.names, 2):
            found = net.network.effects(table, x, y, method="ml")
            expected = set()
            for up in {member.parents[x] for member in members}:
                places = [net.names.index(name) for name in (x, *up)]
                j = net.names.index(y)
                slope = np.linalg.solve(whole[np.ix_(places, places)], whole[places, j])[0]
                expected.add(0.0 if y in up else round(float(slope), 7))
            slopes = np.sort([float(effect) for effect in found.effects])
            assert {round(one, 7) + 0.0 for one in slopes.tolist()} == {one + 0.0 for one in expected}
            spread = found.spread(float)
            assert spread.interval(1.0) == pytest.approx((slopes[0], slopes[-1]))
            different += len(slopes) > 1
    assert different > 5
