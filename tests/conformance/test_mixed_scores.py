"""What must hold of every score of mixed tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.scoring.registry import scores
from bayesloom.verification.network import family_scores
from made.continuous import conditional_gaussian, linear_gaussian
from made.families import NO_SCORE, all_families
from made.families import local_scores as score
from made.scores import of_both
from reference.gaussian_scores import mixed_score

every_score = pytest.mark.parametrize("name", of_both)
every_seed = pytest.mark.parametrize("seed", range(5))


def test_there_are_some():
    assert {"bic-cg", "dg"} <= set(of_both)


@every_score
@every_seed
def test_equals_the_textbook_definition_and_the_verifier(name, seed):
    table, _ = conditional_gaussian(seed, variables=5, rows=[30, 90, 300, 1000, 60][seed])
    families = all_families(5)
    none = some = 0
    for (child, parents), fixed in zip(families, score(table, name, families), strict=True):
        expected = mixed_score(table.codes, table.cardinalities, child, parents, name)
        if expected is None:
            assert fixed < NO_SCORE
            none += 1
            continue
        some += 1
        assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-9, abs=1e-6)
        family = (table.names[child], [table.names[p] for p in parents])
        assert family_scores(table, [family], name) == pytest.approx([expected], rel=1e-9, abs=1e-6)
    assert some > 0
    assert (none > 0) == scores[name].discrete_have_discrete_parents


@pytest.mark.parametrize("name", ["bic-cg", "pnal"])
def test_rounding_where_cells_leave_little_variance_is_allowed_for(name):
    """Shares that nearly add up to 100 in two of three years: a cell leaves a column less than all rows."""
    rng = np.random.default_rng(3)
    year = rng.integers(0, 3, 120)
    yes, no = rng.normal(50, 9, 120), rng.normal(30, 6, 120)
    rest = 100 - yes - no + rng.normal(0, np.where(year == 0, 2.0, 3e-3))
    columns = {"year": [f"y{k}" for k in year], "yes": yes, "no": no, "rest": rest}
    result = bl.learn(columns, score=name, continuous=["yes", "no", "rest"])
    assert any("year" in result.network.parents[v] for v in ("yes", "no", "rest"))
    assert result.verify().ok, result.verify().problems


@every_score
def test_a_required_edge_that_the_score_forbids_is_told_as_such(name):
    table, _ = conditional_gaussian(0, variables=5, rows=60)
    states = next(v for v in table.names if v not in table.continuous)
    number = table.continuous[0]
    rules = {"required": [(number, states)]}
    if scores[name].discrete_have_discrete_parents:
        with pytest.raises(bl.InfeasibleError, match=f"{number}.*{states}.*which {name} does not allow"):
            bl.learn(table, score=name, constraints=rules)
    else:
        assert (number, states) in bl.learn(table, score=name, constraints=rules).network.edges


@every_score
@every_seed
def test_order_of_rows_and_parents_and_repeating_rows_do_not_matter_to_the_last_bit(name, seed):
    table, _ = conditional_gaussian(seed, variables=5, rows=120)
    families = all_families(5)
    before = score(table, name, families)
    assert score(table, name, [(child, parents[::-1]) for child, parents in families]) == before
    order = np.random.default_rng(seed).permutation(120)
    turned = bl.Table.from_codes(table.names, table.states, [column[order] for column in table.codes])
    assert score(turned, name, families) == before
    twice = bl.Table.from_codes(table.names, table.states, table.codes, weights=[2] * 120)
    assert score(twice, name, families) == score(twice.expanded(), name, families) != before


@pytest.mark.parametrize("name", [name for name in of_both if scores[name].equivalent])
@every_seed
def test_turning_a_covered_edge_changes_nothing_not_even_the_last_bit(name, seed):
    table, _ = conditional_gaussian(seed, variables=5, rows=400)
    tried = 0
    for x, y in itertools.permutations(range(5), 2):
        others = [v for v in range(5) if v not in (x, y)]
        for size in range(3):
            for shared in itertools.combinations(others, size):
                families = [(x, shared), (y, (*shared, x)), (y, shared), (x, (*shared, y))]
                one, two, three, four = score(table, name, families)
                if min(one, two, three, four) < NO_SCORE:
                    continue
                tried += 1
                assert one + two == three + four
    assert tried > 10


@pytest.mark.parametrize("name", [name for name in of_both if not scores[name].reads_missing])
def test_of_states_alone_and_of_numbers_alone(name):
    """Without numbers `bic-cg` is `bic`; without states all are `bic-g`."""
    numbers, _ = linear_gaussian(1, variables=4, rows=80)
    families = all_families(4)
    near = [_core.to_nats(s) for s in score(numbers, "bic-g", families)]
    assert [_core.to_nats(s) for s in score(numbers, name, families)] == pytest.approx(near, abs=1e-7)
    if name == "bic-cg":
        states = bl.random_network(4, seed=2).sample(100, seed=2)
        assert score(states, name, families) == score(states, "bic", families)
