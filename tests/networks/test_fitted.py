"""FittedNetwork: its checks, likelihood, sampling and estimation."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

from bayesloom.errors import InputError, ResourceError
from bayesloom.networks import fit
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.generate import random_network
from bayesloom.networks.network import Network
from bayesloom.table import Table

COIN = Network(["coin"], {})


def probability(fitted, row):
    """P(row) by definition; `row` maps names to states."""
    product = 1.0
    for i, (name, parents) in enumerate(fitted.network.parents.items()):
        at = [fitted.states[fitted.network.index(v)].index(row[v]) for v in (*parents, name)]
        product *= fitted.tables[i][tuple(at)]
    return product


def rows(table):
    for k in range(table.row_count):
        yield {n: table.states[i][table.codes[i][k]] for i, n in enumerate(table.names)}


def test_a_fitted_network_is_a_value(sprinkler):
    copy = pickle.loads(pickle.dumps(sprinkler))
    assert copy == sprinkler
    assert hash(copy) == hash(sprinkler)
    assert sprinkler != FittedNetwork(
        sprinkler.network, sprinkler.states, [t[..., ::-1] for t in sprinkler.tables]
    )
    assert sprinkler != 1
    assert repr(sprinkler) == "<FittedNetwork: 4 variables, 4 edges, 23 probabilities>"
    assert sprinkler.cardinalities == (3, 2, 2, 2)
    with pytest.raises(ValueError, match="read-only"):
        sprinkler.cpt("wet")[0, 0, 0] = 1


def test_log_likelihood_is_the_sum_over_rows_of_the_definition(sprinkler):
    table = sprinkler.sample(200, seed=1)
    expected = sum(math.log(probability(sprinkler, row)) for row in rows(table))
    assert sprinkler.log_likelihood(table) == pytest.approx(expected, rel=1e-12)


def test_log_likelihood_matches_variables_and_states_by_name(sprinkler):
    """Columns and states in another order, a column too many: the same number."""
    table = sprinkler.sample(300, seed=2)
    states = [tuple(reversed(s)) for s in table.states]
    codes = [len(s) - 1 - c.astype(int) for s, c in zip(table.states, table.codes, strict=True)]
    mixed = Table.from_codes(
        [*reversed(table.names), "more"], [*reversed(states), ("a", "b")], [*reversed(codes), codes[0] * 0]
    )
    assert sprinkler.log_likelihood(mixed) == pytest.approx(sprinkler.log_likelihood(table), rel=1e-12)


def test_an_impossible_row_has_minus_infinity(sprinkler):
    one = Table.from_codes(sprinkler.names, sprinkler.states, [[0], [0], [0], [1]])  # wet from nothing
    assert sprinkler.log_likelihood(one) == -math.inf


def test_a_state_that_the_network_does_not_know_is_named(sprinkler):
    table = Table.from_codes(
        sprinkler.names, [("dry", "mild", "snow"), *sprinkler.states[1:]], [[0, 2], [0, 0], [0, 0], [0, 0]]
    )
    with pytest.raises(
        InputError,
        match=r"^table, row 2: variable 'season' has state 'snow', not among 'dry', 'mild', 'rainy'\. Leave",
    ):
        sprinkler.log_likelihood(table)
    harmless = Table.from_codes(table.names, table.states, [[0, 1], [0, 0], [0, 0], [0, 0]])
    assert math.isfinite(sprinkler.log_likelihood(harmless))


def test_a_variable_that_the_table_lacks_is_named(sprinkler, weather):
    with pytest.raises(InputError, match=r"^the table lacks 1 of the network's variables: 'sprinkler'\.$"):
        sprinkler.log_likelihood(weather)
    with pytest.raises(InputError, match=r"lacks 1 of the network's variables: 'sprinkler'"):
        sprinkler.network.fit(weather)


def test_samples_have_the_network_s_frequencies(sprinkler):
    """Every joint state within five standard deviations, over 200,000 rows."""
    n = 200_000
    table = sprinkler.sample(n, seed=3)
    assert (table.names, table.states, table.row_count) == (sprinkler.names, sprinkler.states, n)
    joint = np.ravel_multi_index([c.astype(int) for c in table.codes], sprinkler.cardinalities)
    counts = np.bincount(joint, minlength=24)
    for k, states in enumerate(itertools.product(*sprinkler.states)):
        p = probability(sprinkler, dict(zip(sprinkler.names, states, strict=True)))
        assert abs(counts[k] - n * p) <= 5 * math.sqrt(n * p * (1 - p))


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(sprinkler):
    def columns(seed):
        return [c.tolist() for c in sprinkler.sample(100, seed=seed).codes]

    assert columns(4) == columns(4)
    assert columns(4) != columns(5)


def test_samples_are_these_for_ever(sprinkler):
    """A golden row set: benchmarks depend on it."""
    table = sprinkler.sample(8, seed=0)
    assert [c.tolist() for c in table.codes] == [
        [1, 0, 0, 0, 2, 2, 1, 1],
        [1, 1, 1, 0, 0, 0, 1, 0],
        [1, 0, 0, 0, 0, 0, 1, 1],
        [1, 1, 1, 0, 0, 0, 1, 1],
    ]


def test_a_state_of_probability_zero_is_never_drawn():
    fitted = FittedNetwork(COIN, [["a", "b", "c", "d"]], [[0.0, 0.3331, 0.6662, 0.0]])
    codes = fitted.sample(100_000, seed=6).codes[0]
    assert set(np.unique(codes)) == {1, 2}


def test_more_than_256_states_need_two_bytes():
    fitted = FittedNetwork(COIN, [[str(k) for k in range(300)]], [np.full(300, 1 / 300)])
    codes = fitted.sample(20_000, seed=1).codes[0]
    assert codes.dtype == np.uint16
    assert codes.max() == 299


@pytest.mark.parametrize(
    ("n", "seed", "message"),
    [
        (0, 0, "rows must be a whole number of at least 1, got 0"),
        (1, -1, "seed must be a whole number of at least 0, got -1"),
    ],
)
def test_sampling_options_are_checked(sprinkler, n, seed, message):
    with pytest.raises(InputError, match=message):
        sprinkler.sample(n, seed=seed)


def test_maximum_likelihood_is_the_relative_frequency(weather):
    network = Network(["season", "rain", "wet"], {"rain": ["season"], "wet": ["rain"]})
    fitted = network.fit(weather, method="ml")
    assert fitted.cpt("season").tolist() == [4 / 6, 0, 2 / 6]
    assert fitted.cpt("rain").tolist() == [[3 / 4, 1 / 4], [0.5, 0.5], [0, 1]]  # no row is mild: uniform
    assert fitted.cpt("wet").tolist() == [[1, 0], [1 / 3, 2 / 3]]


def test_dirichlet_adds_the_prior_of_bdeu(weather):
    network = Network(["season", "rain"], {"rain": ["season"]})
    fitted = network.fit(weather, method="dirichlet", ess=6)
    assert fitted.cpt("season").tolist() == [6 / 12, 2 / 12, 4 / 12]
    assert fitted.cpt("rain").tolist() == [[4 / 6, 2 / 6], [0.5, 0.5], [1 / 4, 3 / 4]]


def test_axes_of_a_table_are_parents_in_index_order_then_the_child(sprinkler):
    table = sprinkler.sample(3000, seed=8)
    fitted = sprinkler.network.fit(table, method="ml")
    season, sprinkled, rain, wet = (c.astype(int) for c in table.codes)
    del season
    rows_ = (sprinkled == 1) & (rain == 0)
    assert fitted.cpt("wet")[1, 0, 1] == wet[rows_].mean()


def test_a_sample_leads_back_to_the_network(sprinkler):
    fitted = sprinkler.network.fit(sprinkler.sample(100_000, seed=9))
    for name in sprinkler.names:
        assert fitted.cpt(name) == pytest.approx(sprinkler.cpt(name), abs=0.02)


@pytest.mark.parametrize(
    ("method", "ess", "message"),
    [
        ("mle", 1, r"unknown estimation method 'mle'\. Did you mean 'ml'\? Known: dirichlet, ml"),
        ("dirichlet", 0, r"ess must be a positive number up to 1e\+15, got 0"),
        ("dirichlet", math.inf, r"ess must be a positive number up to 1e\+15, got inf"),
        ("dirichlet", math.nan, r"ess must be a positive number up to 1e\+15, got nan"),
    ],
)
def test_estimation_options_are_checked(weather, method, ess, message):
    with pytest.raises(InputError, match=message):
        Network(["rain"], {}).fit(weather, method=method, ess=ess)


def test_tables_larger_than_memory_are_refused_before_they_are_made(weather):
    names = [f"V{i}" for i in range(41)]
    table = Table.from_codes(names, [["a", "b"]] * 41, [[0, 1]] * 41)
    with pytest.raises(
        ResourceError, match=r"'V40' with 40 parents needs 17592\.2 GB alone\. Learn a network"
    ):
        Network(names, {"V40": names[:40]}).fit(table)
    assert fit._memory() > 1e8


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        ([["a", "b"]], [[0.5, 0.4]], r"^the probabilities of 'coin' sum to 0\.9, expected 1\.$"),
        (
            [["a", "b"]],
            [[1.5, -0.5]],
            r"^the probabilities of 'coin' hold a number that is not a probability\.$",
        ),
        ([["a", "b"]], [[math.nan, 1]], r"^the probabilities of 'coin' hold a number that is not a prob"),
        ([["a", "b"]], [[0.2, 0.3, 0.5]], r"^the table of 'coin' has shape \(3,\), expected \(2,\)"),
        ([["a", "b"]], [["x", "y"]], r"^the table of 'coin' is not an array of numbers\.$"),
        ([["a", "b"]], [[[1], [1, 2]]], r"^the table of 'coin' is not an array of numbers\.$"),
        ([["a", "a"]], [[0.5, 0.5]], r"^the states of 'coin' are not distinct: a, a\.$"),
        ([[]], [[]], r"^the states of 'coin' must be a list of one or more strings, got \[\]\.$"),
        (["ab"], [[0.5, 0.5]], r"^the states of 'coin' must be a list of one or more strings, got 'ab'\.$"),
        ([[0, 1]], [[0.5, 0.5]], r"must be a list of one or more strings, got \[0, 1\]\.$"),
        ([], [], r"^got states of 0 variables for a network of 1\.$"),
        ({"coin": "HT", "dice": "16"}, [[1]], r"^states and network differ in their variables: 'dice'\.$"),
        ([["a"]], {"c": [1]}, r"^tables and network differ in their variables: 'c'\.$"),
        ([[str(k) for k in range(65537)]], [[1]], r"^variable 'coin' has 65537 states; at most 65536"),
    ],
)
def test_what_is_not_a_distribution_is_refused(states, tables, message):
    with pytest.raises(InputError, match=message):
        FittedNetwork(COIN, states, tables)


def test_the_row_that_is_wrong_is_named(sprinkler):
    wrong = sprinkler.cpt("wet").copy()
    wrong[1, 0] = [0.5, 0.6]
    with pytest.raises(
        InputError,
        match=r"^the probabilities of 'wet' given sprinkler='on', rain='no' sum to 1\.1, expected 1\.$",
    ):
        FittedNetwork(sprinkler.network, sprinkler.states, [*sprinkler.tables[:3], wrong])
    with pytest.raises(InputError, match="unknown variable 'snow'"):
        sprinkler.cpt("snow")


def test_rounded_rows_are_kept_as_they_are():
    fitted = FittedNetwork(COIN, [["a", "b", "c"]], [[0.333, 0.333, 0.333]])
    assert fitted.cpt("coin").tolist() == [0.333, 0.333, 0.333]


def test_random_networks_follow_the_recipe():
    fitted = random_network(2000, seed=1)
    counts = [len(up) for up in fitted.network.parent_indices]
    assert {len(s) for s in fitted.states} == {2, 3, 4}
    assert set(counts) == set(range(7))
    assert np.bincount(counts) == pytest.approx([2000 / 7] * 7, rel=0.25)
    assert fitted == random_network(2000, seed=1)
    assert fitted != random_network(2000, seed=2)


def test_random_networks_can_be_local_and_certain():
    fitted = random_network(300, max_parents=3, locality=3, states=(2, 2), concentration=1e-6, seed=3)
    order = {name: k for k, name in enumerate(fitted.network.order)}
    assert len(order) == 300
    assert max(map(len, fitted.network.parent_indices)) == 3
    assert min(float(t.max(axis=-1).min()) for t in fitted.tables) > 0.99
    assert random_network(1, seed=0).network.edges == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, r"n must be a whole number of at least 1, got 0"),
        ({"n": 3, "states": (4, 2)}, r"states must be a smallest and a largest number of states"),
        ({"n": 3, "max_parents": -1}, r"max_parents must be a whole number of at least 0, got -1"),
        ({"n": 3, "locality": 0}, r"locality must be a whole number of at least 1, got 0"),
        ({"n": 3, "concentration": 0.0}, r"concentration must be a positive number up to 1e\+15, got 0\.0"),
        ({"n": 3, "seed": -1}, r"seed must be a whole number of at least 0, got -1"),
    ],
)
def test_options_of_random_networks_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        random_network(**options)
